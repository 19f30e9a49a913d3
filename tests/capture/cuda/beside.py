"""A script with a profiler of its own: launches kernels before it, beside it and after it, 1,000 each time.

    beside.py [--cpu] [--export FILE [--spoil HOW | --later]] [--late] [--busy] [--drop] [--before]

Prints what its own profiler saw. Exit status 7, so that a changed one shows. With --late, its first call of CUDA is made while its profiler
is on; with --cpu, that is one of the host alone; with --before, there was one of the host alone before, while nothing was launched. With
--busy, another thread launches kernels all the time. With --spoil, its file is removed (none), a folder, no trace (text), or cut off. With
--later, it launches 1,000 more, the file is exported then, once there is a file `go`, and the script ends once there is a file `enough`.
With --drop, it launches as many, and there is no file: the profiler is deleted, and the script ends once there is a file `enough`.
"""
import argparse
import ctypes
import os
import sys
import threading
import time

from torch.autograd.profiler import seen
from torch.profiler import ProfilerActivity, profile

of = argparse.ArgumentParser()
of.add_argument("--cpu", action="store_true")
of.add_argument("--before", action="store_true")
of.add_argument("--late", action="store_true")
of.add_argument("--busy", action="store_true")
of.add_argument("--later", action="store_true")
of.add_argument("--drop", action="store_true")
of.add_argument("--export")
of.add_argument("--spoil", choices=["none", "folder", "text", "cut"])
options = of.parse_args()
cuda = ctypes.CDLL("libcuda.so.1", mode=ctypes.RTLD_GLOBAL)
kernel = ctypes.c_void_p()


def launch():
    if not kernel:
        assert cuda.cuInit(0) == 0 and cuda.cuModuleGetFunction(ctypes.byref(kernel), None, b"kernel") == 0
    for _ in range(1000):
        assert cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, None, None) == 0
    assert cuda.cuCtxSynchronize() == 0


def launch_on():
    while not is_over.is_set():
        cuda.cuLaunchKernel(kernel, 1, 1, 1, 32, 1, 1, 0, None, None, None)


def wait(said, awaited):
    open(said, "w").close()
    while not os.path.exists(awaited):
        time.sleep(0.01)


if not options.late:
    launch()
if options.before:
    with profile(activities=[ProfilerActivity.CPU]):
        pass
is_over = threading.Event()
if options.busy:
    other = threading.Thread(target=launch_on)
    other.start()
with profile(activities=[ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (not options.cpu)) as recording:
    launch()
if options.export and not options.later:
    recording.export_chrome_trace(options.export)
if options.spoil == "cut":
    os.truncate(options.export, os.path.getsize(options.export) // 2)
elif options.spoil:
    os.remove(options.export)
if options.spoil == "folder":
    os.mkdir(options.export)
elif options.spoil == "text":
    with open(options.export, "w") as file:
        file.write("no trace")
launch()
if options.later or options.drop:
    launch()
if options.later:
    wait("there", "go")
    recording.export_chrome_trace(options.export)
    wait("exported", "enough")
elif options.drop:
    del recording
    wait("there", "enough")
is_over.set()
if options.busy:
    other.join()
print(seen())
sys.exit(7)
