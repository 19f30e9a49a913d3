//! Leaves CUPTI to the script's own GPU profiler: what was launched up to now is recorded, and CUPTI is left
//! as if we had never used it.
//!
//! CUPTI serves one subscriber per process, and one pair of callbacks takes all buffers. So this is done
//! before that profiler is made, and for good: the session makes no further call of CUPTI. A buffer that
//! comes to us later is taken back, and its records belong to no cycle. Must not know which profilers there
//! are.

#![allow(unsafe_code, reason = "calls CUPTI's functions")]

use std::path::Path;
use std::ptr;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};

use proftui_wire::device::Reason;

use super::super::flush::{self, Flushed};
use super::super::waiting::{self, Wait};
use super::super::{aside, captures, sink};
use super::{CLOSING, FORCED, SESSION, SHUT_DOWN, Session, is_closed, is_over};
use crate::cuda::session::settings;
use crate::errno::keep;
use crate::{clock, process};

/// Limit of the wait for CUPTI when it is left to the script's profiler, unless more is left of `--gpu-wait`.
const LEAVING: Duration = Duration::from_secs(5);

/// Leaves CUPTI to the script's own profiler `profiler`, which is about to be made. `reason` explains why GPU
/// records are missing from then on.
pub(crate) fn stand_aside(reason: Reason, profiler: &str) {
    keep(|| {
        let Some(mut asked) = aside::asked(Instant::now() + SHUT_DOWN) else { return };
        if is_over() || asked.profiler().is_some() {
            return;
        }
        aside::ask(&mut asked, reason, profiler);
        if let Some(session) = SESSION.get() {
            session.leave_to(reason, profiler);
        }
    });
}

/// True while this process has a session that is not closed ([`is_closed`]).
pub(crate) fn is_subscribed() -> bool {
    SESSION.get().is_some() && !is_closed()
}

/// The path of the CUPTI that was left to the script's own profiler; `None` if none was.
pub(crate) fn left() -> Option<&'static Path> {
    SESSION.get().filter(|_| aside::is_aside()).map(|session| session.path.as_path())
}

impl Session {
    /// Leaves CUPTI at once if the script asked for a profiler of its own while the session began.
    pub(super) fn catch_up(&self) {
        if let Some(asked) = aside::asked(Instant::now() + SHUT_DOWN)
            && let Some((reason, profiler)) = asked.profiler()
            && !aside::is_aside()
        {
            self.leave_to(reason, profiler);
        }
    }

    /// Ends the recording of the open cycle, leaves CUPTI to `profiler`, and logs `reason` for missing GPU
    /// records.
    fn leave_to(&self, reason: Reason, profiler: &str) {
        let open = sink::open_cycle();
        if open == 0 {
            // The time for waiting that the last cycle has left over may be none.
            waiting::begin_cycle();
        }
        let wait = Wait::begin();
        let held = CLOSING.take_until(wait.deadline);
        let is_open = held.is_some() && self.end_capture(open, clock::now(), wait.deadline);
        aside::begin();
        let first = if open == 0 { aside::next_cycle() } else { open };
        let until = wait.deadline.max(Instant::now() + LEAVING);
        flush::wait_for_late(until);
        let flushed = flush::run(first, until, move || SESSION.get()?.leave(until));
        if is_open {
            aside::keep_counts(self.count(open, until, flushed));
        }
        match flushed {
            Flushed::Answered(_) => aside::report(first, reason, profiler),
            Flushed::TooLate => aside::report(
                first,
                reason,
                &format!("{profiler}, which may see no GPU work: CUPTI did not return in time"),
            ),
        }
    }

    /// Stops CUPTI's recording, has all buffers delivered, usually undoes settings, and unsubscribes. Returns
    /// CUPTI's answer and how many more records it has dropped; `None` if another thread is in CUPTI until
    /// `until`.
    fn leave(&self, until: Instant) -> Option<(u32, u64)> {
        let mut state = self.state.take_until(until)?;
        state.leave(&self.cupti);
        captures::forget();
        let mut dropped = 0;
        let subscriber = self.subscriber.swap(ptr::null_mut(), Ordering::AcqRel);
        // SAFETY: a pointer of our own, and our own subscription, which ends once; this thread is not
        // delivering a buffer.
        unsafe {
            let answer = self.cupti.flush_all(FORCED);
            self.cupti.dropped(ptr::null_mut(), 0, &raw mut dropped);
            // Later the settings may be those of the script's profiler.
            if Instant::now() < until {
                settings::undo(&self.cupti, self.version, process::gpu_memory());
            }
            if !subscriber.is_null() {
                self.cupti.unsubscribe(subscriber);
            }
            Some((answer, dropped as u64))
        }
    }
}
