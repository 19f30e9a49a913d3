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
/// Cache entry of a function whose calls are not kept.
const DROPPED: u32 = u32::MAX - 1;

/// Callback domains of the runtime and of the driver, in this order (`CUPTI_CB_DOMAIN_…`).
const DOMAINS: [u32; 2] = [2, 1];

pub(super) struct NameCache {
    /// Cache of names by address: each slot has an address, the number of a buffer, and the index of a name.
    addresses: [(u64, u64, u32); ADDRESSES],
    /// Number of the buffer that is read now or was read last; 0 before the first.
    buffer: u64,
    /// Cache of names by function number: the runtime's functions first, then the driver's.
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
    /// Asks CUPTI for a function's name and returns the index of the name, 0 for none. `None` if the
    /// function's calls are not kept.
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

/// The name of a function of the driver (`is_driver`) or of the runtime, by CUPTI's number of it; `None` if
/// CUPTI has none.
pub(super) fn of_function(cupti: &Functions, is_driver: bool, number: u32) -> Option<Cow<'static, str>> {
    let mut name: *const c_char = ptr::null();
    // SAFETY: a pointer of our own.
    let answer = unsafe { cupti.callback_name(DOMAINS[usize::from(is_driver)], number, &raw mut name) };
    // SAFETY: a text that CUPTI keeps.
    (answer == OK && !name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy())
}

/// The index, in the process's list of names, of the text at an address. Long texts are cut.
#[cold]
fn read(address: u64) -> u32 {
    let text: *const u8 = ptr::with_exposed_provenance(address as usize);
    // SAFETY: CUPTI keeps the text at least until the buffer that points at it is given back.
    let text = unsafe { slice::from_raw_parts(text, libc::strnlen(text.cast(), LONGEST_NAME)) };
    process::name(&String::from_utf8_lossy(text))
}
