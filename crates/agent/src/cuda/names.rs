//! Looks up the names of kernels and functions in caches, by address and by function number: most records
//! have the same name as a recent record. Must not know records nor cycles.

#![allow(unsafe_code, reason = "reads texts at addresses that CUPTI gives")]

use std::borrow::Cow;
use std::ffi::{CStr, c_char};
use std::ptr;
use std::slice;

use proftui_wire::names::LONGEST_NAME;

use super::call_filter;
use super::functions::{Functions, OK};
use super::records::Names;
use crate::process;

/// Number of slots of the cache of names by address.
const ADDRESSES: usize = 1 << 10;
/// Names of functions with numbers below this are cached, for the runtime and for the driver.
const FUNCTIONS: usize = 1 << 10;
/// Cache entry of a function that has not been looked up yet.
const NEW: u32 = u32::MAX;
/// Cache entry of a function whose calls are not kept. Entries other than this and [`NEW`] are indices of
/// names.
const DROPPED: u32 = u32::MAX - 1;

/// Callback domains of the runtime and of the driver, in this order (`CUPTI_CB_DOMAIN_…`).
const DOMAINS: [u32; 2] = [2, 1];

pub(super) struct NameCache {
    /// Cache by address. A slot has the address of a text, the number of the buffer in which the address was
    /// seen, and the text's index in the process's list of names.
    addresses: [(u64, u64, u32); ADDRESSES],
    /// Number of the buffer that is being read, from 1. An address stands for the same text only within a
    /// buffer.
    buffer: u64,
    /// Cache by function number, of the runtime (0) and of the driver (1): [`NEW`], [`DROPPED`], or the index
    /// of a name.
    functions: [[u32; FUNCTIONS]; 2],
}

/// Looks up the names of functions and the texts at addresses, in the caches first.
pub(super) struct NameSource<'a> {
    pub cache: &'a mut NameCache,
    /// CUPTI, which knows the names of functions.
    pub cupti: &'a Functions,
    /// True if calls of all functions of the driver are kept.
    pub wants_driver: bool,
}

impl NameCache {
    #[allow(clippy::large_stack_arrays, reason = "made once, in a static")]
    pub(super) const fn new() -> Self {
        Self { addresses: [(0, 0, 0); ADDRESSES], buffer: 0, functions: [[NEW; FUNCTIONS]; 2] }
    }

    /// Begins the next buffer: names that are cached by address are no longer valid.
    pub(super) fn next_buffer(&mut self) {
        self.buffer += 1;
    }
}

impl Names for NameSource<'_> {
    #[inline]
    fn at(&mut self, address: u64) -> u32 {
        if address == 0 {
            return 0;
        }
        let hash = (address >> 3).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 54;
        let slot = &mut self.cache.addresses[hash as usize % ADDRESSES];
        if (slot.0, slot.1) == (address, self.cache.buffer) {
            return slot.2;
        }
        let number = read(address);
        *slot = (address, self.cache.buffer, number);
        number
    }

    #[inline]
    fn function(&mut self, is_driver: bool, number: u32) -> Option<u32> {
        let cached = self.cache.functions[usize::from(is_driver)].get(number as usize).copied();
        match cached {
            Some(DROPPED) => None,
            Some(name) if name != NEW => Some(name),
            _ => self.look_up(is_driver, number),
        }
    }
}

impl NameSource<'_> {
    /// Asks CUPTI for a function's name. Returns its index in the process's list of names, 0 for a function
    /// without a name; `None` if the function's calls are not kept. Caches the result if `number` is below
    /// [`FUNCTIONS`].
    #[cold]
    fn look_up(&mut self, is_driver: bool, number: u32) -> Option<u32> {
        let name = of_function(self.cupti, is_driver, number);
        let is_kept =
            name.as_ref().is_none_or(|name| call_filter::is_kept(is_driver, name, self.wants_driver));
        let entry =
            if is_kept { name.map_or(0, |name| process::name(call_filter::plain(&name))) } else { DROPPED };
        if let Some(slot) = self.cache.functions[usize::from(is_driver)].get_mut(number as usize) {
            *slot = entry;
        }
        is_kept.then_some(entry)
    }
}

/// The name of a function by CUPTI's number of it; `None` if CUPTI has none. `is_driver`: it is the driver's,
/// else the runtime's.
pub(super) fn of_function(cupti: &Functions, is_driver: bool, number: u32) -> Option<Cow<'static, str>> {
    let mut name: *const c_char = ptr::null();
    // SAFETY: a pointer of our own.
    let answer = unsafe { cupti.callback_name(DOMAINS[usize::from(is_driver)], number, &raw mut name) };
    // SAFETY: a text that CUPTI keeps.
    (answer == OK && !name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy())
}

/// Reads the text at an address, its first [`LONGEST_NAME`] bytes at most; returns its index in the process's
/// list of names.
#[cold]
fn read(address: u64) -> u32 {
    let text: *const u8 = ptr::with_exposed_provenance(address as usize);
    // SAFETY: CUPTI keeps the text at least until the buffer that points at it is given back.
    let text = unsafe { slice::from_raw_parts(text, libc::strnlen(text.cast(), LONGEST_NAME)) };
    process::name(&String::from_utf8_lossy(text))
}
