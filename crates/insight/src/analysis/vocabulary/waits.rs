//! Which calls of a runtime or driver wait for the device, decided by the call's name, and for asynchronous
//! copies by what they copy.
//!
//! The names are those of the vendors' references: CUDA (runtime and driver), HIP, MUSA, Ascend, Cambricon,
//! Kunlun, Intel's Level Zero and Unified Runtime. An asynchronous copy from or to pageable memory waits if
//! it is still in the call when the device begins to copy: that is after all earlier work of the stream.
//! These are not counted although they may wait: `cudaMalloc` and `cudaFree` (which may synchronize the
//! device), a launch into a full queue. Must not know tables.

use rustc_hash::{FxHashMap, FxHashSet};

use proftui_base::intern::StrId;
use proftui_trace::model::{Category, SliceId, Trace};

/// Names of calls that wait for the device, and are neither copies nor end in `Synchronize`.
const OTHERS: &[&[u8]] = &[
    // Ascend. `rt` is the runtime below AscendCL.
    b"aclrtSynchronizeDevice",
    b"aclrtSynchronizeDeviceWithTimeout",
    b"aclrtSynchronizeEvent",
    b"aclrtSynchronizeEventWithTimeout",
    b"aclrtSynchronizeStream",
    b"aclrtSynchronizeStreamWithTimeout",
    b"rtDeviceSynchronizeWithTimeout",
    b"rtEventSynchronizeWithTimeout",
    b"rtStreamSynchronizeWithTimeout",
    // Cambricon, before and since version 5; `cn` is the driver.
    b"cnCtxSync",
    b"cnQueueSync",
    b"cnWaitNotifier",
    b"cnrtNotifierWait",
    b"cnrtQueueSync",
    b"cnrtSyncDevice",
    b"cnrtSyncQueue",
    b"cnrtWaitNotifier",
    // Kunlun.
    b"xpu_event_wait",
    b"xpu_wait",
    // Intel: Unified Runtime, and the plugin interface before it.
    b"piEventsWait",
    b"piQueueFinish",
    b"urEventWait",
    b"urQueueFinish",
];

/// What follows `Memcpy` in the names of copies that usually return only when the data has arrived.
const COPIES: &[&[u8]] = &[
    b"",
    b"2D",
    b"2DFromArray",
    b"2DToArray",
    b"2DUnaligned",
    b"2d",
    b"3D",
    b"AtoH",
    b"DtoH",
    b"FromArray",
    b"FromSymbol",
    b"HtoA",
    b"HtoD",
    b"Param2D",
    b"ToArray",
    b"ToSymbol",
    // HIP's copy with a stream: `hipMemcpyAsync`, then `hipStreamSynchronize`.
    b"WithStream",
];

/// True if a call of this name usually keeps the host thread until work of a device is done, as a
/// synchronization or a synchronous copy does.
pub(crate) fn is_wait(name: &[u8]) -> bool {
    let name = bare(name);
    name.ends_with(b"Synchronize") || OTHERS.contains(&name) || is_waiting_copy(name)
}

/// True if `name`, a result of [`bare`], is of a copy that usually returns only when the data has arrived.
fn is_waiting_copy(name: &[u8]) -> bool {
    if name == b"xpu_memcpy" {
        return true;
    }
    let Some(at) = memchr::memmem::find(name, b"Memcpy") else { return false };
    let (prefix, rest) = (&name[..at], &name[at + b"Memcpy".len()..]);
    !prefix.is_empty() && prefix.iter().all(u8::is_ascii_lowercase) && COPIES.contains(&rest)
}

/// A call's name without what producers write around it, such as a version (`_v2`) behind it.
fn bare(mut name: &[u8]) -> &[u8] {
    if let Some(at) = memchr::memrchr(b'@', name) {
        name = &name[at + 1..];
    }
    while let Some(at) = memchr::memrchr(b'_', name) {
        let is_mark = match &name[at + 1..] {
            b"ptsz" | b"ptds" | b"spt" => true,
            [b'v', version @ ..] => !version.is_empty() && version.iter().all(u8::is_ascii_digit),
            _ => false,
        };
        if !is_mark {
            break;
        }
        name = &name[..at];
    }
    name
}

/// Which calls of a trace usually wait for the device.
#[derive(Clone, Debug)]
pub(crate) struct Waits {
    /// One bit per string: whether calls of this name usually wait.
    names: Vec<u64>,
    /// Asynchronous copies from or to pageable memory that are not over when the device begins to copy.
    copies: FxHashSet<SliceId>,
}

impl Waits {
    /// The calls that usually wait, looked for when first asked for and kept with the trace.
    pub(crate) fn of(trace: &Trace) -> &Self {
        trace.kept.get(|| Self::make(trace))
    }

    /// Looks at every string of the trace once, for those for which [`is_wait`] is true, and at every copy.
    fn make(trace: &Trace) -> Self {
        let mut bits = vec![0_u64; trace.strings.len().div_ceil(64)];
        for name in trace.strings.ids() {
            if is_wait(trace.strings.bytes(name)) {
                bits[name.index() / 64] |= 1 << (name.index() % 64);
            }
        }
        Self { names: bits, copies: waiting_copies(trace) }
    }

