"""Which slice lies in which, and which call and operator launched each piece of device work: plain definitions, by search."""

import re
from collections import defaultdict

from chrome import DEVICE_WORK, OPERATORS, RANGES, RUNTIME


PAGEABLE = re.compile(r"Memcpy (DtoH|HtoD) \((Device -> Pageable|Pageable -> Device)\)")
ASYNCHRONOUS = re.compile(r"[a-z]+Memcpy\w*Async\w*")


def waits_for_copy(call, copy):
    """True for the call of an asynchronous copy from or to pageable memory that still runs as the copy begins.

    To pageable memory, it returns when the copy has ended. From it, when the bytes are staged: many of them in
    pieces, as they are copied, so after all earlier work of the stream; a few at once, without any wait.
    """
    is_pageable = PAGEABLE.fullmatch(copy.name) and ASYNCHRONOUS.fullmatch(call.name)
    return copy.category == "Memcpy" and bool(is_pageable) and call.end > copy.start


def resolve(trace):
    """Sets parent, launch and operator of all slices of the trace, and which calls wait for their copies."""
    for slices in trace.lanes.values():
        slices.sort(key=lambda s: (s.start, s.start - s.end, s.order))
        nest(slices, trace.tolerance)
    launches = {}
    for s in trace.slices():
        if s.category in RUNTIME and s.correlation:
            known = launches.get(s.correlation)
            # A driver call may repeat the number of the runtime call around it.
            if known is None or s.start < known.start:
                launches[s.correlation] = s
    first = min(launches, default=0)
    for s in trace.slices():
        if s.category in DEVICE_WORK and s.correlation:
            s.is_early = s.correlation < first
            s.launch = launches.get(s.correlation)
            s.operator = next((a for a in around(s.launch) if a.category in OPERATORS), None) if s.launch else None
            if s.launch and waits_for_copy(s.launch, s):
                s.launch.waits_for_copy = True


def nest(slices, tolerance):
    """Sets the parent of each slice of one lane, sorted by start and the longer first: the innermost slice that contains it."""
    inside = defaultdict(list)
    # Pairs of the time until which a slice can contain others, and the slice; in order of start.
    opened = []
    for s in slices:
        opened = [one for one in opened if one[0] > s.start]
        s.outer_category = s.outer_name = s.outer_same = s.outer_operator = False
        end = s.end
        for until, other in reversed(opened):
            if other.group == s.group and s.end - until <= tolerance:
                s.parent = other
                inside[id(other)].append(s)
                end = min(end, until)
                break
        opened.append((end, s))
        for other in around(s.parent):
            s.outer_category |= other.category == s.category
            if other.name == s.name:
                s.outer_name = True
                s.outer_same |= other.category == s.category
                s.outer_operator |= other.category in OPERATORS
    for s in slices:
        s.inside = inside.get(id(s), ())


def around(s):
    """The slice and those around it, innermost first."""
    while s is not None:
        yield s
        s = s.parent


def counted(trace):
    """The lanes that sums are about: not those that repeat host ranges on streams."""
    return [slices for lane, slices in trace.lanes.items() if lane[0] != RANGES]
