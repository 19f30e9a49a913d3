//! The program's allocator: the system's, with an orderly end of the process where there is no memory.
//!
//! A failed allocation ends the process with status 1 and one line on standard error, after the terminal is
//! restored; within [`fallible`] it is an error of the caller instead. Must not know the terminal, nor what
//! the memory is for.

#![allow(
    unsafe_code,
    reason = "the trait of allocators is unsafe; this one passes each call on to the system's"
)]

use std::alloc::{GlobalAlloc, Layout, System};
use std::cell::Cell;
use std::collections::TryReserveError;
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicBool, Ordering};
use std::time::Duration;

use thiserror::Error;

use super::fault;
use super::leave::{leave, print};
use crate::saturate::saturate;

/// Exit status of a process that ends because the system has no memory for it.
const STATUS: i32 = 1;

/// The program's allocator: the system's, but a failed allocation ends the process with a message, unless it
/// is within [`fallible`].
#[derive(Debug)]
pub struct Heap;

/// The function that restores the terminal before the message of [`failed`] is written; unset until
/// [`restore_by`] is called.
static RESTORE: OnceLock<fn()> = OnceLock::new();

/// What the message of [`failed`] advises instead of [`ADVISED`]; unset until [`advise`] is called.
static ADVICE: OnceLock<&str> = OnceLock::new();
/// What the message of [`failed`] advises unless [`advise`] was called.
const ADVISED: &str =
    "give the process more memory, or load a part of the trace if the command has --from and --to";

/// True once a thread is ending the process for want of memory.
static IS_ENDING: AtomicBool = AtomicBool::new(false);

thread_local! {
    /// The number of calls of [`fallible`] that this thread is in.
    static FALLIBLE: Cell<u32> = const { Cell::new(0) };
    /// True once an allocation of this thread failed outside of [`fallible`].
    static ENDS_PROCESS: Cell<bool> = const { Cell::new(false) };
}

/// Has `restore` called before the process ends for want of memory; only the first call has an effect.
/// `restore` must neither allocate nor wait long, and may find nothing to restore.
pub fn restore_by(restore: fn()) {
    let _ = RESTORE.set(restore);
}

/// Has glibc's allocator serve all threads from one arena, to save address space. To be called before threads
/// start; does nothing with another C library.
pub fn share_arena() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    {
        /// `M_ARENA_MAX` of glibc's `malloc.h`.
        const ARENA_MAX: i32 = -8;
        unsafe extern "C" {
            fn mallopt(parameter: i32, value: i32) -> i32;
        }
        // SAFETY: this sets a number of the allocator and touches no memory of the program.
        unsafe { mallopt(ARENA_MAX, 1) };
    }
}

/// Sets the advice in the message that is printed when the process ends for want of memory; only the first
/// call has an effect.
pub fn advise(advice: &'static str) {
    let _ = ADVICE.set(advice);
}

/// Runs `work`, in which a failed allocation of this thread is an error of a function such as
/// [`Vec::try_reserve`]. `work` must allocate by such functions only.
pub fn fallible<T>(work: impl FnOnce() -> T) -> T {
    struct Within;
    impl Drop for Within {
        fn drop(&mut self) {
            FALLIBLE.with(|depth| depth.set(depth.get() - 1));
        }
    }
    FALLIBLE.with(|depth| depth.set(depth.get() + 1));
    let _within = Within;
    work()
}

/// The error that the system has no memory for what was to be made.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Error)]
#[error("there is not enough memory")]
pub struct NoMemory;

impl From<TryReserveError> for NoMemory {
    fn from(_: TryReserveError) -> Self {
        Self
    }
}

/// Makes room for `more` further items; allocates none for later growth.
///
/// # Errors
/// When there is no memory for them; `items` is unchanged then.
pub fn try_reserve<T>(items: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    Ok(fallible(|| items.try_reserve_exact(more))?)
}

/// Makes room for at least `more` further items, as [`Vec::reserve`] does.
///
/// # Errors
/// When there is no memory for them; `items` is unchanged then.
#[inline]
pub fn try_grow<T>(items: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    if items.capacity() - items.len() >= more {
        return Ok(());
    }
    grow(items, more)
}

#[cold]
fn grow<T>(items: &mut Vec<T>, more: usize) -> Result<(), NoMemory> {
    Ok(fallible(|| items.try_reserve(more))?)
}

/// Adds an item at the end.
///
/// # Errors
/// When there is no memory for it; `items` is unchanged then.
#[inline]
pub fn try_push<T>(items: &mut Vec<T>, item: T) -> Result<(), NoMemory> {
    try_grow(items, 1)?;
    items.push(item);
    Ok(())
}

/// Makes a vector of `len` items that are all `item`.
///
/// # Errors
/// When there is no memory for them.
pub fn try_filled<T: Copy>(item: T, len: usize) -> Result<Vec<T>, NoMemory> {
    let mut items = Vec::new();
    try_reserve(&mut items, len)?;
    items.resize(len, item);
    Ok(items)
}

