//! Finds a client's tables, which have the addresses of its function pointers, module by module, and writes
//! the recorder's functions to these pointers.
//!
//! A client may be older or newer than the recorder. Functions for which its tables have no slot are left
//! out; slots that the recorder does not know are not changed, so the client calls no function for them.

#![allow(unsafe_code, reason = "reads and writes tables in the client's memory, in NVTX's layout")]

use std::ffi::{c_int, c_uint, c_void};
use std::ptr;

use super::calls::{self, Function};

/// A client's function that returns one of its tables by the table's number (`NvtxGetExportTableFunc_t`).
pub(super) type Export = unsafe extern "C" fn(u32) -> *const c_void;

/// Number of the table of modules (`NVTX_ETID_CALLBACKS`).
const CALLBACKS: u32 = 1;

/// A client's function that finds the table of the module with the given number, and the table's length;
/// returns 0 if the client does not have the module.
type FindModule = unsafe extern "C" fn(u32, *mut Module, *mut c_uint) -> c_int;
/// A module's table: for each function, the address of the client's pointer to it; null for functions that
/// the client does not have.
type Module = *mut *mut *const c_void;

/// The beginning of the table of modules (`NvtxExportTableCallbacks`).
#[repr(C)]
pub(super) struct Callbacks {
    /// Size of the table in the client's version, bytes.
    pub size: usize,
    pub find: Option<FindModule>,
}

/// The recorder's functions for a module, each with its slot in the module's table.
type Functions = &'static [(usize, Function)];

/// A client's tables of functions, as the client's own function that finds them.
pub(super) struct Tables(FindModule);

impl Tables {
    /// Takes a client's tables from its function `export`; `None` if the client has no usable table of
    /// modules.
    ///
    /// # Safety
    /// `export` is a client's function.
    pub(super) unsafe fn of(export: Export) -> Option<Self> {
        // SAFETY: the caller's promise; the size is checked before the fields behind it are read.
        unsafe {
            let callbacks = export(CALLBACKS).cast::<Callbacks>();
            if callbacks.is_null() || (&raw const (*callbacks).size).read() < size_of::<Callbacks>() {
                return None;
            }
            (&raw const (*callbacks).find).read().map(Self)
        }
    }

    /// Sets the client's function pointers to the recorder's functions, for the functions that both have.
    pub(super) fn fill(&self) {
        for (module, functions) in calls::MODULES {
            self.fill_module(*module, functions);
        }
    }

    /// Sets a client's function pointers of one module to the recorder's functions, as far as the client has
    /// them.
    fn fill_module(&self, module: u32, functions: Functions) {
        let (mut table, mut count) = (ptr::null_mut(), 0);
        // SAFETY: a client's function, and variables of our own.
        let is_there = unsafe { (self.0)(module, &raw mut table, &raw mut count) } != 0;
        if !is_there || table.is_null() {
            return;
        }
        for (slot, function) in functions.iter().filter(|(slot, _)| *slot < count as usize) {
            // SAFETY: the table has `count` pointers; each is null or points to the client's pointer to a
            // function.
            unsafe {
                let pointer = table.add(*slot).read();
                if !pointer.is_null() {
                    pointer.write(function.0);
                }
            }
        }
    }
}
