"""The sums of one part of a trace, as the views' definitions state them: {view: {row: {column: value}}}.

A part is a half-open span of time. A slice adds what of it lies in the part and in the trace's extent, and counts as a call where it
starts in the part; the whole trace has all slices.
"""

from collections import Counter, defaultdict

from chrome import COMMUNICATION, DEVICE_WORK, OPERATORS, STREAM, WINDOW
from nesting import around, counted
from spans import by_set, clip, covered, length_in, total, union

NO_OPERATOR = "(no operator)"
EVER = (-(2**63), 2**63)


class Part(tuple):
    """The time of a part within the extent, (start, end); `asked` is the whole range in which starts count as calls."""

    def __new__(cls, extent, asked=None):
        part = super().__new__(cls, clip(*(asked or extent), extent))
        part.asked = asked or EVER
        return part


def tables(trace, part):
    device_work = [
        (lane, [s for s in slices if s.category in DEVICE_WORK and is_in(s, part)])
        for lane, slices in trace.lanes.items()
        if lane[0] == STREAM
    ]
    streams = [one for one in device_work if any(s.category in DEVICE_WORK for s in trace.lanes[one[0]])]
    work = [s for _, slices in streams for s in slices]
    out = {"overview": overview(trace, part), "operator": operators(trace, part, work)}
    out["kernel"] = by_name([s for s in work if s.category == "Kernel"], part)
    out["memcpy"] = by_name([s for s in work if s.category != "Kernel"], part)
    out.update(devices(streams, part))
    out["idle"] = dict(stream_idle(lane, slices, part) for lane, slices in streams)
    out["steps"] = steps(trace, part, work)
    out["userdefined"] = ranges(trace, part)
    return out


def is_in(s, part):
    """True where some of the slice lies in the part, or it starts there."""
    return s.start < part[1] and s.end > part[0] or begins(s, part)


def begins(s, part):
    return part.asked[0] <= s.start < part.asked[1]


def time_in(s, part):
    return length_in(s.start, s.end, part)


def share(time, whole):
    return time / whole if whole else None


def title(name):
    return name or "(unnamed)"


def kind(s):
    """Computation, communication or memory."""
    if s.category != "Kernel":
        return 2
    return 1 if any(word in s.name for word in COMMUNICATION) else 0


def overview(trace, part):
    rows, spans = defaultdict(lambda: {"count": 0, "time": 0}), defaultdict(list)
    for slices in counted(trace):
        for s in slices:
            if is_in(s, part) and s.cat != WINDOW:
                row = rows[s.category]
                row["count"] += begins(s, part)
                if not s.outer_category:
                    row["time"] += time_in(s, part)
                spans[s.category].append(clip(s.start, s.end, part))
    for category, row in rows.items():
        row["covered"] = covered(spans[category])
        row["share"] = share(row["covered"], part[1] - part[0])
    return rows


def devices(streams, part):
    """The views by device: device, busy, kinds and distributed."""
    by_device = defaultdict(list)
    for lane, slices in streams:
        by_device[lane[1]].append((lane, slices))
    out = {"device": {}, "busy": {}, "kinds": {}, "distributed": {}}
    length = part[1] - part[0]
    kinds = defaultdict(int)
    for pid, lanes in by_device.items():
        name = device_title(pid)
        work = [s for _, slices in lanes for s in slices]
        spans = [(clip(s.start, s.end, part), s) for s in work]
        of = [[span for span, s in spans if kind(s) == number] for number in range(3)]
        all_work = union(span for span, _ in spans)
        busy = total(all_work)
        kernels = covered(span for span, s in spans if s.category == "Kernel")
        out["device"][name] = {
            "utilization": share(busy, length), "busy": kernels, "busy_all": busy, "idle": length - busy,
            "kernels": sum(begins(s, part) for s in work if s.category == "Kernel"),
            "copies": sum(begins(s, part) for s in work if s.category != "Kernel"),
        }  # fmt: skip
        computing = covered(of[0])
        between, edges = holes(all_work, length)
        out["busy"][name] = {
            "idle": length - busy, "between": between, "edges": edges, "compute": computing, "other": busy - computing,
        }  # fmt: skip
        for set_of_kinds, time in by_set(of).items():
            kinds[set_of_kinds] += time
        if any(kind(s) == 1 for s in work):
            communicating = covered(of[1])
            hidden = sum(time for key, time in by_set(of[:2]).items() if key == (0, 1))
            out["distributed"][name] = {
                "communication": communicating, "hidden": hidden, "exposed": communicating - hidden,
                "hidden_share": share(hidden, communicating),
            }  # fmt: skip
    names = ("computation", "communication", "memory")
    whole = sum(kinds.values())
    for key, time in kinds.items():
        name = " with ".join(names[number] for number in key)
        out["kinds"][name] = {"time": time, "share": share(time, whole)}
    return out


