//! A bounded pool of buffers for CUPTI's records. Buffers are reused, and are zeroed whenever they are handed out.

#![allow(unsafe_code, reason = "allocates memory that CUPTI writes to")]

use std::alloc::{Layout, alloc_zeroed, dealloc};
use std::ptr;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};

use crate::lock::Lock;

/// Size of a buffer of the pool, bytes.
pub const BYTES: usize = 1 << 20;
/// Most buffers of the pool. CUPTI holds a buffer for each thread that calls CUDA, and more while full ones are not delivered yet.
const MAX_BUFFERS: usize = 128;
/// Size of a buffer that is handed out once the pool is exhausted, bytes: for versions of CUPTI that cannot handle a refusal.
const SMALL_BYTES: usize = 16 << 10;

/// Addresses of the pool's free buffers; 0 for an unused slot.
static FREE: Lock<[usize; MAX_BUFFERS]> = Lock::new([0; MAX_BUFFERS]);
/// Number of buffers of the pool, free or handed out.
static COUNT: AtomicUsize = AtomicUsize::new(0);
/// How often CUPTI asked for a buffer and got none.
static REFUSED: AtomicU32 = AtomicU32::new(0);
/// True if a request for a buffer may be refused: for versions of CUPTI that can handle a refusal.
static MAY_REFUSE: AtomicBool = AtomicBool::new(false);

/// Sets whether [`get`] may refuse a request once the pool is exhausted, instead of handing out a small buffer.
pub fn set_refusing(may_refuse: bool) {
    MAY_REFUSE.store(may_refuse, Ordering::Relaxed);
}

/// Returns how often a buffer was refused since the last call of this function.
pub fn take_refused() -> u32 {
    REFUSED.swap(0, Ordering::Relaxed)
}

/// Hands out a buffer; returns its address and its size in bytes, or null and 0 for a refusal.
pub fn get() -> (*mut u8, usize) {
    let free = FREE.take().and_then(|mut free| {
        let slot = free.iter_mut().find(|slot| **slot != 0)?;
        Some(ptr::with_exposed_provenance_mut(std::mem::take(slot)))
    });
    if let Some(buffer) = free {
        return (buffer, BYTES);
    }
    let is_more = COUNT.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |count| {
        (count < MAX_BUFFERS).then_some(count + 1)
    });
    if is_more.is_ok() {
        let buffer = make(BYTES);
        if !buffer.is_null() {
            return (buffer, BYTES);
        }
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
    if !MAY_REFUSE.load(Ordering::Relaxed) {
        let buffer = make(SMALL_BYTES);
        if !buffer.is_null() {
            return (buffer, SMALL_BYTES);
        }
    }
    REFUSED.fetch_add(1, Ordering::Relaxed);
    (ptr::null_mut(), 0)
}

/// Takes back a buffer of `bytes` bytes. A buffer of the pool is kept for the next request, its first `written` bytes zeroed again;
/// any other is freed.
///
/// # Safety
/// It came from [`get`] with this size, and is not used any more.
pub unsafe fn put(buffer: *mut u8, bytes: usize, written: usize) {
    if bytes == BYTES
        && let Some(mut free) = FREE.take()
        && let Some(slot) = free.iter_mut().find(|slot| **slot == 0)
    {
        // SAFETY: the buffer's own bytes.
        unsafe { ptr::write_bytes(buffer, 0, written.min(bytes)) };
        *slot = buffer.expose_provenance();
        return;
    }
    if bytes == BYTES {
        COUNT.fetch_sub(1, Ordering::Relaxed);
    }
    if let Some(layout) = layout(bytes) {
        // SAFETY: made with this layout.
        unsafe { dealloc(buffer, layout) };
    }
}

/// Allocates a zeroed buffer; null on failure.
fn make(bytes: usize) -> *mut u8 {
    // SAFETY: the layout is not empty.
    layout(bytes).map_or(ptr::null_mut(), |layout| unsafe { alloc_zeroed(layout) })
}

/// The memory layout of a buffer: aligned to 8 bytes, as CUPTI demands.
fn layout(bytes: usize) -> Option<Layout> {
    Layout::from_size_align(bytes, 8).ok().filter(|layout| layout.size() > 0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buffers_are_used_again_and_bounded() {
        set_refusing(true);
        let mut taken: Vec<*mut u8> = (0..MAX_BUFFERS)
            .map(|_| get())
            .map(|(buffer, bytes)| {
                assert_eq!((bytes, buffer.addr() % 8), (BYTES, 0));
                buffer
            })
            .collect();
        assert_eq!(get(), (ptr::null_mut(), 0));
        assert_eq!((take_refused(), take_refused()), (1, 0));
        // Older versions of CUPTI get a small one instead.
        set_refusing(false);
        let (small, bytes) = get();
        assert!(!small.is_null() && bytes == SMALL_BYTES);
        // SAFETY: from `get`, with its size.
        unsafe { put(small, bytes, 0) };
        let last = taken.pop().expect("one");
        // SAFETY: from `get`, with its size; a byte of it.
        unsafe {
            *last = 7;
            put(last, BYTES, 1);
        }
        let (again, _) = get();
        // SAFETY: a byte of it.
        assert_eq!((again, unsafe { *again }), (last, 0), "zeros again");
        taken.push(again);
        // SAFETY: from `get`, with their size.
        taken.into_iter().for_each(|buffer| unsafe { put(buffer, BYTES, 0) });
    }
}
