//! Calls the CUDA driver: synchronizes devices and finds a stream's context.

#![allow(unsafe_code, reason = "calls functions of the CUDA driver, looked up by name")]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::time::Instant;

use super::captures;
use super::functions::{OK, functions};

/// The highest special stream handle: 0 null, 1 legacy default, 2 per-thread default stream. Each context has
/// such streams.
const LAST_SPECIAL: usize = 2;
functions! { Driver {
    synchronize = cuCtxSynchronize();
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

/// The CUDA driver's functions, looked up once in the process's libraries.
fn driver() -> &'static Driver {
    static FOUND: OnceLock<Driver> = OnceLock::new();
    FOUND.get_or_init(|| {
        // SAFETY: finds a library that is loaded already: the driver has loaded this one.
        let library = unsafe { libc::dlopen(c"libcuda.so.1".as_ptr(), libc::RTLD_NOW | libc::RTLD_NOLOAD) };
        let library = if library.is_null() { libc::RTLD_DEFAULT } else { library };
        // SAFETY: the driver, or another library of the process with functions of these names.
        unsafe { Driver::of(library) }
    })
}

/// Context of an existing stream; for a default stream, the calling thread's current context. Null if
/// unknown.
pub(super) fn context_of(stream: *mut c_void) -> *mut c_void {
    let (driver, mut context) = (driver(), ptr::null_mut());
    // SAFETY: by contract the stream exists; a pointer of our own.
    let answer = unsafe {
        if stream.addr() > LAST_SPECIAL {
            driver.context_of(stream, &raw mut context)
        } else {
            driver.current(&raw mut context)
        }
    };
    if answer == OK { context } else { ptr::null_mut() }
}

/// Handle of the calling thread's current context, as a number; 0 if there is none or the driver fails.
pub(super) fn current() -> usize {
    let mut context = ptr::null_mut();
    // SAFETY: a pointer of our own.
    let answer = unsafe { driver().current(&raw mut context) };
    if answer == OK { context.expose_provenance() } else { 0 }
}

/// Waits for the work of the context `current` (0 for none) and of the devices' active primary contexts.
/// Begins no wait after `until`, nor while a stream is known to be captured.
pub(super) fn synchronize(current: usize, until: Instant) {
    let driver = driver();
    let current: *mut c_void = ptr::with_exposed_provenance_mut(current);
    let synchronize = |context: *mut c_void| {
        let mut popped = ptr::null_mut();
        if captures::is_any() || Instant::now() >= until {
            return;
        }
        // SAFETY: the driver's context, for the time of the wait; a pointer of our own.
        unsafe {
            if driver.push(context) == OK {
                driver.synchronize();
                driver.pop(&raw mut popped);
            }
        }
    };
    if !current.is_null() {
        synchronize(current);
    }
    let mut count = 0;
    // SAFETY: pointers to numbers of our own; contexts are taken from the driver, and given back.
    unsafe {
        if driver.count(&raw mut count) != OK {
            return;
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
            if context != current {
                synchronize(context);
            }
            driver.release(device);
        }
    }
}
