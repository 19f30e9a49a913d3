"""The host's time in a part: own times of operators, and what each thread did in the time of the steps."""

import re
from collections import defaultdict

from chrome import HOST, OPERATORS, RUNTIME
from nesting import around
from parts import begins, is_in, share, spread, time_in, title
from spans import clip, covered, union

# The calls that wait for the device: synchronizations, and copies without Async from or to the host.
WAITS = re.compile(
    r"(?:\w+@)?(?:[A-Za-z]\w*Synchronize|aclrtSynchronize\w+|[a-z]+Memcpy(?:2D|3D|HtoD|DtoH|WithStream|ToSymbol|FromSymbol)?)"
    r"(?:_v\d+|_ptsz|_ptds|_spt)*"
)
INNER_PARTS = {"OperatorInner", "KernelLaunch"}
RANGES = {"UserDefined", "PythonUserDefined", "Communication"}


def is_outer_call(s):
    """True for a call that no other call of its operator contains."""
    if s.category not in RUNTIME:
        return False
    near = next((a for a in around(s.parent) if a.category in RUNTIME or a.category in OPERATORS), None)
    return near is None or near.category in OPERATORS


def waits(s):
    return s.waits_for_copy or bool(WAITS.fullmatch(s.name))


def own_times(s, inside, part):
    """The own time of a slice, given what is in it: all, in calls, waiting."""
    bounds = clip(s.start, s.end, part)
    spans = {
        "not own": [c for c in inside if c.category in OPERATORS or s.category in INNER_PARTS and c.category in INNER_PARTS],
        "calls": [c for c in inside if is_outer_call(c)],
        "waiting": [c for c in inside if is_outer_call(c) and waits(c)],
    }
    spans = {kind: [clip(c.start, c.end, bounds) for c in found] for kind, found in spans.items()}
    left_out = covered(spans["not own"])
    return {
        "own": time_in(s, part) - left_out,
        "own_runtime": covered(spans["calls"] + spans["not own"]) - left_out,
        "own_waiting": covered(spans["waiting"] + spans["not own"]) - left_out,
    }


def insides(trace):
    """What is in each operator and in no operator in it; in each inner part also in no inner part in it; in each call, operators."""
    if trace.insides is not None:
        return trace.insides
    found = trace.insides = defaultdict(list)
    for s in trace.slices():
        operator = next((a for a in around(s.parent) if a.category in OPERATORS), None)
        found["operator", id(operator)].append(s)
        near = next((a for a in around(s.parent) if a.category in OPERATORS or a.category in INNER_PARTS), None)
        if near is not operator:
            found["inner part", id(near)].append(s)
        if s.category in OPERATORS:
            call = next((a for a in around(s.parent) if a.category in OPERATORS or is_outer_call(a)), None)
            found["call", id(call)].append(s)
    return found


def inner_rows(trace, inside, part):
    """The rows of inner parts and calls below each operator, by the operator's name."""
    rows, named = defaultdict(dict), defaultdict(list)
    for lane in trace.lanes.values():
        for s in lane:
            is_part = s.category in INNER_PARTS
            operator = next((a for a in around(s.parent) if a.category in OPERATORS), None)
            if operator is None or not is_in(s, part) or not (is_part or is_outer_call(s)):
                continue
            key = (not is_part, title(s.name))
            row = rows[title(operator.name)].setdefault(key, {"calls": 0, "total": 0, "own": 0, "own_runtime": 0, "own_waiting": 0})
            named[title(operator.name), key].append(s)
            same = is_part and any(a.name == s.name for a in up_to(s.parent, operator))
            row["calls"] += begins(s, part)
            row["total"] += 0 if same else time_in(s, part)
            times = own_times(s, inside["inner part" if is_part else "call", id(s)], part)
            if not is_part:
                times["own_runtime"] = times["own"]
                times["own_waiting"] = times["own"] if waits(s) else 0
            for column, time in times.items():
                row[column] += time
    for (operator, key), slices in named.items():
        rows[operator][key].update(spread(slices, part))
    return {operator: unlike(below) for operator, below in rows.items()}


def up_to(s, last):
    """The slice and those around it inside `last`."""
    for one in around(s):
        if one is last:
            return
        yield one


def unlike(below):
    """Rows by title; an inner part comes before the call of the same name."""
    out = {}
    for (_, name), row in sorted(below.items(), key=lambda item: item[0]):
        add(out, name, row)
    return out


def add(rows, name, row):
    rows[f"{name} (2)" if name in rows else name] = row


def ratio(time, device):
    return time / device if device else None


def threads(trace, of_steps, part):
    """The rows of threads in any order: time, waiting, other calls, operators, data loading, ranges, nothing."""
    by_thread = defaultdict(list)
    for lane, slices in trace.lanes.items():
        if lane[0] == HOST:
            by_thread[lane[1:3]] += slices
    steps = [step for step, _ in of_steps]
    spans = union(clip(step.start, step.end, part) for step in steps) if steps else union([part.run])
    rows = []
    for thread, slices in by_thread.items():
        times = [sum(end - start for start, end in spans)]
        by_level = defaultdict(list)
        for s in slices:
            if is_in(s, part):
                by_level[activity(s)].append(s)
        found, before = [], 0
        for level in range(5):
            for s in by_level[level]:
                found += [clip(s.start, s.end, span) for span in spans if s.start < span[1] and s.end > span[0]]
            found = [tuple(span) for span in union(found)]
            whole = covered(found)
            times.append(whole - before)
            before = whole
        times.append(times[0] - before)
        runs_steps = any(step.lane[1:3] == thread and is_in(step, part) for step in steps)
        if before or runs_steps and times[0]:
            rows.append([*times, share(times[-1], times[0])])
    return rows


def activity(s):
    """The number of what a slice's time counts for, unless a smaller one comes before: waiting, calls, operators, loading, ranges."""
    if s.category in RUNTIME:
        return (0 if waits(s) else 1) if is_outer_call(s) else None
    if s.category in OPERATORS:
        return 2
    if s.category == "Dataloader":
        return 3
    return 4 if s.category in RANGES else None


THREAD_COLUMNS = ("time", "waiting", "calls", "operators", "loading", "ranges", "nothing", "nothing_share")
