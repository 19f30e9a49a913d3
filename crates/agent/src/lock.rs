//! A lock for rare operations: a thread waits for it for a limited time, and it can be held across a fork.

#![allow(unsafe_code, reason = "implements a lock, since the standard one cannot be held across a fork")]

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::{Duration, Instant};

/// How often a waiting thread yields the processor before it begins to sleep.
const YIELDS: u32 = 100;
/// How long a waiting thread sleeps at a time.
const PAUSE: Duration = Duration::from_micros(100);
/// How often a waiting thread sleeps before [`Lock::take`] gives up: at least two seconds in all.
const PAUSES: u32 = 20_000;

/// A value that one thread at a time may access, by a lock that can be held across a fork.
pub(crate) struct Lock<T> {
    is_taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is accessed only through a `Held`, of which there is one at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

/// Access to the value of a [`Lock`]; frees the lock when it is dropped.
pub(crate) struct Held<'a, T>(&'a Lock<T>);

impl<T> Lock<T> {
    /// Creates a free lock around `value`.
    pub(crate) const fn new(value: T) -> Self {
        Self { is_taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Takes the lock; `None` if it is not free within a few seconds.
    pub(crate) fn take(&self) -> Option<Held<'_, T>> {
        self.take_by(|pauses| pauses < PAUSES)
    }

    /// Takes the lock; `None` if it is not free by `until`.
    pub(crate) fn take_until(&self, until: Instant) -> Option<Held<'_, T>> {
        self.take_by(|_| Instant::now() < until)
    }

    /// Takes the lock. Before each sleep `may_wait` gets the number of sleeps so far; once it returns false,
    /// this gives up and returns `None`.
    fn take_by(&self, may_wait: impl Fn(u32) -> bool) -> Option<Held<'_, T>> {
        for tries in 0_u32.. {
            let taken = self.is_taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
            if taken.is_ok() {
                return Some(Held(self));
            }
            if tries < YIELDS {
                thread::yield_now();
            } else if may_wait(tries - YIELDS) {
                thread::sleep(PAUSE);
            } else {
                break;
            }
        }
        None
    }

    /// Restores the guard of a lock that this thread took before a fork, in the parent or the child.
    ///
    /// # Safety
    /// This thread took the lock and gave up its guard by [`Held::keep`]; no other guard exists.
    pub(crate) unsafe fn resume(&self) -> Held<'_, T> {
        Held(self)
    }

    /// Frees the lock in the child of a fork.
    ///
    /// # Safety
    /// The process has a single thread, which has no guard of the lock.
    pub(crate) unsafe fn free(&self) {
        self.is_taken.store(false, Ordering::Release);
    }
}

impl<T> Held<'_, T> {
    /// Gives up the guard without freeing the lock; [`Lock::resume`] restores the guard.
    pub(crate) fn keep(self) {
        std::mem::forget(self);
    }
}

impl<T> Deref for Held<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        // SAFETY: the lock is taken, and by this guard alone.
        unsafe { &*self.0.value.get() }
    }
}

impl<T> DerefMut for Held<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        // SAFETY: the lock is taken, and by this guard alone.
        unsafe { &mut *self.0.value.get() }
    }
}

impl<T> Drop for Held<'_, T> {
    fn drop(&mut self) {
        self.0.is_taken.store(false, Ordering::Release);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn one_at_a_time() {
        let lock = Lock::new(0);
        thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..1000).for_each(|_| *lock.take().expect("soon free") += 1));
            }
        });
        assert_eq!(*lock.take().expect("free"), 4000);
    }

    #[test]
    fn waiting_ends() {
        let lock = Lock::new(());
        lock.take().expect("free").keep();
        assert!(lock.take().is_none());
    }
}
