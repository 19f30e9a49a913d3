//! What is counted on a process's page, by whoever keeps ranges or loses them: without a lock, since it happens for each of them.

use proftui_wire::live::{Unfinished, Word};

use super::OWN;

/// What the thread that steps waited in the step under way, ns.
pub fn set_waited(sum: u64) {
    OWN.get().set(Word::Reader, sum);
}

/// Ranges were kept.
pub fn count_kept(ranges: u64) {
    OWN.get().add(Word::Ranges, ranges);
}

/// A range was lost where there is no chunk to count it.
#[cold]
pub fn count_lost() {
    OWN.get().add(Word::Lost, 1);
}

/// A range that is on no thread's chunk began in this cycle.
pub fn count_started(cycle: u64) {
    OWN.get().change(Word::Unfinished, |word| Unfinished::from_word(word).begun(cycle).to_word());
}

/// A range that is on no thread's chunk and began in this cycle has ended, or is counted as lost.
pub fn count_ended(cycle: u64) {
    OWN.get().change(Word::Unfinished, |word| Unfinished::from_word(word).ended(cycle).to_word());
}

/// None of what is unfinished is this process's.
pub fn forget_unfinished() {
    OWN.get().set(Word::Unfinished, 0);
}
