//! Device work gathered by the rules of Holistic Trace Analysis 0.5.0, so that its numbers can be had.
//!
//! Not what our own tables show. The rules: every event with a stream is device work, waits included; a process is one
//! device; kinds follow names; with two steps or more everything from the last step's start on goes, and device work whose
//! launch went or never was; times of a file with decimals are cut to whole microseconds or, with
//! `HTA_DISABLE_NS_ROUNDING`, are doubles of microseconds. Must not know summaries.

use rustc_hash::FxHashSet;

use crate::base::time::{Ns, Span};
use crate::model::{Category, LaneKind, SliceId, Trace};

use crate::analysis::gpu::{Device, Launch, Work, WorkKind};

/// What HTA makes of times.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Times {
    /// Starts rounded up and ends down to whole microseconds; a length may become -1 µs.
    #[default]
    Rounded,
    /// Starts as the nearest double of microseconds, which at today's epoch is a quarter of one; lengths exact.
    Doubles,
}

/// HTA's rules.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct HtaRules {
    /// What it makes of times.
    pub times: Times,
}

const MICROSECOND: Ns = 1_000;

impl Times {
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

/// The kind of work that HTA sees in a name: `^nccl.*Kernel`, `^Memcpy|^Memset|^dma`, the rest without
/// `Memcpy|Memset|Sync`.
fn kind(name: &str) -> Option<WorkKind> {
    if name.strip_prefix("nccl").is_some_and(|rest| rest.contains("Kernel")) {
        Some(WorkKind::Communication)
    } else if ["Memcpy", "Memset", "dma"].iter().any(|word| name.starts_with(word)) {
        Some(WorkKind::Memory)
    } else {
        let is_none = ["Memcpy", "Memset", "Sync"].iter().any(|word| name.contains(word));
        (!is_none).then_some(WorkKind::Computation)
    }
}

/// True for the calls that HTA's launch statistics know.
pub fn is_known_launch(name: &str) -> bool {
    matches!(name, "cudaLaunchKernel" | "cudaLaunchKernelExC" | "cudaMemcpyAsync" | "cudaMemsetAsync")
}

/// True for the calls that count as launches in HTA's queues; `cuLaunchKernelEx` and `hipModuleLaunchKernel` do not.
pub fn is_queued_launch(name: &str) -> bool {
    is_known_launch(name)
        || matches!(
            name,
            "cuLaunchKernel" | "hipLaunchKernel" | "hipExtModuleLaunchKernel" | "hipMemcpyWithStream"
        )
}

/// Each worker's device work as HTA loads it.
pub fn devices(trace: &Trace, rules: HtaRules) -> Vec<Device> {
    let steps: FxHashSet<_> = trace.steps.iter().map(|step| trace.slices.name[step.slice as usize]).collect();
    let workers = trace.groups.iter().map(|group| group.worker).max().map_or(0, |last| last + 1);
    (0..workers).filter_map(|worker| device(trace, worker, steps.len() > 1, rules.times)).collect()
}

fn device(trace: &Trace, worker: u16, is_cut: bool, times: Times) -> Option<Device> {
    let of_worker = |lane: usize| trace.groups[trace.lanes[lane].group as usize].worker == worker;
    let has_stream = |lane: usize| {
        trace.lanes[lane].kind == LaneKind::Stream
            && trace.strings.bytes(trace.lanes[lane].tid) != b"-1".as_slice()
    };
    let cut = is_cut.then(|| {
        let steps = trace.steps.iter().filter(|step| step.worker == worker);
        steps.map(|step| times.apply(step.span).start).max()
    });
    let cut = cut.flatten();
    let mut kept = FxHashSet::default();
    for lane in (0..trace.lanes.len()).filter(|&lane| of_worker(lane) && !has_stream(lane)) {
        let ids = trace.lanes[lane].slices.clone();
        let stays = |id: &SliceId| cut.is_none_or(|cut| times.apply(trace.slices.span(*id)).start < cut);
        kept.extend(ids.filter(stays).map(|id| trace.slices.correlation[id as usize]));
    }
    let mut work = Vec::new();
    for lane in (0..trace.lanes.len()).filter(|&lane| of_worker(lane) && has_stream(lane)) {
        for id in trace.lanes[lane].slices.clone() {
            let category = trace.slices.category(id);
            let is_event = category.is_device_work() || category == Category::Synchronization;
            let correlation = trace.slices.correlation[id as usize];
            if !is_event || cut.is_some() && !kept.contains(&correlation) {
                continue;
            }
            let launch = trace.links.launch_of(id);
            let launch = launch.map(|id| Launch { id, span: times.apply(trace.slices.span(id)) });
            work.push(Work {
                id,
                lane: lane as u32,
                span: times.apply(trace.slices.span(id)),
                kind: kind(trace.name(id).as_str()),
                launch,
            });
        }
    }
    let group = trace.lanes[work.first()?.lane as usize].group;
    work.sort_by_key(|work| work.span.start);
    Some(Device { worker, group, work })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_cut_or_doubled() {
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
