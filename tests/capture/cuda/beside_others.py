"""A script that launches 1,000 kernels before, beside and after a profile of JAX (`jax`), or of Triton's proton (`trace`, `tree`: its data).

Prints what that profiler saw. Exit status 7, so that a changed one shows.
"""
import ctypes
import sys

import gpu_client

cuda = ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
kernel = ctypes.c_void_p()
assert cuda.cuInit(0) == 0 and cuda.cuModuleGetFunction(ctypes.byref(kernel), None, b"kernel") == 0


def launch():
    for _ in range(1000):
        assert cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, None, None) == 0
    assert cuda.cuCtxSynchronize() == 0


launch()
if sys.argv[1] == "jax":
    import jax

    with jax.profiler.trace("log"):
        launch()
else:
    import triton.profiler

    session = triton.profiler.start("run", data=sys.argv[1])
    launch()
    triton.profiler.finalize(session)
launch()
print(gpu_client.seen())
sys.exit(7)
