"""Reads a Chrome JSON trace into slices on lanes, with times in whole nanoseconds; the input of the independent sums.

Follows the format's description, not proftui's code. Times are read as decimal numbers, never as floats.
"""

import re
import sys
from collections import defaultdict
from decimal import ROUND_HALF_UP, Decimal, InvalidOperation
from fractions import Fraction
from pathlib import Path
from statistics import median_low

sys.path.insert(0, str(Path(__file__).parent.parent))
from count_chrome import events, pair, text_of  # noqa: E402

HOST, STREAM, RANGES, ASYNC = "host", "stream", "ranges", "async"
# The `cat` of the profiler's own span of its window, which is no time of the program.
WINDOW = "Trace"
DEVICE_WORK = {"Kernel", "Memcpy", "Memset"}
RUNTIME = {"CudaRuntime", "CudaDriver"}
OPERATORS = {"Operator", "PythonOp"}
# Times this far (ns) from the median of all are no part of the run: 11.6 days.
OUTLIER = 10**15
# From 8 s on, Paddle's offsets (32-bit floats of µs) are less exact than its start times, ns.
FLOATS = 8 * 10**9

# The category of each producer's `cat`, which is compared in lower case.
CATEGORIES = {
    "cpu_op": "Operator", "operator": "Operator", "operatorinner": "OperatorInner",
    "dygraphkernellaunch": "KernelLaunch", "statickernellaunch": "KernelLaunch",
    "cuda_runtime": "CudaRuntime", "cudaruntime": "CudaRuntime", "runtime": "CudaRuntime",
    "cuda_driver": "CudaDriver",
    "kernel": "Kernel", "gpu_memcpy": "Memcpy", "memcpy": "Memcpy", "gpu_memset": "Memset", "memset": "Memset",
    "cuda_sync": "Synchronization", "cuda_event": "Synchronization", "synchronization": "Synchronization",
    "user_annotation": "UserDefined", "userdefined": "UserDefined", "gpu_user_annotation": "UserDefined",
    "python_function": "PythonFunction", "pythonop": "PythonOp", "pythonuserdefined": "PythonUserDefined",
    "dataloader": "Dataloader", "forward": "Forward", "backward": "Backward", "optimization": "Optimization",
    "profilestep": "ProfileStep", "communication": "Communication", "overhead": "Overhead",
    "garbagecollection": "GarbageCollection", "compile": "Compile", "checkpoint": "Checkpoint", "import": "Import",
}  # fmt: skip
PYTHON_LAYER = {
    "python_function", "pythonop", "pythonuserdefined", "dataloader", "forward", "backward", "optimization",
    "profilestep", "garbagecollection", "compile", "checkpoint", "import",
}  # fmt: skip
ON_STREAMS = {"kernel", "gpu_memcpy", "memcpy", "gpu_memset", "memset", "cuda_sync", "cuda_event"}
COMMUNICATION = (
    "nccl", "rccl", "xccl", "BKCL", "nvshmem", "deep_ep", "cross_device_reduce", "all_reduce", "AllReduce", "all_gather",
    "reduce_scatter",
)  # fmt: skip


class Slice:
    """A piece of time on a lane; `order` is its number in the file, `group` separates asynchronous slices."""

    __slots__ = (
        "start", "end", "name", "category", "lane", "order", "correlation", "group", "cat", "parent", "inside",
        "launch", "operator", "outer_category", "outer_name", "outer_same", "outer_operator",
        "is_early", "bytes", "occupancy", "blocks", "waits_for_copy",
    )  # fmt: skip

    def __init__(self, start, end, name, category, lane, order, correlation=0, group=None, cat=""):
        self.start, self.end, self.name, self.category = start, end, name, category
        self.lane, self.order, self.correlation, self.group, self.cat = lane, order, correlation, group, cat
        self.parent = self.launch = self.operator = None
        self.is_early = self.waits_for_copy = False
        # Bytes of a copy or memset, where the event states them.
        self.bytes = None
        # What a kernel states of its launch: achieved occupancy (0 to 1), and blocks per multiprocessor.
        self.occupancy = self.blocks = None
        # The slices directly inside.
        self.inside = ()


class Trace:
    """The slices of one file by lane, and the times of its marks (instants, counters, memory samples)."""

    def __init__(self):
        self.lanes = defaultdict(list)
        self.marks = []
        # Memory events: time, device, kind, bytes, bytes in use and reserved after it.
        self.memory = []
        # What is in each operator, as `by_host` finds it once.
        self.insides = None
        # The largest overhang (ns) with which a slice still counts as inside another.
        self.tolerance = 1

    def slices(self):
        return (s for lane in self.lanes.values() for s in lane)

    def extent(self):
        """First start and last end of what has a length: slices, without the profiler's own span of its window."""
        long = [s for s in self.slices() if s.end > s.start and s.cat != WINDOW]
        if not long:
            times = self.marks + [t for s in self.slices() for t in (s.start, s.end)]
            return (min(times), max(times)) if times else (0, 0)
        middle_start, middle_end = median_low(s.start for s in long), median_low(s.end for s in long)
        near = [s for s in long if abs(s.start - middle_start) <= OUTLIER and s.end - middle_end <= OUTLIER]
        return min(s.start for s in near), max(s.end for s in near)


