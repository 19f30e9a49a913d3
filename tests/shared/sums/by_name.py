"""The sums of a part by category, and by the names of events, operators, kernels and calls."""

from collections import defaultdict

from by_host import add, inner_rows, insides, own_times, ratio
from chrome import OPERATORS, WINDOW
from nesting import around, counted
from parts import begins, is_in, share, spread, time_in, title
from spans import clip, covered

NO_OPERATOR = "(no operator)"


def overview(trace, part):
    rows, spans = defaultdict(lambda: {"count": 0, "time": 0}), defaultdict(list)
    lengths = defaultdict(list)
    for slices in counted(trace):
        for s in slices:
            if is_in(s, part) and s.cat != WINDOW:
                row = rows[s.category]
                row["count"] += begins(s, part)
                if begins(s, part):
                    lengths[s.category].append(s.end - s.start)
                if not s.outer_category:
                    row["time"] += time_in(s, part)
                spans[s.category].append(clip(s.start, s.end, part))
    for category, row in rows.items():
        row["covered"] = covered(clip(*span, part.run) for span in spans[category])
        row["share"] = share(row["covered"], part.run[1] - part.run[0])
        if lengths[category]:
            row["average"], row["longest"] = sum(lengths[category]) // row["count"], max(lengths[category])
    return rows


def device_work(work, part):
    """Device work by name, with the operators that launched it below."""
    whole = sum(time_in(s, part) for s in work if not s.outer_same)
    rows, named = {}, defaultdict(list)
    for s in work:
        named[title(s.name)].append(s)
        row = rows.setdefault(title(s.name), {"calls": 0, "total": 0, "children": {}})
        owner = title(s.operator.name) if s.operator else f"{NO_OPERATOR}: {why_none(s)}"
        below = row["children"].setdefault(owner, {"calls": 0, "total": 0})
        row["calls"] += begins(s, part)
        below["calls"] += begins(s, part)
        row["total"] += 0 if s.outer_same else time_in(s, part)
        below["total"] += 0 if s.outer_same else time_in(s, part)
    for name, row in rows.items():
        row["share"] = share(row["total"], whole)
        row.update(spread(named[name], part))
    return rows


def operators(trace, part, work):
    rows = defaultdict(
        lambda: {
            "calls": 0, "own": 0, "own_runtime": 0, "own_waiting": 0, "total": 0, "device_own": 0, "device_total": 0, "children": {}
        }
    )  # fmt: skip
    named, inside = defaultdict(list), insides(trace)
    for slices in counted(trace):
        for s in slices:
            if s.category in OPERATORS and is_in(s, part):
                named[title(s.name)].append(s)
                row = rows[title(s.name)]
                row["calls"] += begins(s, part)
                row["total"] += 0 if s.outer_operator else time_in(s, part)
                for column, time in own_times(s, inside["operator", id(s)], part).items():
                    row[column] += time
    device = defaultdict(dict)
    for s in work:
        time = 0 if s.outer_same else time_in(s, part)
        owner = rows[title(s.operator.name) if s.operator else NO_OPERATOR]
        owner["device_own"] += time
        if s.operator:
            for name in {title(a.name) for a in around(s.launch) if a.category in OPERATORS}:
                rows[name]["device_total"] += time
            below = device[title(s.operator.name)].setdefault(title(s.name), {"calls": 0, "device_own": 0})
        else:
            below = owner["children"].setdefault(why_none(s), {"device_own": 0})
        if s.operator:
            below["calls"] += begins(s, part)
        below["device_own"] += time
    for name, below in inner_rows(trace, inside, part).items():
        rows[name]["children"] = below
    for name, below in device.items():
        for of_work, row in below.items():
            add(rows[name]["children"], of_work, row)
    if NO_OPERATOR in rows:
        for column in ("calls", "own", "own_runtime", "own_waiting", "total", "device_total"):
            del rows[NO_OPERATOR][column]
    all_work = sum(time_in(s, part) for s in work if not s.outer_same)
    all_own = sum(row.get("own", 0) for row in rows.values())
    for row in rows.values():
        row["device_share"] = share(row["device_own"], all_work)
        if "own" in row:
            row["host_per_device"] = ratio(row["total"], row["device_total"])
            row["own_share"] = share(row["own"], all_own)
    for name, slices in named.items():
        rows[name].update(spread(slices, part))
    return rows


