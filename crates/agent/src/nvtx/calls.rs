//! The functions that clients call instead of NVTX's empty ones, and the slot of each in their tables.
//!
//! Results are those that a program gets without a tool (nesting levels are not counted). Only the numbers of
//! start/end ranges, of domains and of registered strings are the recorder's own.

#![allow(unsafe_code, reason = "has functions that clients call with pointers to their texts")]

use std::ffi::{c_char, c_int, c_void};
use std::ptr;

use super::domains::{self, DEFAULT};
use super::names;
use super::texts::{Attributes, Text, Wide};
use crate::device::{self, DeviceHandle};
use crate::guard::shield;
use crate::live;
use crate::process;
use crate::ranges;

/// `NVTX_NO_PUSH_POP_TRACKING`: result of a push or a pop where nesting levels are not counted.
const UNTRACKED: c_int = -2;
/// Most names of threads that `nvtxNameOsThread` records.
const THREADS: u32 = 4096;

/// A handle of a domain, a registered string, a CUDA context or a CUDA stream; never dereferenced.
type Handle = *const c_void;

/// A pointer to the recorder's own version of a function of NVTX.
#[derive(Clone, Copy)]
pub(super) struct Function(pub *const c_void);

// SAFETY: the address of a function.
unsafe impl Sync for Function {}

/// The recorder's functions for the modules of NVTX that it serves: each module by its number
/// (`NVTX_CB_MODULE_…`), each function by its number in the module (`NVTX_CBID_…`).
pub(super) const MODULES: &[(u32, &[(usize, Function)])] = &[
    (
        1,
        &[
            (1, Function(mark::<*const Attributes> as *const c_void)),
            (2, Function(mark::<*const c_char> as *const c_void)),
            (3, Function(mark::<*const Wide> as *const c_void)),
            (4, Function(start::<*const Attributes> as *const c_void)),
            (5, Function(start::<*const c_char> as *const c_void)),
            (6, Function(start::<*const Wide> as *const c_void)),
            (7, Function(end as *const c_void)),
            (8, Function(push::<*const Attributes> as *const c_void)),
            (9, Function(push::<*const c_char> as *const c_void)),
            (10, Function(push::<*const Wide> as *const c_void)),
            (11, Function(pop as *const c_void)),
            (14, Function(name_thread::<*const c_char> as *const c_void)),
            (15, Function(name_thread::<*const Wide> as *const c_void)),
        ],
    ),
    // CUDA, the driver's contexts and streams.
    (
        2,
        &[
            (3, Function(name_context::<*const c_char> as *const c_void)),
            (4, Function(name_context::<*const Wide> as *const c_void)),
            (5, Function(name_stream::<*const c_char> as *const c_void)),
            (6, Function(name_stream::<*const Wide> as *const c_void)),
        ],
    ),
    // CUDART, the runtime's streams.
    (
        4,
        &[
            (3, Function(name_stream::<*const c_char> as *const c_void)),
            (4, Function(name_stream::<*const Wide> as *const c_void)),
        ],
    ),
    // CORE2, functions with domains.
    (
        5,
        &[
            (1, Function(domain_mark as *const c_void)),
            (2, Function(domain_start as *const c_void)),
            (3, Function(domain_end as *const c_void)),
            (4, Function(domain_push as *const c_void)),
            (5, Function(domain_pop as *const c_void)),
            (10, Function(register::<*const c_char> as *const c_void)),
            (11, Function(register::<*const Wide> as *const c_void)),
            (12, Function(create::<*const c_char> as *const c_void)),
            (13, Function(create::<*const Wide> as *const c_void)),
        ],
    ),
];

/// `nvtxRangePush` and its variants: begins a range of the default domain on the calling thread, if a cycle
/// is open or ranges are followed.
unsafe extern "C" fn push<T: Text>(text: T) -> c_int {
    // SAFETY: the client's promise.
    unsafe { begin(DEFAULT, text) }
}

/// `nvtxDomainRangePushEx`: begins a range of a domain on the calling thread, if a cycle is open or ranges
/// are followed.
unsafe extern "C" fn domain_push(domain: Handle, attributes: *const Attributes) -> c_int {
    // SAFETY: the client's promise.
    unsafe { begin(owner(domain), attributes) }
}

/// Begins a range with the message `text` on the calling thread if ranges are wanted ([`ranges::wanted`]);
/// returns [`UNTRACKED`]. `owner` is the number of the range's domain.
///
/// # Safety
/// `text` is valid for its type.
unsafe fn begin<T: Text>(owner: u8, text: T) -> c_int {
    shield(UNTRACKED, || {
        // SAFETY: the caller's promise.
        let tag = || names::tag(owner, &unsafe { text.message() });
        let is_own = ranges::is_own(|| tag().name());
        if let Some(cycle) = ranges::wanted() {
            let tag = tag();
            ranges::push(cycle, owner, if is_own { names::own(tag) } else { tag });
        }
        UNTRACKED
    })
}

/// `nvtxRangePop`: ends the calling thread's innermost range of the default domain.
unsafe extern "C" fn pop() -> c_int {
    shield(UNTRACKED, || {
        ranges::pop(DEFAULT);
        UNTRACKED
    })
}

/// `nvtxDomainRangePop`: ends the calling thread's innermost range of a domain.
unsafe extern "C" fn domain_pop(domain: Handle) -> c_int {
    shield(UNTRACKED, || {
        ranges::pop(owner(domain));
        UNTRACKED
    })
}

