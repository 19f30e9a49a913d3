//! Whether CUPTI is left to a profiler of the script's: what was asked for, what is reported of it, and the
//! counts of the cycle that was open then. Must not know CUPTI: `session` leaves it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use proftui_wire::device::Reason;
use proftui_wire::log::{DeviceCounts as Counts, NoteKind};

use crate::live;
use crate::lock::{Held, Lock};
use crate::process;

/// What the script has asked for. Held while CUPTI is left: a second profiler waits for that.
static ASKED: Lock<Asked> =
    Lock::new(Asked { pid: 0, reason: Reason::ScriptProfiler, profiler: String::new() });
/// True once CUPTI is left to the script's own profiler.
static IS_ASIDE: AtomicBool = AtomicBool::new(false);
/// Counts of the cycle that was open when CUPTI was left, until that cycle ends; else `None`.
static COUNTS: Lock<Option<Counts>> = Lock::new(None);
/// Number of the cycle that was opened last.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// A process, 0 for none, its script's profiler, and the reason to be reported.
pub(super) struct Asked {
    pid: u32,
    reason: Reason,
    profiler: String,
}

impl Asked {
    /// The reason, and the profiler that this process has asked for; `None` if it has asked for none, also if
    /// its parent did before a fork.
    pub(super) fn profiler(&self) -> Option<(Reason, &str)> {
        (self.pid == std::process::id()).then_some((self.reason, self.profiler.as_str()))
    }
}

/// Locks what the script has asked for; waits until `until` at most, then returns `None`.
pub(super) fn asked(until: Instant) -> Option<Held<'static, Asked>> {
    ASKED.take_until(until)
}

/// Remembers that this process asks for a profiler of its own, for which CUPTI is left for this reason.
pub(super) fn ask(asked: &mut Asked, reason: Reason, profiler: &str) {
    *asked = Asked { pid: std::process::id(), reason, profiler: profiler.to_owned() };
}

/// True if the script has asked for a profiler of its own before there was a session; then this is reported,
/// and no session is to begin.
pub(super) fn is_asked() -> bool {
    let Some(asked) = ASKED.take() else { return false };
    let profiler = asked.profiler();
    if let Some((reason, profiler)) = profiler {
        report(live::cycle(), reason, profiler);
    }
    profiler.is_some()
}

/// True once the session makes no further call of CUPTI, but for those by which it leaves.
pub(super) fn is_aside() -> bool {
    IS_ASIDE.load(Ordering::Acquire)
}

/// From now on the session makes no further call of CUPTI, but for those by which it leaves.
pub(super) fn begin() {
    IS_ASIDE.store(true, Ordering::Release);
}

/// Keeps the counts of the cycle that was open when CUPTI was left.
pub(super) fn keep_counts(counts: Counts) {
    if let Some(mut kept) = COUNTS.take() {
        *kept = Some(counts);
    }
}

/// Remembers that a cycle was opened.
pub(super) fn opened(cycle: u64) {
    OPENED.store(cycle, Ordering::Relaxed);
}

/// The number of the cycle that follows on the one that was opened last.
pub(super) fn next_cycle() -> u64 {
    OPENED.load(Ordering::Relaxed) + 1
}

/// The counts of a cycle that was open when CUPTI was left; `None` for any other, and the second time.
pub(super) fn take_counts(cycle: u64) -> Option<Counts> {
    COUNTS.take()?.take_if(|counts| counts.cycle == cycle)
}

/// Reports the reason why device work is missing from cycle `cycle` on.
pub(super) fn report(cycle: u64, reason: Reason, profiler: &str) {
    process::note(NoteKind::Fact, &reason.fact(&Reason::since(cycle, profiler)));
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_a_parent_asked_for_is_not_the_childs() {
        let mut asked =
            Asked { pid: std::process::id() + 1, reason: Reason::ScriptProfiler, profiler: "x".to_owned() };
        assert_eq!(asked.profiler(), None);
        ask(&mut asked, Reason::OtherSubscriber, "y");
        assert_eq!(asked.profiler(), Some((Reason::OtherSubscriber, "y")));
    }

    #[test]
    fn counts_are_those_of_their_cycle_once() {
        keep_counts(Counts { cycle: 3, kept: 9, ..Counts::default() });
        assert_eq!(take_counts(2), None);
        assert_eq!(take_counts(3).map(|counts| counts.kept), Some(9));
        assert_eq!(take_counts(3), None);
        opened(7);
        assert_eq!(next_cycle(), 8);
    }
}
