"""A part of a trace, and what it has of a slice.

A part is a half-open span of time. Shares are of its `run`: of a part that has all of the trace's run, that; else of the part. A slice adds what of it lies in the part and in the trace's extent, and counts as a call where it
starts in the part, with its whole time in the least, most, average and percentiles; the whole trace has all slices.
"""

from chrome import DEVICE_WORK, STREAM
from spans import clip, length_in

EVER = (-(2**63), 2**63)


class Part(tuple):
    """The time of a part within the extent, (start, end); `asked` is the whole range in which starts count as calls."""

    def __new__(cls, extent, asked=None, run=None):
        part = super().__new__(cls, clip(*(asked or extent), extent))
        part.asked = asked or EVER
        has_run = run and part[0] <= run[0] and run[1] <= part[1]
        part.run = run if has_run else (part[0], part[1])
        return part


def is_in(s, part):
    """True where some of the slice lies in the part, or it starts there."""
    return s.start < part[1] and s.end > part[0] or begins(s, part)


def begins(s, part):
    return part.asked[0] <= s.start < part.asked[1]


def begins_in_run(s, part):
    return begins(s, part) and part.run[0] <= s.start < part.run[1]


def run_of(trace, steps):
    """The run: from the first step to the end of the last, or of the device work launched in them; without steps all of the extent.

    Where no launch is known, all device work after the first step's start counts.
    """
    extent = trace.extent()
    if not steps:
        return extent
    start, end = min(s.start for s in steps), max(s.end for s in steps)
    work = [s for s in trace.slices() if s.lane[0] == STREAM and s.category in DEVICE_WORK and s.end > s.start]
    until = end if any(s.launch for s in work) else extent[1]
    for s in work:
        if start <= (s.launch.start if s.launch else s.start) < until:
            end = max(end, s.end)
    return clip(start, end, extent)


def time_in(s, part):
    return length_in(s.start, s.end, part)


def share(time, whole):
    return time / whole if whole else None


def title(name):
    return name or "(unnamed)"


def spread(slices, part):
    """The whole times of slices that start in the part: average, least, most, percentiles by the nearest rank."""
    times = sorted(s.end - s.start for s in slices if begins(s, part))
    if not times:
        return {}
    rank = lambda percent: times[-(-len(times) * percent // 100) - 1]
    return {
        "average": sum(times) // len(times), "min": times[0], "p50": rank(50), "p99": rank(99), "max": times[-1],
    }  # fmt: skip
