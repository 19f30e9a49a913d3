"""Fills of a GPU's memory, and between each two of them something else that takes time."""

import ctypes
import gc

cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0


def fill():
    assert cuda.cuMemsetD8Async(ctypes.c_uint64(1 << 20), 0, ctypes.c_size_t(64), None) == 0


def garbage():
    for _ in range(200_000):
        one = []
        one.append(one)


def kernel():
    pass


import safetensors.torch
import triton

gc.disable()
garbage()
fill()
gc.collect()
fill()
import slow

fill()
safetensors.torch.save_file({}, "model")
fill()
triton.compile(kernel)
fill()
print(gc.callbacks, slow.__name__)
