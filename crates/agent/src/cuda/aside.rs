//! Whether CUPTI is left to a profiler of the script's: what was asked for, what is reported of it, and the
//! counts of the cycle that was open then. Must not know CUPTI: `session` leaves it.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use proftui_wire::device::Reason;
use proftui_wire::log::{DeviceCounts as Counts, NoteKind};

use crate::live;
use crate::lock::{Held, Lock};
use crate::process;

/// The GPU profiler that the script has asked for, if any. Locked while the session leaves CUPTI to it.
static ASKED: Lock<Asked> =
    Lock::new(Asked { pid: 0, reason: Reason::ScriptProfiler, profiler: String::new() });
/// True once [`begin`] was called, just before CUPTI is left to the script's own profiler.
static IS_ASIDE: AtomicBool = AtomicBool::new(false);
/// Counts of the cycle that was open when CUPTI was left, until that cycle is closed; else `None`.
static COUNTS: Lock<Option<Counts>> = Lock::new(None);
/// Number of the cycle that the session opened last; 0 before the first.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// The profiler that a script has asked for: the id of the process that asked (0: none has), the reason to
/// report for missing GPU records, and the profiler's name.
pub(super) struct Asked {
    pid: u32,
    reason: Reason,
    profiler: String,
}

impl Asked {
    /// The reason to report and the name of the profiler that this process has asked for, if any.
    pub(super) fn profiler(&self) -> Option<(Reason, &str)> {
        (self.pid == std::process::id()).then_some((self.reason, self.profiler.as_str()))
    }
}

/// Locks what is known of the profiler that the script has asked for; `None` if the lock is still taken at
/// `until`.
pub(super) fn asked(until: Instant) -> Option<Held<'static, Asked>> {
    ASKED.take_until(until)
}

/// Stores in `asked` that this process asks for the GPU profiler `profiler`, and that `reason` is to be
/// reported for missing GPU records.
pub(super) fn ask(asked: &mut Asked, reason: Reason, profiler: &str) {
    *asked = Asked { pid: std::process::id(), reason, profiler: profiler.to_owned() };
}

/// True if this process's script is known to have asked for a GPU profiler of its own; then also logs why GPU
/// records are missing.
pub(super) fn is_asked() -> bool {
    let Some(asked) = ASKED.take() else { return false };
    let profiler = asked.profiler();
    if let Some((reason, profiler)) = profiler {
        report(live::cycle(), reason, profiler);
    }
    profiler.is_some()
}

/// True once [`begin`] was called: the session leaves CUPTI to the script's own profiler.
pub(super) fn is_aside() -> bool {
    IS_ASIDE.load(Ordering::Acquire)
}

/// Has [`is_aside`] return true from now on: the session leaves CUPTI to the script's own profiler.
pub(super) fn begin() {
    IS_ASIDE.store(true, Ordering::Release);
}

/// Keeps the counts of the cycle that was open when CUPTI was left, until [`take_counts`] takes them.
pub(super) fn keep_counts(counts: Counts) {
    if let Some(mut kept) = COUNTS.take() {
        *kept = Some(counts);
    }
}

/// Remembers `cycle` as the number of the cycle that was opened last.
pub(super) fn opened(cycle: u64) {
    OPENED.store(cycle, Ordering::Relaxed);
}

/// The number of the cycle after the one that was opened last; 1 if none was opened.
pub(super) fn next_cycle() -> u64 {
    OPENED.load(Ordering::Relaxed) + 1
}

/// Takes the counts that are kept of cycle `cycle`; `None` if there are none.
pub(super) fn take_counts(cycle: u64) -> Option<Counts> {
    COUNTS.take()?.take_if(|counts| counts.cycle == cycle)
}

/// Logs `reason` as the reason why GPU records are missing from cycle `cycle` on, with `profiler` as its
/// detail.
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
