"""A small trace made by hand, in the form that captures have: two steps of three kernels, a copy and a fill each; to be spoiled."""

from kit.trace import Trace

MAIN, AUTOGRAD = 100, 101
KERNELS = 3


def slice_(name, cat, start, end, pid, tid, **args):
    args = {"start_time": "%.3f us" % (start / 1000), "end_time": "%.3f us" % (end / 1000), **args}
    return {"ph": "X", "name": "%s[%.3f us]" % (name, (end - start) / 1000), "cat": cat, "pid": pid, "tid": tid,
            "ts": start // 1000, "dur": (end - start) / 1000, "args": args}


def launch(number, at, name, cat, call, tid=MAIN, delay=5_000, length=2_000, **args):
    """A call and its work, `delay` ns later."""
    ids = {"device": 0, "context": 1, "stream": 7, "correlation id": number}
    return [
        slice_(call, "CudaRuntime", at, at + 3_000, MAIN, "%d(C++)" % tid, **{"correlation id": number}),
        slice_(name, cat, at + delay, at + delay + length, 0, 7, **ids, **args),
    ]


def events(steps=2, **kernel):
    """Steps of 100 us; the last kernel of each is the autograd thread's."""
    shape = {"grid": [4, 1, 1], "block": [256, 1, 1], "registers per thread": 16, **kernel}
    found, number = [], 0
    for step in range(steps):
        zero = step * 100_000
        found.append(slice_("ProfileStep#%d" % step, "ProfileStep", zero, zero + 99_000, MAIN, "%d(Python)" % MAIN))
        found.append(slice_("forward", "Forward", zero + 1_000, zero + 60_000, MAIN, "%d(Python)" % MAIN))
        for at in range(KERNELS):
            number += 1
            tid = AUTOGRAD if at == KERNELS - 1 else MAIN
            found += launch(number, zero + 2_000 + 10_000 * at, "add", "Kernel", "cudaLaunchKernel", tid, **shape)
        number += 2
        sorts = {"from": "Pinned", "to": "Device"}
        found += launch(number - 1, zero + 40_000, "Memcpy HtoD", "Memcpy", "cudaMemcpyAsync", bytes=64, **sorts)
        found += launch(number, zero + 50_000, "Memset", "Memset", "cudaMemsetAsync", bytes=32)
        native, wait = "%d(C++)" % MAIN, {"correlation id": 1000 + step}
        found.append(slice_("cudaDeviceSynchronize", "CudaRuntime", zero + 60_000, zero + 70_000, MAIN, native, **wait))
    return found


def trace(of=None, **facts):
    header = {"proftui." + key.replace("__", "."): str(value) for key, value in {"lost": 0, "gpu__lost": 0, **facts}.items()}
    return Trace({"traceEvents": [*(events() if of is None else of), {}], "ExtraInfo": header})


def work(of):
    return [event for event in of if event["cat"] in ("Kernel", "Memcpy", "Memset")]


def moved(event, by):
    """The event `by` ns later."""
    for key in ("start_time", "end_time"):
        event["args"][key] = "%.3f us" % (float(event["args"][key].split()[0]) + by / 1000)
