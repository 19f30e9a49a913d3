"""The sums of a part by step: host time by phase, and device time; and the time of each category in the phases of all steps."""

import re
from bisect import bisect_right
from collections import Counter

from by_device import kind
from chrome import DEVICE_WORK, HOST, OPERATORS, WINDOW
from nesting import counted
from parts import begins, is_in, time_in
from spans import by_set, clip, covered, length_in, minus, union

PHASES = {"dataloader": "Dataloader", "forward": "Forward", "backward": "Backward", "optimization": "Optimization"}
ENGINE = "autograd::engine::evaluate_function"
# Names of nodes of the autograd graph, which older versions of torch record without the engine around them.
NODE = re.compile(r"torch::autograd::.*|[A-Za-z0-9_]*Backward[0-9]*")


def phases_of_steps(trace):
    """Each step in order of time, with the spans of its phases."""
    hosts = [s for lane, slices in trace.lanes.items() if lane[0] == HOST for s in slices]
    found = [s for s in hosts if s.category == "ProfileStep"]
    marks = {phase: [s for s in hosts if s.category == category] for phase, category in PHASES.items()}
    is_derived = not marks["forward"] and not marks["backward"]
    if is_derived:
        nodes = [s for s in hosts if s.category in OPERATORS and NODE.fullmatch(s.name)]
        marks["backward"] = [s for s in hosts if s.name.startswith(ENGINE)] or nodes
    return [(step, phases(trace, step, marks, is_derived)) for step in sorted(found, key=lambda s: s.start)]


def steps(of_steps, part, work, has_device):
    """The time of each step within the part."""
    rows, seen = {}, Counter()
    for index, (step, in_phases) in enumerate(of_steps):
        span = clip(step.start, step.end, part)
        if span[1] <= span[0]:
            continue
        # Steps of engines have no number, and are counted from 0.
        number = step.name.partition("#")[2] if "#" in step.name else str(index)
        times = {phase: covered(clip(*one, part) for one in spans) for phase, spans in in_phases.items()}
        row = {"time": time_in(step, part), **times}
        row["other"] = row["time"] - sum(row[phase] for phase in PHASES)
        if has_device:
            row.update(device_times(work, span))
        name = f"step {int(number) if number.isdigit() else 0}"
        seen[name] += 1
        rows[name if seen[name] == 1 else f"{name} ({seen[name]})"] = row
    return rows


def phases(trace, step, marks, is_derived):
    """The spans of the step in each phase; time in two phases counts for the earlier one."""
    spans = {
        phase: union(clip(s.start, s.end, (step.start, step.end)) for s in slices if s.lane[1] == step.lane[1])
        for phase, slices in marks.items()
    }
    if is_derived and spans["backward"]:
        until = spans["backward"][0][0]
        before = [s for s in trace.lanes[step.lane] if s.category in OPERATORS and step.start <= s.start < until]
        spans["forward"] = union(clip(s.start, s.end, (step.start, step.end)) for s in before)
    found, taken = {}, []
    for phase, of_phase in spans.items():
        found[phase] = minus(of_phase, taken)
        taken = union([*taken, *found[phase]])
    return found


def edges_of_phases(of_steps):
    """The time of all steps, in order, as (start, end, phase); time in two phases counts for the earlier one."""
    edges, taken = [], []
    lists = {phase: [one for _, spans in of_steps for one in spans[phase]] for phase in PHASES}
    lists["other"] = [(step.start, step.end) for step, _ in of_steps]
    for phase, spans in lists.items():
        own = minus(union(spans), taken)
        taken = union([*taken, *own])
        edges += [(start, end, phase) for start, end in own]
    return sorted(edges)


def phase_at(edges, starts, time):
    """The phase of a time, by the edges and their starts; None outside of all steps."""
    at = bisect_right(starts, time) - 1
    return edges[at][2] if at >= 0 and time < edges[at][1] else None


def stages(trace, of_steps, part):
    """The time of each category of events in the phases of all steps, and outside of them; device work by its launch."""
    if not any(time_in(step, part) or begins(step, part) for step, _ in of_steps):
        return {}
    edges = edges_of_phases(of_steps)
    starts = [edge[0] for edge in edges]
    rows = {}
    for s in (s for slices in counted(trace) for s in slices):
        if s.cat == WINDOW or s.category in PHASES.values() or not is_in(s, part):
            continue
        row = rows.setdefault(s.category, dict.fromkeys(["count", "total", *PHASES, "other", "outside"], 0))
        is_work = s.category in DEVICE_WORK
        by = s.launch if is_work else s
        phase = phase_at(edges, starts, by.start) if by else None
        row["count"] += begins(s, part) and phase is not None
        if s.outer_category:
            continue
        if is_work:
            row[phase or "outside"] += time_in(s, part)
            continue
        span = clip(s.start, s.end, part)
        inside = 0
        for start, end, phase in edges[max(bisect_right(starts, span[0]) - 1, 0) :]:
            if start >= span[1]:
                break
            row[phase] += length_in(start, end, span)
            inside += length_in(start, end, span)
        row["outside"] += time_in(s, part) - inside
    for row in rows.values():
        row["total"] = sum(row[phase] for phase in (*PHASES, "other"))
    return rows


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
