//! Threads of the recorder that make calls which may never return, so that the program's thread waits for
//! them only so long.
//!
//! A helper makes one call at a time. Once a caller has given up waiting for a call, later callers get
//! [`Outcome::Busy`] at once, until the call has returned. All signals are blocked on the thread, which does
//! not exist in the child of a fork. Must not know CUPTI.

#![allow(unsafe_code, reason = "blocks the program's signals on the threads")]

use std::io;
use std::sync::{Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Instant;

use crate::guard::shield;

/// Size of the stack of a thread that [`spawn`] starts, bytes.
const STACK: usize = 256 << 10;

type Job = Box<dyn FnOnce() + Send>;

/// How a call ended for the thread that wanted it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Outcome {
    /// The call has returned.
    Done,
    /// The call has begun, and has not returned in time; it goes on.
    TooLate,
    /// The call was not made and will not be.
    Busy,
}

/// A thread that makes calls for other threads, one at a time; the first call starts it.
pub(super) struct Helper {
    state: Mutex<State>,
    changed: Condvar,
}

struct State {
    is_started: bool,
    /// The call that is to be made next, if any.
    job: Option<Job>,
    /// True while a call waits to be made, or has begun and not returned.
    is_busy: bool,
    /// True if a thread has given up waiting for the current call to return.
    is_late: bool,
}

impl Helper {
    /// Creates a helper whose thread is not started yet.
    pub(super) const fn new() -> Self {
        let state = State { is_started: false, job: None, is_busy: false, is_late: false };
        Self { state: Mutex::new(state), changed: Condvar::new() }
    }

    /// True while a call has not returned for which a caller has given up waiting.
    pub(super) fn is_late(&self) -> bool {
        self.state().is_late
    }

    /// Has `job` called on the helper's thread after any earlier call, and waits until `until` at most; if
    /// the thread cannot be started, calls `job` itself. [`Outcome::Busy`]: `job` will not be called.
    pub(super) fn run(&'static self, until: Instant, job: impl FnOnce() + Send + 'static) -> Outcome {
        let mut state = self.state();
        while state.is_busy {
            state.is_late |= Instant::now() >= until;
            if state.is_late {
                return Outcome::Busy;
            }
            state = self.wait(state, until);
        }
        if !self.start(&mut state) {
            drop(state);
            job();
            return Outcome::Done;
        }
        self.set(&mut state, Box::new(job));
        while state.is_busy {
            if Instant::now() >= until {
                if state.job.take().is_some() {
                    // The thread has not begun.
                    state.is_busy = false;
                    return Outcome::Busy;
                }
                state.is_late = true;
                return Outcome::TooLate;
            }
            state = self.wait(state, until);
        }
        Outcome::Done
    }

    /// Has `job` called on the helper's thread, and does not wait for it. Does nothing if the thread is busy
    /// or cannot be started.
    pub(super) fn begin(&'static self, job: impl FnOnce() + Send + 'static) {
        let mut state = self.state();
        if !state.is_busy && self.start(&mut state) {
            self.set(&mut state, Box::new(job));
        }
    }

    /// Starts the thread, unless it was started before; false if it cannot be started.
    fn start(&'static self, state: &mut State) -> bool {
        state.is_started =
            state.is_started || spawn("proftui-gpu", move || shield((), || self.work())).is_ok();
        state.is_started
    }

    fn set(&self, state: &mut State, job: Job) {
        (state.job, state.is_busy) = (Some(job), true);
        self.changed.notify_all();
    }

    /// The thread's loop: makes each call that is set, and wakes the threads that wait. Never returns.
    fn work(&self) {
        let mut state = self.state();
        loop {
            let Some(job) = state.job.take() else {
                state = self.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
                continue;
            };
            drop(state);
            shield((), job);
            state = self.state();
            (state.is_busy, state.is_late) = (false, false);
            self.changed.notify_all();
        }
    }

    fn state(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn wait<'a>(&self, state: MutexGuard<'a, State>, until: Instant) -> MutexGuard<'a, State> {
        let left = until.saturating_duration_since(Instant::now());
        self.changed.wait_timeout(state, left).unwrap_or_else(PoisonError::into_inner).0
    }
}

/// Starts a thread with this name, on which all signals are blocked, to run `body`.
pub(super) fn spawn(name: &str, body: impl FnOnce() + Send + 'static) -> io::Result<()> {
    // A thread inherits the signal mask of its creator: all signals are blocked while it is created.
    // SAFETY: signal sets of our own; the mask is restored.
    unsafe {
        let (mut all, mut before) = (std::mem::zeroed(), std::mem::zeroed());
        libc::sigfillset(&raw mut all);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const all, &raw mut before);
        let made = thread::Builder::new().name(name.into()).stack_size(STACK).spawn(body);
        libc::pthread_sigmask(libc::SIG_SETMASK, &raw const before, std::ptr::null_mut());
        made.map(drop)
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc;
    use std::time::Duration;

    use super::*;

    #[test]
    fn a_call_that_does_not_return_is_given_up_once() {
        static HELPER: Helper = Helper::new();
        let soon = |ms| Instant::now() + Duration::from_millis(ms);
        let (sender, receiver) = mpsc::channel::<()>();
        assert_eq!(HELPER.run(soon(5000), || ()), Outcome::Done);
        let stuck = move || {
            let _ = receiver.recv();
        };
        assert_eq!((HELPER.run(soon(500), stuck), HELPER.is_late()), (Outcome::TooLate, true));
        let begun = Instant::now();
        assert_eq!(HELPER.run(soon(60_000), || ()), Outcome::Busy);
        assert!(begun.elapsed() < Duration::from_secs(30), "nobody waits a second time");
        sender.send(()).expect("there is a receiver");
        while HELPER.is_late() {
            thread::yield_now();
        }
        assert_eq!(HELPER.run(soon(5000), || ()), Outcome::Done);
    }
}