    /// True if a call of a runtime or driver with this name usually waits for the device.
    pub(crate) fn has_name(&self, name: StrId) -> bool {
        self.names.get(name.index() / 64).is_some_and(|bits| bits >> (name.index() % 64) & 1 == 1)
    }

    /// True if the slice is a call of a runtime or driver that usually waits for the device.
    pub(crate) fn has(&self, trace: &Trace, id: SliceId) -> bool {
        trace.slices.category(id).is_runtime()
            && (self.has_name(trace.slices.name[id]) || self.copies.contains(&id))
    }
}

/// The calls of asynchronous copies from or to pageable memory, by the name of the copy, that end after the
/// copy has begun: small copies are staged, and return at once.
fn waiting_copies(trace: &Trace) -> FxHashSet<SliceId> {
    let slices = &trace.slices;
    let mut known: FxHashMap<StrId, bool> = FxHashMap::default();
    let mut is_pageable = |name: StrId| {
        let text = trace.strings.bytes(name);
        *known.entry(name).or_insert_with(|| memchr::memmem::find(text, b"Pageable").is_some())
    };
    let is_copy =
        |call: SliceId| memchr::memmem::find(trace.strings.bytes(slices.name[call]), b"Memcpy").is_some();
    let waits = |&&(call, copy): &&(SliceId, SliceId)| {
        slices.category(copy) == Category::Memcpy
            && slices.end(call) > slices.start[copy]
            && is_pageable(slices.name[copy])
            && is_copy(call)
    };
    trace.links.all().iter().filter(waits).map(|&(call, _)| call).collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use proftui_trace::import::{Progress, Request, load_bytes};

    #[test]
    fn synchronizations_and_synchronous_copies_wait() {
        for name in [
            "cudaStreamSynchronize",
            "cudaStreamSynchronize_ptsz",
            "cudaStreamSynchronize_v3020",
            "cudaStreamSynchronize_ptsz_v7000",
            "cudaDeviceSynchronize",
            "cudaEventSynchronize",
            "cudaThreadSynchronize",
            "cuStreamSynchronize",
            "cuCtxSynchronize_v2",
            "cuEventSynchronize",
            "cudaMemcpy",
            "cudaMemcpy_ptds_v7000",
            "cudaMemcpy2D",
            "cudaMemcpyToSymbol_ptds",
            "cuMemcpyHtoD_v2",
            "cuMemcpyDtoH_v2_ptds",
            "hipStreamSynchronize",
            "hipStreamSynchronize_spt",
            "hipMemcpyWithStream",
            "hipDeviceSynchronize",
            "musaStreamSynchronize",
            "muMemcpyDtoH",
            "xpu_wait",
            "xpuStreamSynchronize",
            "aclrtSynchronizeStream",
            "AscendCL@aclrtSynchronizeDevice",
            "aclrtMemcpy",
            "cnrtQueueSync",
            "cnrtMemcpy",
            "zeEventHostSynchronize",
            "urQueueFinish",
        ] {
            assert!(is_wait(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn other_calls_do_not_wait() {
        for name in [
            "",
            "cudaLaunchKernel",
            "cudaMemcpyAsync",
            "cudaMemcpyAsync_ptsz",
            "cudaMemcpy2DAsync",
            "cudaMemcpyPeer",
            "cudaMemset",
            "cudaMemsetAsync",
            "cudaMalloc",
            "cudaFree",
            "cudaEventQuery",
            "cudaEventRecord",
            "cudaStreamWaitEvent",
            "cudaGraphAddMemcpyNode",
            "cuMemcpyDtoD_v2",
            "cuMemcpyHtoDAsync_v2",
            "hipMemcpyAsync",
            "hipMemcpyDtoD",
            "aclrtStreamWaitEvent",
            "cnrtQueueWaitNotifier",
            "urEnqueueEventsWait",
            "zeEventQuerySynchronizedTimestamps",
            "Memcpy",
            "_v2",
        ] {
            assert!(!is_wait(name.as_bytes()), "{name}");
        }
    }

    #[test]
    fn only_calls_of_a_runtime_or_driver_wait() {
        let text = br#"[
            {"ph":"X","cat":"cuda_runtime","name":"cudaStreamSynchronize","pid":1,"tid":1,"ts":0,"dur":1},
            {"ph":"X","cat":"cuda_runtime","name":"cudaLaunchKernel","pid":1,"tid":1,"ts":2,"dur":1},
            {"ph":"X","cat":"user_annotation","name":"cudaStreamSynchronize","pid":1,"tid":1,"ts":4,"dur":1},
            {"ph":"X","cat":"cuda_driver","name":"cuCtxSynchronize","pid":1,"tid":1,"ts":6,"dur":1}
        ]"#;
        let trace = load_bytes(text, &Request::default(), &Progress::default()).expect("a trace").trace;
        let waits = Waits::of(&trace);
        let found: Vec<bool> = trace.slices.ids().iter().map(|id| waits.has(&trace, id)).collect();
        assert_eq!(found, [true, false, false, true]);
        assert!(!waits.has_name(StrId::NONE));
    }
}