def scaled(value, factor):
    """A number times the factor, to the nearest whole number, halves away from zero; None when it is none."""
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return None
    if isinstance(value, int):
        return value * factor
    try:
        number = Decimal(value) * factor
        return int(number.quantize(Decimal(1), ROUND_HALF_UP)) if number.is_finite() else None
    except InvalidOperation:
        return None


def picoseconds(value):
    """A time in µs as whole picoseconds; None when it is none, or does not fit into 64 bits."""
    time = scaled(value, 10**6)
    return time if time is not None and abs(time) < 2**63 else None


def nanoseconds(value):
    """A time in µs as whole nanoseconds, by whole picoseconds where these fit; None when it is none."""
    fine = picoseconds(value)
    return scaled(value, 1000) if fine is None else (fine + 500) // 1000


def end_of(start, ts, dur):
    """The end of an event: where times are finer than ns the end is rounded, not the length."""
    fine = picoseconds(ts), picoseconds(dur)
    if None not in fine and (fine[0] % 1000 or fine[1] % 1000):
        return max((sum(fine) + 500) // 1000, start)
    length = nanoseconds(dur)
    return start + max(length or 0, 0)


def label(value):
    """A process or thread id as text: the number 7 and the text "7" are the same."""
    return "" if value is None else str(value)


def category_of(cat, name, on_host):
    """The category of an event; some names of operators and annotations say more than their `cat`."""
    category = CATEGORIES.get(cat.lower(), "Other")
    if on_host and category in ("Operator", "UserDefined"):
        if name.startswith(("ProfilerStep#", "ProfileStep#")):
            return "ProfileStep"
        if name.startswith("Optimizer.step#"):
            return "Optimization"
        if name.startswith("enumerate(DataLoader)#"):
            return "Dataloader"
        if name == "record_param_comms" or name.startswith(("nccl:", "gloo:")):
            return "Communication"
    return category


def lane_of(event, cat):
    pid, tid = label(event.get("pid")), label(event.get("tid"))
    low = cat.lower()
    # Paddle writes the layer of a thread behind its number.
    is_python = tid.endswith("(Python)") or low in PYTHON_LAYER and not tid.endswith("(C++)")
    tid = tid.removesuffix("(Python)").removesuffix("(C++)")
    if low in ON_STREAMS:
        return STREAM, pid, tid
    if low == "gpu_user_annotation":
        return RANGES, pid, tid
    return HOST, pid, tid, is_python


def correlation_of(args):
    value = args.get("correlation id", args.get("correlation")) if isinstance(args, dict) else None
    try:
        return max(int(value), 0) if value is not None and not isinstance(value, bool) else 0
    except (TypeError, ValueError):
        return 0


def bytes_of(args, length):
    """The bytes of a copy of `length` ns. Paddle writes the lower 32 bits of them, and the bandwidth in bytes per ns of the whole."""
    try:
        stated = int(args["bytes"]) if isinstance(args, dict) and not isinstance(args["bytes"], bool) else None
    except (KeyError, TypeError, ValueError):
        return None
    if stated is None or stated >= 2**32:
        return stated
    low = stated % 2**32
    try:
        about = float(args.get("memory bandwidth (GB/s)") or 0) * length
    except (TypeError, ValueError):
        about = 0
    return low + max(round((about - low) / 2**32), 0) * 2**32


def stated(args, most, *names):
    """The number, 0 to `most`, that one of these arguments states; None if there is none."""
    value = next((args[name] for name in names if name in args), None) if isinstance(args, dict) else None
    if isinstance(value, bool) or not isinstance(value, (int, str, Decimal)):
        return None
    try:
        number = Decimal(value)
        return Fraction(number) if number.is_finite() and 0 <= number <= most else None
    except InvalidOperation:
        return None


def memory_of(event, args):
    """Device, kind, bytes, bytes in use and reserved of a memory event, by Paddle's names or Kineto's."""
    if "place" in args:
        device, kind, size = args["place"], event.get("cat"), int(args["increase_bytes"])
        return device, kind, size, signed(args["current_allocated"]), signed(args["current_reserved"])
    is_device = args.get("Device Type") != 0 and args.get("Device Id", -1) >= 0
    size = int(args["Bytes"])
    device = f"device {args['Device Id']}" if is_device else "CPU"
    used = [int(args.get(name) or 0) for name in ("Total Allocated", "Total Reserved")]
    return device, "Free" if size < 0 else "Allocate", size, *used


def signed(number):
    """Paddle writes negative numbers of bytes as if they had no sign."""
    return int(number) - (2**64 if int(number) >= 2**63 else 0)


def offset_of(args):
    """The start of a Paddle event, in ns from that of its trace: `"start_time": "12.345 us"`; None for other events."""
    text = args.get("start_time") if isinstance(args, dict) else None
    return nanoseconds(text.removesuffix(" us")) if isinstance(text, str) and text.endswith(" us") else None


def undo_rounding(trace, offsets):
    """Paddle cuts start times to microseconds, but not the offsets beside them; no event starts before its written time."""
    trace.tolerance = 1000
    exact = [(s, offset) for s, offset in offsets if offset < FLOATS]
    zero = max(s.start - offset for s, offset in exact)
    for s, offset in exact:
        s.start, s.end = zero + offset, zero + offset + s.end - s.start


def read(path):
    trace = Trace()
    begins, asyncs, offsets = [], [], []
    has_point = False
    # The last begin or end in the file, where a slice ends whose end is missing.
    last = None
    for order, event in enumerate(events(text_of(path))):
        phase = event.get("ph") if isinstance(event, dict) else None
        if not isinstance(phase, str) or phase == "M":
            continue
        ts, dur = event.get("ts"), event.get("dur")
        has_point |= isinstance(ts, Decimal) or isinstance(dur, Decimal) or "." in str(ts)
        start = nanoseconds(ts)
        if start is None:
            continue
        if phase in "iIRC":
            if phase != "C" or isinstance(event.get("args"), dict) and event["args"]:
                trace.marks.append(start)
            if phase != "C" and event.get("name") == "[memory]" and isinstance(event.get("args"), dict):
                trace.memory.append((start, *memory_of(event, event["args"])))
        elif phase == "X":
            end = end_of(start, ts, dur)
            last = max(end, last) if last is not None else end
            cat, name = label(event.get("cat")), label(event.get("name"))
            lane = lane_of(event, cat)
            category = category_of(cat, name, lane[0] == HOST)
            correlation = correlation_of(event.get("args"))
            offset = offset_of(event.get("args"))
            if offset is not None:
                # The name has the duration behind it, as in `conv2d[12.345 us]`.
                name = re.sub(r"(?<=.)\[[^[]*\b[um]s\]$", "", name)
            s = Slice(start, end, name, category, lane, order, correlation, cat=cat)
            if category in ("Memcpy", "Memset"):
                s.bytes = bytes_of(event.get("args"), end - start)
            if category == "Kernel":
                args = event.get("args")
                percent = stated(args, 100, "theoretical achieved occupancy %", "est. achieved occupancy %")
                s.occupancy = percent / 100 if percent is not None else None
                s.blocks = stated(args, Decimal("inf"), "blocks per SM")
            trace.lanes[lane].append(s)
            if offset is not None:
                offsets.append((s, offset))
        elif phase in "BE":
            last = max(start, last) if last is not None else start
            begins.append((start, order, event))
        elif phase in "beSF":
            last = max(start, last) if last is not None else start
            asyncs.append((start, order, event))
        elif phase in "nTp":
            trace.marks.append(start)
    trace.tolerance = 1 if has_point else 1000
    close(trace, begins, last, lambda event: lane_of(event, label(event.get("cat"))))
    close(trace, asyncs, last, lambda event: (ASYNC, label(event.get("pid")), label(event.get("cat"))))
    if offsets:
        undo_rounding(trace, offsets)
    mark_steps_of_engines(trace)
    return trace


# Names by which serving engines annotate their steps.
ENGINE_STEP = re.compile(
    r"execute_(\d+_)?context_\d+\([^()]*\)_generation_\d+\([^()]*\)|execute_diffusion_\d+_\d+x\d+"
    r"|step\[[A-Z_0-9]+ bs=\d[^\]]*\]|(prefill|decode)\[bs=\d.*\]"
)


def mark_steps_of_engines(trace):
    """Where no step is marked, the outermost annotations of engines are steps."""
    hosts = [slices for lane, slices in trace.lanes.items() if lane[0] == HOST]
    if any(s.category == "ProfileStep" for slices in hosts for s in slices):
        return
    for slices in hosts:
        until = None
        named = [s for s in slices if s.category == "UserDefined" and ENGINE_STEP.fullmatch(s.name)]
        for s in sorted(named, key=lambda s: (s.start, -s.end)):
            if until is None or s.start >= until:
                s.category, until = "ProfileStep", s.end


def close(trace, points, last, lane_of_event):
    """Joins each end to the innermost open begin of its thread (or asynchronous id)."""
    open_by_key = defaultdict(list)
    for time, order, event in sorted(points, key=lambda point: point[:2]):
        key = pair(event)
        if event["ph"] in "BbS":
            open_by_key[key].append((time, order, event))
        elif open_by_key[key]:
            add(trace, open_by_key[key].pop(), time, key, lane_of_event)
    for key, left in open_by_key.items():
        for begin in left:
            add(trace, begin, max(last, begin[0]), key, lane_of_event)


def add(trace, begin, end, key, lane_of_event):
    start, order, event = begin
    lane = lane_of_event(event)
    cat, name = label(event.get("cat")), label(event.get("name"))
    is_async = lane[0] == ASYNC
    category = "Other" if is_async else category_of(cat, name, lane[0] == HOST)
    group = key if is_async else None
    trace.lanes[lane].append(Slice(start, end, name, category, lane, order, group=group, cat=cat))
