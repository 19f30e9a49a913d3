"""A script that comes to CUDA first and profiles itself then: the driver looked for tools before there was one."""

import ctypes

cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0

import proftui  # noqa: E402 (it comes late)


def fill():
    assert cuda.cuMemsetD8Async(ctypes.c_uint64(1 << 20), 0, ctypes.c_size_t(64), None) == 0


fill()
with proftui.Profiler(scheduler=(1, 3), on_trace_ready=lambda prof: prof.export("late.json")) as prof:
    for _ in range(4):
        for _ in range(5):
            fill()
        prof.step()
