//! Finds CUPTI's ids of the contexts and streams that a program names by their handles. The ids are looked up
//! when the program gives the name, since it may destroy the context or stream later.

#![allow(unsafe_code, reason = "passes the driver's handles to CUPTI")]

use std::ffi::c_void;
use std::ptr;

use proftui_wire::device::record::Name;

use super::functions::{Functions, OK};
use super::{captures, driver};
use crate::device::DeviceHandle;

/// `CUPTI_ACTIVITY_OBJECT_CONTEXT`: the named object is a context.
const CONTEXT: u32 = 4;
/// `CUPTI_ACTIVITY_OBJECT_STREAM`: the named object is a stream.
const STREAM: u32 = 5;

/// Makes the record that gives a context or a stream its name (`name` is an index in the process's list of
/// names). `None` if CUPTI's ids cannot be looked up now.
pub(super) fn name_record(cupti: &Functions, handle: DeviceHandle, name: u32) -> Option<Name> {
    if captures::is_any() {
        return None;
    }
    let (handle, is_stream) = match handle {
        DeviceHandle::Context(handle) => (handle, false),
        DeviceHandle::Stream(handle) => (handle, true),
    };
    let handle: *mut c_void = ptr::with_exposed_provenance_mut(handle);
    let context = if is_stream { driver::context_of(handle) } else { handle };
    if context.is_null() {
        return None;
    }
    let object = if is_stream { STREAM } else { CONTEXT };
    let mut named = Name { name, object, ..Name::default() };
    // SAFETY: the program names a context or stream that exists; pointers to variables of our own.
    let is_known = unsafe {
        cupti.context_id(context, &raw mut named.thread_or_context) == OK
            && cupti.device_id(context, &raw mut named.process_or_device) == OK
            && (!is_stream || cupti.stream_id(context, handle, 0, &raw mut named.stream) == OK)
    };
    is_known.then_some(named)
}
