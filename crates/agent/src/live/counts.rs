//! Counts of ranges, and the time waited for data, on the process's own live page. They are changed without a
//! lock, since they change with every range.

use proftui_wire::live::{Unfinished, Word};

use super::cells::own;

/// Writes `sum`, ns, to this process's own live page: how long the thread that ends steps has waited for data
/// in the current step.
pub(super) fn set_waited(sum: u64) {
    own().set(Word::Reader, sum);
}

/// Adds `ranges` to the count of recorded ranges on this process's own live page.
pub(crate) fn count_kept(ranges: u64) {
    own().add(Word::Ranges, ranges);
}

/// Counts a range that was lost and that no chunk counts, on this process's own live page.
#[cold]
pub(crate) fn count_lost() {
    own().add(Word::Lost, 1);
}

/// Counts a range that began in `cycle`, and may end on another thread, as unfinished on this process's own
/// live page.
pub(super) fn count_started(cycle: u64) {
    own().change(Word::Unfinished, |word| Unfinished::from_word(word).begun(cycle).to_word());
}

/// Subtracts a range from the count of unfinished ranges on this process's own live page, if that count is of
/// `cycle`.
pub(crate) fn count_ended(cycle: u64) {
    own().change(Word::Unfinished, |word| Unfinished::from_word(word).ended(cycle).to_word());
}

/// Sets the count of unfinished ranges on this process's own live page to 0.
pub(super) fn forget_unfinished() {
    own().set(Word::Unfinished, 0);
}
