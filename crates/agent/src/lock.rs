//! A lock for what is seldom touched: it never waits for ever, and a fork leaves it in order.

#![allow(
    unsafe_code,
    reason = "a lock hands out what it guards; the standard one cannot be held across a fork"
)]

use std::cell::UnsafeCell;
use std::ops::{Deref, DerefMut};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;

/// Times that the processor is given away before there is a pause.
const YIELDS: u32 = 100;
/// A pause.
const PAUSE: Duration = Duration::from_micros(100);
/// Pauses before the lock is given up: two seconds, more than any disk needs to take a few bytes.
const PAUSES: u32 = 20_000;

/// Guards a value.
pub struct Lock<T> {
    is_taken: AtomicBool,
    value: UnsafeCell<T>,
}

// SAFETY: the value is reached only through a `Held`, of which there is one at a time.
unsafe impl<T: Send> Sync for Lock<T> {}

/// The value, for as long as this lives.
pub struct Held<'a, T>(&'a Lock<T>);

impl<T> Lock<T> {
    /// Free.
    pub const fn new(value: T) -> Self {
        Self { is_taken: AtomicBool::new(false), value: UnsafeCell::new(value) }
    }

    /// Takes it. None where it cannot be had: its holder died or was stopped, and nobody is to hang for our sake.
    pub fn take(&self) -> Option<Held<'_, T>> {
        for tries in 0..YIELDS + PAUSES {
            let taken = self.is_taken.compare_exchange(false, true, Ordering::Acquire, Ordering::Relaxed);
            if taken.is_ok() {
                return Some(Held(self));
            }
            if tries < YIELDS {
                thread::yield_now();
            } else {
                thread::sleep(PAUSE);
            }
        }
        None
    }

    /// Takes it up again in a process that was forked while this thread held it.
    ///
    /// # Safety
    /// This thread took it and let go of the guard without freeing it ([`Held::keep`]), and nobody has it but this thread.
    pub unsafe fn resume(&self) -> Held<'_, T> {
        Held(self)
    }

    /// Frees it in a process that was forked: who held it is not there.
    ///
    /// # Safety
    /// There is one thread, and it does not hold it.
    pub unsafe fn free(&self) {
        self.is_taken.store(false, Ordering::Release);
    }
}

impl<T> Held<'_, T> {
    /// Lets go of the guard without freeing the lock.
    pub fn keep(self) {
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
    fn nobody_waits_for_ever() {
        let lock = Lock::new(());
        lock.take().expect("free").keep();
        assert!(lock.take().is_none());
    }
}
