"""Holds pairs of replayed work and captured launches against the two traces, by name, order and neighbours, and by what is around the launch;
and sums of device time by operator.

    graph_pairs.py REPLAY CAPTURE LIST

LIST is a JSON object. Its `pairs` are objects: correlation of the graph launch, position of the work in it, and what is known of the work: name,
operator, shapes, module, frame, annotation. Its `sums` are the device time in ns of all work inside graphs, by operator. Prints how many hold,
and each that does not; exits 1 where one does not.

It reads the traces by itself: the nodes of a capture are its launch calls without device work, and a piece of work belongs to the node at its
position, since all names up to it must be equal.
"""

import gzip
import json
import sys
from decimal import Decimal

NEIGHBOURS = 2


def events(path):
    with gzip.open(path) as text:
        found = json.load(text, parse_float=Decimal)["traceEvents"]
    return [event for event in found if event.get("ph") == "X"]


def span(event):
    start = Decimal(event["ts"])
    return start, start + Decimal(event["dur"])


def is_device(event):
    return event.get("cat") in ("kernel", "gpu_memcpy", "gpu_memset")


def nodes(trace):
    """The launch calls of the only capture, in order of time."""
    executed = {event["args"].get("correlation") for event in trace if is_device(event)}
    begin = next(event for event in trace if "StreamBeginCapture" in event["name"])
    end = next(event for event in trace if "StreamEndCapture" in event["name"])
    thread = (begin["pid"], begin["tid"])
    calls = [
        event
        for event in trace
        if event.get("cat") == "cuda_runtime"
        and (event["pid"], event["tid"]) == thread
        and begin["ts"] < event["ts"] < end["ts"]
        and any(word in event["name"] for word in ("Launch", "Memcpy", "Memset"))
        and "GraphLaunch" not in event["name"]
        and event["args"].get("correlation") not in executed
    ]
    return sorted(calls, key=lambda event: event["ts"])


def around(call, host):
    """The events of the call's thread that are around it, innermost first."""
    start, end = span(call)
    found = []
    for event in host:
        first, last = span(event)
        if first <= start and end <= last:
            found.append((last - first, -first, event))
    found.sort(key=lambda entry: entry[:2])
    return [event for _, _, event in found]


def dims(event):
    value = event.get("args", {}).get("Input Dims")
    return json.dumps(value) if value else ""


def surroundings(call, host):
    inside = around(call, host)
    operators = [event for event in inside if event["cat"] == "cpu_op"]
    frames = [event["name"] for event in inside if event["cat"] == "python_function"]
    modules = [frame for frame in frames if frame.startswith("nn.Module: ")]
    annotations = [event["name"] for event in inside if event["cat"] == "user_annotation"]
    return {
        "operator": operators[0]["name"] if operators else "",
        "shapes": next((dims(operator) for operator in operators if dims(operator)), ""),
        "module": modules[0][len("nn.Module: "):] if modules else "",
        "frame": next((frame for frame in frames if not frame.startswith("nn.Module: ")), ""),
        "annotation": annotations[0] if annotations else "",
    }


def operators(launched, host):
    """The name of the innermost operator around each launch; launches and operators are in order of time, and operators nest."""
    waiting = sorted((event for event in host if event["cat"] == "cpu_op"), key=lambda event: event["ts"], reverse=True)
    open_ones, found = [], []
    for call in launched:
        start, end = span(call)
        while waiting and span(waiting[-1])[0] <= start:
            open_ones.append(waiting.pop())
        open_ones = [event for event in open_ones if span(event)[1] >= end]
        found.append(open_ones[-1]["name"] if open_ones else "")
    return found


def sums(work, launches, named):
    """The device time of the work of graphs by operator, ns."""
    found = {}
    for correlation in launches:
        row = sorted(work.get(correlation, []), key=lambda event: event["ts"])
        for event, operator in zip(row, named):
            found[operator] = found.get(operator, 0) + round(event["dur"] * 1000)
    return found


def main(replay_path, capture_path, list_path):
    replay, capture = events(replay_path), events(capture_path)
    launched = nodes(capture)
    names = [call["args"]["kernel"] for call in launched]
    thread = (launched[0]["pid"], launched[0]["tid"])
    kinds = ("cpu_op", "python_function", "user_annotation")
    host = [event for event in capture if event["cat"] in kinds and (event["pid"], event["tid"]) == thread]
    with open(list_path) as text:
        listed = json.load(text)
    pairs = listed["pairs"]
    work = {}
    for event in replay:
        if is_device(event):
            work.setdefault(event["args"].get("correlation"), []).append(event)
    held = 0
    for pair in pairs:
        row = sorted(work[pair["correlation"]], key=lambda event: event["ts"])
        at = pair["position"]
        replayed = [event["name"] for event in row]
        faults = []
        if replayed[at] != pair["name"] or names[at] != pair["name"]:
            faults.append(f"name {replayed[at]!r}, captured {names[at]!r}")
        if replayed[: at + 1] != names[: at + 1]:
            faults.append("the work before it is not that of the capture")
        near = slice(max(0, at - NEIGHBOURS), at + NEIGHBOURS + 1)
        if replayed[near] != names[near][: len(replayed[near])]:
            faults.append("its neighbours are not those of the capture")
        known = surroundings(launched[at], host)
        faults += [f"{key}: {pair[key]!r}, not {known[key]!r}" for key in known if pair[key] != known[key]]
        held += not faults
        if faults:
            print(f"correlation {pair['correlation']}, position {at}: {'; '.join(faults)}")
    launches = {event["args"]["correlation"] for event in replay if "GraphLaunch" in event["name"]}
    by_operator = sums(work, launches, operators(launched, host))
    wrong = [name for name in by_operator.keys() | listed["sums"] if by_operator.get(name) != listed["sums"].get(name)]
    for name in wrong:
        print(f"{name}: {listed['sums'].get(name)} ns, not {by_operator.get(name)}")
    print(f"{held} of {len(pairs)} pairs hold, {len(by_operator) - len(wrong)} of {len(by_operator)} sums")
    return held != len(pairs) or bool(wrong)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
