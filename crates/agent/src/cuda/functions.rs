//! The table of CUPTI's functions, found by name at run time. A function that a version lacks answers
//! [`MISSING`]; the others work.
//!
//! Result codes are plain numbers, not an enum, since newer versions have more of them.

#![allow(unsafe_code, reason = "calls functions of a library that is loaded at run time")]

use std::ffi::{CStr, c_char, c_void};

/// Result of calling a function that the library does not have.
pub(super) const MISSING: u32 = proftui_wire::device::answer::MISSING;
/// Result of a successful call (`CUPTI_SUCCESS`, `CUDA_SUCCESS`).
pub(super) const OK: u32 = 0;

/// Callback by which CUPTI requests a buffer. The callback stores the buffer's address, its size in bytes,
/// and the most records that CUPTI may write to it (0: as many as fit).
pub(super) type Request = extern "C" fn(*mut *mut u8, *mut usize, *mut usize);
/// Callback by which CUPTI delivers a buffer: context, stream, address, size in bytes, bytes of records in
/// the buffer.
pub(super) type Complete = extern "C" fn(*mut c_void, u32, *mut u8, usize, usize);
/// Callback by which CUPTI asks for the current time, ns, for its records.
pub(super) type Clock = extern "C" fn() -> u64;
/// Callback by which CUPTI reports a call of the program, or an event: the subscriber's datum, callback
/// domain, number of the function or event, and a structure about it.
pub(super) type Callback = extern "C" fn(*mut c_void, u32, u32, *const c_void);

/// `CUpti_SubscriberParams` as it was first published; later versions recognise it by its size.
#[repr(C)]
pub(super) struct SubscriberParams {
    /// Size of this structure, bytes.
    pub size: usize,
    /// Name of the subscriber, for other tools to read; ends with a zero byte.
    pub own_name: *const c_char,
    /// Buffer to which CUPTI writes the name of the process's other subscriber.
    pub other_name: *mut c_char,
    /// How many bytes CUPTI may write to the buffer `other_name`.
    pub other_size: usize,
}

/// `CUpti_ActivityUnifiedMemoryCounterConfig`: whether a kind of events of unified memory is recorded.
#[repr(C)]
#[derive(Clone, Copy)]
pub(super) struct UnifiedConfig {
    pub scope: u32,
    pub kind: u32,
    pub device: u32,
    pub is_enabled: u32,
}

