"""Names of runtime calls, by platform. Only the writers' output depends on them; the record of causes does not."""

CUDA = {
    "launch": "cudaLaunchKernel", "launch_ex": "cudaLaunchKernelExC", "driver_launch": "cuLaunchKernel", "driver_launch_ex": "cuLaunchKernelEx",
    "graph": "cudaGraphLaunch", "copy": "cudaMemcpyAsync", "copy_wait": "cudaMemcpyAsync", "memset": "cudaMemsetAsync",
    "stream_sync": "cudaStreamSynchronize", "device_sync": "cudaDeviceSynchronize", "event_sync": "cudaEventSynchronize",
    "event_record": "cudaEventRecord", "wait_event": "cudaStreamWaitEvent", "malloc": "cudaMalloc", "free": "cudaFree",
    "host_alloc": "cudaHostAlloc", "mem_create": "cuMemCreate", "mem_map": "cuMemMap", "set_access": "cuMemSetAccess",
    "mem_unmap": "cuMemUnmap", "instantiate": "cudaGraphInstantiate", "module_load": "cuModuleLoadData",
    "begin_capture": "cudaStreamBeginCapture", "end_capture": "cudaStreamEndCapture", "is_capturing": "cudaStreamIsCapturing",
}
ROCM = {
    "launch": "hipLaunchKernel", "launch_ex": "hipExtModuleLaunchKernel", "driver_launch": "hipModuleLaunchKernel",
    "driver_launch_ex": "hipModuleLaunchKernel", "graph": "hipGraphLaunch", "copy": "hipMemcpyAsync", "copy_wait": "hipMemcpyWithStream",
    "memset": "hipMemsetAsync", "stream_sync": "hipStreamSynchronize", "device_sync": "hipDeviceSynchronize",
    "event_sync": "hipEventSynchronize", "event_record": "hipEventRecord", "wait_event": "hipStreamWaitEvent", "malloc": "hipMalloc",
    "free": "hipFree", "host_alloc": "hipHostMalloc", "mem_create": "hipMemCreate", "mem_map": "hipMemMap", "set_access": "hipMemSetAccess",
    "mem_unmap": "hipMemUnmap", "instantiate": "hipGraphInstantiate", "module_load": "hipModuleLoadData",
    "begin_capture": "hipStreamBeginCapture", "end_capture": "hipStreamEndCapture", "is_capturing": "hipStreamIsCapturing",
}
NAMES = {"cuda": CUDA, "rocm": ROCM}

# Calls of the driver's interface, which Kineto writes in a category of their own.
DRIVER = {"cuLaunchKernel", "cuLaunchKernelEx", "cuMemCreate", "cuMemMap", "cuMemSetAccess", "cuMemUnmap", "cuModuleLoadData",
          "cuStreamSynchronize", "cuCtxSynchronize"}
