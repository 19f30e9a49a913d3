"""Reads a trace: work of devices, calls that launched it, ranges of the host. In ns from any zero; all of one trace have the same.

For the forms of Paddle, which captures have, and of Kineto, which torch.profiler has. It is short and slow, and shares nothing
with the reader that it is held against.
"""

import gzip
import json
import re
from collections import namedtuple

Work = namedtuple("Work", "kind name start end device stream correlation args")
Call = namedtuple("Call", "name start end tid correlation")
Range = namedtuple("Range", "kind name start end tid")

WORK = {"Kernel": "Kernel", "Memcpy": "Memcpy", "Memset": "Memset",
        "kernel": "Kernel", "gpu_memcpy": "Memcpy", "gpu_memset": "Memset"}
CALLS = {"CudaRuntime", "cuda_runtime", "cuda_driver"}
KINETO = {"cpu_op": "Operator", "user_annotation": "UserDefined"}
RANGES = {"Operator", "Dataloader", "ProfileStep", "UserDefined", "OperatorInner", "Forward", "Backward", "Optimization",
          "Communication", "PythonOp", "PythonUserDefined"}
LENGTH = re.compile(r"\[[\d.]+ [mun]?s\]$")
SUFFIX = re.compile(r"_(v\d+|ptsz|ptds)$")


class Trace:
    def __init__(self, document):
        self.facts = document.get("ExtraInfo", {})
        self.work, self.calls, self.ranges, self.memory, self.lanes, self.unified = [], [], [], [], [], []
        for event in document["traceEvents"]:
            if event.get("ph") == "X":
                self._slice(event)
            elif event.get("ph") == "i" and event.get("name") == "[memory]":
                self.memory.append(event)
            elif event.get("ph") == "M" and event.get("name") == "thread_name":
                self.lanes.append(event["args"]["name"])

    def _slice(self, event):
        cat, args = event.get("cat"), event.get("args", {})
        name = LENGTH.sub("", event["name"]) if "start_time" in args else event["name"]
        start, end = _times(event, args)
        correlation = args.get("correlation id", args.get("correlation", 0))
        if cat in WORK:
            stream = args.get("stream", event.get("tid"))
            self.work.append(Work(WORK[cat], name, start, end, args.get("device", event.get("pid")), stream, correlation, args))
        elif cat == "UnifiedMemory":
            self.unified.append(Work(cat, name, start, end, event.get("pid"), None, 0, args))
        elif cat in CALLS:
            name = SUFFIX.sub("", SUFFIX.sub("", name))
            self.calls.append(Call(name, start, end, _thread(event["tid"]), correlation))
        elif KINETO.get(cat, cat) in RANGES:
            kind = "ProfileStep" if name.startswith("ProfilerStep#") else KINETO.get(cat, cat)
            self.ranges.append(Range(kind, name, start, end, _thread(event["tid"])))


def _times(event, args):
    if "start_time" in args:
        return tuple(round(float(args[key].split()[0]) * 1000) for key in ("start_time", "end_time"))
    start = round(event["ts"] * 1000)
    return start, start + round(event["dur"] * 1000)


def _thread(tid):
    digits = re.match(r"\d+", str(tid))
    return int(digits.group()) if digits else 0


def read(path):
    with (gzip.open(path, "rt") if path.endswith(".gz") else open(path)) as file:
        return Trace(json.load(file))
