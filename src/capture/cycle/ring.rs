//! Trims a recording to what is whole of it: from the first step of which a ring has everything, up to a
//! moment while the program goes on.
//!
//! Must not know the files of a ring.

use proftui_trace::export::recording::{Range, Recording};

/// The bounds to which a recording is trimmed, ns since 1970.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Bounds {
    /// The earliest time at which the trimmed recording may begin; `None` if the beginning is not to be
    /// trimmed.
    pub since: Option<u64>,
    /// The time from which on events are left out; `None` if the end is not to be trimmed.
    pub until: Option<u64>,
}

/// The result of trimming a recording: its beginning, and how much was removed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Trimmed {
    /// When the recording begins, ns since 1970; `None` where its beginning was not trimmed.
    pub begin: Option<u64>,
    /// How many ranges were removed.
    pub ranges: u64,
    /// How many other events were removed.
    pub events: u64,
}

/// Trims a recording to `bounds`. With `bounds.since` it begins with the first step (`is_step`) from then on,
/// of process `pid` if that has steps; without such a step, at `bounds.since`.
pub(super) fn trim(
    recording: &mut Recording,
    pid: u32,
    bounds: Bounds,
    is_step: impl Fn(&Range) -> bool,
) -> Trimmed {
    let Bounds { since, until } = bounds;
    let begin = since.map(|since| {
        let all = recording.threads.iter();
        let steps = all.flat_map(|thread| thread.ranges.iter().map(|range| (thread.pid, range)));
        let steps: Vec<(u32, &Range)> = steps.filter(|(_, range)| is_step(range)).collect();
        // Without steps of its own, those of the other processes count.
        let has_own = steps.iter().any(|step| step.0 == pid);
        let counted = steps.iter().filter(|step| step.0 == pid || !has_own).map(|step| step.1.start);
        counted.filter(|&start| start >= since).min().unwrap_or(since)
    });
    let (from, to) = (begin.unwrap_or_default(), until.unwrap_or(u64::MAX));
    let is_within = |start: u64| (from..to).contains(&start);
    let mut trimmed = Trimmed { begin, ..Trimmed::default() };
    for thread in &mut recording.threads {
        let before = thread.ranges.len();
        thread.ranges.retain(|range| {
            let has_begun_before = range.start < from;
            range.start < to && (!has_begun_before || range.end > from && !is_step(range))
        });
        trimmed.ranges += (before - thread.ranges.len()) as u64;
        for range in &mut thread.ranges {
            range.has_begun_before |= range.start < from;
            range.is_cut |= range.end > to;
            (range.start, range.end) = (range.start.max(from), range.end.min(to));
        }
        let others = |thread: &proftui_trace::export::recording::Thread| {
            thread.calls.len() + thread.syncs.len() + thread.overheads.len() + thread.allocations.len()
        };
        let before = others(thread);
        thread.calls.retain(|call| is_within(call.start));
        thread.syncs.retain(|sync| is_within(sync.start));
        thread.overheads.retain(|overhead| is_within(overhead.start));
        thread.allocations.retain(|allocation| is_within(allocation.time));
        trimmed.events += (before - others(thread)) as u64;
        thread.sort();
    }
    let work = &mut recording.devices.work;
    let before = work.len();
    work.retain(|work| is_within(work.start));
    trimmed.events += (before - work.len()) as u64;
    let unified = &mut recording.devices.unified;
    let before = unified.len();
    unified.retain(|event| is_within(event.start));
    trimmed.events += (before - unified.len()) as u64;
    trimmed
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::export::recording::Thread;
    use proftui_trace::export::recording::device::{Call, DeviceWork, WorkKind};

    const STEP: u16 = 2;

    fn range(kind: u16, start: u64, end: u64) -> Range {
        Range { start, end, kind, name: 0, is_cut: false, has_begun_before: false }
    }

    fn recording() -> Recording {
        let steps = [range(STEP, 10, 20), range(STEP, 20, 30), range(STEP, 30, 40)];
        let inner = [range(9, 12, 14), range(9, 22, 24), range(9, 32, 36), range(14, 5, 60)];
        let calls = vec![
            Call { start: 12, end: 13, ..Call::default() },
            Call { start: 33, end: 34, ..Call::default() },
        ];
        let mut thread =
            Thread { pid: 7, tid: 7, ranges: [&steps[..], &inner].concat(), calls, ..Thread::default() };
        thread.sort();
        let work = |start: u64| DeviceWork {
            start,
            end: start + 1,
            queued: 0,
            submitted: 0,
            graph_node: 0,
            graph: 0,
            name: 0,
            stream: 0,
            correlation: 0,
            kind: WorkKind::Graph,
            is_cut: false,
        };
        let mut recording = Recording { threads: vec![thread], ..Recording::default() };
        recording.devices.work = vec![work(13), work(34)];
        recording
    }

    fn trimmed(bounds: Bounds) -> (Trimmed, Vec<Range>, Recording) {
        let mut recording = recording();
        let trimmed = trim(&mut recording, 7, bounds, |range| range.kind == STEP);
        (trimmed, recording.threads[0].ranges.clone(), recording)
    }

    #[test]
    fn a_ring_begins_with_its_first_whole_step() {
        let (done, ranges, rest) = trimmed(Bounds { since: Some(15), until: None });
        assert_eq!(done, Trimmed { begin: Some(20), ranges: 2, events: 2 });
        let outer = Range { has_begun_before: true, ..range(14, 20, 60) };
        let kept = [outer, range(STEP, 20, 30), range(9, 22, 24), range(STEP, 30, 40), range(9, 32, 36)];
        assert_eq!(ranges, kept);
        assert_eq!((rest.threads[0].calls.len(), rest.devices.work.len()), (1, 1));
    }

    #[test]
    fn a_ring_without_a_whole_step_begins_where_nothing_is_missing() {
        let (done, ranges, _) = trimmed(Bounds { since: Some(33), until: None });
        assert_eq!(done.begin, Some(33));
        let begun = |kind, end| Range { has_begun_before: true, ..range(kind, 33, end) };
        assert_eq!(ranges, [begun(14, 60), begun(9, 36)], "no part of a step counts as one");
    }

    #[test]
    fn what_is_after_the_end_is_left_out() {
        let (_, ranges, _) = trimmed(Bounds { since: None, until: Some(30) });
        assert_eq!(
            ranges.iter().filter(|range| range.kind == STEP).count(),
            2,
            "not the step that begins there"
        );
        let (done, ranges, _) = trimmed(Bounds { since: None, until: Some(24) });
        assert_eq!((done.begin, done.ranges), (None, 2));
        let cut = |kind, start| Range { is_cut: true, ..range(kind, start, 24) };
        let kept = [cut(14, 5), range(STEP, 10, 20), range(9, 12, 14), cut(STEP, 20), range(9, 22, 24)];
        assert_eq!(ranges, kept);
    }
}
