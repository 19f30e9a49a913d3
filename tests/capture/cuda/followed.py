"""A script whose child uses the GPU all the time, while a profiler of GPUs, one of the host alone and one of GPUs again record."""

import ctypes
import multiprocessing
import time

import proftui

# Fills during each profiler: the child's recorder looks for the cycles of its parent every 20 ms.
FILLS = 60


def fill(done):
    cuda = ctypes.CDLL("libcuda.so.1")
    assert cuda.cuInit(0) == 0
    while True:
        assert cuda.cuMemsetD8Async(ctypes.c_uint64(1 << 20), 0, ctypes.c_size_t(64), None) == 0
        time.sleep(0.01)
        done.put(1)


if __name__ == "__main__":
    T = proftui.ProfilerTarget
    with proftui.Profiler(on_trace_ready=lambda prof: None):
        pass
    context = multiprocessing.get_context("spawn")
    done = context.Queue()
    child = context.Process(target=fill, args=(done,), daemon=True)
    child.start()
    done.get()
    for name, targets in (("gpu", None), ("host", [T.CPU]), ("again", None)):
        with proftui.Profiler(targets=targets, on_trace_ready=lambda prof: prof.export(name + ".json")):
            for _ in range(FILLS):
                done.get()
    child.terminate()
