"""Fills memory of a GPU 500 times and exits with status 3, by Python's own means alone."""

import ctypes
import sys

cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0
for _ in range(500):
    assert cuda.cuMemsetD8Async(ctypes.c_uint64(1 << 20), 0, ctypes.c_size_t(64), None) == 0
sys.exit(3)
