//! Counts of ranges, and the time waited for data, on the process's own live page. They are changed without a
//! lock, since they change with every range.

use proftui_wire::live::{Unfinished, Word};

use super::cells::own;

/// Writes to this process's own live page for how long, in the current step, the thread that ends steps has
/// waited for data: `sum`, ns.
pub(super) fn set_waited(sum: u64) {
    own().set(Word::Reader, sum);
}

/// Adds `ranges` to the count of recorded ranges on this process's own live page.
pub(crate) fn count_kept(ranges: u64) {
    own().add(Word::Ranges, ranges);
}

/// Counts one lost range on the process's own live page: for a range without a chunk that could count it.
#[cold]
pub(crate) fn count_lost() {
    own().add(Word::Lost, 1);
}

/// Counts a range that began in `cycle`, and may end on another thread, as unfinished on the process's own
/// live page, since such a range is in no thread's chunk. If the ranges of another cycle were counted there,
/// the count begins anew.
pub(super) fn count_started(cycle: u64) {
    own().change(Word::Unfinished, |word| Unfinished::from_word(word).begun(cycle).to_word());
}

/// Subtracts a range that began in `cycle` from the count of unfinished ranges on the process's own live
/// page, since it has ended or was counted as lost. Does nothing if that count is of another cycle.
pub(crate) fn count_ended(cycle: u64) {
    own().change(Word::Unfinished, |word| Unfinished::from_word(word).ended(cycle).to_word());
}

/// Sets the count of unfinished ranges on this process's own live page to 0.
pub(super) fn forget_unfinished() {
    own().set(Word::Unfinished, 0);
}
