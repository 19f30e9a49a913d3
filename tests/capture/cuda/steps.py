"""Twelve steps of ten fills of a GPU's memory, each after as many seconds as the argument says (0); prints how long the longest step
and all were, in seconds."""

import ctypes
import sys
import time

cuda = ctypes.CDLL("libcuda.so.1")
assert cuda.cuInit(0) == 0


def step():
    for _ in range(10):
        assert cuda.cuMemsetD8Async(ctypes.c_uint64(1 << 20), 0, ctypes.c_size_t(64), None) == 0


pause = float(sys.argv[1]) if len(sys.argv) > 1 else 0
times = [time.monotonic()]
for _ in range(12):
    time.sleep(pause)
    step()
    times.append(time.monotonic())
gaps = [after - before for before, after in zip(times, times[1:])]
print("longest %.3f all %.3f" % (max(gaps), sum(gaps)))
