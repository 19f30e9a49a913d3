"""The parts of the sweep beyond the tables of the whole and of ranges of time, each with a count of its own.

model, wait, whole: also of single steps and of what `--from` and `--to` load; the others: of other outputs.
"""

import os
import random
from pathlib import Path

import by_bounds
import by_details
import by_model
import by_ranks
import by_wait
import by_whole
from answers import Tally, printed
from by_step import phases_of_steps
from chrome import DEVICE_WORK, STREAM
from parts import Part, is_in

LABELS = ("model", "wait", "whole", "visualdl", "details", "bounds")
# Files of at most these bytes are also printed as two ranks.
TWO = 1_100_000
# One of so many traces is asked for ranges of time without events.
BOUNDS = 8


class More:
    def __init__(self, proftui, path, trace, extent, run):
        self.proftui, self.path, self.trace, self.extent, self.run = proftui, path, trace, extent, run
        self.tallies = {label: Tally() for label in LABELS}
        self.of_steps = phases_of_steps(trace)
        streams = [slices for lane, slices in trace.lanes.items() if lane[0] == STREAM]
        self.work = [s for slices in streams for s in slices if s.category in DEVICE_WORK]

    def of(self, part, where, answers, kind):
        """The tables of a part that is `whole`, a `range`, `steps` or `loaded`."""
        before = {label: len(tally.faults) for label, tally in self.tallies.items()}
        if kind != "loaded":
            # What a cut file lacks of the launches is not the view's.
            rows = by_model.model(self.of_steps, part, self.work)
            by_model.check(self.tallies["model"], rows, answers.get("model"))
            inside = [s for s in self.work if is_in(s, part)]
            by_wait.check(self.tallies["wait"], self.trace, part, inside, answers)
        if kind in ("steps", "loaded"):
            by_whole.check(self.tallies["whole"], self.trace, part, answers, kind != "loaded")
        for label, tally in self.tallies.items():
            tally.faults[before[label] :] = [f"{where}: {fault}" for fault in tally.faults[before[label] :]]

    def further(self):
        """The parts that the main loop has not."""
        start, end = self.extent
        for number, _ in self.steps():
            same = [step for other, step in self.numbered() if other == number]
            asked = (min(one.start for one in same), max(one.end for one in same))
            answers = printed(self.proftui, self.path, ["--steps", number], "all")
            self.of(Part(self.extent, asked, self.run), f"--steps {number}", answers, "steps")
        if end - start >= 1000 and (self.work or len(self.of_steps) > 0):
            dice = random.Random(Path(self.path).name)
            asked = sorted(dice.sample(range(end - start), 2))
            options = ["--from", f"{asked[0]}ns", "--to", f"{asked[1]}ns"]
            answers = printed(self.proftui, self.path, options, "all")
            part = Part(self.extent, (start + asked[0], start + asked[1]))
            self.of(part, " ".join(options), answers, "loaded")
        if self.of_steps and self.work:
            last = [step for _, step in self.steps()[-1:]]
            has_two = os.path.getsize(self.path) <= TWO and ".paddle_trace" not in self.path
            by_ranks.check(self.tallies["visualdl"], self.proftui, self.path, self.trace, has_two)
            by_details.check(self.tallies["details"], self.proftui, self.path, self.trace, last)
        if sum(self.path.encode()) % BOUNDS == 0:
            by_bounds.check(self.tallies["bounds"], self.proftui, self.path, self.extent)
        return self.tallies

    def numbered(self):
        """The steps with their numbers, as texts; those of engines have none, and are counted from 0."""
        steps = enumerate(step for step, _ in self.of_steps)
        steps = [(step.name.partition("#")[2] or str(index), step) for index, step in steps]
        return [(number, step) for number, step in steps if number.isdigit()]

    def steps(self):
        """The first and the last of them."""
        return self.numbered()[:1] + self.numbered()[1:][-1:]
