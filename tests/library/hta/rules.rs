//! Device work collected by the rules of Holistic Trace Analysis (HTA) 0.5.0. For this device work the
//! functions of `analysis::gpu` give HTA's numbers.
//!
//! The rules differ from our own: every event with a stream is device work, waits included; a process is one
//! device; the kind of work follows from the name. In a trace with two steps or more, a worker's host events
//! from the start of its last step on are dropped, and so is device work whose launch is dropped or missing,
//! whenever it ran. A step is any event with `ProfilerStep` in its name that is no device work: also an
//! annotation of a device, which starts later than the host's step and moves the cut. Times with decimals are
//! rounded to whole microseconds or, with `HTA_DISABLE_NS_ROUNDING`, are doubles of microseconds. Must not
//! know summaries.

use proftui_base::time::{Ns, Span};
use proftui_insight::analysis::part::work::{Device, Launch, Work, WorkKind};
use proftui_trace::model::{Category, LaneId, LaneKind, SliceId, Trace, WorkerId};
use rustc_hash::FxHashSet;

/// How HTA rounds times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// Starts are rounded up and ends down to whole microseconds; a length may become -1 µs.
    #[default]
    Rounded,
    /// Starts are the nearest double of microseconds, which for times since 1970 are a quarter of a
    /// microsecond apart; lengths are exact.
    Doubles,
}

/// The options of HTA's rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HtaRules {
    /// How times are rounded.
    pub times: Times,
}

/// A microsecond in ns.
const MICROSECOND: Ns = 1_000;

impl Times {
    /// Rounds the start and the end of a span as HTA would.
    fn apply(self, span: Span) -> Span {
        match self {
            Self::Rounded => Span {
                start: span
                    .start
                    .div_euclid(MICROSECOND)
                    .saturating_add(i64::from(span.start.rem_euclid(MICROSECOND) > 0))
                    .saturating_mul(MICROSECOND),
                end: span.end.div_euclid(MICROSECOND) * MICROSECOND,
            },
            Self::Doubles => {
                let whole = span.start.div_euclid(MICROSECOND);
                let as_double = whole as f64 + span.start.rem_euclid(MICROSECOND) as f64 / 1e3;
                let start = whole * MICROSECOND + ((as_double - whole as f64) * 1e3).round() as Ns;
                Span { start, end: start.saturating_add(span.end.saturating_sub(span.start)) }
            }
        }
    }
}

/// The kind of device work by its name: communication for `^nccl.*Kernel`, memory for `^Memcpy|^Memset|^dma`,
/// computation for all others, but None for other names that contain `Memcpy`, `Memset` or `Sync`.
fn kind(name: &str) -> Option<WorkKind> {
    if name.strip_prefix("nccl").is_some_and(|name| name.contains("Kernel")) {
        Some(WorkKind::Communication)
    } else if ["Memcpy", "Memset", "dma"].iter().any(|start| name.starts_with(start)) {
        Some(WorkKind::Memory)
    } else {
        let is_none = ["Memcpy", "Memset", "Sync"].iter().any(|part| name.contains(part));
        (!is_none).then_some(WorkKind::Computation)
    }
}

/// True for the names of calls that HTA's launch statistics include.
pub fn is_known_launch(name: &str) -> bool {
    matches!(name, "cudaLaunchKernel" | "cudaLaunchKernelExC" | "cudaMemcpyAsync" | "cudaMemsetAsync")
}

/// True for the names of calls that count as launches in HTA's queue lengths; `cuLaunchKernelEx` and
/// `hipModuleLaunchKernel` do not.
pub fn is_queued_launch(name: &str) -> bool {
    is_known_launch(name)
        || matches!(
            name,
            "cuLaunchKernel" | "hipLaunchKernel" | "hipExtModuleLaunchKernel" | "hipMemcpyWithStream"
        )
}

/// True for the names of steps.
fn is_step(name: &[u8]) -> bool {
    name.windows(b"ProfilerStep".len()).any(|part| part == b"ProfilerStep")
}

/// Collects the device work of each worker that has any.
pub fn devices(trace: &Trace, rules: HtaRules) -> Vec<Device> {
    let steps: FxHashSet<_> =
        trace.slices.name.iter().copied().filter(|&name| is_step(trace.strings.bytes(name))).collect();
    trace.workers().iter().filter_map(|worker| device(trace, worker, steps.len() > 1, rules.times)).collect()
}

/// Collects the device work of a worker, without the last step if `is_cut`; None if there is none.
fn device(trace: &Trace, worker: WorkerId, is_cut: bool, times: Times) -> Option<Device> {
    let of_worker = |lane: LaneId| trace.groups[trace.lanes[lane].group].worker == worker;
    let has_stream = |lane: LaneId| {
        trace.lanes[lane].kind == LaneKind::Stream
            && trace.strings.bytes(trace.lanes[lane].tid) != b"-1".as_slice()
    };
    let cut = is_cut.then(|| {
        let lanes = trace.lanes.ids().iter().filter(|&lane| of_worker(lane) && !has_stream(lane));
        let ids = lanes.flat_map(|lane| trace.lanes[lane].slices);
        let steps = ids.filter(|&id| is_step(trace.strings.bytes(trace.slices.name[id])));
        steps.map(|id| times.apply(trace.slices.span(id)).start).max()
    });
    let cut = cut.flatten();
    let mut kept = FxHashSet::default();
    for lane in trace.lanes.ids().iter().filter(|&lane| of_worker(lane) && !has_stream(lane)) {
        let ids = trace.lanes[lane].slices;
        let stays = |id: &SliceId| cut.is_none_or(|cut| times.apply(trace.slices.span(*id)).start < cut);
        kept.extend(ids.iter().filter(stays).map(|id| trace.slices.correlation[id]));
    }
    let mut work = Vec::new();
    for lane in trace.lanes.ids().iter().filter(|&lane| of_worker(lane) && has_stream(lane)) {
        for id in trace.lanes[lane].slices {
            let category = trace.slices.category(id);
            let is_event = category.is_device_work() || category == Category::Synchronization;
            let correlation = trace.slices.correlation[id];
            if !is_event || cut.is_some() && !kept.contains(&correlation) {
                continue;
            }
            let launch = trace.links.launch_of(id);
            let launch = launch.map(|id| Launch { id, span: times.apply(trace.slices.span(id)) });
            work.push(Work {
                id,
                lane,
                span: times.apply(trace.slices.span(id)),
                begins: true,
                kind: kind(trace.name(id).as_str()),
                launch,
            });
        }
    }
    let group = trace.lanes[work.first()?.lane].group;
    work.sort_by_key(|work| work.span.start);
    Some(Device { worker, group, lanes: Vec::new(), work })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_or_doubles() {
        let span = Span { start: 1_500, end: 1_700 };
        assert_eq!(Times::Rounded.apply(span), Span { start: 2_000, end: 1_000 });
        assert_eq!(Times::Doubles.apply(span), span);
        let late = Span { start: 1_712_170_298_000_123_456, end: 1_712_170_298_000_124_456 };
        assert_eq!(Times::Doubles.apply(late).start, 1_712_170_298_000_123_500);
        assert_eq!(Times::Doubles.apply(late).len(), 1_000);
    }

    #[test]
    fn kinds_follow_names() {
        assert_eq!(kind("ncclDevKernel_AllReduce"), Some(WorkKind::Communication));
        assert_eq!(kind("rcclGenericKernel"), Some(WorkKind::Computation));
        assert_eq!(kind("Memset (Device)"), Some(WorkKind::Memory));
        assert_eq!(kind("Stream Sync"), None);
    }
}
