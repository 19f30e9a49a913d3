"""Writes the events of the script's own PyTorch profiler to a file in the format of PyTorch's own trace, and counts the events of such files.

PyTorch can write its own file only once, which is left to the script.
"""
import json
import os

from . import wrappers

# PyTorch's `RecordScope::USER_SCOPE`: the scope of `record_function` ranges.
_USER_SCOPE = 7
_SLICE, _INSTANT = b'"ph": "X"', b'"ph": "i"'
_CPU = ("cpu_op", "user_annotation", "python_function", "cpu_instant_event")


def write(path, events, since, others):
    """Writes the host events that began at `since` (Unix time, ns) or later, except ranges that the hooks report, and those of the threads
    with the numbers `others`.
    """
    with open(path, "w", encoding="utf-8") as file:
        file.write('{"schemaVersion": 1, "traceEvents": [')
        comma = "\n"
        for index, event in enumerate(events):
            made = None if event.device_resource_id() in others else _event(event, index, since)
            if made is not None:
                file.write(comma + made)
                comma = ",\n"
        file.write("\n]}\n")


def count(path):
    """The number of slices and instants in a file. It is not parsed: that would take longer than to write it."""
    found, tail = 0, b""
    with open(path, "rb") as file:
        for block in iter(lambda: file.read(1 << 20), b""):
            text = tail + block
            found += text.count(_SLICE) + text.count(_INSTANT)
            # Too short for one of them, so none counts twice.
            tail = text[-len(_SLICE) + 1 :]
    return found


def _event(event, index, since):
    start, duration = _times(event)
    kind = _kind(event)
    name = event.name()
    if start < since or kind not in _CPU or (kind == "user_annotation" and name in wrappers.user):
        return None
    made = {"cat": kind, "name": name, "pid": os.getpid(), "tid": event.device_resource_id()}
    # Written as integers: a float cannot represent such times to the nanosecond.
    times = '"ts": %d.%03d' % divmod(start, 1000)
    if kind == "cpu_instant_event":
        made.update(ph="i", s="t", args=_memory(event, index))
    else:
        made.update(ph="X", args=_arguments(event, index))
        times += ', "dur": %d.%03d' % divmod(duration, 1000)
    return "{%s, %s" % (times, json.dumps(made)[1:])


def _times(event):
    if hasattr(event, "start_ns"):
        return event.start_ns(), event.duration_ns()
    return event.start_us() * 1000, event.duration_us() * 1000


def _kind(event):
    if event.name() == "[memory]":
        return "cpu_instant_event"
    if hasattr(event, "activity_type"):
        return event.activity_type()
    if int(event.device_type()) != 0 or event.linked_correlation_id() != 0:
        return "device"
    if getattr(event, "is_python_function", bool)():
        return "python_function"
    return "user_annotation" if event.scope() == _USER_SCOPE else "cpu_op"


def _memory(event, index):
    return {
        "Bytes": event.nbytes(),
        "Device Type": int(event.device_type()),
        "Device Id": event.device_index(),
        "Ev Idx": index,
    }


def _arguments(event, index):
    arguments = {"External id": event.correlation_id(), "Ev Idx": index}
    if event.sequence_nr() >= 0:
        arguments["Sequence number"] = event.sequence_nr()
        arguments["Fwd thread id"] = event.fwd_thread_id()
    if event.shapes():
        arguments["Input Dims"] = event.shapes()
        arguments["Input type"] = event.dtypes()
    inputs = getattr(event, "concrete_inputs", list)()
    if inputs:
        arguments["Concrete Inputs"] = ["" if value is None else str(value) for value in inputs]
    if event.stack():
        arguments["Call stack"] = ";".join(event.stack())
    return arguments
