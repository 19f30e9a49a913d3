"""Facts of a trace, one function per fact. None of them knows how the trace came to be."""

import re
from bisect import bisect_right
from collections import Counter, defaultdict

# Calls that put work on a device, whichever layer makes them.
LAUNCH = re.compile(r"^cu(da)?(Launch|GraphLaunch|Memcpy|Memset)")
WAIT = re.compile(r"^(cudaDeviceSynchronize|cudaStreamSynchronize|cuCtxSynchronize|cuStreamSynchronize)$")


def counts(trace):
    """How much work of each kind, and how many calls that launch."""
    found = Counter(work.kind for work in trace.work)
    found["launches"] = sum(1 for call in trace.calls if LAUNCH.match(call.name))
    return {kind: found[kind] for kind in ("Kernel", "Memcpy", "Memset", "launches")}


def calls_by_name(trace):
    return Counter(call.name for call in trace.calls if LAUNCH.match(call.name))


def shapes(trace):
    """Kernels by grid, block and registers: the same for everybody, however names are written."""
    def key(args):
        return tuple(map(tuple, (args.get("grid", ()), args.get("block", ())))) + (args.get("registers per thread"),)

    return Counter(key(work.args) for work in trace.work if work.kind == "Kernel")


def sizes(trace):
    """Copies and fills by kind and bytes."""
    return Counter((work.kind, work.args.get("bytes")) for work in trace.work if work.kind != "Kernel")


def launches(trace):
    """Each piece of work with its call; none where there is none."""
    calls = {call.correlation: call for call in trace.calls if call.correlation and not WAIT.match(call.name)}
    # Of two calls of one number, a layer within the other, the one that names a launch counts, then the outer one.
    for call in sorted(trace.calls, key=lambda call: (bool(LAUNCH.match(call.name)), call.end - call.start)):
        if call.correlation:
            calls[call.correlation] = call
    return [(work, calls.get(work.correlation)) for work in trace.work]


def orphans(trace):
    return [work for work, call in launches(trace) if call is None]


def early(trace):
    """Device work that began before its launching call, with how long before, ns."""
    return [(work, call.start - work.start) for work, call in launches(trace) if call and work.start < call.start]


def delays(trace):
    """From the beginning of a call to that of its work, ns, in order."""
    return sorted(work.start - call.start for work, call in launches(trace) if call)


def late(trace):
    """By how much work outlasted a wait of the thread that had launched it, ns: only what is above 0.

    Of waits for all of a device, else of one stream, of which nothing is known here: those are left out.
    """
    waits = defaultdict(list)
    for call in trace.calls:
        if call.name in ("cudaDeviceSynchronize", "cuCtxSynchronize"):
            waits[call.tid].append((call.start, call.end))
    for tid in waits:
        waits[tid].sort()
    found = []
    for work, call in launches(trace):
        of = waits.get(call.tid, ()) if call else ()
        at = bisect_right(of, (call.end, 0)) if of else 0
        if of and at < len(of) and work.end > of[at][1]:
            found.append(work.end - of[at][1])
    return found


def in_ranges(trace, is_of_own_thread):
    """Launches of work within a range, other than a step, of all launches."""
    ranges = defaultdict(list)
    for of in trace.ranges:
        if of.kind != "ProfileStep":
            ranges[of.tid if is_of_own_thread else 0].append((of.start, of.end))
    covered = {tid: _union(found) for tid, found in ranges.items()}
    linked = [call for _, call in launches(trace) if call]
    inside = sum(_is_in(covered.get(call.tid if is_of_own_thread else 0, ([], [])), call.start) for call in linked)
    return inside, len(linked)


def _union(spans):
    starts, ends = [], []
    for start, end in sorted(spans):
        if ends and start <= ends[-1]:
            ends[-1] = max(ends[-1], end)
        else:
            starts.append(start), ends.append(end)
    return starts, ends


def _is_in(union, time):
    starts, ends = union
    at = bisect_right(starts, time) - 1
    return at >= 0 and time <= ends[at]


def steps(trace):
    return sorted((of.start, of.end) for of in trace.ranges if of.kind == "ProfileStep")


def outside(trace):
    """Work and launches that began before the first step or after the last one."""
    of = steps(trace)
    if not of:
        return list(trace.work)
    first, last = of[0][0], max(end for _, end in of)
    work = [work for work in trace.work if not first <= work.start <= last]
    return work + [call for call in trace.calls if LAUNCH.match(call.name) and not first <= call.start <= last]


def threads(trace):
    return {call.tid for call in trace.calls}


def fact(trace, key):
    """A number among the facts, 0 where it is not stated."""
    return int(trace.facts.get("proftui." + key, 0))


def of_graphs(trace):
    """Kernels that say which node of a graph they are, and wholes of graphs."""
    nodes = sum(1 for work in trace.work if "graph node id" in work.args)
    return nodes, sum(1 for work in trace.work if "graph id" in work.args and "graph node id" not in work.args)
