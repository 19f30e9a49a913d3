//! Describes the extension module's functions to Python, runs their bodies, and converts their arguments from
//! Python and their results to Python. Must not know which functions there are.

#![allow(unsafe_code, reason = "calls functions of Python with pointers to its objects")]

use std::ffi::{CStr, c_int, c_long, c_void};
use std::ptr;
use std::slice;

use super::api::{Api, Method, Ref, api};
use crate::device;
use crate::guard::shield;

/// `METH_FASTCALL`: flag of a function that takes an array of arguments.
pub(super) const FAST: c_int = 0x80;
/// `METH_NOARGS`: flag of a function that takes no argument.
pub(super) const NONE: c_int = 0x4;
/// `METH_O`: flag of a function that takes one argument.
pub(super) const ONE: c_int = 0x8;

/// A [`FAST`] function: Python passes an object, the address of the arguments, and their number.
pub(super) type Fast = unsafe extern "C" fn(Ref, *const Ref, isize) -> Ref;
/// A [`ONE`] or [`NONE`] function: Python passes an object, and the argument or null.
pub(super) type One = unsafe extern "C" fn(Ref, Ref) -> Ref;

/// Makes the description of a function for Python; `flags` is the `METH_` flag that suits `call`.
pub(super) fn method(name: &'static CStr, call: *const c_void, flags: c_int, doc: &'static CStr) -> Method {
    Method { name: name.as_ptr(), call, flags, doc: doc.as_ptr() }
}

/// Calls `body`, which may wait for a device, with the GIL released if the process has a device recorder.
pub(super) fn aside<R>(api: &Api, body: impl FnOnce() -> R) -> R {
    struct Released<'a>(&'a Api, *mut c_void);
    impl Drop for Released<'_> {
        fn drop(&mut self) {
            // SAFETY: the thread state that was returned by releasing, on the same thread.
            unsafe { (self.0.take_gil)(self.1) };
        }
    }
    // SAFETY: called by Python, on a thread that holds the GIL; no Python object is used until the GIL is
    // taken again.
    let _released = device::is_there().then(|| Released(api, unsafe { (api.release_gil)() }));
    body()
}

/// Runs the body of a function that Python calls, and returns its result: null for `None`, with an exception
/// that the body must set; Python's `None` if the body panics.
#[inline]
pub(super) fn call(body: impl FnOnce(&'static Api) -> Option<Ref>) -> Ref {
    let Some(api) = api() else { return ptr::null_mut() };
    match shield(None, || Some(body(api))) {
        Some(value) => value.unwrap_or(ptr::null_mut()),
        None => none(api),
    }
}

/// Returns Python's `None`, as a new reference.
#[inline]
pub(super) fn none(api: &Api) -> Ref {
    // SAFETY: None is an object.
    unsafe { (api.retain)(api.none) };
    api.none
}

/// Makes a Python integer from a number below 2^63.
pub(super) fn whole(api: &Api, number: u64) -> Ref {
    // SAFETY: it takes any number.
    unsafe { (api.from_number)(number as c_long) }
}

pub(super) fn truth(api: &Api, is_true: bool) -> Ref {
    // SAFETY: it takes any number.
    unsafe { (api.from_truth)(c_long::from(is_true)) }
}

/// Converts a Python integer to its lowest 64 bits; `None`, with an exception set, if `object` cannot be
/// converted.
#[inline]
pub(super) fn number(api: &Api, object: Ref) -> Option<u64> {
    // SAFETY: an argument is an object.
    let number = unsafe { (api.number)(object) };
    // SAFETY: only reads whether an exception is set.
    if number == u64::MAX && !unsafe { (api.error)() }.is_null() {
        return None;
    }
    Some(number)
}

/// Makes a Python string from `text`; null, with an exception set, if there is no memory.
pub(super) fn text(api: &Api, text: &str) -> Ref {
    // SAFETY: the address and length of UTF-8 text, which is copied.
    unsafe { (api.from_text)(text.as_ptr().cast(), text.len() as isize) }
}

/// Converts a Python string to a Rust string; `None`, with an exception set, if `object` is no string.
pub(super) fn text_of(api: &Api, object: Ref) -> Option<String> {
    // SAFETY: an argument is an object; its bytes are read before the bytes object is released.
    unsafe {
        let encoded = (api.encode)(object, c"utf-8".as_ptr(), c"backslashreplace".as_ptr());
        if encoded.is_null() {
            return None;
        }
        let (mut start, mut len) = (ptr::null_mut(), 0);
        let is_read = (api.bytes)(encoded, &raw mut start, &raw mut len) == 0;
        let text = is_read.then(|| {
            String::from_utf8_lossy(slice::from_raw_parts(start.cast::<u8>(), len as usize)).into_owned()
        });
        (api.release)(encoded);
        text
    }
}

/// Sets a `TypeError` with the message `usage`, and returns `None`.
pub(super) fn wrong(api: &Api, usage: &CStr) -> Option<Ref> {
    // SAFETY: the exception is an object that Python keeps; the text is copied.
    unsafe { (api.set_error)(*api.type_error, usage.as_ptr()) };
    None
}

/// The arguments of a [`FAST`] function as a slice, which is empty if there are none.
///
/// # Safety
/// `arguments` points at `count` objects, as Python passes them.
pub(super) unsafe fn list<'a>(arguments: *const Ref, count: isize) -> &'a [Ref] {
    if arguments.is_null() || count <= 0 {
        return &[];
    }
    // SAFETY: the caller's promise.
    unsafe { slice::from_raw_parts(arguments, count as usize) }
}
