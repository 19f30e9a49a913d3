"""Counts steps: gives their ends to the agent at once or, where it is not plain yet that they are ends, later, with their times.

Knows neither what ends a step nor any framework. Times are those of the monotonic clock, ns, which is the agent's.
"""
from time import monotonic_ns

from _proftui import begin_step, waited

from . import intervals


class Count:
    """The steps that were counted, the ends that wait for a decision, and the samples of the current step."""

    def __init__(self, batch_size):
        self._batch_size = batch_size
        self.forget()

    def forget(self):
        """Resets the state to that of a process that has ended no step."""
        # Number of steps that ended since the count began.
        self.ended = 0
        # Samples of the current step.
        self.samples = 0
        # The source of the ends that wait, and per end: its time, the time waited for data and the samples since the last step ended.
        self.source = None
        self.waiting = []
        self.has_begun = False

    def add(self, samples):
        """Adds the samples of a batch to the current step."""
        if not self._batch_size:
            self.samples += samples

    def begin(self, moment=None):
        """The current step begins now, or began at this moment (as `now` returns it)."""
        self.has_begun = True
        intervals.begin_loop()
        begin_step(*(moment or now()))

    def end(self):
        """The current step ends."""
        self.drop()
        count, self.samples = self._batch_size or self.samples, 0
        self.ended += 1
        intervals.end_step(count)

    def end_unrecorded(self):
        """The current step ends, in which hooks were removed."""
        self.ended += 1
        intervals.end_unrecorded_step(self._batch_size)

    def wait(self, source):
        """The current step may have ended by this source: the end waits. Ends of another source that wait are dropped."""
        if self.source != source:
            self.drop()
        self.source = source
        self.waiting.append(now() + (self.samples,))

    def drop(self):
        """The ends that wait are no ends of steps: they are forgotten."""
        self.source = None
        if self.waiting:
            self.waiting = []

    def settle(self, ends=None):
        """The ends that wait are ends of steps: all of them, or only those with the indices `ends`."""
        found, self.waiting, self.source = self.waiting, [], None
        waited_before = samples_before = 0
        for at, (time, waited_then, samples) in enumerate(found):
            if ends is None or at in ends:
                count = self._batch_size or samples - samples_before
                self.ended += 1
                intervals.end_step_at(count, time, max(waited_then - waited_before, 0))
                waited_before, samples_before = waited_then, samples
        self.samples -= samples_before

    def restart(self):
        """The current step is the first one: those that ended before were none of the program's training."""
        self.ended = 0
        intervals.restart_steps()


def now():
    """The present moment: its time, and for how long this thread has waited for data in the current step."""
    return monotonic_ns(), waited()
