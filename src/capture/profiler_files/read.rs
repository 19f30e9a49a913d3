//! Reads the GPU's events of a Chrome trace: kernels, copies, memsets, and the CUDA calls that launched them. Must not know what they are
//! added to.

use std::ops::Range;
use std::path::Path;

use proftui_wire::device::record::Api;

use crate::base::fmt;
use crate::export::recording::device::{LaunchConfig, Memcpy, Memset};
use crate::import::{Progress, RawEvent, RawValue, Request, load};
use crate::model::{Category, LaneId, Origin, SliceId, Trace};

use super::super::device::enum_names;

/// The GPU's events of a file, in the file's order.
#[derive(Debug, Default)]
pub(super) struct Content {
    pub work: Vec<Work>,
    pub calls: Vec<Call>,
    /// Numbers and names of the devices.
    pub devices: Vec<(u32, String)>,
    /// Messages about damage of the file.
    pub faults: Vec<String>,
}

/// A kernel, copy or memset.
#[derive(Debug)]
pub(super) struct Work {
    /// Start and end, ns since 1970.
    pub times: (u64, u64),
    pub name: Vec<u8>,
    pub correlation: u32,
    pub device: u32,
    pub context: u32,
    pub stream: u32,
    pub details: Details,
}

/// What a kind of work has that others have not.
#[derive(Debug)]
pub(super) enum Details {
    Kernel(LaunchConfig),
    Memcpy(Memcpy),
    Memset(Memset),
}

/// A call of CUDA.
#[derive(Debug)]
pub(super) struct Call {
    /// Start and end, ns since 1970.
    pub times: (u64, u64),
    pub name: Vec<u8>,
    pub correlation: u32,
    /// Number of the function, as the recording has it.
    pub function: u32,
    /// Number of the thread, as the system numbers it.
    pub tid: u32,
}

/// Reads the GPU's events of a file that began `within` these times, ns since 1970.
///
/// # Errors
/// When the file cannot be read at all: a message for the user.
pub(super) fn read(path: &Path, within: &Range<u64>) -> Result<Content, String> {
    let loaded = load(&Request::new([path]), &Progress::default()).map_err(|error| error.to_string())?;
    let trace = &loaded.trace;
    if trace.meta.epoch.is_none() {
        return Err("it does not state when it was recorded".to_owned());
    }
    let mut items = items(trace, within);
    items.sort_unstable_by_key(|item| item.0);
    let origins: Vec<Origin> = items.iter().map(|item| item.0).collect();
    let mut content = Content::default();
    let visited = loaded.texts.visit(&origins, |at, event| {
        let (_, lane, slice) = items[at];
        content.take(trace, lane, slice, event);
    });
    match visited {
        Ok(0) => {}
        Ok(missing) => {
            content.faults.push(format!("{} could not be read again", fmt::counted(missing, "event")));
        }
        Err(error) => content.faults.push(error.to_string()),
    }
    if trace.quality.entries().any(|(warning, _)| warning.is_damage()) {
        content.faults.push("the file is damaged: proftui info prints what was lost".to_owned());
    }
    if let Some(partial) = &trace.meta.partial {
        content
            .faults
            .push(format!("{} left out: not enough memory", fmt::counted(partial.outside, "event")));
    }
    let device = |device: &crate::model::Device| Some((u32::try_from(device.id).ok()?, device.name.clone()));
    content.devices = trace.devices.iter().filter_map(device).collect();
    Ok(content)
}

/// The GPU's events that began within these times: where they are in the file, their lanes and numbers.
fn items(trace: &Trace, within: &Range<u64>) -> Vec<(Origin, LaneId, SliceId)> {
    let mut items = Vec::new();
    for lane in (0..trace.lanes.len() as LaneId).filter(|&lane| !trace.lanes[lane as usize].kind.repeats()) {
        for slice in trace.lanes[lane as usize].slices.clone() {
            let is_wanted = matches!(
                trace.slices.category(slice),
                Category::Kernel
                    | Category::Memcpy
                    | Category::Memset
                    | Category::CudaRuntime
                    | Category::CudaDriver
            );
            if is_wanted && times(trace, slice).is_some_and(|times| within.contains(&times.0)) {
                items.push((trace.slices.origin[slice as usize], lane, slice));
            }
        }
    }
    items
}

