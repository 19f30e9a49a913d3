//! Writes the slices of steps, and of what is no step, on the thread that ends steps.

use crate::process::{StepSlice, with};
use crate::spool;

/// Writes the slice of a pass of validation from `start` to `end`, ns, on this thread, without the time
/// before the end of the previous step. Does nothing if no cycle is open, if nothing is left of the pass, or
/// if the program profiles without steps.
pub(crate) fn validation(start: u64, end: u64) {
    with(|process| process.validation_slice(start, end)).flatten().iter().for_each(record);
}

/// Writes the slice of the teardown on this thread: from the end of the last step to `now`, ns, when the
/// process ends. Does nothing if the open cycle has no slice of a step since steps were last counted from 0,
/// or if the process ends its leader's steps.
pub(super) fn end_teardown(now: u64) {
    with(|process| process.teardown_slice(now)).flatten().iter().for_each(record);
}

/// Writes a slice into this thread's chunk.
pub(super) fn record(slice: &StepSlice) {
    spool::record_numbered(slice.cycle, slice.tag, slice.number, slice.start, slice.end);
}
