"""A GPU that is not there, and its profiler: the client of CUPTI that LIKE_TORCH names, as `torch/autograd/profiler.py` of `like_torch` has it."""
import ctypes
import json
import os
import tempfile


class Seen(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_long)
        for name in "kernels calls foreign_buffers foreign_kernels strange_times strange_threads was_refused".split()
    ]


_path, _cupti, _way = os.environ["LIKE_TORCH"].split(":")
_client = ctypes.CDLL(_path)
_client.client_seen.restype = Seen
_WAY = {"subscribes": 0, "registers": 1}[_way]


def seen():
    """What the client saw, as a line."""
    found = _client.client_seen()
    return " ".join("%s %d" % (name, getattr(found, name)) for name, _ in Seen._fields_)


def start():
    assert _client.client_prepare(_cupti.encode(), _WAY)
    _client.client_start(_WAY, 1)


def stop():
    """Stops, and returns the kernels and the calls, with times in ns since 1970."""
    _client.client_stop()
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "t.json")
        assert _client.client_export(path.encode())
        with open(path) as file:
            # A float cannot represent such times to the nanosecond.
            trace = json.load(file, parse_float=lambda text: int(text.replace(".", "")))
    for event in trace["traceEvents"]:
        event["ts"] += trace["baseTimeNanoseconds"]
    of = {kind: [event for event in trace["traceEvents"] if event["cat"] == kind] for kind in ("kernel", "cuda_runtime")}
    return of["kernel"], of["cuda_runtime"]
