//! Writes the slices of steps, and of what is no step, on the thread that ends steps.

use crate::process::{StepSlice, with};
use crate::spool;

/// Records a pass of validation from `start` to `end`, ns.
pub(crate) fn validation(start: u64, end: u64) {
    with(|process| process.validation_slice(start, end)).flatten().iter().for_each(record);
}

/// Writes the slice of the time since the last step ended, which is over at `now`, ns: the process ends.
pub(super) fn end_teardown(now: u64) {
    with(|process| process.teardown_slice(now)).flatten().iter().for_each(record);
}

/// Writes a slice on this thread.
pub(super) fn record(slice: &StepSlice) {
    spool::record_numbered(slice.cycle, slice.tag, slice.number, slice.start, slice.end);
}
