//! The table of string handles: texts that clients hold by pointer. Each text has one handle, which is never
//! freed. The table has no lock, which a fork at any moment could leave locked.
//!
//! A text gets its index in the process's list of names at its first recorded range.

#![allow(
    unsafe_code,
    reason = "shares handles with clients by pointer, and reads texts at clients' addresses"
)]

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use proftui_wire::names::LONGEST_NAME;

use crate::process;

/// Number of slots of the table of string handles.
const SLOTS: usize = 1 << 16;
/// Most slots of the table that a search for a text tries.
const PROBES: usize = 64;

/// ITT's structure `__itt_string_handle`, followed by fields that only the recorder's own handles have.
#[repr(C)]
pub(super) struct Handle {
    text: *const c_char,
    wide: *const c_void,
    extra: c_int,
    more: *const c_void,
    next: *const c_void,
    /// Length of the text without the zero byte at its end, bytes.
    len: usize,
    /// Index of the text in the process's list of names; 0 if not known.
    number: AtomicU32,
}

/// Its address in a handle's field `more` marks the handle as the recorder's own.
static OURS: u8 = 0;
/// The hash table of string handles; null for a free slot.
static TABLE: [AtomicPtr<Handle>; SLOTS] = [const { AtomicPtr::new(ptr::null_mut()) }; SLOTS];
/// The handle of the empty text, for null and for texts that the table cannot take.
pub(super) static NAMELESS: Nameless = Nameless(Handle::new(c"".as_ptr(), 0));

/// A handle of the empty text; a range with this handle has no name.
pub(super) struct Nameless(Handle);

// SAFETY: its text is a constant, and its number an atomic.
unsafe impl Sync for Nameless {}

impl Nameless {
    /// The address of the handle, which clients get.
    pub(super) fn get(&self) -> *const Handle {
        &raw const self.0
    }
}

impl Handle {
    /// Makes a handle of the recorder's own for a text that is `len` bytes long.
    const fn new(text: *const c_char, len: usize) -> Self {
        let none = ptr::null();
        let ours = (&raw const OURS).cast();
        Self { text, wide: none, extra: 0, more: ours, next: none, len, number: AtomicU32::new(0) }
    }

    /// The text's bytes, without the zero byte at the end.
    fn bytes(&self) -> &[u8] {
        // SAFETY: `len` bytes that are never freed.
        unsafe { slice::from_raw_parts(self.text.cast(), self.len) }
    }

    /// Index of the text in the process's list of names, to which the text is added if need be; 0 if it gets
    /// none.
    #[inline]
    fn number(&self) -> u32 {
        match self.number.load(Ordering::Relaxed) {
            0 => self.look_up(),
            number => number,
        }
    }

    /// Looks the text up in the process's list of names, adds it if need be, and keeps its index in the
    /// handle; 0 if it gets none.
    #[cold]
    fn look_up(&self) -> u32 {
        if self.len == 0 {
            return 0;
        }
        let number = process::name(&String::from_utf8_lossy(self.bytes()));
        self.number.store(number, Ordering::Relaxed);
        number
    }
}

/// Index of a handle's text in the process's list of names, to which the text is added if need be; 0 if it
/// gets none.
///
/// # Safety
/// `handle` is null, or a client's handle.
pub(super) unsafe fn number(handle: *const Handle) -> u32 {
    // SAFETY: the caller's promise; the fields behind ITT's are read only from handles of the recorder, which
    // are never freed.
    unsafe {
        if handle.is_null() {
            0
        } else if ptr::eq((&raw const (*handle).more).read().cast(), &raw const OURS) {
            (*handle).number()
        } else {
            (*of((&raw const (*handle).text).read())).number()
        }
    }
}

/// The table's handle of a text, made if need be; [`NAMELESS`] for null or if the table cannot take the text.
/// Only the first [`LONGEST_NAME`] bytes of the text count.
///
/// # Safety
/// `text` is null, or ends with a zero byte.
pub(super) unsafe fn of(text: *const c_char) -> *const Handle {
    if text.is_null() {
        return NAMELESS.get();
    }
    // SAFETY: it ends with a zero byte, or is longer than what is read of it.
    let bytes = unsafe { slice::from_raw_parts(text.cast::<u8>(), libc::strnlen(text, LONGEST_NAME)) };
    find(bytes)
}

/// Finds the handle of a text in the table, or adds it; [`NAMELESS`] if the table cannot take the text.
fn find(text: &[u8]) -> *const Handle {
    let first = slot(text);
    for slot in (first..first + PROBES).map(|at| &TABLE[at % SLOTS]) {
        let mut found = slot.load(Ordering::Acquire);
        if found.is_null() {
            let made = make(text);
            match slot.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return made,
                // SAFETY: it was not published.
                Err(other) => {
                    unsafe { discard(made) };
                    found = other;
                }
            }
        }
        // SAFETY: handles of the table are never freed.
        if unsafe { &*found }.bytes() == text {
            return found;
        }
    }
    NAMELESS.get()
}

/// Allocates a handle with a copy of the text.
fn make(text: &[u8]) -> *mut Handle {
    let mut kept = Vec::with_capacity(text.len() + 1);
    kept.extend_from_slice(text);
    kept.push(0);
    let start = Box::into_raw(kept.into_boxed_slice()).cast::<c_char>();
    Box::into_raw(Box::new(Handle::new(start, text.len())))
}

/// Frees a handle and its text.
///
/// # Safety
/// `made` comes from [`make`], and no other thread has seen it.
unsafe fn discard(made: *mut Handle) {
    // SAFETY: the caller's promise; the text was allocated with this length.
    unsafe {
        let handle = Box::from_raw(made);
        let text = ptr::slice_from_raw_parts_mut(handle.text.cast_mut().cast::<u8>(), handle.len + 1);
        drop(Box::from_raw(text));
    }
}

/// Index of the first slot that is tried for a text, computed as a hash of the text.
#[inline]
fn slot(text: &[u8]) -> usize {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, tail) = text.as_chunks::<8>();
    let last = tail.iter().fold(text.len() as u64, |word, byte| word << 8 | u64::from(*byte));
    let hash = words
        .iter()
        .fold(last, |hash, word| (hash ^ u64::from_le_bytes(*word)).wrapping_mul(MIX).rotate_left(29));
    (hash.wrapping_mul(MIX) >> 48) as usize % SLOTS
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_text_has_one_handle() {
        let of = |text: &[u8]| find(text);
        let known = of(b"aten::add");
        assert_eq!(of(b"aten::add"), known);
        assert_ne!(of(b"aten::add_"), known);
        // SAFETY: handles are never freed.
        assert_eq!(unsafe { &*known }.bytes(), b"aten::add");
        // SAFETY: null is allowed.
        assert_eq!(unsafe { super::of(ptr::null()) }, NAMELESS.get());
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| (0..500).map(|n| find(format!("op {n}").as_bytes()).addr()).collect())
                })
                .collect();
            let found: Vec<Vec<usize>> =
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "all threads have the same handles");
        });
    }
}
