//! The functions that clients of ITT call: they create domains and string handles, and begin and end tasks,
//! which become ranges.

#![allow(unsafe_code, reason = "has functions that clients call with pointers to their texts")]

use std::ffi::{CStr, c_char, c_int, c_void};
use std::ptr;
use std::sync::atomic::{AtomicI32, AtomicPtr, Ordering};

use proftui_wire::chunk::Tag;

use super::handles::{self, Handle};
use crate::guard::shield;
use crate::ranges::{self, ITT, OPERATOR};

/// The kind of ranges that the program names in Python: Paddle's number of the event type
/// `PythonUserDefined`.
const USER: u8 = 14;

/// A pointer to the recorder's own version of a function of ITT.
pub(super) struct Function(pub *const c_void);

// SAFETY: the address of a function.
unsafe impl Sync for Function {}

/// The functions of ITT that the recorder provides, by name.
pub(super) const FUNCTIONS: &[(&CStr, Function)] = &[
    (c"__itt_domain_create", Function(create as *const c_void)),
    (c"__itt_string_handle_create", Function(handle as *const c_void)),
    (c"__itt_task_begin", Function(begin as *const c_void)),
    (c"__itt_task_end", Function(end as *const c_void)),
];

/// ITT's structure `__itt_domain`; flags of 0 disable the domain.
#[repr(C)]
pub(super) struct Domain {
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
    /// Makes a domain with this name; `flags` is 1 to enable the domain, 0 to disable it.
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

/// PyTorch's domain, enabled.
static PYTORCH: Domain = Domain::new(1, c"PyTorch");
/// The disabled domain that clients get for every name but PyTorch's.
static OTHERS: Domain = Domain::new(0, c"");

/// ITT's structure `__itt_id`, an argument that is not read.
#[repr(C)]
struct Id([u64; 3]);

/// `__itt_domain_create`: returns [`PYTORCH`] for PyTorch's name, [`OTHERS`] for any other.
unsafe extern "C" fn create(name: *const c_char) -> *const Domain {
    // SAFETY: the client's promise.
    if unsafe { is_pytorch(name) } { &raw const PYTORCH } else { &raw const OTHERS }
}

/// True if `name` is the name of PyTorch's domain; false for null.
///
/// # Safety
/// `name` is null, or ends with a zero byte.
unsafe fn is_pytorch(name: *const c_char) -> bool {
    // SAFETY: the caller's promise.
    !name.is_null() && unsafe { libc::strcmp(name, PYTORCH.name) == 0 }
}

/// True if `domain` is PyTorch's.
///
/// # Safety
/// `domain` is null, or a client's domain.
#[inline]
unsafe fn is_enabled(domain: *const Domain) -> bool {
    /// The domain last recognised as PyTorch's; at first [`PYTORCH`].
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

/// `__itt_string_handle_create`: returns the handle of a text ([`handles::of`]).
unsafe extern "C" fn handle(text: *const c_char) -> *const Handle {
    // SAFETY: the client's promise.
    shield(handles::NAMELESS.get(), || unsafe { handles::of(text) })
}

/// `__itt_task_begin`: begins a range on the calling thread, if the domain is PyTorch's and ranges are wanted
/// ([`ranges::wanted`]).
unsafe extern "C" fn begin(domain: *const Domain, _id: Id, _parent: Id, name: *const Handle) {
    // SAFETY: the client's promise.
    if !unsafe { is_enabled(domain) } {
        return;
    }
    shield((), || {
        // SAFETY: the client's promise.
        let number = || unsafe { handles::number(name) };
        let kind = if ranges::is_own(number) { USER } else { OPERATOR };
        if let Some(cycle) = ranges::wanted() {
            ranges::push(cycle, ITT, Tag::new(kind, number()));
        }
    });
}

/// `__itt_task_end`: ends the calling thread's innermost range of ITT, if the domain is PyTorch's.
unsafe extern "C" fn end(domain: *const Domain) {
    // SAFETY: the client's promise.
    if unsafe { is_enabled(domain) } {
        shield((), || ranges::pop(ITT));
    }
}
