"""Twelve steps of ten fills of a GPU's memory; prints how long the longest gap between two steps was, in seconds."""

import ctypes
import time

cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0


def step():
    for _ in range(10):
        assert cuda.cuMemsetD8Async(ctypes.c_uint64(1 << 20), 0, ctypes.c_size_t(64), None) == 0


times = []
for _ in range(12):
    step()
    times.append(time.monotonic())
gaps = [after - before for before, after in zip(times, times[1:])]
print("longest %.3f all %.3f" % (max(gaps), sum(gaps)))
