//! Counts of ranges, and the time waited for data, on the process's own live page. They are changed without a
//! lock, since they change with every range.

use proftui_wire::live::{Unfinished, Word};

use super::cells::own;

/// Sets the time for which the thread that ends steps has waited for data in the current step, ns.
pub(super) fn set_waited(sum: u64) {
    own().set(Word::Reader, sum);
}

/// Adds to the count of recorded ranges.
pub(crate) fn count_kept(ranges: u64) {
    own().add(Word::Ranges, ranges);
}

/// Counts a lost range that has no chunk to be counted on.
#[cold]
pub(crate) fn count_lost() {
    own().add(Word::Lost, 1);
}

/// Counts a range as unfinished that began in `cycle` and may end on another thread: such a range is in no
/// thread's chunk.
pub(super) fn count_started(cycle: u64) {
    own().change(Word::Unfinished, |word| Unfinished::from_word(word).begun(cycle).to_word());
}

/// Subtracts a range that began in `cycle` from the count of unfinished ranges: it has ended, or was counted
/// as lost.
pub(crate) fn count_ended(cycle: u64) {
    own().change(Word::Unfinished, |word| Unfinished::from_word(word).ended(cycle).to_word());
}

/// Sets the count of unfinished ranges to 0.
pub(super) fn forget_unfinished() {
    own().set(Word::Unfinished, 0);
}
