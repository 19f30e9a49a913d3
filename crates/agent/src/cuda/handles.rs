//! What a program's handles are in CUPTI's records: asked when the program names one, since it may let go of it later.

#![allow(unsafe_code, reason = "the driver's handles are handed to CUPTI")]

use std::ffi::c_void;
use std::ptr;

use proftui_wire::device::record::Name;

use super::driver;
use super::functions::{Functions, OK};
use crate::process::device::Thing;

/// CUPTI's numbers of contexts and streams among the things that are named.
const CONTEXT: u32 = 4;
const STREAM: u32 = 5;

/// The record of a thing's name; none where CUPTI does not know the thing, and while a stream is captured: what is asked then
/// might spoil that.
pub fn named(cupti: &Functions, thing: Thing, name: u32) -> Option<Name> {
    if driver::is_capturing() {
        return None;
    }
    let (handle, is_stream) = match thing {
        Thing::Context(handle) => (handle, false),
        Thing::Stream(handle) => (handle, true),
    };
    let handle: *mut c_void = ptr::with_exposed_provenance_mut(handle);
    let context = if is_stream { driver::context_of(handle) } else { handle };
    if context.is_null() {
        return None;
    }
    let object = if is_stream { STREAM } else { CONTEXT };
    let mut named = Name { name, object, ..Name::default() };
    // SAFETY: what the program names is there; numbers of our own.
    let is_known = unsafe {
        cupti.context_id(context, &raw mut named.thread_or_context) == OK
            && cupti.device_id(context, &raw mut named.process_or_device) == OK
            && (!is_stream || cupti.stream_id(context, handle, 0, &raw mut named.stream) == OK)
    };
    is_known.then_some(named)
}
