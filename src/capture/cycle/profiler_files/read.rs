//! Reads the GPU's events of a Chrome trace: kernels, copies, memsets, and the CUDA calls that launched them,
//! as PyTorch and Paddle write them; what others write otherwise is known by `jax`, `xplane` and `proton`.
//! Must not know what the events are added to.

use std::io;
use std::ops::Range;
use std::path::Path;

use proftui_wire::device::record::Api;

use proftui_base::fmt;
use proftui_trace::export::recording::device::{LaunchConfig, Memcpy, Memset};
use proftui_trace::import::{ImportError, Progress, RawEvent, RawValue, Request, load};
use proftui_trace::model::{Category, LaneId, Origin, SliceId, Trace};

use super::super::device::enum_names;
use super::events::{Call, Content, Details, Work};
use super::{jax, proton, xplane};

/// Why a file that the script's profiler wrote is left out.
#[derive(Debug, thiserror::Error)]
pub(super) enum FileError {
    /// The system's error when the file is examined, such as that it does not exist.
    #[error(transparent)]
    System(#[from] io::Error),
    /// The file is no regular file, or belongs to another user.
    #[error("the file is not a regular file of this user")]
    NotOfUser,
    /// The file cannot be loaded as a trace.
    #[error(transparent)]
    Import(#[from] ImportError),
    /// It is not known when the file's events were recorded.
    #[error("the file does not state when it was recorded")]
    Undated,
}

/// A loaded file, with what is needed to understand its events.
struct Loaded<'a> {
    trace: &'a Trace,
    /// The time that the file's zero stands for, ns since 1970; 0 until it is known.
    zero: i64,
    profiler: &'a str,
}

/// Reads device work and CUDA calls that began `within` these times (ns since 1970) from a file that
/// `profiler` wrote. Damage is no error; the result's `faults` note that of a file in which such events are
/// left.
///
/// # Errors
/// When the file cannot be loaded, or it is not known when its events were recorded.
pub(super) fn read(path: &Path, profiler: &str, within: &Range<u64>) -> Result<Content, FileError> {
    // A script may have named a pipe, which another program reads.
    let request = Request { is_regular: true, keeps_impossible: true, ..Request::new([path]) };
    let loaded = load(&request, &Progress::default())?;
    let trace = &loaded.trace;
    let mut file = Loaded { trace, zero: 0, profiler };
    if !file.has_any() {
        return Ok(Content::default());
    }
    let beside = || if profiler == jax::PROFILER { xplane::start_beside(path) } else { None };
    file.zero = trace.meta.epoch.or_else(beside).ok_or(FileError::Undated)?;
    let mut items = file.items(within);
    items.sort_unstable_by_key(|item| item.0);
    let origins: Vec<Origin> = items.iter().map(|item| item.0).collect();
    let mut content = Content::default();
    let visited = loaded.texts.visit(&origins, |at, event| {
        let (_, lane, slice) = items[at];
        content.take(&file, lane, slice, event);
    });
    match visited {
        Ok(0) => {}
        Ok(missing) => {
            content
                .faults
                .push(format!("{} left out: could not be read again", fmt::counted(missing, "event")));
        }
        Err(error) => content.faults.push(error.to_string()),
    }
    if trace.quality.entries().any(|(warning, _)| warning.is_damage()) {
        content.faults.push("the file is damaged: proftui info FILE prints how".to_owned());
    }
    if let Some(partial) = &trace.meta.partial {
        let outside = fmt::counted(partial.outside, "event");
        content.faults.push(format!("{outside} left out by the memory limit for loading"));
    }
    let device =
        |device: &proftui_trace::model::Device| Some((u32::try_from(device.id).ok()?, device.name.clone()));
    content.devices = trace.devices.iter().filter_map(device).collect();
    Ok(content)
}

impl Loaded<'_> {
    /// The category by which an event is read; `None` for an event to be left out.
    fn kind(&self, lane: LaneId, slice: SliceId) -> Option<Category> {
        if self.trace.lanes[lane].kind.repeats() {
            return None;
        }
        let category = self.trace.slices.category(slice);
        let is_wanted = matches!(
            category,
            Category::Kernel
                | Category::Memcpy
                | Category::Memset
                | Category::CudaRuntime
                | Category::CudaDriver
        );
        is_wanted.then_some(category)
    }

    fn all(&self) -> impl Iterator<Item = (LaneId, SliceId)> {
        let lanes = self.trace.lanes.iter_with_ids();
        let all = lanes.flat_map(|(lane, of)| of.slices.iter().map(move |slice| (lane, slice)));
        all.filter(|&(lane, slice)| self.kind(lane, slice).is_some())
    }

    /// True if the file has device work or a CUDA call, at any time.
    fn has_any(&self) -> bool {
        self.all().next().is_some()
    }

    /// The device work and CUDA calls that began `within` these times (ns since 1970): origin, lane and id of
    /// each event.
    fn items(&self, within: &Range<u64>) -> Vec<(Origin, LaneId, SliceId)> {
        let is_within = |slice| self.times(slice).is_some_and(|times| within.contains(&times.0));
        let wanted = self.all().filter(|&(_, slice)| is_within(slice));
        wanted.map(|(lane, slice)| (self.trace.slices.origin[slice], lane, slice)).collect()
    }

