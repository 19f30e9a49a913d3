//! What JAX's profiler writes otherwise than PyTorch's: the numbers of devices, streams and threads are in
//! the names of lanes, and the details of a piece of work are one text: `regs:32 static_shared:0
//! dynamic_shared:0 grid:8,1,1 block:128,1,1 occ_pct:100`.

use proftui_trace::export::recording::device::{LaunchConfig, Memcpy, Memset};
use proftui_trace::import::{RawEvent, RawValue};
use proftui_trace::model::{GroupKind, LaneId, Trace};

use super::super::device::enum_names;
use super::events::Details;

/// The name by which a process reports JAX's profiler.
pub(super) const PROFILER: &str = "jax.profiler";

/// Beginning of the name of a lane that is a stream; the stream's number follows.
const STREAM: &str = "Stream #";

/// A lane that may have device work or CUDA calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lane {
    /// A thread of the host, by the system's number.
    Host(u32),
    /// A stream of a device.
    Stream {
        /// The device's number.
        device: u32,
        /// The stream's number.
        stream: u32,
    },
}

impl Lane {
    /// Recognizes a lane by the names of the lane and its group; `None` for other lanes.
    pub(super) fn of(trace: &Trace, lane: LaneId) -> Option<Self> {
        let lane = &trace.lanes[lane];
        let text = |id| std::str::from_utf8(trace.strings.bytes(id)).unwrap_or_default();
        let group = &trace.groups[lane.group];
        if group.kind == GroupKind::Device {
            let stream = text(lane.tid).strip_prefix(STREAM)?;
            let end = stream.find(|digit: char| !digit.is_ascii_digit()).unwrap_or(stream.len());
            return Some(Self::Stream {
                device: text(group.pid).parse().ok()?,
                stream: stream[..end].parse().ok()?,
            });
        }
        Some(Self::Host(text(lane.tid).parse().ok()?))
    }
}

/// The correlation of an event; `None` if the event states none, or no number of 32 bits.
pub(super) fn correlation(event: &RawEvent<'_, '_>) -> Option<u32> {
    u32::try_from(event.argument(b"correlation_id")?.integer()?).ok()
}

/// The number of an event's context, written such as `$$1`; 0 if unknown.
pub(super) fn context(event: &RawEvent<'_, '_>) -> u32 {
    let text = event.argument(b"context_id").map(RawValue::text).unwrap_or_default();
    String::from_utf8_lossy(&text).trim_start_matches('$').parse().unwrap_or_default()
}

/// What a piece of device work is, with its details; `None` for an event that is no device work.
pub(super) fn details(event: &RawEvent<'_, '_>) -> Option<Details> {
    let text =
        |key: &[u8]| event.argument(key).map(|value| String::from_utf8_lossy(&value.text()).into_owned());
    if let Some(text) = text(b"memcpy_details") {
        let (from, to) = (memory(&text, "kind_src"), memory(&text, "kind_dst"));
        let kind = event.field(b"name").map(RawValue::text).unwrap_or_default();
        return Some(Details::Memcpy(Memcpy {
            bytes: number(&text, "size"),
            kind: copy(&String::from_utf8_lossy(&kind)),
            from,
            to,
            devices: None,
            copies: 1,
            is_async: number(&text, "async") != 0,
        }));
    }
    if let Some(text) = text(b"Memset_details").or_else(|| text(b"memset_details")) {
        let is_async = number(&text, "async") != 0;
        return Some(Details::Memset(Memset {
            bytes: number(&text, "num_bytes"),
            value: 0,
            kind: memory(&text, "kind"),
            is_async,
        }));
    }
    // A graph that was recorded as a whole has no configuration.
    let text = text(b"kernel_details").or_else(|| text(b"cuda_graph_exec_id"))?;
    let small = |key| u32::try_from(number(&text, key)).unwrap_or_default();
    Some(Details::Kernel(LaunchConfig {
        grid: three(&text, "grid"),
        block: three(&text, "block"),
        static_shared: small("static_shared"),
        dynamic_shared: small("dynamic_shared"),
        registers: small("regs"),
        local: 0,
        occupancy: None,
        launched: None,
    }))
}

/// The value of `key` in a text such as `key:value key:value`; empty if the text does not have the key.
fn value<'a>(text: &'a str, key: &str) -> &'a str {
    let mut pairs = text.split(' ').filter_map(|pair| pair.split_once(':'));
    pairs.find(|pair| pair.0 == key).map_or("", |pair| pair.1)
}

fn number(text: &str, key: &str) -> u64 {
    value(text, key).parse().unwrap_or_default()
}

/// The three numbers of `key` in a text such as `grid:8,1,1 block:128,1,1`; 0 for missing numbers.
fn three(text: &str, key: &str) -> [u32; 3] {
    let mut numbers = value(text, key).split(',').map(|number| number.parse().unwrap_or_default());
    [(); 3].map(|()| numbers.next().unwrap_or_default())
}

/// The kind of memory of `key` in a text such as `kind_src:device_static`, as `Device Static`; `Unknown` for
/// unknown kinds.
fn memory(text: &str, key: &str) -> &'static str {
    let wanted = value(text, key).replace('_', " ");
    let is_wanted = |known: &&'static str| known.eq_ignore_ascii_case(&wanted);
    (1..=7).map(enum_names::memory).find(is_wanted).unwrap_or(enum_names::memory(0))
}

/// The kind of a copy by its name: `MEMCPY_HtoD` for `MemcpyH2D`; `MEMCPY` for unknown kinds.
fn copy(name: &str) -> &'static str {
    let way = name.trim_start_matches("Memcpy").replace('2', "to");
    let is_wanted = |known: &&'static str| known.strip_prefix("MEMCPY_") == Some(way.as_str());
    (1..=10).map(enum_names::copy).find(is_wanted).unwrap_or(enum_names::copy(0))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn details_are_read_from_their_text() {
        let text = "regs:32 static_shared:16 dynamic_shared:0 grid:8,2,1 block:128,1 occ_pct:100";
        assert_eq!((number(text, "regs"), number(text, "static_shared"), number(text, "x")), (32, 16, 0));
        assert_eq!(
            (three(text, "grid"), three(text, "block"), three("", "grid")),
            ([8, 2, 1], [128, 1, 0], [0; 3])
        );
        assert_eq!(
            ["MemcpyH2D", "MemcpyP2P", "MemcpyOther"].map(copy),
            ["MEMCPY_HtoD", "MEMCPY_PtoP", "MEMCPY"]
        );
        let memories = ["kind:pageable", "kind:device_static", "kind:x", ""].map(|text| memory(text, "kind"));
        assert_eq!(memories, ["Pageable", "Device Static", "Unknown", "Unknown"]);
    }
}