def why_none(s):
    """Why no operator is known for a piece of device work."""
    if s.launch:
        return "graph launches" if "GraphLaunch" in s.launch.name else "launches without an operator"
    return "launched before the recording" if s.is_early else "no launch known"


def self_time(s, part):
    """The time of a slice in the part in which no slice directly inside it runs."""
    inside = [clip(c.start, min(c.end, s.end), part) for c in s.inside]
    return time_in(s, part) - covered(inside)


def names(trace, part):
    """All slices by name, whatever they are."""
    rows, named = {}, defaultdict(list)
    for slices in counted(trace):
        for s in slices:
            if is_in(s, part) and s.cat != WINDOW:
                named[title(s.name)].append(s)
    for name, slices in named.items():
        time = covered(clip(s.start, s.end, part.run) for s in slices)
        rows[name] = {
            "calls": sum(begins(s, part) for s in slices), "covered": time, "share": share(time, part.run[1] - part.run[0]),
            "total": sum(time_in(s, part) for s in slices if not s.outer_name),
            "own": sum(self_time(s, part) for s in slices), **spread(slices, part),
        }  # fmt: skip
    return rows


def ranges(trace, part, work):
    rows, named = defaultdict(lambda: {"calls": 0, "total": 0, "device": 0, "children": {}}), defaultdict(list)
    is_range = lambda s: s.category in ("UserDefined", "PythonUserDefined")
    by_thread = defaultdict(list)
    for slices in counted(trace):
        for s in slices:
            if is_range(s):
                by_thread[s.lane[:3]].append(s)
            if is_range(s) and is_in(s, part):
                named[title(s.name)].append(s)
                rows[title(s.name)]["calls"] += begins(s, part)
                rows[title(s.name)]["total"] += 0 if s.outer_same else time_in(s, part)
    for s in work:
        for name in ranges_around(s.launch, is_range, by_thread) if s.launch else ():
            below = rows[name]["children"].setdefault(title(s.name), {"calls": 0, "device": 0})
            below["calls"] += begins(s, part)
            for row in (rows[name], below):
                row["device"] += 0 if s.outer_same else time_in(s, part)
    for name, slices in named.items():
        rows[name].update(spread(slices, part))
    all_work = sum(time_in(s, part) for s in work if not s.outer_same)
    for row in rows.values():
        row["device_share"] = share(row["device"], all_work)
    return rows


def ranges_around(launch, is_range, by_thread):
    """The names of ranges in which a call lies: on its own lane by nesting, on the other layer of its thread by time."""
    own = {title(s.name) for s in around(launch) if is_range(s)}
    other = (s for s in by_thread[launch.lane[:3]] if s.lane != launch.lane)
    return own | {title(s.name) for s in other if s.start <= launch.start < s.end}


def launches(trace, part, work):
    """The calls that launch device work, by name."""
    rows = defaultdict(
        lambda: {"calls": 0, "work": 0, "call_time": 0, "work_time": 0, "short": 0, "slow": 0, "late": 0, "longest_delay": 0}
    )
    delays, called = defaultdict(list), defaultdict(list)
    for s in trace.slices():
        if s.launch:
            called[id(s.launch)].append(s)
    for s in work:
        if s.launch:
            row = rows[title(s.launch.name)]
            row["work_time"] += time_in(s, part)
            if begins(s, part):
                delay = max(s.start - s.launch.end, 0)
                delays[title(s.launch.name)].append(delay)
                row["work"] += 1
                row["late"] += delay > 100_000
                row["longest_delay"] = max(row["longest_delay"], delay)
    for call in trace.slices():
        if id(call) in called and is_in(call, part):
            row = rows[title(call.name)]
            row["call_time"] += time_in(call, part)
            if begins(call, part):
                row["calls"] += 1
                row["short"] += sum(s.end - s.start for s in called[id(call)]) < call.end - call.start
                row["slow"] += call.end - call.start > 50_000
    for name, row in rows.items():
        row["delay"] = sum(delays[name]) // len(delays[name]) if delays[name] else 0
    return rows
