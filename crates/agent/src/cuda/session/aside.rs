//! Stands aside for the script's own GPU profiler: what was launched up to now is recorded, and CUPTI is left as if we had never used it.
//!
//! CUPTI serves one subscriber per process, and one pair of callbacks takes all buffers. So this is done before that profiler is made, and
//! for good: the session makes no further call of CUPTI. A buffer that comes to us later is taken back, and its records belong to no cycle.
//! Must not know which profilers there are.

#![allow(unsafe_code, reason = "calls CUPTI's functions")]

use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::Instant;

use proftui_wire::device::Reason;
use proftui_wire::log::{DeviceCounts as Counts, NoteKind};

use super::super::waiting::{self, Wait};
use super::super::{flush, settings, sink};
use super::{CLOSING, FORCED, SESSION, SHUT_DOWN, Session, is_over};
use crate::clock;
use crate::errno::keep;
use crate::lock::Lock;
use crate::process;

/// A process, and its script's profiler.
type Asked = (u32, String);

/// What the script has asked for. Held while CUPTI is left: a second profiler waits for that.
static ASKED: Lock<Option<Asked>> = Lock::new(None);
/// True once CUPTI is left to that profiler.
static IS_ASIDE: AtomicBool = AtomicBool::new(false);
/// Counts of the cycle that was open then, until the cycle ends.
static COUNTS: Lock<Option<Counts>> = Lock::new(None);
/// Number of the cycle that was opened last.
static OPENED: AtomicU64 = AtomicU64::new(0);

/// Leaves CUPTI to the script's own profiler `profiler`, which is about to be made; if CUDA is not in use yet, no session will begin. Waits
/// for device work and CUPTI no longer than the end of a cycle may. Does nothing the second time.
pub fn stand_aside(profiler: &str) {
    keep(|| {
        let Some(mut asked) = ASKED.take_until(Instant::now() + SHUT_DOWN) else { return };
        if is_over() || is_own(asked.as_ref()) {
            return;
        }
        *asked = Some((std::process::id(), profiler.to_owned()));
        if let Some(session) = SESSION.get() {
            session.stand_aside(profiler);
        }
    });
}

/// Stands aside if a profiler was made while the session began.
pub(super) fn catch_up(session: &Session) {
    if let Some(asked) = ASKED.take()
        && let Some((_, profiler)) = asked.as_ref().filter(|_| is_own(asked.as_ref()) && !is_aside())
    {
        session.stand_aside(profiler);
    }
}

/// True if the script has asked for a profiler of its own before there was a session; then this is reported, and no session is to begin.
pub(super) fn is_asked() -> bool {
    let Some(asked) = ASKED.take() else { return false };
    let asked = asked.as_ref().filter(|_| is_own(asked.as_ref()));
    if let Some((_, profiler)) = asked {
        report(process::cycle(), profiler);
    }
    asked.is_some()
}

/// True for what this process has asked for; false for what its parent did before a fork.
fn is_own(asked: Option<&Asked>) -> bool {
    asked.is_some_and(|asked| asked.0 == std::process::id())
}

/// True once the session makes no further call of CUPTI.
pub(super) fn is_aside() -> bool {
    IS_ASIDE.load(Ordering::Acquire)
}

/// Remembers that a cycle was opened.
pub(super) fn opened(cycle: u64) {
    OPENED.store(cycle, Ordering::Relaxed);
}

/// The counts of a cycle that was open when CUPTI was left; `None` for any other, and the second time.
pub(super) fn take_counts(cycle: u64) -> Option<Counts> {
    COUNTS.take()?.take_if(|counts| counts.cycle == cycle)
}

/// Reports the reason why device work is missing from cycle `cycle` on.
fn report(cycle: u64, profiler: &str) {
    process::note(NoteKind::Fact, &Reason::ScriptProfiler.fact(&Reason::since(cycle, profiler)));
}

impl Session {
    /// Closes the open cycle for devices, and leaves CUPTI.
    fn stand_aside(&self, profiler: &str) {
        let open = sink::open_cycle();
        if open == 0 {
            // The time for waiting that the last cycle has left over may be none.
            waiting::begin_cycle();
        }
        let wait = Wait::begin();
        if let Some(_held) = CLOSING.take_until(wait.deadline)
            && let Some(counts) = self.close_until(open, clock::now(), wait.deadline)
            && let Some(mut kept) = COUNTS.take()
        {
            *kept = Some(counts);
        }
        IS_ASIDE.store(true, Ordering::Release);
        let until = Instant::now() + SHUT_DOWN;
        let left = flush::make(until, move || SESSION.get().is_some_and(|session| session.leave(until)));
        let first = if open == 0 { OPENED.load(Ordering::Relaxed) + 1 } else { open };
        report(first, profiler);
        if !left {
            let text = format!("CUPTI could not be left to {profiler} in time, which may see no GPU work");
            process::note(NoteKind::Warning, &text);
        }
    }

    /// Disables all kinds of records, takes back CUPTI's buffers, undoes our settings, and unsubscribes. False if another thread is in CUPTI
    /// until `until`.
    fn leave(&self, until: Instant) -> bool {
        let Some(mut state) = self.state.take_until(until) else { return false };
        state.leave(&self.cupti);
        let subscriber = self.subscriber.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: our own subscription, which ends once; this thread is not delivering a buffer.
        unsafe {
            // Calls of other threads have begun buffers since the cycle was closed.
            self.cupti.flush_all(FORCED);
            settings::undo(&self.cupti, self.version, process::gpu_memory());
            if !subscriber.is_null() {
                self.cupti.unsubscribe(subscriber);
            }
        }
        true
    }
}
