//! Calls the CUDA driver: synchronizes devices and finds a stream's context. Counts the running stream captures (recordings of a stream's
//! work into a CUDA graph), since a synchronization would invalidate them.

#![allow(unsafe_code, reason = "calls functions of the CUDA driver, looked up by name")]

use std::ffi::{c_int, c_void};
use std::ptr;
use std::sync::OnceLock;
use std::sync::atomic::{AtomicU32, Ordering};
use std::time::Instant;

use super::functions::{Functions as Cupti, OK, functions};

/// `CUPTI_CB_DOMAIN_DRIVER_API`: callbacks of the driver's functions.
const DRIVER: u32 = 1;
/// CUPTI's numbers of the functions that begin a stream capture (variants of `cuStreamBeginCapture`), in the order of their
/// introduction.
const BEGIN: [u32; 10] = [495, 496, 539, 540, 720, 721, 783, 814, 846, 847];
/// CUPTI's numbers of the functions that end a stream capture.
const END: [u32; 4] = [497, 498, 815, 816];
/// The highest special stream handle: 0 null, 1 legacy default, 2 per-thread default stream. Each context has such streams.
const LAST_SPECIAL: usize = 2;
/// `CUPTI_API_EXIT`: the callback comes when the function returns, not when it is called.
const EXIT: u32 = 1;

/// Number of running stream captures in the process.
static CAPTURES: AtomicU32 = AtomicU32::new(0);

/// The beginning of `CUpti_CallbackData`: whether the function is called or returns, its name, its parameters, its result.
#[repr(C)]
struct Call {
    site: u32,
    _name: *const c_void,
    _parameters: *const c_void,
    returned: *const u32,
}

/// Enables CUPTI's callbacks for functions that begin or end a stream capture; `handle` is that of the subscription.
pub fn watch_captures(cupti: &Cupti, handle: *mut c_void) {
    for function in BEGIN.into_iter().chain(END) {
        // CUPTI refuses functions that the driver's version does not have; the program cannot call them either.
        // SAFETY: the handle is that of our subscription.
        let _ = unsafe { cupti.enable_callback(1, handle, DRIVER, function) };
    }
}

/// Callback of the subscription, which CUPTI calls at functions of the driver: counts the running stream captures.
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
        // The end of a capture that began before the session must not make the count negative: it stays 0.
        let less = |count: u32| count.checked_sub(1);
        let _ = CAPTURES.fetch_update(Ordering::Relaxed, Ordering::Relaxed, less);
    }
}

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

/// The driver's functions, looked up once: in `libcuda.so.1` if the process has loaded it, else in all of its libraries.
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

/// True while any stream is being captured into a CUDA graph.
pub fn is_capturing() -> bool {
    CAPTURES.load(Ordering::Relaxed) > 0
}

/// Context of an existing stream; for the special streams that every context has, the calling thread's current context. Null if
/// unknown.
pub fn context_of(stream: *mut c_void) -> *mut c_void {
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

/// The calling thread's current context; 0 for none.
pub fn current() -> usize {
    let mut context = ptr::null_mut();
    // SAFETY: a pointer of our own.
    let answer = unsafe { driver().current(&raw mut context) };
    if answer == OK { context.expose_provenance() } else { 0 }
}

/// Waits until the work given to devices is done, on a thread of the recorder's own: in the context `current` (0 for none), and in every
/// device's primary context (the one that frameworks use). Begins no wait after `until`, nor while a stream is being captured.
pub fn synchronize(current: usize, until: Instant) {
    let driver = driver();
    let current: *mut c_void = ptr::with_exposed_provenance_mut(current);
    let synchronize = |context: *mut c_void| {
        let mut popped = ptr::null_mut();
        if is_capturing() || Instant::now() >= until {
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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use super::*;

    #[test]
    fn captures_are_counted() {
        let call = |function: u32, site: u32, result: u32| {
            let data =
                Call { site, _name: ptr::null(), _parameters: ptr::null(), returned: &raw const result };
            called(ptr::null_mut(), DRIVER, function, (&raw const data).cast());
            CAPTURES.load(Ordering::Relaxed)
        };
        assert_eq!(call(497, EXIT, 0), 0, "an end without a beginning");
        assert_eq!(call(539, 0, 0), 0, "before the function");
        assert_eq!(call(539, EXIT, 900), 0, "did not begin");
        assert_eq!((call(539, EXIT, 0), call(496, EXIT, 0)), (1, 2));
        assert!(is_capturing());
        assert_eq!((call(497, EXIT, 901), call(498, EXIT, 0)), (1, 0), "an invalidated capture ends, too");
        assert_eq!((call(846, EXIT, 0), call(497, EXIT, 0)), (1, 0), "by the newest functions");
        assert!(!is_capturing());
        synchronize(current(), Instant::now() + Duration::from_secs(1));
    }
}
