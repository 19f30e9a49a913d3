"""The sums of a part by step: host time by phase, and device time."""

import re
from collections import Counter

from by_device import kind
from chrome import HOST, OPERATORS
from parts import time_in
from spans import by_set, clip, covered, minus, union

PHASES = {"dataloader": "Dataloader", "forward": "Forward", "backward": "Backward", "optimization": "Optimization"}
ENGINE = "autograd::engine::evaluate_function"
# Names of nodes of the autograd graph, which older versions of torch record without the engine around them.
NODE = re.compile(r"torch::autograd::.*|[A-Za-z0-9_]*Backward[0-9]*")


def steps(trace, part, work, has_device):
    """The time of each step within the part."""
    hosts = [s for lane, slices in trace.lanes.items() if lane[0] == HOST for s in slices]
    found = [s for s in hosts if s.category == "ProfileStep"]
    marks = {phase: [s for s in hosts if s.category == category] for phase, category in PHASES.items()}
    is_derived = not marks["forward"] and not marks["backward"]
    if is_derived:
        nodes = [s for s in hosts if s.category in OPERATORS and NODE.fullmatch(s.name)]
        marks["backward"] = [s for s in hosts if s.name.startswith(ENGINE)] or nodes
    rows, seen = {}, Counter()
    for step in sorted(found, key=lambda s: s.start):
        span = clip(step.start, step.end, part)
        if span[1] <= span[0]:
            continue
        number = step.name.partition("#")[2]
        row = {"time": time_in(step, part), **phases(trace, step, marks, is_derived, part)}
        row["other"] = row["time"] - sum(row[phase] for phase in PHASES)
        if has_device:
            row.update(device_times(work, span))
        name = f"step {int(number) if number.isdigit() else 0}"
        seen[name] += 1
        rows[name if seen[name] == 1 else f"{name} ({seen[name]})"] = row
    return rows


def phases(trace, step, marks, is_derived, part):
    """The time of the step in each phase; time in two phases counts for the earlier one."""
    spans = {
        phase: union(clip(s.start, s.end, (step.start, step.end)) for s in slices if s.lane[1] == step.lane[1])
        for phase, slices in marks.items()
    }
    if is_derived and spans["backward"]:
        until = spans["backward"][0][0]
        before = [s for s in trace.lanes[step.lane] if s.category in OPERATORS and step.start <= s.start < until]
        spans["forward"] = union(clip(s.start, s.end, (step.start, step.end)) for s in before)
    times, taken = {}, []
    for phase, of_phase in spans.items():
        own = minus(of_phase, taken)
        times[phase] = covered(clip(*span, part) for span in own)
        taken = union([*taken, *own])
    return times


def device_times(work, span):
    """The time of a span in which devices ran each kind of work."""
    times = by_set([[clip(s.start, s.end, span) for s in work if kind(s) == number] for number in range(3)])
    busy = sum(times.values())
    return {
        "device_busy": busy,
        "device_idle": span[1] - span[0] - busy,
        "computation": sum(t for key, t in times.items() if 0 in key and 1 not in key),
        "overlap": sum(t for key, t in times.items() if 0 in key and 1 in key),
        "communication": sum(t for key, t in times.items() if 1 in key and 0 not in key),
        "device_other": times.get((2,), 0),
    }