/// Start and end of an event, ns since 1970; none before that.
fn times(trace: &Trace, slice: SliceId) -> Option<(u64, u64)> {
    let span = trace.slices.span(slice);
    let wall = |ns: i64| u64::try_from(ns.saturating_add(trace.meta.epoch.unwrap_or_default())).ok();
    Some((wall(span.start)?, wall(span.end)?))
}

impl Content {
    /// Adds an event; does nothing, and returns none, for one without a thread.
    fn take(&mut self, trace: &Trace, lane: LaneId, slice: SliceId, event: &RawEvent<'_, '_>) -> Option<()> {
        let times = times(trace, slice)?;
        let name = trace.strings.bytes(trace.slices.name[slice as usize]).to_vec();
        let number = |key: &[u8]| event.argument(key).and_then(RawValue::integer);
        let small = |key: &[u8]| number(key).and_then(|number| u32::try_from(number).ok());
        let of_lane =
            || std::str::from_utf8(trace.strings.bytes(trace.lanes[lane as usize].tid)).ok()?.parse().ok();
        // As Kineto and Paddle write it.
        let correlation = small(b"correlation").or_else(|| small(b"correlation id")).unwrap_or_default();
        let category = trace.slices.category(slice);
        if matches!(category, Category::CudaRuntime | Category::CudaDriver) {
            let driver = if category == Category::CudaDriver { Api::DRIVER } else { 0 };
            let function = small(b"cbid").unwrap_or_default() | driver;
            self.calls.push(Call { times, name, correlation, function, tid: of_lane()? });
            return Some(());
        }
        let bytes = number(b"bytes").and_then(|bytes| u64::try_from(bytes).ok()).unwrap_or_default();
        let details = match category {
            Category::Memcpy => Details::Memcpy(memcpy(&name, bytes)),
            Category::Memset => {
                Details::Memset(Memset { bytes, value: 0, kind: memories(&name).0, is_async: false })
            }
            _ => Details::Kernel(LaunchConfig {
                grid: three(event, b"grid"),
                block: three(event, b"block"),
                static_shared: 0,
                dynamic_shared: small(b"shared memory").unwrap_or_default(),
                registers: small(b"registers per thread").unwrap_or_default(),
                local: 0,
                occupancy: None,
                launched: None,
            }),
        };
        self.work.push(Work {
            times,
            name,
            correlation,
            device: small(b"device").unwrap_or_default(),
            context: small(b"context").unwrap_or_default(),
            stream: small(b"stream").or_else(of_lane).unwrap_or_default(),
            details,
        });
        Some(())
    }
}

/// An argument of three numbers; 0 for each that it has not.
fn three(event: &RawEvent<'_, '_>, key: &[u8]) -> [u32; 3] {
    let mut numbers = [0; 3];
    let elements = event.argument(key).into_iter().flat_map(RawValue::elements);
    for (slot, element) in numbers.iter_mut().zip(elements) {
        *slot = element.integer().and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
    }
    numbers
}

/// A copy, of which Kineto's name states direction and memories: `Memcpy HtoD (Pageable -> Device)`.
fn memcpy(name: &[u8], bytes: u64) -> Memcpy {
    let text = String::from_utf8_lossy(name);
    let is_of = |kind: &&'static str| kind.strip_prefix("MEMCPY_").is_some_and(|way| text.contains(way));
    let kind = (1..=10).map(enum_names::copy).find(is_of).unwrap_or(enum_names::copy(0));
    let (from, to) = memories(name);
    Memcpy { bytes, kind, from, to, devices: None, copies: 1, is_async: false }
}

