//! The tables that a client hands out: for each of its modules, where the pointers to functions are kept.
//!
//! A client may be older or newer than what is written down here: what its tables have no place for is left out, and what they
//! have a place for and we do not know stays as it is, which is that nothing is called.

#![allow(unsafe_code, reason = "the tables are the client's memory, laid out as NVTX has it")]

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::calls;

/// Hands out a table by its number.
pub type Export = unsafe extern "C" fn(u32) -> *const c_void;

/// The number of the one that has the modules.
const CALLBACKS: u32 = 1;

/// Puts a module's table and its length there; 0 for a module that the client has not.
type FindModule = unsafe extern "C" fn(u32, *mut Module, *mut c_uint) -> c_int;
/// A module's table: pointers to where the client keeps its pointers to functions.
type Module = *mut *mut *const c_void;

/// What the table of modules begins with.
#[repr(C)]
pub struct Callbacks {
    /// Bytes of it.
    pub size: usize,
    /// Finds a module.
    pub find: Option<FindModule>,
}

/// A module's functions: NVTX's numbers of them, and ours.
type Functions = &'static [(usize, Function)];

/// A function of ours, of the type that its place has in NVTX.
#[derive(Clone, Copy)]
pub struct Function(pub *const c_void);

// SAFETY: the address of a function.
unsafe impl Sync for Function {}

/// What a client has.
pub struct Tables(FindModule);

impl Tables {
    /// Those that this function hands out; none where they are not what we know.
    ///
    /// # Safety
    /// It is a client's.
    pub unsafe fn of(export: Export) -> Option<Self> {
        // SAFETY: the caller's promise; the size is looked at before what stands behind it.
        unsafe {
            let callbacks = export(CALLBACKS).cast::<Callbacks>();
            if callbacks.is_null() || (&raw const (*callbacks).size).read() < size_of::<Callbacks>() {
                return None;
            }
            (&raw const (*callbacks).find).read().map(Self)
        }
    }

    /// Puts our functions into them.
    pub fn fill(&self) {
        for (module, functions) in calls::MODULES {
            self.fill_module(*module, functions);
        }
    }

    fn fill_module(&self, module: u32, functions: Functions) {
        let (mut table, mut count) = (ptr::null_mut(), 0);
        // SAFETY: a client's function, with places of our own.
        let is_there = unsafe { (self.0)(module, &raw mut table, &raw mut count) } != 0;
        if !is_there || table.is_null() {
            return;
        }
        for (slot, function) in functions.iter().filter(|(slot, _)| *slot < count as usize) {
            // SAFETY: the table has so many pointers; each is null or to where a pointer to a function is kept.
            unsafe {
                let place = table.add(*slot).read();
                if !place.is_null() {
                    place.write(function.0);
                }
            }
        }
    }
}
