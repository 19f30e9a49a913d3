"""Profiles, in files as JAX writes them: events without categories, whose times count from the profile's start, and that start in protobuf."""
import contextlib
import gzip
import json
import os
import socket
import time

import gpu_client

_on = {}


def start_trace(log_dir, create_perfetto_link=False):
    if _on:
        raise RuntimeError("Only one profile may be run at a time.")
    _on.update(log_dir=log_dir, start=time.time_ns())
    gpu_client.start()


def stop_trace():
    if not _on:
        raise RuntimeError("No profile started")
    log_dir, start = _on.pop("log_dir"), _on.pop("start")
    kernels, calls = gpu_client.stop()
    folder = os.path.join(log_dir, "plugins", "profile", time.strftime("%Y_%m_%d_%H_%M_%S"))
    os.makedirs(folder)
    path = os.path.join(folder, socket.gethostname())
    with open(path + ".xplane.pb", "wb") as file:
        file.write(_space(start))
    with gzip.open(path + ".trace.json.gz", "wt") as file:
        file.write('{"displayTimeUnit":"ns","metadata":{"highres-ticks":true},"traceEvents":[')
        for event in _events(kernels, calls, start):
            file.write(event + ",")
        file.write("{}]}")


@contextlib.contextmanager
def trace(log_dir):
    start_trace(log_dir)
    try:
        yield
    finally:
        stop_trace()


def _events(kernels, calls, start):
    for pid, name, lanes in (
        (1, "/device:GPU:0", {7: "Stream #7(Compute)", 90: "XLA Modules"}),
        (701, "/host:CPU", {calls[0]["tid"]: "python"} if calls else {}),
    ):
        yield json.dumps({"ph": "M", "pid": pid, "name": "process_name", "args": {"name": name}})
        for tid, lane in lanes.items():
            yield json.dumps({"ph": "M", "pid": pid, "tid": tid, "name": "thread_name", "args": {"name": lane}})
    for kernel in kernels:
        args = kernel["args"]
        details = "regs:32 static_shared:0 dynamic_shared:0 grid:%d,1,1 block:%d,1,1 occ_pct:100" % (args["grid"][0], args["block"][0])
        stated = {"correlation_id": str(args["correlation"]), "context_id": "$$1", "kernel_details": details, "hlo_op": "fusion"}
        yield _event(kernel, start, 1, 7, "loop_fusion", stated)
        # The same work once more, by modules.
        yield _event(kernel, start, 1, 90, "jit_step", {"hlo_module": "jit_step"})
    for call in calls:
        stated = {"correlation_id": str(call["args"]["correlation"]), "device_id": "0"}
        yield _event(call, start, 701, call["tid"], "cuLaunchKernel", stated)
        yield _event(call, start, 701, call["tid"], "$builtins len", {})


def _event(event, start, pid, tid, name, args):
    made = json.dumps({"ph": "X", "pid": pid, "tid": tid, "name": name, "args": args})
    microseconds = tuple("%d.%03d" % divmod(ns, 1000) for ns in (event["ts"] - start, event["dur"]))
    return '{"ts":%s,"dur":%s,' % microseconds + made[1:]


def _space(start):
    """A protobuf of two planes, of which the second states when the profile began."""
    environment = _field(2, b"Task Environment")
    for number, (name, value) in enumerate((("profile_start_time", start), ("profile_stop_time", time.time_ns())), 1):
        environment += _field(5, _field(1, number) + _field(2, _field(1, number) + _field(2, name.encode())))
        environment += _field(6, _field(1, number) + _field(3, value))
    return _field(1, _field(2, b"/host:CPU") + _field(3, bytes(100000))) + _field(1, environment)


def _field(number, value):
    if isinstance(value, int):
        return _varint(number << 3) + _varint(value)
    return _varint(number << 3 | 2) + _varint(len(value)) + value


def _varint(value):
    made = bytearray()
    while value >= 128:
        made.append(value & 127 | 128)
        value >>= 7
    return bytes(made + bytes([value]))


class TraceAnnotation:
    def __init__(self, name, **kwargs):
        pass

    def __enter__(self):
        pass

    def __exit__(self, *error):
        pass


class StepTraceAnnotation(TraceAnnotation):
    pass
