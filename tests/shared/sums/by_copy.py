"""The sums of a part over copies and memsets: their bytes, and the time of the calls of the host that launched them.

A call's time belongs to all pieces of device work that it launched: to the nth of N in the file, at each time t since the call's start,
(t + n) // N of it. So the parts of all pieces add up to the call, in whole nanoseconds.
"""

from collections import defaultdict

from by_name import NO_OPERATOR, device_work, why_none
from chrome import DEVICE_WORK, HOST, OPERATORS, RUNTIME, STREAM
from nesting import around
from parts import begins, is_in, title
from spans import clip

COPIES = ("Memcpy", "Memset")


def copies(trace, part, work):
    rows = device_work([s for s in work if s.category in COPIES], part)
    for row in list(rows.values()) + [below for row in rows.values() for below in row["children"].values()]:
        row.update(host=0, bytes=None, rate=None)
    timed = defaultdict(int)
    for s in work:
        if s.category in COPIES and s.bytes is not None:
            for row in both(rows, title(s.name), owner_of(s)):
                row["bytes"] = (row["bytes"] or 0) + bytes_in(s, part)
                timed[id(row)] += 0 if s.outer_same else length(clip(s.start, s.end, part))
                row["rate"] = row["bytes"] / timed[id(row)] if timed[id(row)] else None
    for name, owner, call, number, count in shares(trace):
        if is_in(call, part):
            start, end = clip(call.start, call.end, part)
            for row in both(rows, name, owner):
                row["host"] += max((end - call.start + number) // count - (start - call.start + number) // count, 0)
    return rows


def both(rows, name, owner):
    row = rows.setdefault(name, {"calls": 0, "total": 0, "host": 0, "bytes": None, "rate": None, "children": {}})
    empty = {"calls": 0, "total": 0, "host": 0, "bytes": None, "rate": None}
    return row, row["children"].setdefault(owner, empty)


def owner_of(s):
    return title(s.operator.name) if s.operator else f"{NO_OPERATOR}: {why_none(s)}"


def length(span):
    return max(span[1] - span[0], 0)


def bytes_in(s, part):
    if s.end == s.start:
        return s.bytes if begins(s, part) else 0
    start, end = clip(s.start, s.end, part)
    until = lambda time: s.bytes * (time - s.start) // (s.end - s.start)
    return until(end) - until(start) if end > start else 0


def is_paddles(s):
    return s.lane[0] == HOST and s.name.startswith("GpuMemcpy")


def shares(trace):
    """(name, owner, call, number, count) of each copy and of Paddle's events without a known copy."""
    launched = defaultdict(list)
    for lane, slices in trace.lanes.items():
        for s in slices if lane[0] == STREAM else ():
            if s.category in DEVICE_WORK and s.launch:
                call = [one for one in around(s.launch) if one is s.launch or one.category in RUNTIME or is_paddles(one)][-1]
                launched[id(call)].append((s.order, s, call))
    out = []
    for pieces in launched.values():
        for number, (_, s, call) in enumerate(sorted(pieces, key=lambda piece: piece[0])):
            if s.category in COPIES:
                out.append((title(s.name), owner_of(s), call, number, len(pieces)))
    for s in trace.slices():
        if is_paddles(s) and id(s) not in launched and not any(is_paddles(one) for one in around(s.parent)):
            operator = next((one for one in around(s.parent) if one.category in OPERATORS), None)
            owner = title(operator.name) if operator else f"{NO_OPERATOR}: launches without an operator"
            out.append((title(s.name), owner, s, 0, 1))
    return out
