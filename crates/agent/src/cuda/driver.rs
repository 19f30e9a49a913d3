//! Waiting for devices, and when that must not be: while a stream is being captured into a graph, to wait would spoil the graph.

#![allow(unsafe_code, reason = "functions of the driver, which is loaded already")]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};

use super::functions::{Functions as Cupti, OK, functions};

/// CUPTI's number of the driver's functions.
const DRIVER: u32 = 1;
/// CUPTI's numbers of the functions that begin a capture, as they came to be.
const BEGIN: [u32; 10] = [495, 496, 539, 540, 720, 721, 783, 814, 846, 847];
/// Of those that end one.
const END: [u32; 4] = [497, 498, 815, 816];
/// The last of the handles that are none of one stream: the default stream, of the process or of the thread.
const LAST_SPECIAL: usize = 2;
/// A call is over.
const EXIT: u32 = 1;

/// Captures that are under way.
static CAPTURES: AtomicU32 = AtomicU32::new(0);

/// What CUPTI knows of a call, up to what is used.
#[repr(C)]
struct Call {
    site: u32,
    _name: *const c_void,
    _parameters: *const c_void,
    returned: *const u32,
}

/// Asks CUPTI to tell of captures.
pub fn watch_captures(cupti: &Cupti, handle: *mut c_void) {
    for function in BEGIN.into_iter().chain(END) {
        // Functions that a version does not have are refused: nobody calls them then.
        // SAFETY: the handle is that of our subscription.
        let _ = unsafe { cupti.enable_callback(1, handle, DRIVER, function) };
    }
}

/// CUPTI tells of a call.
pub extern "C" fn called(_datum: *mut c_void, domain: u32, function: u32, call: *const c_void) {
    if domain != DRIVER || call.is_null() {
        return;
    }
    // SAFETY: CUPTI passes such a structure with calls of the driver; it has only grown at its end.
    let Call { site, returned, .. } = unsafe { &*call.cast::<Call>() };
    if *site != EXIT {
        return;
    }
    // SAFETY: the function's result, once it is over.
    let is_done = !returned.is_null() && unsafe { **returned } == 0;
    if BEGIN.contains(&function) && is_done {
        CAPTURES.fetch_add(1, Ordering::Relaxed);
    } else if END.contains(&function) {
        let less = |count: u32| count.checked_sub(1);
        // One that began before we were there is not counted.
        let _ = CAPTURES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

functions! { Driver {
    synchronise = cuCtxSynchronize();
    current = cuCtxGetCurrent(context: *mut *mut c_void);
    context_of = cuStreamGetCtx(stream: *mut c_void, context: *mut *mut c_void);
    push = cuCtxPushCurrent_v2(context: *mut c_void);
    pop = cuCtxPopCurrent_v2(context: *mut *mut c_void);
    count = cuDeviceGetCount(count: *mut c_int);
    device = cuDeviceGet(device: *mut c_int, which: c_int);
    state = cuDevicePrimaryCtxGetState(device: c_int, flags: *mut u32, is_active: *mut c_int);
    retain = cuDevicePrimaryCtxRetain(context: *mut *mut c_void, device: c_int);
    release = cuDevicePrimaryCtxRelease_v2(device: c_int);
} }

fn driver() -> &'static Driver {
    static FOUND: OnceLock<Driver> = OnceLock::new();
    FOUND.get_or_init(|| {
        // SAFETY: looks whether it is loaded; it is, since it loaded us.
        let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
        let library = if library.is_null() { libc::RTLD_DEFAULT } else { library };
        // SAFETY: the driver, or whatever of the process has functions of these names.
        unsafe { Driver::of(library) }
    })
}

/// True while a stream is being captured.
pub fn is_capturing() -> bool {
    CAPTURES.load(Ordering::Relaxed) > 0
}

/// The context of a stream that is there; the calling thread's for streams that every context has. Null for none.
pub fn context_of(stream: *mut c_void) -> *mut c_void {
    let (driver, mut context) = (driver(), ptr::null_mut());
    // SAFETY: a stream that is there, says the caller; a pointer of our own.
    let answer = unsafe {
        if stream.addr() > LAST_SPECIAL {
            driver.context_of(stream, &raw mut context)
        } else {
            driver.current(&raw mut context)
        }
    };
    if answer == OK { context } else { ptr::null_mut() }
}

/// Waits until the devices have done what they were given: those that the program's frameworks use, and the calling thread's.
/// False where that must not be.
pub fn synchronise() -> bool {
    if is_capturing() {
        return false;
    }
    let driver = driver();
    let (mut current, mut count) = (ptr::null_mut(), 0);
    // SAFETY: pointers to numbers of our own; contexts are taken from the driver, and given back.
    unsafe {
        if driver.current(&raw mut current) == OK && !current.is_null() {
            driver.synchronise();
        }
        if driver.count(&raw mut count) != OK {
            return true;
        }
        for which in 0..count {
            let (mut device, mut flags, mut is_active, mut context) = (0, 0, 0, ptr::null_mut());
            if driver.device(&raw mut device, which) != OK
                || driver.state(device, &raw mut flags, &raw mut is_active) != OK
                || is_active == 0
                || driver.retain(&raw mut context, device) != OK
            {
                continue;
            }
            if context != current && driver.push(context) == OK {
                driver.synchronise();
                driver.pop(&raw mut context);
            }
            driver.release(device);
        }
    }
    true
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn captures_are_counted() {
        let tell = |function: u32, site: u32, result: u32| {
            let call =
                Call { site, _name: ptr::null(), _parameters: ptr::null(), returned: &raw const result };
            called(ptr::null_mut(), DRIVER, function, (&raw const call).cast());
            CAPTURES.load(Ordering::Relaxed)
        };
        assert_eq!(tell(497, EXIT, 0), 0, "an end without a beginning");
        assert_eq!(tell(539, 0, 0), 0, "about to begin");
        assert_eq!(tell(539, EXIT, 900), 0, "did not begin");
        assert_eq!((tell(539, EXIT, 0), tell(496, EXIT, 0)), (1, 2));
        assert!(!synchronise());
        assert_eq!((tell(497, EXIT, 901), tell(498, EXIT, 0)), (1, 0), "spoilt ones end, too");
        assert_eq!((tell(846, EXIT, 0), tell(497, EXIT, 0)), (1, 0), "captured anew");
        assert!(synchronise(), "there is no driver to wait for");
    }
}
