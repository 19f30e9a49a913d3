//! Leaves CUPTI to the script's own GPU profiler: what was launched up to now is recorded, and CUPTI is left as if we had never used it.
//!
//! CUPTI serves one subscriber per process, and one pair of callbacks takes all buffers. So this is done before that profiler is made, and
//! for good: the session makes no further call of CUPTI. A buffer that comes to us later is taken back, and its records belong to no cycle.
//! Must not know which profilers there are.

#![allow(unsafe_code, reason = "calls CUPTI's functions")]

use std::ptr;
use std::sync::atomic::Ordering;
use std::time::Instant;

use proftui_wire::log::NoteKind;

use super::super::waiting::{self, Wait};
use super::super::{aside, flush, settings, sink};
use super::{CLOSING, FORCED, SESSION, SHUT_DOWN, Session, is_over};
use crate::clock;
use crate::errno::keep;
use crate::process;

/// Leaves CUPTI to the script's own profiler `profiler`, which is about to be made; if CUDA is not in use yet, no session will begin. Waits
/// for device work and CUPTI no longer than the end of a cycle may. Does nothing the second time.
pub fn stand_aside(profiler: &str) {
    keep(|| {
        let Some(mut asked) = aside::asked(Instant::now() + SHUT_DOWN) else { return };
        if is_over() || asked.profiler().is_some() {
            return;
        }
        aside::ask(&mut asked, profiler);
        if let Some(session) = SESSION.get() {
            session.leave_to(profiler);
        }
    });
}

impl Session {
    /// Leaves CUPTI if a profiler was made while the session began.
    pub(super) fn catch_up(&self) {
        if let Some(asked) = aside::asked(Instant::now() + SHUT_DOWN)
            && let Some(profiler) = asked.profiler()
            && !aside::is_aside()
        {
            self.leave_to(profiler);
        }
    }

    /// Closes the open cycle for devices, and leaves CUPTI.
    fn leave_to(&self, profiler: &str) {
        let open = sink::open_cycle();
        if open == 0 {
            // The time for waiting that the last cycle has left over may be none.
            waiting::begin_cycle();
        }
        let wait = Wait::begin();
        let held = CLOSING.take_until(wait.deadline);
        let counts = held.and_then(|_held| self.close_until(open, clock::now(), wait.deadline));
        aside::begin(counts);
        let until = Instant::now() + SHUT_DOWN;
        let left = flush::make(until, move || SESSION.get().is_some_and(|session| session.leave(until)));
        aside::report(if open == 0 { aside::next_cycle() } else { open }, profiler);
        if !left {
            let text = format!("CUPTI could not be left to {profiler} in time: it may see no GPU work");
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
