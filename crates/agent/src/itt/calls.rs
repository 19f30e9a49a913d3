//! What clients call: domains, texts, and tasks, which are ranges.

#![allow(unsafe_code, reason = "these functions are called by clients, with pointers to their texts")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

use proftui_wire::chunk::Tag;

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
    if unsafe { is_pytorch(name) } { &raw const PYTORCH } else { &raw const OTHERS }
}

/// # Safety
/// It is null, or ends with a zero.
unsafe fn is_pytorch(name: *const c_char) -> bool {
    // SAFETY: the caller's promise.
    !name.is_null() && unsafe { libc::strcmp(name, PYTORCH.name) == 0 }
}

/// Whether it is PyTorch's: ours, or one that the client made itself before it came to us.
///
/// # Safety
/// It is null, or a client's domain.
#[inline]
unsafe fn is_listened_to(domain: *const Domain) -> bool {
    /// The last one that was. Clients never free theirs.
    static KNOWN: AtomicPtr<Domain> = AtomicPtr::new((&raw const PYTORCH).cast_mut());
    if ptr::eq(domain, KNOWN.load(Ordering::Relaxed)) {
        return true;
    }
    // SAFETY: the caller's promise.
    let is_known = !domain.is_null() && unsafe { is_pytorch((&raw const (*domain).name).read()) };
    if is_known {
        KNOWN.store(domain.cast_mut(), Ordering::Relaxed);
    }
    is_known
}

unsafe extern "C" fn handle(text: *const c_char) -> *const Handle {
    // SAFETY: what the client passes.
    shield(handles::NAMELESS.get(), || unsafe { handles::of(text) })
}

unsafe extern "C" fn begin(domain: *const Domain, _id: Id, _parent: Id, name: *const Handle) {
    // SAFETY: what the client passes.
    if !unsafe { is_listened_to(domain) } {
        return;
    }
    shield((), || {
        let kind = if ranges::count_report() { USER } else { OPERATOR };
        let cycle = process::cycle();
        if cycle != 0 {
            // SAFETY: what the client passes.
            ranges::push(cycle, ITT, Tag::new(kind, unsafe { handles::number(name) }));
        }
    });
}

unsafe extern "C" fn end(domain: *const Domain) {
    // SAFETY: what the client passes.
    if unsafe { is_listened_to(domain) } {
        shield((), || ranges::pop(ITT));
    }
}
