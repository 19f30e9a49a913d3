"""What a recorder that only asks CUPTI (`programs/probe.c`) wrote down: its lines, and rows about them."""

import glob
import json
import os
from collections import namedtuple

from .table import judged, shown

# Without these nothing is recorded; others may be refused.
NEEDED = ("cuptiSubscribe", "cuptiActivityRegisterCallbacks", "cuptiActivityFlushAll")
KINDS = {1: "copies", 2: "memsets", 5: "runtime calls", 10: "kernels"}
NEEDED_KINDS = tuple(KINDS)
# The result of the last cuptiActivityGetNextRecord of a buffer: there are no more.
NO_MORE = 12
KERNEL = "10"

Log = namedtuple("Log", "lines files")


def read(folder):
    """The lines of the process with the most of them (a program may start others), and the files with its buffers."""
    logs = [_lines(path) for path in glob.glob(os.path.join(folder, "*.log"))]
    return Log(max(logs, key=len, default=[]), sorted(glob.glob(os.path.join(folder, "*.buffers"))))


def _lines(path):
    found = []
    with open(path) as file:
        for line in file:
            try:
                found.append(json.loads(line))
            except ValueError:
                continue
    return found


def of(lines, key):
    return [line for line in lines if key in line]


def refusals(lines):
    """Calls that were answered by an error, each with what it was about."""
    found, about = [], ""
    for line in lines:
        about = "kind %d" % line["enable"] if "enable" in line else "attribute %d" % line["set"] if "set" in line else about
        if line.get("answer", 0) != 0 and "call" in line:
            what = " of %s" % about if line["call"] in ("cuptiActivityEnable", "cuptiActivitySetAttribute") else ""
            found.append("%s%s: %d" % (line["call"], what, line["answer"]))
    return found


def is_needed(refusal):
    call, _, rest = refusal.partition(" of kind ")
    return call.split(":")[0] in NEEDED or (rest != "" and int(rest.split(":")[0]) in NEEDED_KINDS)


def is_taken(lines):
    """Whether CUPTI has let us subscribe."""
    return any(line.get("call") == "cuptiSubscribe" and line["answer"] == 0 for line in lines)


def free(lines):
    """Bytes of the device's memory that were free at the program's end; None if the driver does not say."""
    return next((line["free"] for line in of(lines, "free")), None)


def last(lines):
    return (of(lines, "flush") or [{}])[-1]


def rows(title, lines, kernels):
    """Rows about one run; `kernels`: how many the program launched."""
    refused = refusals(lines)
    is_loaded = any(line["loaded"] for line in of(lines, "loaded"))
    yield judged("%s: CUPTI's answers" % title, is_loaded and bool(of(lines, "call")) and not any(map(is_needed, refused)),
                 "; ".join(refused) or "%d calls, none refused" % len(of(lines, "call")))
    end = last(lines)
    counts = end.get("kinds", {})
    yield judged("%s: kernels" % title, counts.get(KERNEL, 0) == kernels, "%s of %d" % (counts.get(KERNEL, 0), kernels))
    lost = end.get("dropped", 0)
    times = end.get("untimed", 0), end.get("reversed", 0)
    yield judged("%s: dropped; without a time; ended before they began" % title, end != {} and lost == 0 and times == (0, 0),
                 "%d; %d; %d" % (lost, *times))
    buffers = of(lines, "buffer")
    behind = sum(buffer["behind"] for buffer in buffers)
    torn = [buffer["last"] for buffer in buffers if buffer["last"] != NO_MORE]
    after = sum(buffer["over"] for buffer in buffers)
    yield judged("%s: %d buffers are whole" % (title, len(buffers)), bool(buffers) and not torn and not after and not behind,
                 "%d bytes behind the valid ones, %d end with an error, %d came after the exit handler" % (behind, len(torn), after))
    yield shown("%s: delivered by the main thread" % title, "%d of %d" % (sum(buffer["main"] for buffer in buffers), len(buffers)))
    yield shown("%s: kinds" % title, ", ".join("%s: %d" % (KINDS.get(int(kind), kind), count) for kind, count in counts.items()))
    slowest = sorted(of(lines, "us"), key=lambda line: -line["us"])[:3]
    yield shown("%s: the longest calls" % title, ", ".join("%s %.0f us" % (line["call"], line["us"]) for line in slowest))


def answers(lines):
    """Each answer with its time, for people to read."""
    for line in lines:
        if "call" in line:
            yield "%-44s %4d %10.1f us" % (line["call"], line["answer"], line["us"])
        elif not {"buffer", "flush"} & set(line):
            yield ", ".join("%s %s" % pair for pair in line.items())
