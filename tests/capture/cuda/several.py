"""A script whose profilers ask for the host alone, for GPUs with their memory, and for each of them again, after it came to CUDA."""

import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0

import proftui  # noqa: E402 (it comes late)


def fill():
    assert cuda.cuMemsetD8Async(ctypes.c_uint64(1 << 20), 0, ctypes.c_size_t(64), None) == 0


CPU = [proftui.ProfilerTarget.CPU]
for name, options in (
    ("host", {"targets": CPU}),
    ("memory", {"profile_memory": True}),
    ("again", {"targets": CPU}),
    ("plain", {}),
):
    with proftui.Profiler(on_trace_ready=lambda prof: prof.export(name + ".json"), **options):
        for _ in range(3):
            fill()
