//! Writes the slices of steps, and of what is no step, on the thread that ends steps.

use crate::process::{StepSlice, with};
use crate::spool;

/// In a cycle, usually writes the slice of a pass of validation from `start` to `end`, ns, on this thread,
/// without the time before the previous step's end.
pub(crate) fn validation(start: u64, end: u64) {
    with(|process| process.validation_slice(start, end)).flatten().iter().for_each(record);
}

/// Writes the slice of the teardown, if there is one, on this thread: from the end of the last step to `now`,
/// ns.
pub(super) fn end_teardown(now: u64) {
    with(|process| process.teardown_slice(now)).flatten().iter().for_each(record);
}

/// Writes a slice into this thread's chunk.
pub(super) fn record(slice: &StepSlice) {
    spool::record_numbered(slice.cycle, slice.tag, slice.number, slice.start, slice.end);
}
