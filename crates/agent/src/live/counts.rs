//! Counts of ranges, and the time waited for data, on the process's own live page. They are changed without a
//! lock, since they change with every range.

use proftui_wire::live::{Unfinished, Word};

use super::cells::own;

/// Writes to the live page for how long, in the current step, the thread that ends steps has waited for data:
/// `sum`, ns.
pub(super) fn set_waited(sum: u64) {
    own().set(Word::Reader, sum);
}

/// Adds `ranges` to the live page's count of recorded ranges.
pub(crate) fn count_kept(ranges: u64) {
    own().add(Word::Ranges, ranges);
}

/// Counts one lost range on the live page: for a range without a chunk that could count it.
#[cold]
pub(crate) fn count_lost() {
    own().add(Word::Lost, 1);
}

/// Counts a range that began in `cycle`, and may end on another thread, as unfinished on the live page, since
/// such a range is in no thread's chunk. If the ranges of another cycle were counted there, the count begins
/// anew.
pub(super) fn count_started(cycle: u64) {
    own().change(Word::Unfinished, |word| Unfinished::from_word(word).begun(cycle).to_word());
}

/// Subtracts a range that began in `cycle` from the live page's count of unfinished ranges, since it has
/// ended or was counted as lost. Does nothing if that count is of another cycle.
pub(crate) fn count_ended(cycle: u64) {
    own().change(Word::Unfinished, |word| Unfinished::from_word(word).ended(cycle).to_word());
}

/// Sets the live page's count of unfinished ranges to 0.
pub(super) fn forget_unfinished() {
    own().set(Word::Unfinished, 0);
}
