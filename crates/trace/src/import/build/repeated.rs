//! Recordings of one process that overlap in time: dumps of a ring, traces of slow steps, and the trace at
//! the end. What several have is kept of one alone, the last that does not lie within another, so that each
//! step and call counts once.
//!
//! Must not know what the events stand for, except that a step is never cut.

use std::cmp::Reverse;

use crate::model::{Category, Cycle, Warning};
use proftui_base::time::Ns;

use super::builder::TraceBuilder;

/// Removes repeated events where proftui's recordings of one worker overlap in time, and counts them as a
/// warning. The times in `cycles` must count from the events' zero.
pub(super) fn remove(builder: &mut TraceBuilder, cycles: &[Cycle]) {
    let mut recordings: Vec<&Cycle> =
        cycles.iter().filter(|cycle| builder.files[cycle.file as usize].header.is_recorded()).collect();
    recordings.sort_by_key(|cycle| (cycle.worker, cycle.span.start, Reverse(cycle.span.end), cycle.file));
    let mut until = vec![Ns::MAX; builder.files.len()];
    let mut last: Option<&Cycle> = None;
    for cycle in recordings {
        let before = last.filter(|last| last.worker == cycle.worker && cycle.span.start < last.span.end);
        match before {
            // The one before has all of it.
            Some(before) if cycle.span.end <= before.span.end => until[cycle.file as usize] = Ns::MIN,
            before => {
                before.iter().for_each(|before| until[before.file as usize] = cycle.span.start);
                last = Some(cycle);
            }
        }
    }
    if until.iter().any(|&until| until != Ns::MAX) {
        let removed = cut(builder, &until);
        let example = || crate::import::error::show(&builder.files[first(&until)].path);
        builder.quality.note_many(Warning::Repeated, removed, None, example);
    }
}

/// The number of the first file that has a time in `until` (not `Ns::MAX`); 0 if none has.
fn first(until: &[Ns]) -> usize {
    until.iter().position(|&until| until != Ns::MAX).unwrap_or_default()
}

/// Removes each file's events from its time in `until`, ns, on, and ends its other slices by then, except
/// steps. Returns the number of removed events; starts and ends of flows do not count.
fn cut(builder: &mut TraceBuilder, until: &[Ns]) -> u64 {
    let mut removed = 0;
    let mut count = |before: usize, after: usize| removed += (before - after) as u64;
    for lane in &mut builder.lanes {
        let (until, before) = (until[lane.key.file as usize], lane.slices.len());
        lane.slices.retain(|slice| slice.start < until);
        count(before, lane.slices.len());
        for slice in lane.slices.iter_mut().filter(|slice| slice.category != Category::ProfileStep) {
            slice.dur = slice.dur.min(until.saturating_sub(slice.start));
        }
    }
    let before = builder.instants.len() + builder.allocations.len() + builder.samples.len();
    builder.instants.retain(|instant| instant.ts < until[instant.origin.file()]);
    builder.allocations.retain(|allocation| allocation.ts < until[allocation.origin.file()]);
    builder.flows.retain(|flow| flow.ts < until[flow.origin.file()]);
    let lanes = &builder.lanes;
    builder.samples.retain(|sample| sample.ts < until[lanes[sample.lane as usize].key.file as usize]);
    count(before, builder.instants.len() + builder.allocations.len() + builder.samples.len());
    removed
}
