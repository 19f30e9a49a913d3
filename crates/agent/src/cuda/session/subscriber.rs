//! Subscribing to CUPTI, which admits one subscriber per process; and the name of the other subscriber, if
//! there is one.

#![allow(unsafe_code, reason = "calls CUPTI's functions, which write a name to a buffer")]

use std::ffi::{CStr, c_void};
use std::ptr;

use proftui_wire::device::answer::{MULTIPLE_SUBSCRIBERS, NOT_COMPATIBLE};

use crate::cuda::functions::{Callback, Functions, MISSING, OK, SubscriberParams};

/// First API version that has `cuptiSubscribe_v2`, which reports the other subscriber's name.
const WITH_NAMES: u32 = 130_000;
/// Size of the buffer for the other subscriber's name, bytes.
const NAME: usize = 256;

/// Subscribes to CUPTI, which then calls `callback`, and returns the subscription's handle. The error is
/// CUPTI's code, and the other subscriber's name if CUPTI reports it.
pub(super) fn subscribe(
    cupti: &Functions,
    version: u32,
    callback: Callback,
) -> Result<*mut c_void, (u32, Option<String>)> {
    let mut handle = ptr::null_mut();
    // SAFETY: a pointer of our own; the callback is a function of this library.
    let answer = unsafe { cupti.subscribe(&raw mut handle, callback, ptr::null_mut()) };
    match answer {
        OK => Ok(handle),
        MULTIPLE_SUBSCRIBERS if version >= WITH_NAMES => subscribe_or_name(cupti, callback),
        // The other one has subscribed by `cuptiSubscribe_v2`. Who subscribes by that cannot call the
        // functions that this recorder calls.
        NOT_COMPATIBLE if version >= WITH_NAMES => Err((answer, other_name(cupti, callback))),
        answer => Err((answer, None)),
    }
}

/// The name of the other subscriber, if CUPTI reports it at another attempt to subscribe.
fn other_name(cupti: &Functions, callback: Callback) -> Option<String> {
    match subscribe_or_name(cupti, callback) {
        Ok(handle) => {
            // SAFETY: our own subscription, just made.
            unsafe { cupti.unsubscribe(handle) };
            None
        }
        Err((_, name)) => name,
    }
}

/// Tries to subscribe by `cuptiSubscribe_v2`. The error is CUPTI's code, and the other subscriber's name if
/// CUPTI reports it.
fn subscribe_or_name(cupti: &Functions, callback: Callback) -> Result<*mut c_void, (u32, Option<String>)> {
    let (mut handle, mut name) = (ptr::null_mut(), [0_u8; NAME]);
    let other_name = name.as_mut_ptr().cast();
    // CUPTI gets one byte less than the buffer has: the last one stays zero and ends the name.
    let mut params = SubscriberParams {
        size: size_of::<SubscriberParams>(),
        own_name: c"proftui".as_ptr(),
        other_name,
        other_size: NAME - 1,
    };
    // SAFETY: pointers of our own, with their sizes; the callback is a function of this library.
    match unsafe { cupti.subscribe_v2(&raw mut handle, callback, ptr::null_mut(), &raw mut params) } {
        OK => Ok(handle),
        MISSING => Err((MULTIPLE_SUBSCRIBERS, None)),
        answer => {
            let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy();
            let name = name.trim();
            Err((answer, (!name.is_empty()).then(|| name.to_owned())))
        }
    }
}