/// Generates a type with the functions of a library from rows `method = symbol(parameters)`. Each method
/// calls its function, or returns [`MISSING`] if the library does not have it.
macro_rules! functions {
    ($functions:ident { $(
        $(#[$doc:meta])*
        $name:ident = $symbol:ident($($parameter:ident: $type:ty),*);
    )* }) => {
        /// Functions of a library that is loaded at run time; `None` for one that the library does not have.
        pub(crate) struct $functions {
            $(pub(super) $name: Option<unsafe extern "C" fn($($type),*) -> u32>,)*
        }

        impl $functions {
            /// Looks the functions up by their names in `library`, a handle for `dlsym`.
            ///
            /// # Safety
            /// Symbols of these names have these types in the library, which stays loaded.
            pub(crate) unsafe fn of(library: *mut std::ffi::c_void) -> Self {
                use std::ffi::c_void;
                use std::mem::transmute;
                // SAFETY: the caller's promise; a missing symbol is null, which is `None`.
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
            /// What NVIDIA's documentation of the function demands.
            pub(crate) unsafe fn $name(&self, $($parameter: $type),*) -> u32 {
                let missing = $crate::cuda::functions::MISSING;
                // SAFETY: the caller's promise.
                self.$name.map_or(missing, |function| unsafe { function($($parameter),*) })
            })*
        }
    };
}
pub(super) use functions;

functions! { Functions {
    /// Gets CUPTI's API version.
    version = cuptiGetVersion(version: *mut u32);
    /// Subscribes to CUPTI: has `callback` called with `datum`, and stores the subscription's handle at
    /// `handle`.
    subscribe = cuptiSubscribe(handle: *mut *mut c_void, callback: Callback, datum: *mut c_void);
    /// Subscribes to CUPTI; if another subscriber prevents that, CUPTI writes the other's name to the buffer
    /// in `params`.
    subscribe_v2 = cuptiSubscribe_v2(
        handle: *mut *mut c_void, callback: Callback, datum: *mut c_void, params: *mut SubscriberParams
    );
    /// Ends the subscription.
    unsubscribe = cuptiUnsubscribe(handle: *mut c_void);
    /// Gets the id that records have for a context.
    context_id = cuptiGetContextId(context: *mut c_void, number: *mut u32);
    /// Gets the id that records have for a context's device.
    device_id = cuptiGetDeviceId(context: *mut c_void, number: *mut u32);
    /// Gets the id that records have for a stream of the context. `of_thread`: 1 if the null stream stands
    /// for the thread's own default stream, else 0.
    stream_id = cuptiGetStreamIdEx(
        context: *mut c_void, stream: *mut c_void, of_thread: u8, number: *mut u32
    );
    /// Gets the id that records have for a node of a graph.
    graph_node_id = cuptiGetGraphNodeId(node: *mut c_void, number: *mut u64);
    /// Gets the id that records have for a graph.
    graph_id = cuptiGetGraphId(graph: *mut c_void, number: *mut u32);
    /// Enables (1) or disables (0) the callback of the subscription `handle` for a function or event of a
    /// domain.
    enable_callback = cuptiEnableCallback(enable: u32, handle: *mut c_void, domain: u32, function: u32);
    /// Gets the name of a function by its callback domain and its number.
    callback_name = cuptiGetCallbackName(domain: u32, function: u32, name: *mut *const c_char);
    /// Sets which thread ids records have: 0 those of pthread, 1 the operating system's.
    set_thread_ids = cuptiSetThreadIdType(kind: u32);
    /// Sets an attribute of CUPTI's activity API to the value at `value`, whose size in bytes is at `size`.
    set_attribute = cuptiActivitySetAttribute(attribute: u32, size: *mut usize, value: *mut c_void);
    /// Registers the callbacks that request and deliver buffers.
    register = cuptiActivityRegisterCallbacks(request: Request, complete: Complete);
    /// Registers the clock from which records get their times.
    register_clock = cuptiActivityRegisterTimestampCallback(clock: Clock);
    /// Enables a kind of records.
    enable = cuptiActivityEnable(kind: u32);
    /// Disables a kind of records.
    disable = cuptiActivityDisable(kind: u32);
    /// Enables (1) or disables (0) the records of calls of one function of the runtime (from CUDA 12.5 on).
    enable_runtime_call = cuptiActivityEnableRuntimeApi(function: u32, enable: u8);
    /// Enables (1) or disables (0) the records of calls of one function of the driver (from CUDA 12.5 on).
    enable_driver_call = cuptiActivityEnableDriverApi(function: u32, enable: u8);
    /// Enables (1) or disables (0) the records of graphs that the device launches (from CUDA 12.3 on).
    enable_device_graphs = cuptiActivityEnableDeviceGraph(enable: u8);
    /// Sets which kinds of events of unified memory are recorded, by `count` entries at `configs`.
    configure_unified = cuptiActivityConfigureUnifiedMemoryCounter(configs: *mut UnifiedConfig, count: u32);
    /// Has CUPTI deliver buffers; with `flag` 1, also buffers with records of unfinished work.
    flush_all = cuptiActivityFlushAll(flag: u32);
    /// Gets the number of records that CUPTI has dropped since the last call of this function.
    dropped = cuptiActivityGetNumDroppedRecords(context: *mut c_void, stream: u32, count: *mut usize);
    /// Moves the pointer at `record` to the next record of a buffer with `valid` bytes of records; from null
    /// to the first one. Fails after the last one.
    next_record = cuptiActivityGetNextRecord(buffer: *mut u8, valid: usize, record: *mut *mut u8);
} }

impl Functions {
    /// True if CUPTI can switch off the records of single functions' calls (from CUDA 12.5 on).
    pub(super) fn can_switch_calls(&self) -> bool {
        self.enable_runtime_call.is_some() && self.enable_driver_call.is_some()
    }
}

/// Address of a library's symbol; null if there is none.
///
/// # Safety
/// The name ends with a zero byte; the library is loaded.
pub(super) unsafe fn symbol(library: *mut c_void, name: &str) -> *mut c_void {
    let Ok(name) = CStr::from_bytes_with_nul(name.as_bytes()) else { return std::ptr::null_mut() };
    // SAFETY: looks a name up.
    unsafe { libc::dlsym(library, name.as_ptr()) }
}

#[cfg(test)]
mod tests {
    use std::mem::offset_of;

    use cudarc::cupti::sys::CUpti_ActivityUnifiedMemoryCounterConfig as TheirConfig;
    use cudarc::cupti::sys::CUpti_SubscriberParams as Theirs;

    use super::*;

    #[test]
    fn subscriber_params_have_nvidias_layout() {
        assert_eq!(size_of::<SubscriberParams>(), size_of::<Theirs>());
        assert_eq!(offset_of!(SubscriberParams, own_name), offset_of!(Theirs, subscriberName));
        assert_eq!(offset_of!(SubscriberParams, other_name), offset_of!(Theirs, oldSubscriberName));
        assert_eq!(offset_of!(SubscriberParams, other_size), offset_of!(Theirs, oldSubscriberSize));
    }

    #[test]
    fn configurations_have_nvidias_layout() {
        assert_eq!(size_of::<UnifiedConfig>(), size_of::<TheirConfig>());
        assert_eq!(offset_of!(UnifiedConfig, scope), offset_of!(TheirConfig, scope));
        assert_eq!(offset_of!(UnifiedConfig, kind), offset_of!(TheirConfig, kind));
        assert_eq!(offset_of!(UnifiedConfig, device), offset_of!(TheirConfig, deviceId));
        assert_eq!(offset_of!(UnifiedConfig, is_enabled), offset_of!(TheirConfig, enable));
    }
}
