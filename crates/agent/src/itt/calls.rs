//! What clients call: domains, texts, and tasks, which are ranges.

#![allow(unsafe_code, reason = "these functions are called by clients, with pointers to their texts")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::AtomicI32;

use super::handles::{self, Handle};
use crate::guard::shield;
use crate::process;
use crate::ranges::{self, ITT};

/// Paddle's numbers of operators and of ranges that a program names in Python.
const OPERATOR: u8 = 0;
const USER: u8 = 14;

/// A function of ours, of the type that its place has in ITT.
pub struct Function(pub *const c_void);

// SAFETY: the address of a function.
unsafe impl Sync for Function {}

/// ITT's functions that are ours, by name.
pub const FUNCTIONS: &[(&CStr, Function)] = &[
    (c"__itt_domain_create", Function(create as *const c_void)),
    (c"__itt_string_handle_create", Function(handle as *const c_void)),
    (c"__itt_task_begin", Function(begin as *const c_void)),
    (c"__itt_task_end", Function(end as *const c_void)),
];

/// `__itt_domain`. Clients call nothing for one whose flags are 0.
#[repr(C)]
pub struct Domain {
    flags: AtomicI32,
    name: *const c_char,
    wide: *const c_void,
    extra: c_int,
    more: *const c_void,
    next: *const c_void,
}

// SAFETY: its texts are constants, and its flags an atomic.
unsafe impl Sync for Domain {}

impl Domain {
    const fn new(flags: c_int, name: &'static CStr) -> Self {
        let none = ptr::null();
        Self {
            flags: AtomicI32::new(flags),
            name: name.as_ptr(),
            wide: none,
            extra: 0,
            more: none,
            next: none,
        }
    }
}

static PYTORCH: Domain = Domain::new(1, c"PyTorch");
/// All others.
static OTHERS: Domain = Domain::new(0, c"");

/// `__itt_id`.
#[repr(C)]
struct Id([u64; 3]);

unsafe extern "C" fn create(name: *const c_char) -> *const Domain {
    // SAFETY: what the client passes.
    let is_listened_to = !name.is_null() && unsafe { CStr::from_ptr(PYTORCH.name) == CStr::from_ptr(name) };
    if is_listened_to { &raw const PYTORCH } else { &raw const OTHERS }
}

unsafe extern "C" fn handle(text: *const c_char) -> *const Handle {
    // SAFETY: what the client passes.
    shield(handles::NAMELESS.get(), || unsafe { handles::of(text) })
}

unsafe extern "C" fn begin(domain: *const Domain, _id: Id, _parent: Id, name: *const Handle) {
    if !ptr::eq(domain, &raw const PYTORCH) {
        return;
    }
    shield((), || {
        let kind = if ranges::tell() { USER } else { OPERATOR };
        let cycle = process::cycle();
        if cycle != 0 {
            // SAFETY: it was handed out by `handle`, and is never freed.
            let name = unsafe { name.as_ref() }.map_or(0, Handle::number);
            ranges::push(cycle, ITT, proftui_wire::chunk::Tag::new(kind, name));
        }
    });
}

unsafe extern "C" fn end(domain: *const Domain) {
    if ptr::eq(domain, &raw const PYTORCH) {
        shield((), || ranges::pop(ITT));
    }
}
