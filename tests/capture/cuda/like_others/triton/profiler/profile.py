"""Sessions, in files as proton writes them: a tree of sums, or a Chrome trace of kernels whose lanes state device and stream."""
import json

import gpu_client

_sessions = {}


def start(name=None, *, context="shadow", data="tree", backend=None, mode=None, hook=None):
    gpu_client.start()
    _sessions[len(_sessions)] = name or "proton", data
    return len(_sessions) - 1


def finalize(session=None, output_format=""):
    kernels, _ = gpu_client.stop()
    for name, data in [_sessions.pop(number) for number in ([session] if session is not None else list(_sessions))]:
        ending = output_format or {"tree": "hatchet", "trace": "chrome_trace"}[data]
        with open(name + "." + ending, "w") as file:
            json.dump(_tree(kernels), file) if data == "tree" else file.write(_trace(kernels))


def _tree(kernels):
    sums = {"count": len(kernels), "time (ns)": sum(kernel["dur"] for kernel in kernels)}
    return [{"children": [{"children": [], "frame": {"name": "client_kernel"}, "metrics": sums}], "frame": {"name": "ROOT"}, "metrics": {}}]


def _trace(kernels):
    zero = min(kernel["ts"] for kernel in kernels)
    events = ['{"ph": "M", "pid": 0, "tid": 0, "name": "process_name", "args": {"name": "Trace"}}']
    for kernel in kernels:
        times = tuple("%d.%03d" % divmod(ns, 1000) for ns in (kernel["ts"] - zero, kernel["dur"]))
        args = '"args": {"call_stack": ["ROOT", "client_kernel"]}'
        events.append('{"name": "client_kernel", "cat": "kernel", "ph": "X", "pid": 0, "tid": %d, "ts": %s, "dur": %s, %s}'
                      % ((200000 + 7,) + times + (args,)))
    head = '"baseTimeNanoseconds": %d, "displayTimeUnit": "us"' % zero
    return '{%s, "traceEvents": [%s]}\n' % (head, ", ".join(events))
