//! Names of kernels and functions, by where they come from: most records name what the one before them did.

#![allow(unsafe_code, reason = "CUPTI points at texts")]

use std::ffi::{CStr, c_char};
use std::ptr;
use std::slice;

use proftui_wire::names::LONGEST;

use super::call_filter;
use super::functions::{Functions, OK};
use super::records::Names;
use crate::process;

/// Addresses that are remembered.
const PLACES: usize = 1 << 10;
/// Functions that are remembered, of the runtime and the driver each.
const FUNCTIONS: usize = 1 << 10;
/// A function that is not known yet, and one that is not kept; else a name's number.
const NEW: u32 = u32::MAX;
const DROPPED: u32 = u32::MAX - 1;

/// CUPTI's numbers of the driver's functions, and the runtime's.
const DOMAINS: [u32; 2] = [2, 1];

/// What is remembered.
pub struct NameCache {
    /// Address, the buffer in which it was seen, the name's number.
    places: [(u64, u64, u32); PLACES],
    /// Buffers so far. Within one an address is one text; later there may be another.
    buffer: u64,
    functions: [[u32; FUNCTIONS]; 2],
}

/// What is remembered, and whom to ask for the rest.
pub struct NameSource<'a> {
    /// What is remembered.
    pub known: &'a mut NameCache,
    /// Whom to ask.
    pub cupti: &'a Functions,
    /// All functions of the driver are kept.
    pub wants_driver: bool,
}

impl NameCache {
    /// Nothing.
    #[allow(clippy::large_stack_arrays, reason = "made once, in a static")]
    pub const fn new() -> Self {
        Self { places: [(0, 0, 0); PLACES], buffer: 0, functions: [[NEW; FUNCTIONS]; 2] }
    }

    /// Another buffer is read.
    pub fn turn(&mut self) {
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
        let place = &mut self.known.places[hash as usize % PLACES];
        if (place.0, place.1) == (address, self.known.buffer) {
            return place.2;
        }
        let number = read(address);
        *place = (address, self.known.buffer, number);
        number
    }

    #[inline]
    fn function(&mut self, is_driver: bool, number: u32) -> Option<u32> {
        let known = self.known.functions[usize::from(is_driver)].get(number as usize).copied();
        match known {
            Some(DROPPED) => None,
            Some(name) if name != NEW => Some(name),
            _ => self.learn(is_driver, number),
        }
    }
}

impl NameSource<'_> {
    /// Asks for a function's name. One that has none is kept: its number says what it is.
    #[cold]
    fn learn(&mut self, is_driver: bool, number: u32) -> Option<u32> {
        let mut name: *const c_char = ptr::null();
        // SAFETY: a pointer of our own.
        let answer =
            unsafe { self.cupti.callback_name(DOMAINS[usize::from(is_driver)], number, &raw mut name) };
        // SAFETY: a text that CUPTI keeps.
        let name =
            (answer == OK && !name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_string_lossy());
        let is_kept =
            name.as_ref().is_none_or(|name| call_filter::is_kept(is_driver, name, self.wants_driver));
        let learnt =
            if is_kept { name.map_or(0, |name| process::name(call_filter::plain(&name))) } else { DROPPED };
        if let Some(place) = self.known.functions[usize::from(is_driver)].get_mut(number as usize) {
            *place = learnt;
        }
        is_kept.then_some(learnt)
    }
}

/// The number of the text at an address.
#[cold]
fn read(address: u64) -> u32 {
    let text: *const u8 = ptr::with_exposed_provenance(address as usize);
    // SAFETY: CUPTI keeps the text at least until the buffer that points at it is given back.
    let text = unsafe { slice::from_raw_parts(text, libc::strnlen(text.cast(), LONGEST)) };
    process::name(&String::from_utf8_lossy(text))
}