def device_title(pid):
    return "GPU " + pid.removeprefix("GPU ").removesuffix(" Counters")


def holes(work, length):
    """The time of a part between pieces of work, and before the first and after the last."""
    if not work:
        return 0, length
    between = sum(after[0] - before[1] for before, after in zip(work, work[1:]))
    return between, length - total(work) - between


def stream_idle(lane, slices, part):
    all_work = union(clip(s.start, s.end, part) for s in slices)
    length = part[1] - part[0]
    between, edges = holes(all_work, length)
    number = lane[2].removeprefix("stream ")
    row = {"gaps": max(len(all_work) - 1, 0), "idle": between + edges, "edges": edges}
    return f"{device_title(lane[1])} · stream {number}", row


def by_name(work, part):
    """Device work by name, with the operators that launched it below."""
    whole = sum(time_in(s, part) for s in work if not s.outer_same)
    rows = {}
    for s in work:
        row = rows.setdefault(title(s.name), {"calls": 0, "total": 0, "children": {}})
        owner = title(s.operator.name) if s.operator else f"{NO_OPERATOR}: {why_none(s)}"
        below = row["children"].setdefault(owner, {"calls": 0, "total": 0})
        row["calls"] += begins(s, part)
        below["calls"] += begins(s, part)
        row["total"] += 0 if s.outer_same else time_in(s, part)
        below["total"] += time_in(s, part)
    for row in rows.values():
        row["share"] = share(row["total"], whole)
    return rows


def operators(trace, part, work):
    rows = defaultdict(
        lambda: {"calls": 0, "own": 0, "total": 0, "device_own": 0, "device_total": 0, "children": {}}
    )
    for slices in counted(trace):
        for s in slices:
            if s.category in OPERATORS and is_in(s, part):
                row = rows[title(s.name)]
                row["calls"] += begins(s, part)
                row["total"] += 0 if s.outer_operator else time_in(s, part)
                row["own"] += self_time(s, part)
    for s in work:
        time = time_in(s, part)
        owner = rows[title(s.operator.name) if s.operator else NO_OPERATOR]
        owner["device_own"] += time
        if s.operator:
            for name in {title(a.name) for a in around(s.launch) if a.category in OPERATORS}:
                rows[name]["device_total"] += time
            below = owner["children"].setdefault(title(s.name), {"calls": 0, "device_own": 0})
        else:
            below = owner["children"].setdefault(why_none(s), {"device_own": 0})
        if s.operator:
            below["calls"] += begins(s, part)
        below["device_own"] += time
    if NO_OPERATOR in rows:
        for column in ("calls", "own", "total", "device_total"):
            del rows[NO_OPERATOR][column]
    all_work = sum(time_in(s, part) for s in work)
    all_own = sum(row.get("own", 0) for row in rows.values())
    for row in rows.values():
        row["device_share"] = share(row["device_own"], all_work)
        if "own" in row:
            row["own_share"] = share(row["own"], all_own)
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


def ranges(trace, part):
    rows = defaultdict(lambda: {"calls": 0, "total": 0})
    for slices in counted(trace):
        for s in slices:
            if s.category in ("UserDefined", "PythonUserDefined") and is_in(s, part):
                rows[title(s.name)]["calls"] += begins(s, part)
                rows[title(s.name)]["total"] += 0 if s.outer_same else time_in(s, part)
    return rows


def steps(trace, part, work):
    """The device time of each step that has time in the part."""
    found = [
        s for lane, slices in trace.lanes.items() if lane[0] == "host" for s in slices if s.category == "ProfileStep"
    ]
    rows, seen = {}, Counter()
    for step in sorted(found, key=lambda s: s.start):
        span = clip(step.start, step.end, part)
        if span[1] <= span[0]:
            continue
        number = step.name.partition("#")[2]
        row = {"time": span[1] - span[0]}
        if work:
            inside = [[clip(s.start, s.end, span) for s in work if kind(s) == number] for number in range(3)]
            times = by_set(inside)
            busy = sum(times.values())
            row.update(
                device_busy=busy,
                device_idle=span[1] - span[0] - busy,
                computation=sum(t for key, t in times.items() if 0 in key and 1 not in key),
                overlap=sum(t for key, t in times.items() if 0 in key and 1 in key),
                communication=sum(t for key, t in times.items() if 1 in key and 0 not in key),
                device_other=times.get((2,), 0),
            )
        name = f"step {int(number) if number.isdigit() else 0}"
        seen[name] += 1
        rows[name if seen[name] == 1 else f"{name} ({seen[name]})"] = row
    return rows
