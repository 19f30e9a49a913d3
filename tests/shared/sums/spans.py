"""Sets of time as lists of (start, end), half-open, in nanoseconds."""


def clip(start, end, part):
    """The part of a slice that lies in `part`; empty spans where nothing does."""
    return max(start, part[0]), min(end, part[1])


def length_in(start, end, part):
    """How much of a slice lies in `part`."""
    return max(0, min(end, part[1]) - max(start, part[0]))


def union(spans):
    """The spans as sorted, disjoint ones."""
    out = []
    for start, end in sorted(span for span in spans if span[1] > span[0]):
        if out and start <= out[-1][1]:
            out[-1][1] = max(out[-1][1], end)
        else:
            out.append([start, end])
    return out


def total(spans):
    """The summed length of disjoint spans."""
    return sum(end - start for start, end in spans)


def covered(spans):
    """The time that at least one span covers."""
    return total(union(spans))


def minus(spans, others):
    """What of disjoint spans no other one covers."""
    left = []
    for start, end in spans:
        for other in others:
            if other[0] < end and start < other[1]:
                if start < other[0]:
                    left.append([start, other[0]])
                start = other[1]
        if start < end:
            left.append([start, end])
    return left


def by_set(lists):
    """For each set of lists, as a tuple of their numbers, the time in which exactly those have a span."""
    edges = []
    for number, spans in enumerate(lists):
        for start, end in union(spans):
            edges += [(start, 1, number), (end, 0, number)]
    times, running, before = {}, set(), None
    for at, begins, number in sorted(edges):
        if running and at > before:
            key = tuple(sorted(running))
            times[key] = times.get(key, 0) + at - before
        (running.add if begins else running.discard)(number)
        before = at
    return times
