//! Kernels of several streams that ran one after the other although nothing that was recorded kept the later
//! one waiting.
//!
//! Must not know findings.

use rustc_hash::FxHashMap;

use crate::analysis::part::work::{Device, Work, WorkKind};
use crate::analysis::thresholds::BACK_TO_BACK;
use proftui_base::time::Ns;
use proftui_trace::model::{Category, LaneId, Trace};

/// Two compute kernels back to back on different streams of a device, although nothing recorded kept the
/// second one waiting.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Pair {
    pub(crate) first: Work,
    pub(crate) second: Work,
}

impl Pair {
    /// The time that both kernels could have run at once, ns: the time of the shorter one.
    pub(crate) fn shared(&self) -> Ns {
        self.first.dur().min(self.second.dur())
    }
}

/// Finds the pairs of kernels of a device that might have run at once.
pub(crate) fn pairs(trace: &Trace, device: &Device) -> Vec<Pair> {
    let mut found = Vec::new();
    // The end of the last work of each stream.
    let mut ends: FxHashMap<LaneId, Ns> = FxHashMap::default();
    let mut last: Option<Work> = None;
    for &work in &device.work {
        let before = ends.get(&work.lane).copied().unwrap_or(Ns::MIN);
        let pair = last.map(|first| Pair { first, second: work });
        found.extend(pair.filter(|pair| {
            let (first, second) = (&pair.first, &pair.second);
            let both_compute = [first, second].iter().all(|work| work.kind == Some(WorkKind::Computation));
            both_compute
                && first.lane != second.lane
                && first.span.end <= second.span.start
                && second.span.start - first.span.end <= BACK_TO_BACK
                && before <= first.span.start
                && second.launch.is_some_and(|launch| launch.span.end <= first.span.start)
                && !has_waited(trace, second, first.span.start)
        }));
        ends.insert(work.lane, before.max(work.span.end));
        if last.is_none_or(|last| work.span.end >= last.span.end) {
            last = Some(work);
        }
    }
    found
}

/// True if the trace has at least one record of a stream that waited for an event.
pub(crate) fn has_waits(trace: &Trace) -> bool {
    let Some(name) = trace.strings.find(b"Stream Wait Event") else { return false };
    let slices = &trace.slices;
    slices.ids().iter().any(|id| slices.name[id] == name && slices.category(id) == Category::Synchronization)
}

/// True if the stream of `work` waited right before it, until after the time `since` (ns).
fn has_waited(trace: &Trace, work: &Work, since: Ns) -> bool {
    trace.lanes[work.lane].rows.iter().any(|row| {
        let ids = trace.rows[row].slices();
        let starts = &trace.slices.start[ids];
        let begun = ids.part(0..starts.partition_point(|&start| start <= work.span.start));
        // Waits before the work stand right before it in their row: whatever is before other work of the
        // stream is over.
        begun
            .iter()
            .rev()
            .filter(|&id| id != work.id)
            .take_while(|&id| trace.slices.category(id) == Category::Synchronization)
            .any(|id| trace.slices.end(id) > since)
    })
}
