"""The layout visualdl of one rank: its steps, and its kernel time by the step and phase that launched it.

By VisualDL's rules: GPU utilization is the time in which kernels ran, a union within each phase that launched
them, by the host time of the steps; a launch lies in a host event, and that in a phase directly in a step.
"""

import re
from bisect import bisect_left
from collections import defaultdict

from chrome import HOST
from spans import covered

PHASES = ("Dataloader", "Forward", "Backward", "Optimization")
READ = {
    *PHASES, "ProfileStep", "Operator", "OperatorInner", "Communication",
    "UserDefined", "PythonUserDefined", "PythonOp",
}  # fmt: skip
RUNTIME = {"CudaRuntime", "CudaDriver"}


def threads(trace):
    """The host events of each thread, in order: those that contain others come first."""
    found = defaultdict(list)
    for lane, slices in trace.lanes.items():
        if lane[0] == HOST:
            found[lane[1:3]] += [s for s in slices if s.category not in RUNTIME]
    order = lambda s: (s.start, -s.end, s.order)
    return {thread: sorted(slices, key=order) for thread, slices in found.items()}


class Rank:
    """The steps of a rank, as (number, host time), and its kernels' spans by (index of the step, phase)."""

    def __init__(self, trace):
        by_thread = threads(trace)
        is_step = lambda s: s.category == "ProfileStep"
        having = [thread for thread, slices in by_thread.items() if any(map(is_step, slices))]
        self.steps, self.kernels, self.is_known = [], defaultdict(list), len(having) == 1
        if not self.is_known:
            return
        self.spans, self.phases = [], defaultdict(list)
        launched = defaultdict(list)
        for s in trace.slices():
            if s.category == "Kernel" and s.launch:
                launched[s.launch.lane[1:3]].append(s)
        for thread in sorted(by_thread, key=lambda thread: thread != having[0]):
            calls = sorted(launched[thread], key=lambda s: s.launch.start)
            self.walk(by_thread[thread], calls, thread == having[0])

    def walk(self, slices, kernels, has_steps):
        """Finds the step and phase of each event of a thread, and of the launches in it."""
        open_ones, at = [], 0
        for s in [*slices, None]:
            while at < len(kernels) and (s is None or kernels[at].launch.start < s.start):
                call = kernels[at].launch
                contains = lambda one: one.start <= call.start and call.end <= one.end
                phase_of = next((phase_of for one, phase_of in reversed(open_ones) if contains(one)), None)
                if phase_of is not None:
                    self.kernels[phase_of].append((kernels[at].start, kernels[at].end))
                at += 1
            if s is None:
                return
            while open_ones and s.end > open_ones[-1][0].end:
                open_ones.pop()
            outer = next(((one, phase_of) for one, phase_of in reversed(open_ones) if one.category in READ), None)
            open_ones.append((s, self.phase_of(s, outer, has_steps)))

    def phase_of(self, s, outer, has_steps):
        """The (index of the step, phase) of an event; no index outside of all, phase Other in none."""
        is_in_step = outer is not None and outer[1][0] is not None
        if s.category == "ProfileStep" and has_steps and not is_in_step:
            number = re.findall(r"\d+", s.name.partition("#")[2])
            self.spans.append((s.start, s.end))
            self.steps.append((int(number[-1]) if number else len(self.steps), s.end - s.start))
            return len(self.steps) - 1, "Other"
        if outer is not None:
            index = outer[1][0]
            if outer[0].category == "ProfileStep" and is_in_step and s.category in PHASES:
                self.phases[index].append((s.start, s.end, s.category))
                return index, s.category
            return outer[1]
        index = bisect_left(self.spans, s.end, key=lambda span: span[1])
        if has_steps or index == len(self.spans) or self.spans[index][0] > s.start:
            return None, "Other"
        around = (phase for start, end, phase in self.phases[index] if start <= s.start and s.end <= end)
        return index, next(around, "Other")

    def of_step(self, index):
        """The kernel time of a step: the sum over its phases."""
        return sum(covered(self.kernels[index, phase]) for phase in (*PHASES, "Other"))

    def busy(self):
        """The kernel time of all: the sum over phases, each over all steps and outside of them."""
        by_phase = defaultdict(list)
        for (_, phase), spans in list(self.kernels.items()):
            by_phase[phase] += spans
        return sum(covered(spans) for spans in by_phase.values())


def having(tables, *columns):
    """The rows of the tables with these columns, as {column: value}."""
    found = []
    for table in tables:
        ids = [column["id"] for column in table["columns"]]
        if set(columns) <= set(ids):
            found += [dict(zip(ids, row["cells"])) for row in table["rows"]]
    return found


def check(tally, rank, tables):
    host, busy = sum(time for _, time in rank.steps), rank.busy()
    shares = [row["value"] for row in having(tables, "name", "value") if row["name"] == "GPU utilization"]
    tally.check("one rank", "GPU utilization", busy / host if host else None, shares[0] if shares else None)
    for row in having(tables, "name", "cpu_total", "gpu_ratio"):
        if row["name"] == "ProfileStep":
            tally.check("one rank · ProfileStep", "cpu_total", host, row["cpu_total"])
            tally.check("one rank · ProfileStep", "gpu_total", busy, row["gpu_total"])
    want = sorted((number, time, rank.of_step(index)) for index, (number, time) in enumerate(rank.steps))
    rows = [row for row in having(tables, "step", "cpu_step", "gpu_step") if row["step"] is not None]
    got = sorted((row["step"], row["cpu_step"], row["gpu_step"] or 0) for row in rows)
    tally.check("one rank", "steps", [row[0] for row in want], [row[0] for row in got])
    for one, other in zip(want, got):
        tally.check(f"one rank · step {one[0]}", "cpu_step", one[1], other[1])
        tally.check(f"one rank · step {one[0]}", "gpu_step", one[2], other[2])
