//! Texts that clients hold by pointer: each once, never let go, in a table without a lock, since a fork may come at any moment.
//!
//! A text has its number in the process's list from the first recorded range of that name on.

#![allow(unsafe_code, reason = "handles are read by clients, and texts where clients have them")]

use std::ffi::{c_char, c_int, c_void};
use std::ptr;
use std::slice;
use std::sync::atomic::{AtomicPtr, AtomicU32, Ordering};

use proftui_wire::names::LONGEST;

use crate::process;

/// Places for handles. A program that makes up names without end finds the last of them without a name.
const PLACES: usize = 1 << 16;
/// Places that are looked at for one text.
const PROBES: usize = 64;

/// `__itt_string_handle`, and behind it what is ours where the handle is.
#[repr(C)]
pub struct Handle {
    text: *const c_char,
    wide: *const c_void,
    extra: c_int,
    more: *const c_void,
    next: *const c_void,
    /// Bytes of the text.
    len: usize,
    /// Its number in the process's list; 0 before it is asked for.
    number: AtomicU32,
}

/// What handles of ours have in the place that ITT leaves to tools.
static OURS: u8 = 0;
static TABLE: [AtomicPtr<Handle>; PLACES] = [const { AtomicPtr::new(ptr::null_mut()) }; PLACES];
/// The handle of texts that find no place.
pub static NAMELESS: Nameless = Nameless(Handle::new(c"".as_ptr(), 0));

/// A handle without a name.
pub struct Nameless(Handle);

// SAFETY: its text is a constant, and its number an atomic.
unsafe impl Sync for Nameless {}

impl Nameless {
    /// The handle.
    pub fn get(&self) -> *const Handle {
        &raw const self.0
    }
}

impl Handle {
    const fn new(text: *const c_char, len: usize) -> Self {
        let none = ptr::null();
        let ours = (&raw const OURS).cast();
        Self { text, wide: none, extra: 0, more: ours, next: none, len, number: AtomicU32::new(0) }
    }

    fn bytes(&self) -> &[u8] {
        // SAFETY: so many bytes that are never freed.
        unsafe { slice::from_raw_parts(self.text.cast(), self.len) }
    }

    #[inline]
    fn number(&self) -> u32 {
        match self.number.load(Ordering::Relaxed) {
            0 => self.ask(),
            number => number,
        }
    }

    #[cold]
    fn ask(&self) -> u32 {
        if self.len == 0 {
            return 0;
        }
        let number = process::name(&String::from_utf8_lossy(self.bytes()));
        self.number.store(number, Ordering::Relaxed);
        number
    }
}

/// The number of a handle's text; 0 where it has none. What a client made itself, before it came to us, is shorter than ours.
///
/// # Safety
/// It is null, or a client's handle.
pub unsafe fn number(handle: *const Handle) -> u32 {
    // SAFETY: the caller's promise; what is behind ITT's part is looked at where the handle is ours, and those are never freed.
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

/// The handle of a text.
///
/// # Safety
/// It is null, or ends with a zero.
pub unsafe fn of(text: *const c_char) -> *const Handle {
    if text.is_null() {
        return NAMELESS.get();
    }
    // SAFETY: it ends with a zero, or goes on for longer than is looked at.
    let bytes = unsafe { slice::from_raw_parts(text.cast::<u8>(), libc::strnlen(text, LONGEST)) };
    find(bytes)
}

fn find(text: &[u8]) -> *const Handle {
    let first = place(text);
    for place in (first..first + PROBES).map(|at| &TABLE[at % PLACES]) {
        let mut found = place.load(Ordering::Acquire);
        if found.is_null() {
            let made = make(text);
            match place.compare_exchange(ptr::null_mut(), made, Ordering::AcqRel, Ordering::Acquire) {
                Ok(_) => return made,
                // SAFETY: nobody saw it.
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

fn make(text: &[u8]) -> *mut Handle {
    let mut kept = Vec::with_capacity(text.len() + 1);
    kept.extend_from_slice(text);
    kept.push(0);
    let start = Box::into_raw(kept.into_boxed_slice()).cast::<c_char>();
    Box::into_raw(Box::new(Handle::new(start, text.len())))
}

/// # Safety
/// It was just made, and nobody else has it.
unsafe fn discard(made: *mut Handle) {
    // SAFETY: the caller's promise; the text is as long as it was made.
    unsafe {
        let handle = Box::from_raw(made);
        let text = ptr::slice_from_raw_parts_mut(handle.text.cast_mut().cast::<u8>(), handle.len + 1);
        drop(Box::from_raw(text));
    }
}

/// Where a text is looked for first.
#[inline]
fn place(text: &[u8]) -> usize {
    const MIX: u64 = 0x9e37_79b9_7f4a_7c15;
    let (words, rest) = text.as_chunks::<8>();
    let last = rest.iter().fold(text.len() as u64, |word, byte| word << 8 | u64::from(*byte));
    let hash = words
        .iter()
        .fold(last, |hash, word| (hash ^ u64::from_le_bytes(*word)).wrapping_mul(MIX).rotate_left(29));
    (hash.wrapping_mul(MIX) >> 48) as usize % PLACES
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
        // SAFETY: null is passed over.
        assert_eq!(unsafe { super::of(ptr::null()) }, NAMELESS.get());
        std::thread::scope(|scope| {
            let threads: Vec<_> = (0..4)
                .map(|_| {
                    scope.spawn(|| (0..500).map(|n| find(format!("op {n}").as_bytes()).addr()).collect())
                })
                .collect();
            let found: Vec<Vec<usize>> =
                threads.into_iter().map(|thread| thread.join().expect("no panic")).collect();
            assert!(found.windows(2).all(|pair| pair[0] == pair[1]), "whoever came first made it");
        });
    }
}
