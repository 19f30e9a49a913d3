"""The flames of a part of a trace by a plain walk: {path of names: [host time, device time, bytes, count]}.

At each instant the open slice of a thread that began last has the time. A slice hangs below the slice around it on its lane, or below
the one open on the thread's other layer at its start, whichever began later; device work hangs below its launch.
"""

import heapq
import re
from collections import defaultdict

from by_copy import bytes_in
from chrome import ASYNC, DEVICE_WORK, HOST, OPERATORS, STREAM, WINDOW
from parts import begins, is_in, time_in, title

WEIGHTS = ("host", "device", "bytes", "count")
STACKINGS = ("operator", "stack", "module")
# Frames deeper than this count for the last; callers beyond the frame's own and these are left out.
DEEPEST, CALLERS = 256, 64
NO_LAUNCH = "(launch not recorded)"


def rank(s):
    """Of two slices that overlap, the one with the larger rank lies in the other."""
    return s.start, -s.end, is_native(s), s.order


def is_native(s):
    return s.lane[0] != HOST or not s.lane[3]


def is_frame(s, stacking):
    if s.cat == WINDOW:
        return False
    is_function = s.category == "PythonFunction"
    if stacking == "operator":
        return not is_function
    return stacking == "stack" or s.category in OPERATORS or is_function and s.name.startswith("nn.Module: ")


def frame_name(s):
    if s.category == "ProfileStep":
        return re.sub(r"(?<=#)\d+$", "", s.name)
    if s.category == "PythonFunction":
        return re.sub(r" at 0x[0-9a-fA-F]*", "", s.name, count=1)
    return title(s.name)


def threads(trace):
    found = defaultdict(list)
    for lane, slices in trace.lanes.items():
        if lane[0] in (HOST, ASYNC):
            found[lane[:3]] += slices
    return found.values()


class Walk:
    """The paths of all slices of the host, by one stacking."""

    def __init__(self, trace, stacking):
        self.trace, self.stacking, self.paths = trace, stacking, {}
        for slices in threads(trace):
            slices = sorted(slices, key=rank)
            opened = {True: [], False: []}
            for s in slices:
                native = is_native(s)
                other = opened[not native]
                while other and other[-1].end <= s.start:
                    other.pop()
                around = [one for one in (s.parent, other[-1] if other else None) if one is not None]
                path = self.paths[id(max(around, key=rank))] if around else ()
                if is_frame(s, stacking):
                    path = (*path, frame_name(s))[:DEEPEST]
                    opened[native].append(s)
                self.paths[id(s)] = path

    def sums(self, part):
        found = defaultdict(lambda: [0, 0, 0, 0])
        for slices in threads(self.trace):
            self.add_thread([s for s in slices if is_frame(s, self.stacking)], part, found)
        for lane, slices in self.trace.lanes.items():
            for s in slices if lane[0] == STREAM else ():
                if s.category in DEVICE_WORK and is_in(s, part):
                    around = self.paths[id(s.launch)] if s.launch else (NO_LAUNCH,)
                    row = found[(*around, title(s.name))[:DEEPEST]]
                    row[1] += 0 if s.outer_same else time_in(s, part)
                    row[2] += bytes_in(s, part) if s.category != "Kernel" and s.bytes is not None else 0
                    row[3] += begins(s, part)
        return found

    def add_thread(self, frames, part, found):
        """Cuts the time where a slice begins or ends, and gives each piece to the open slice that began last."""
        edges = sorted({time for s in frames for time in (s.start, s.end)})
        frames = sorted(frames, key=rank)
        opened, at = [], 0
        for start, end in zip(edges, edges[1:]):
            while at < len(frames) and frames[at].start <= start:
                key = tuple(-value for value in rank(frames[at]))
                heapq.heappush(opened, (key, at))
                at += 1
            while opened and frames[opened[0][1]].end <= start:
                heapq.heappop(opened)
            time = min(end, part[1]) - max(start, part[0])
            if opened and time > 0:
                found[self.paths[id(frames[opened[0][1]])]][0] += time
        for s in frames:
            if begins(s, part):
                found[self.paths[id(s)]][3] += 1


def flame(sums, weight, bottom_up):
    """{path: [total, own, calls]} of the frames that weigh something."""
    number = WEIGHTS.index(weight)
    own, calls = defaultdict(int), defaultdict(int)
    for path, row in sums.items():
        if not bottom_up:
            own[path] += row[number]
            calls[path] += row[3]
        elif row[number] > 0:
            path = path[::-1][: CALLERS + 1]
            own[path] += row[number]
            for end in range(1, len(path) + 1):
                calls[path[:end]] += row[3]
    total = defaultdict(int)
    for path, value in own.items():
        for end in range(1, len(path) + 1):
            total[path[:end]] += value
    return {path: [value, own[path], calls[path]] for path, value in total.items() if value > 0}
