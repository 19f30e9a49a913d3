//! Decides which calls of the CUDA runtime and driver are kept. Left out are the runtime's queries, which
//! frameworks call all the time (the current device, the last error). The runtime itself calls the driver, so
//! of the driver's functions only those are kept that launch work, move data or wait, and those that may take
//! long: they load code, make graphs, or give and take memory.

/// Beginnings of the names of the driver's functions whose calls are kept because they may take long.
const SLOW: [&str; 21] = [
    "cuGraphInstantiate",
    "cuLibraryLoad",
    "cuLinkAdd",
    "cuLinkComplete",
    "cuMemAddressFree",
    "cuMemAddressReserve",
    "cuMemAllocHost",
    "cuMemAllocManaged",
    "cuMemAllocPitch",
    "cuMemAlloc_v2",
    "cuMemCreate",
    "cuMemFreeHost",
    "cuMemFree_v2",
    "cuMemHostAlloc",
    "cuMemHostRegister",
    "cuMemHostUnregister",
    "cuMemMap",
    "cuMemRelease",
    "cuMemSetAccess",
    "cuMemUnmap",
    "cuModuleLoad",
];

/// Functions of the runtime whose calls, and those of most variants, are not kept: queries and other short
/// calls.
const QUERIES: [&str; 27] = [
    "__cudaPopCallConfiguration",
    "__cudaPushCallConfiguration",
    "cudaDeviceCanAccessPeer",
    "cudaDeviceGetAttribute",
    "cudaDeviceGetStreamPriorityRange",
    "cudaDriverGetVersion",
    "cudaEventCreate",
    "cudaEventCreateWithFlags",
    "cudaEventDestroy",
    "cudaEventElapsedTime",
    "cudaEventQuery",
    "cudaFuncGetAttributes",
    "cudaFuncSetAttribute",
    "cudaGetDevice",
    "cudaGetDeviceCount",
    "cudaGetDeviceProperties",
    "cudaGetFuncBySymbol",
    "cudaGetLastError",
    "cudaOccupancyMaxActiveBlocksPerMultiprocessor",
    "cudaPeekAtLastError",
    "cudaPointerGetAttributes",
    "cudaRuntimeGetVersion",
    "cudaSetDevice",
    "cudaStreamGetCaptureInfo",
    "cudaStreamIsCapturing",
    "cudaStreamQuery",
    "cudaThreadExchangeStreamCaptureMode",
];

/// Beginnings of the names of the driver's functions that launch work, move data or wait: their calls are
/// kept.
const WORK: [&str; 9] = [
    "cuCtxSynchronize",
    "cuEventSynchronize",
    "cuGraphLaunch",
    "cuLaunch",
    "cuMemPrefetchAsync",
    "cuMemcpy",
    "cuMemset",
    "cuStreamSynchronize",
    "cuStreamWaitEvent",
];

/// Name of a function without the suffix that CUPTI adds to a runtime function's name for its version, such
/// as `_v7000`.
pub(super) fn plain(name: &str) -> &str {
    let Some((front, version)) = name.rsplit_once("_v") else { return name };
    let is_version = version.len() >= 4 && version.bytes().all(|byte| byte.is_ascii_digit());
    if is_version { front } else { name }
}

/// True if calls of the function `name` are kept. `is_driver`: the function is the driver's, else the
/// runtime's; `wants_all`: all of the driver's are kept.
pub(super) fn is_kept(is_driver: bool, name: &str, wants_all: bool) -> bool {
    if is_driver {
        wants_all || WORK.iter().chain(&SLOW).any(|start| name.starts_with(start))
    } else {
        let name = plain(name);
        // Variants of a function: for the per-thread default stream, and later versions.
        let name = name.trim_end_matches("_ptsz").trim_end_matches("_v2").trim_end_matches("WithFlags");
        !QUERIES.iter().any(|query| query.trim_end_matches("WithFlags") == name)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn launches_are_kept_and_queries_are_not() {
        for name in ["cudaLaunchKernel_v7000", "cudaMemcpyAsync_ptsz_v7000", "cudaStreamSynchronize_v3020"] {
            assert!(is_kept(false, name, false), "{name}");
        }
        for name in [
            "cudaGetDevice_v3020",
            "cudaEventQuery_v3020",
            "cudaGetDeviceProperties_v2_v12000",
            "cudaStreamIsCapturing_ptsz_v10000",
            "cudaEventCreateWithFlags_v3020",
            "cudaOccupancyMaxActiveBlocksPerMultiprocessorWithFlags_v7000",
        ] {
            assert!(!is_kept(false, name, true), "{name}");
        }
        assert!(
            is_kept(true, "cuLaunchKernelEx_ptsz", false) && is_kept(true, "cuMemcpyHtoDAsync_v2", false)
        );
        for name in ["cuModuleLoadData", "cuLibraryLoadData", "cuMemCreate", "cuMemAlloc_v2", "cuMemFree_v2"]
        {
            assert!(is_kept(true, name, false), "{name}");
        }
        assert!(!is_kept(true, "cuMemAllocAsync", false) && !is_kept(true, "cuModuleGetFunction", false));
        assert!(!is_kept(true, "cuCtxGetCurrent", false) && is_kept(true, "cuCtxGetCurrent", true));
    }

    #[test]
    fn names_lose_their_version() {
        assert_eq!(plain("cudaLaunchKernel_v7000"), "cudaLaunchKernel");
        assert_eq!(plain("cudaMalloc_v3020"), "cudaMalloc");
        assert_eq!(plain("cuMemcpyHtoDAsync_v2"), "cuMemcpyHtoDAsync_v2");
        assert_eq!(plain("cuInit"), "cuInit");
    }
}