/// `nvtxRangeStart` and its variants: if a cycle is open, starts a range of the default domain that may end
/// on another thread.
unsafe extern "C" fn start<T: Text>(text: T) -> u64 {
    // SAFETY: the client's promise.
    unsafe { start_in(DEFAULT, text) }
}

/// `nvtxDomainRangeStartEx`: if a cycle is open, starts a range of a domain that may end on another thread.
unsafe extern "C" fn domain_start(domain: Handle, attributes: *const Attributes) -> u64 {
    // SAFETY: the client's promise.
    unsafe { start_in(owner(domain), attributes) }
}

/// Starts a range of the domain `owner` that may end on another thread, and returns the range's number; 0 if
/// no cycle is open, or too many such ranges are.
///
/// # Safety
/// `text` is valid for its type.
unsafe fn start_in<T: Text>(owner: u8, text: T) -> u64 {
    shield(0, || match live::cycle() {
        0 => 0,
        // SAFETY: the caller's promise.
        cycle => ranges::start(cycle, names::tag(owner, &unsafe { text.message() })),
    })
}

/// `nvtxRangeEnd`: ends the range with the number `range`, and records it on the calling thread if its cycle
/// is still open.
unsafe extern "C" fn end(range: u64) {
    shield((), || ranges::finish(range));
}

/// `nvtxDomainRangeEnd`: ends the range with the number `range`, and records it on the calling thread if its
/// cycle is still open.
unsafe extern "C" fn domain_end(_: Handle, range: u64) {
    shield((), || ranges::finish(range));
}

/// `nvtxMark` and its variants: records an instant event of the default domain, if a cycle is open.
unsafe extern "C" fn mark<T: Text>(text: T) {
    // SAFETY: the client's promise.
    unsafe { mark_in(DEFAULT, text) }
}

/// `nvtxDomainMarkEx`: records an instant event of a domain, if a cycle is open.
unsafe extern "C" fn domain_mark(domain: Handle, attributes: *const Attributes) {
    // SAFETY: the client's promise.
    unsafe { mark_in(owner(domain), attributes) }
}

/// Records an instant event with the message `text` if a cycle is open. `owner` is the number of the event's
/// domain.
///
/// # Safety
/// `text` is valid for its type.
unsafe fn mark_in<T: Text>(owner: u8, text: T) {
    shield((), || {
        let cycle = live::cycle();
        if cycle != 0 {
            // SAFETY: the caller's promise.
            ranges::mark(cycle, names::tag(owner, &unsafe { text.message() }));
        }
    });
}

/// `nvtxDomainRegisterString`: adds the text, with its domain's name if that is known, to the process's list
/// of names if need be. Returns its index there as a handle; null if it cannot be kept.
unsafe extern "C" fn register<T: Text>(domain: Handle, text: T) -> Handle {
    shield(ptr::null(), || {
        // SAFETY: the client's promise.
        let number = unsafe { names::tag(owner(domain), &text.message()).name() };
        ptr::without_provenance(number as usize)
    })
}

/// `nvtxDomainCreate`: returns the number of the domain of this name ([`domains::of`]), as a handle.
unsafe extern "C" fn create<T: Text>(name: T) -> Handle {
    shield(ptr::null(), || {
        // SAFETY: the client's promise.
        let owner = domains::of(&unsafe { name.message() }.to_text());
        ptr::without_provenance(usize::from(owner))
    })
}

/// `nvtxNameOsThread`: logs `text` as the name of the thread with the operating system's id `tid`,
/// [`THREADS`] times at most.
unsafe extern "C" fn name_thread<T: Text>(tid: u32, text: T) {
    use std::sync::atomic::{AtomicU32, Ordering};

    static NAMED: AtomicU32 = AtomicU32::new(0);
    shield((), || {
        if tid != 0 && NAMED.fetch_add(1, Ordering::Relaxed) < THREADS {
            // SAFETY: the client's promise.
            process::name_thread_of(tid, &unsafe { text.message() }.to_text());
        }
    });
}

/// `nvtxNameCuContext`: passes the name of a CUDA context to the device recorder, if there is one.
unsafe extern "C" fn name_context<T: Text>(context: Handle, text: T) {
    // SAFETY: the client's promise.
    unsafe { name_handle(DeviceHandle::Context(context.expose_provenance()), text) }
}

/// `nvtxNameCuStream` and `nvtxNameCudaStream`: passes the name of a CUDA stream to the device recorder, if
/// there is one.
unsafe extern "C" fn name_stream<T: Text>(stream: Handle, text: T) {
    // SAFETY: the client's promise.
    unsafe { name_handle(DeviceHandle::Stream(stream.expose_provenance()), text) }
}

/// Passes the name that the program gives a context or a stream to the device recorder, if there is one.
///
/// # Safety
/// `text` is valid for its type.
unsafe fn name_handle<T: Text>(handle: DeviceHandle, text: T) {
    // SAFETY: the caller's promise.
    shield((), || device::name(handle, &unsafe { text.message() }.to_text()));
}

/// The number of the domain with this handle, which is the owner of the domain's ranges; [`DEFAULT`] for
/// null.
fn owner(domain: Handle) -> u8 {
    match domain.addr() {
        0 => DEFAULT,
        number => u8::try_from(number).unwrap_or(domains::OTHER),
    }
}