    /// Start and end of an event, ns since 1970; `None` if one of them is before 1970.
    fn times(&self, slice: SliceId) -> Option<(u64, u64)> {
        let span = self.trace.slices.span(slice);
        let wall = |ns: i64| u64::try_from(ns.saturating_add(self.zero)).ok();
        Some((wall(span.start)?, wall(span.end)?))
    }
}

impl Content {
    /// Adds an event that is device work or a CUDA call; returns `None` if it is left out.
    fn take(
        &mut self,
        file: &Loaded<'_>,
        lane: LaneId,
        slice: SliceId,
        event: &RawEvent<'_, '_>,
    ) -> Option<()> {
        let (trace, times, category) = (file.trace, file.times(slice)?, file.kind(lane, slice)?);
        let name = trace.strings.bytes(trace.slices.name[slice]).to_vec();
        if file.profiler == jax::PROFILER {
            return self.take_of_jax((jax::Lane::of(trace, lane)?, category), times, name, event);
        }
        let number = |key: &[u8]| event.argument(key).and_then(RawValue::integer);
        let small = |key: &[u8]| number(key).and_then(|number| u32::try_from(number).ok());
        let of_lane = || std::str::from_utf8(trace.strings.bytes(trace.lanes[lane].tid)).ok()?.parse().ok();
        // As Kineto and Paddle write it.
        let correlation = small(b"correlation").or_else(|| small(b"correlation id")).unwrap_or_default();
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
        let stated = small(b"device").zip(small(b"stream"));
        let of_lane = || {
            of_lane().map(if file.profiler == proton::PROFILER { proton::stream } else { |lane| (0, lane) })
        };
        let (device, stream) = stated.or_else(of_lane).unwrap_or_default();
        let context = small(b"context").unwrap_or_default();
        self.work.push(Work { times, name, correlation, device, context, stream, details });
        Some(())
    }

    /// Adds an event of JAX's profiler, with its `times` in ns since 1970; returns `None` if it is left out.
    fn take_of_jax(
        &mut self,
        (lane, category): (jax::Lane, Category),
        times: (u64, u64),
        name: Vec<u8>,
        event: &RawEvent<'_, '_>,
    ) -> Option<()> {
        let correlation = jax::correlation(event)?;
        match lane {
            jax::Lane::Host(tid) => {
                let function = if category == Category::CudaDriver { Api::DRIVER } else { 0 };
                self.calls.push(Call { times, name, correlation, function, tid });
            }
            jax::Lane::Stream { device, stream } => {
                let (details, context) = (jax::details(event)?, jax::context(event));
                self.work.push(Work { times, name, correlation, device, context, stream, details });
            }
        }
        Some(())
    }
}

/// The first three elements of the argument `key`, an array of integers; 0 for each that is missing.
fn three(event: &RawEvent<'_, '_>, key: &[u8]) -> [u32; 3] {
    let mut numbers = [0; 3];
    let elements = event.argument(key).into_iter().flat_map(RawValue::elements);
    for (slot, element) in numbers.iter_mut().zip(elements) {
        *slot = element.integer().and_then(|number| u32::try_from(number).ok()).unwrap_or_default();
    }
    numbers
}

/// A copy whose direction and kinds of memory are read from its name, as Kineto writes it: `Memcpy HtoD
/// (Pageable -> Device)`.
fn memcpy(name: &[u8], bytes: u64) -> Memcpy {
    let text = String::from_utf8_lossy(name);
    let is_of = |kind: &&'static str| kind.strip_prefix("MEMCPY_").is_some_and(|way| text.contains(way));
    let kind = (1..=10).map(enum_names::copy).find(is_of).unwrap_or(enum_names::copy(0));
    let (from, to) = memories(name);
    Memcpy { bytes, kind, from, to, devices: None, copies: 1, is_async: false }
}

/// The two kinds of memory in the parentheses of a name such as `Memcpy HtoD (Pageable -> Device)`; `Unknown`
/// for each that is not there or not known.
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
        let content = read(&path, "torch.profiler", &(5_001_000_000..5_002_000_000)).expect("readable");
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
        assert!(read(&folder.path().join("none"), "torch.profiler", &(0..1)).is_err());
        let undated =
            r#"{"traceEvents":[{"ph":"X","cat":"kernel","name":"k","pid":1,"tid":7,"ts":1,"dur":2}]}"#;
        std::fs::write(&path, undated).expect("written");
        let why = read(&path, "torch.profiler", &(0..u64::MAX)).expect_err("undated");
        assert_eq!(why.to_string(), "the file does not state when it was recorded");
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
        let content = read(&path, "torch.profiler", &(1_650_000_000_000_000_000..1_650_000_001_000_000_000))
            .expect("readable");
        let calls: Vec<_> = content.calls.iter().map(|call| (call.tid, call.correlation)).collect();
        let work: Vec<_> =
            content.work.iter().map(|work| (&work.name[..], work.stream, work.correlation)).collect();
        assert_eq!((calls, work), (vec![(42, 1)], vec![(&b"cast"[..], 7, 1)]));
    }
}