/// The kinds of memory in the parentheses of a name, of which the second may be missing.
fn memories(name: &[u8]) -> (&'static str, &'static str) {
    let text = String::from_utf8_lossy(name);
    let inner =
        text.split_once('(').and_then(|(_, rest)| rest.split_once(')')).map_or("", |(inner, _)| inner);
    let (from, to) = inner.split_once(" -> ").unwrap_or((inner, ""));
    let known = |text: &str| {
        (1..=7).map(enum_names::memory).find(|kind| *kind == text).unwrap_or(enum_names::memory(0))
    };
    (known(from), known(to))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kinetos_names_of_copies_are_understood() {
        let copy = |name: &str| {
            let Memcpy { kind, from, to, .. } = memcpy(name.as_bytes(), 1);
            (kind, from, to)
        };
        assert_eq!(copy("Memcpy HtoD (Pinned -> Device)"), ("MEMCPY_HtoD", "Pinned", "Device"));
        assert_eq!(copy("Memcpy DtoH (Device -> x)"), ("MEMCPY_DtoH", "Device", "Unknown"));
        assert_eq!(copy(""), ("MEMCPY", "Unknown", "Unknown"));
        assert_eq!(memories(b"Memset (Device)").0, "Device");
    }

    #[test]
    fn events_of_the_cycle_are_read() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.json");
        let event = |category: &str, ts: &str, tid: u32, args: &str| {
            format!(
                r#"{{"ph":"X","cat":"{category}","name":"{category}","pid":1,"tid":{tid},"ts":{ts},"dur":2.5,"args":{{{args}}}}}"#
            )
        };
        let events = [
            event(
                "kernel",
                "1000.5",
                7,
                r#""device":0,"context":1,"stream":7,"correlation":9,"grid":[2,3,4],"block":[32,1,1],"registers per thread":5"#,
            ),
            event("cuda_runtime", "1000.1", 11, r#""cbid":211,"correlation":9"#),
            event("cuda_driver", "1000.2", 11, r#""cbid":307,"correlation":10"#),
            event("cpu_op", "1000.1", 11, r#""x":1"#),
            event("kernel", "9000.5", 7, r#""device":0,"stream":7,"correlation":12"#),
        ];
        let text = format!(
            r#"{{"schemaVersion":1,"deviceProperties":[{{"id":0,"name":"G"}}],"baseTimeNanoseconds":5000000000,"traceEvents":[{}]}}"#,
            events.join(",\n")
        );
        std::fs::write(&path, text).expect("written");
        let content = read(&path, &(5_001_000_000..5_002_000_000)).expect("readable");
        assert_eq!((content.devices, content.faults.len()), (vec![(0, "G".to_owned())], 0));
        let calls: Vec<_> = content.calls.iter().map(|call| (call.times, call.function, call.tid)).collect();
        let driver = Api::DRIVER + 307;
        assert_eq!(
            calls,
            [((5_001_000_100, 5_001_002_600), 211, 11), ((5_001_000_200, 5_001_002_700), driver, 11)]
        );
        let [work] = &content.work[..] else { panic!("{:?}", content.work) };
        assert_eq!((work.times, work.stream, work.correlation), ((5_001_000_500, 5_001_003_000), 7, 9));
        assert!(matches!(&work.details, Details::Kernel(LaunchConfig { grid: [2, 3, 4], registers: 5, .. })));
        assert!(read(&folder.path().join("none"), &(0..1)).is_err());
        let undated =
            r#"{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,"ts":1,"dur":2}]}"#;
        std::fs::write(&path, undated).expect("written");
        assert!(read(&path, &(0..u64::MAX)).is_err_and(|why| why.contains("when it was recorded")));
    }

    #[test]
    fn paddles_files_are_read_too() {
        let folder = tempfile::tempdir().expect("a folder");
        let path = folder.path().join("t.json");
        let text = r#"{"displayTimeUnit":"ms","schemaVersion":"1.0.2","span_index":"0","deviceProperties":[],"traceEvents":[
            {"name":"cudaLaunchKernel[5.000 us]","pid":42,"tid":"42(C++)","ts":1650000000000007,"dur":5.0,"ph":"X","cat":"CudaRuntime",
             "args":{"start_time":"7.394 us","end_time":"12.394 us","correlation id":1}},
            {"name":"cast[28.120 us]","pid":0,"tid":7,"ts":1650000000000012,"dur":28.12,"ph":"X","cat":"Kernel",
             "args":{"start_time":"12.394 us","end_time":"40.514 us","device":0,"context":1,"stream":7,"correlation id":1,"grid":[80,1,1],"block":[256,1,1]}}
        ]}"#;
        std::fs::write(&path, text).expect("written");
        let content = read(&path, &(1_650_000_000_000_000_000..1_650_000_001_000_000_000)).expect("readable");
        let calls: Vec<_> = content.calls.iter().map(|call| (call.tid, call.correlation)).collect();
        let work: Vec<_> =
            content.work.iter().map(|work| (&work.name[..], work.stream, work.correlation)).collect();
        assert_eq!((calls, work), (vec![(42, 1)], vec![(&b"cast"[..], 7, 1)]));
    }
}