/// Collects the items that `from` yields.
///
/// # Errors
/// When there is no memory for them.
pub fn try_collect<T>(from: impl IntoIterator<Item = T>) -> Result<Vec<T>, NoMemory> {
    let from = from.into_iter();
    let mut items = Vec::new();
    try_reserve(&mut items, from.size_hint().0)?;
    for item in from {
        try_push(&mut items, item)?;
    }
    Ok(items)
}

/// Collects an iterator made from a vector, with items no larger than the vector's, so that the result can
/// take over its memory. To be used for no other iterator.
pub fn reuse<T>(from: impl Iterator<Item = T>) -> Vec<T> {
    fault::withheld(|| from.collect())
}

/// Gives back the memory that a vector has beyond its items.
pub fn shrink<T>(items: &mut Vec<T>) {
    // A block that becomes smaller takes no memory.
    fault::withheld(|| items.shrink_to_fit());
}

/// Sorts as [`slice::sort_by_key`] does, but fails where there is no memory for it.
///
/// # Errors
/// When there is no memory for it; `items` is unchanged then.
pub fn try_sort_by_key<T, K: Ord>(items: &mut [T], mut key: impl FnMut(&T) -> K) -> Result<(), NoMemory> {
    if items.is_sorted_by_key(&mut key) {
        return Ok(());
    }
    // What the standard library takes: room for half of the items, for all of them up to 8 MB.
    let all = items.len().min(8_000_000 / size_of::<T>().max(1));
    let mut room: Vec<T> = Vec::new();
    try_reserve(&mut room, all.max(items.len().div_ceil(2)))?;
    drop(room);
    fault::withheld(|| items.sort_by_key(key));
    Ok(())
}

// SAFETY: each method passes its arguments on to the system's allocator, whose contract is the same, and
// returns what that returns.
unsafe impl GlobalAlloc for Heap {
    unsafe fn alloc(&self, layout: Layout) -> *mut u8 {
        if fault::fails_now(layout.size()) {
            return failed(layout.size());
        }
        // SAFETY: as the trait demands of the caller.
        let block = unsafe { System.alloc(layout) };
        if block.is_null() { failed(layout.size()) } else { block }
    }

    unsafe fn alloc_zeroed(&self, layout: Layout) -> *mut u8 {
        if fault::fails_now(layout.size()) {
            return failed(layout.size());
        }
        // SAFETY: as the trait demands of the caller.
        let block = unsafe { System.alloc_zeroed(layout) };
        if block.is_null() { failed(layout.size()) } else { block }
    }

    unsafe fn realloc(&self, old: *mut u8, layout: Layout, size: usize) -> *mut u8 {
        if fault::fails_now(size) {
            return failed(size);
        }
        // SAFETY: as the trait demands of the caller.
        let block = unsafe { System.realloc(old, layout, size) };
        if block.is_null() { failed(size) } else { block }
    }

    unsafe fn dealloc(&self, block: *mut u8, layout: Layout) {
        // SAFETY: as the trait demands of the caller.
        unsafe { System.dealloc(block, layout) }
    }
}

/// Answers a failed allocation of `size` bytes: returns null within [`fallible`], and else does not return,
/// since the process ends.
#[cold]
fn failed(size: usize) -> *mut u8 {
    if FALLIBLE.with(Cell::get) > 0 {
        return ptr::null_mut();
    }
    if ENDS_PROCESS.replace(true) {
        // What the end itself calls had no memory.
        leave(STATUS);
    }
    while IS_ENDING.swap(true, Ordering::SeqCst) {
        // Another thread ends the process.
        std::thread::sleep(Duration::from_millis(100));
    }
    if let Some(restore) = RESTORE.get() {
        restore();
    }
    let mut digits = [0; 20];
    print("proftui: out of memory: there is none for a block of ");
    print(decimal(size, &mut digits));
    print(" bytes; ");
    print(ADVICE.get().copied().unwrap_or(ADVISED));
    print("\n");
    leave(STATUS)
}

/// The decimal digits of `number`, which are written to the end of `digits`.
fn decimal(mut number: usize, digits: &mut [u8; 20]) -> &str {
    let mut at = digits.len();
    loop {
        at -= 1;
        digits[at] = b'0' + saturate::<u8>(number % 10);
        number /= 10;
        if number == 0 {
            return str::from_utf8(&digits[at..]).unwrap_or_default();
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_are_written_in_decimal() {
        for number in [0, 7, 10, 4096, usize::MAX] {
            assert_eq!(decimal(number, &mut [0; 20]), number.to_string());
        }
    }

    #[test]
    fn memory_that_nobody_has_is_an_error() {
        let mut items: Vec<u64> = vec![1, 2];
        assert!(try_reserve(&mut items, usize::MAX / 64).is_err());
        assert_eq!(items, [1, 2]);
        assert_eq!(FALLIBLE.with(Cell::get), 0);
    }
}
