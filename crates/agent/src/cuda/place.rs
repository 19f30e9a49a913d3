//! The one place that CUPTI has for a tool: taking it, and the name of who has it where it is taken.

#![allow(unsafe_code, reason = "CUPTI's functions are called, and write a name")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr;

use super::table::{Callback, MISSING, OK, Table};

/// What CUPTI answers where the place is taken.
pub const TAKEN: u32 = 39;
/// The first version that tells by whom.
const WITH_NAMES: u32 = 130_000;
/// Bytes of a name: as many as CUPTI wants there to be at least, with some to spare.
const NAME: usize = 256;

/// `CUpti_SubscriberParams` as it was at first; later versions know by its size what it has.
#[repr(C)]
pub struct Named {
    size: usize,
    own: *const c_char,
    other: *mut c_char,
    other_size: usize,
}

/// Takes the place; else what CUPTI answers, and who has it, where that is known.
pub fn take(table: &Table, version: u32, callback: Callback) -> Result<*mut c_void, (u32, Option<String>)> {
    let mut place = ptr::null_mut();
    // SAFETY: a pointer of our own; the callback is a function of this file.
    let answer = unsafe { table.subscribe(&raw mut place, callback, ptr::null_mut()) };
    match answer {
        OK => Ok(place),
        TAKEN if version >= WITH_NAMES => take_or_ask(table, callback),
        answer => Err((answer, None)),
    }
}

/// Asks once more, by the function that tells who was first. It may have left since.
fn take_or_ask(table: &Table, callback: Callback) -> Result<*mut c_void, (u32, Option<String>)> {
    let (mut place, mut name) = (ptr::null_mut(), [0_u8; NAME]);
    let other = name.as_mut_ptr().cast();
    // The last byte stays what it is.
    let mut named = Named { size: size_of::<Named>(), own: c"proftui".as_ptr(), other, other_size: NAME - 1 };
    // SAFETY: pointers of our own, with their sizes; the callback is a function of this file.
    match unsafe { table.subscribe_named(&raw mut place, callback, ptr::null_mut(), &raw mut named) } {
        OK => Ok(place),
        // That the place is taken is known already.
        MISSING => Err((TAKEN, None)),
        answer => {
            let name = CStr::from_bytes_until_nul(&name).unwrap_or_default().to_string_lossy();
            let name = name.trim();
            Err((answer, (!name.is_empty()).then(|| name.to_owned())))
        }
    }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use cudarc::cupti::sys::CUpti_SubscriberParams as Theirs;

    use super::*;

    #[test]
    fn names_are_asked_for_as_nvidia_has_it() {
        assert_eq!(size_of::<Named>(), size_of::<Theirs>());
        assert_eq!(offset_of!(Named, own), offset_of!(Theirs, subscriberName));
        assert_eq!(offset_of!(Named, other), offset_of!(Theirs, oldSubscriberName));
        assert_eq!(offset_of!(Named, other_size), offset_of!(Theirs, oldSubscriberSize));
    }
}
