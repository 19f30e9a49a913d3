//! CUPTI's functions, found by name: one that a version does not have is missing, and nothing else.
//!
//! Results are numbers, never a list of known ones: newer versions have more of them.

#![allow(unsafe_code, reason = "functions of a library that is loaded at run time")]

use std::ffi::{CStr, c_char, c_void};

use super::subscriber::SubscriberParams;

/// What a function that is missing answers.
pub const MISSING: u32 = u32::MAX;
/// Success.
pub const OK: u32 = 0;

/// Asks for memory: where it is, its bytes, and the most records (0: as many as fit).
pub type Request = extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
/// Gives memory back, with so many bytes of records: context, stream, memory, its bytes, those of records.
pub type Complete = extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);
/// The time.
pub type Clock = extern "C" fn() -> u64;
/// A call of the program: user's datum, domain, function, what is known of it.
pub type Callback = extern "C" fn(*mut c_void, u32, u32, *const c_void);

/// A table of functions: of each its name here, its name there, its parameters.
macro_rules! functions {
    ($functions:ident { $($(#[$doc:meta])* $name:ident = $symbol:ident($($parameter:ident: $type:ty),*);)* }) => {
        /// The functions that are used.
        pub struct $functions {
            $(pub(super) $name: Option<unsafe extern "C" fn($($type),*) -> u32>,)*
        }

        impl $functions {
            /// Those of a library.
            ///
            /// # Safety
            /// The library is the one that these are of, or answers as it does; it stays loaded.
            pub unsafe fn of(library: *mut std::ffi::c_void) -> Self {
                use std::ffi::c_void;
                use std::mem::transmute;
                // SAFETY: a function of this name has this type; none is a null pointer.
                unsafe {
                    Self {
                        $($name: transmute::<*mut c_void, Option<unsafe extern "C" fn($($type),*) -> u32>>(
                            $crate::cuda::functions::symbol(library, concat!(stringify!($symbol), "\0")),
                        ),)*
                    }
                }
            }

            $($(#[$doc])*
            ///
            /// # Safety
            /// As the function's documentation says.
            pub unsafe fn $name(&self, $($parameter: $type),*) -> u32 {
                let missing = $crate::cuda::functions::MISSING;
                // SAFETY: the caller's promise.
                self.$name.map_or(missing, |function| unsafe { function($($parameter),*) })
            })*
        }
    };
}
pub(super) use functions;

functions! { Functions {
    /// Its version.
    version = cuptiGetVersion(version: *mut u32);
    /// Takes the one place that there is for a tool.
    subscribe = cuptiSubscribe(handle: *mut *mut c_void, callback: Callback, datum: *mut c_void);
    /// The same, and says who has the place where it is taken.
    subscribe_v2 = cuptiSubscribe_v2(
        handle: *mut *mut c_void, callback: Callback, datum: *mut c_void, params: *mut SubscriberParams
    );
    /// Lets the place go.
    unsubscribe = cuptiUnsubscribe(handle: *mut c_void);
    /// The number that records have for a context.
    context_id = cuptiGetContextId(context: *mut c_void, number: *mut u32);
    /// The number that records have for a context's device.
    device_id = cuptiGetDeviceId(context: *mut c_void, number: *mut u32);
    /// The number that records have for a stream, within its context.
    stream_id = cuptiGetStreamIdEx(context: *mut c_void, stream: *mut c_void, of_thread: u8, number: *mut u32);
    /// Asks to be called for a function.
    enable_callback = cuptiEnableCallback(enable: u32, handle: *mut c_void, domain: u32, function: u32);
    /// What a function is called.
    callback_name = cuptiGetCallbackName(domain: u32, function: u32, name: *mut *const c_char);
    /// How threads are numbered.
    set_thread_ids = cuptiSetThreadIdType(kind: u32);
    /// Sets something.
    set_attribute = cuptiActivitySetAttribute(attribute: u32, size: *mut usize, value: *mut c_void);
    /// Says who has memory for records.
    register = cuptiActivityRegisterCallbacks(request: Request, complete: Complete);
    /// Says whose clock to take.
    register_clock = cuptiActivityRegisterTimestampCallback(clock: Clock);
    /// Begins to record a kind.
    enable = cuptiActivityEnable(kind: u32);
    /// Ends it.
    disable = cuptiActivityDisable(kind: u32);
    /// Gives back all memory with records in it.
    flush_all = cuptiActivityFlushAll(flag: u32);
    /// Records that were dropped since it was last asked.
    dropped = cuptiActivityGetNumDroppedRecords(context: *mut c_void, stream: u32, count: *mut usize);
    /// The next record.
    next_record = cuptiActivityGetNextRecord(buffer: *mut u8, valid: usize, record: *mut *mut u8);
} }

/// A function or datum of a library; null for none.
///
/// # Safety
/// The name ends with a zero; the library is loaded.
pub unsafe fn symbol(library: *mut c_void, name: &str) -> *mut c_void {
    let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { return std::ptr::null_mut() };
    // SAFETY: looks a name up.
    unsafe { libc::dlsym(library, name.as_ptr()) }
}
