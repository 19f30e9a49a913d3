"""Decides when steps begin that do not begin with the end of the step before: the first one, and one after a pass of validation.

The first step begins when the first batch of the loop was given, or with the first forward, if that is earlier; a step after a pass of
validation when its first batch is requested. Knows no framework, and ends no step.
"""
from time import monotonic_ns

from _proftui import validation

from . import facts
from .count import now
from .validation import Passes


class Beginnings:
    """What was loaded and forwarded since the last step ended, as far as the beginning of the next one depends on it."""

    def __init__(self, count):
        self._count = count
        # The pass of validation that may go on.
        self.passes = Passes()
        # True if a batch was given that no forward got yet; and when it was asked for.
        self.is_unused = False
        self._asked_at = 0
        # True once the loop of steps has begun; and the `id` of the iterator that gave the last batch before that.
        self._is_in_loop = False
        self._iterator = None

    def moved(self):
        """From now on another thread's loop is followed; if the current step has begun, it began in that loop."""
        self.passes = Passes()
        self.is_unused = False
        self._is_in_loop = self._count.has_begun

    def forget(self):
        """What was loaded and forwarded so far is no part of the loop."""
        self._is_in_loop = self._count.has_begun = False

    def look_again(self):
        """What was loaded and forwarded last is not known: for some steps that was not seen."""
        self.is_unused = False
        self.passes.forget()

    def batch_asked(self):
        """The loader is asked for a batch."""
        if not self.is_unused:
            self._asked_at = monotonic_ns()
        passes = self.passes
        if passes.start and passes.batch_asked():
            # The next step begins here, if it gets the batch.
            self._count.samples = 0
            if self._count.ended and (passes.has_forward_since or not self.is_unused):
                passes.has_forward_since, passes.next = False, now()

    def batch_given(self, iterator):
        """The loader's iterator gave a batch."""
        self.is_unused = True
        passes = self.passes
        if passes.is_sure:
            if not self._count.ended:
                passes.next = passes.next or now()
        elif not (self._is_in_loop or passes.start) and not (self._count.has_begun and self._iterator == id(iterator)):
            # Of several iterators the last one is the loop's own, after one that gave an example.
            self._iterator = id(iterator)
            self._count.begin()

    def forward_begins(self, module, is_training, has_gradients, may_validate):
        """A forward begins; returns True if it is one of validation. `may_validate`: it is one if no gradients are recorded."""
        is_validation = not has_gradients and (may_validate or self.passes.start != 0)
        if has_gradients:
            self.trains(module if is_training else None)
        elif is_validation:
            # A criterion may be in training mode.
            self.passes.forward_begins(module, self._asked_at if self.is_unused else 0)
        self.is_unused = False
        self._is_in_loop = True
        if not self._count.has_begun:
            self._count.begin()
        return is_validation

    def work_begins(self):
        """Something of the loop begins that is no forward that is seen, such as the compilation of one, or a backward pass."""
        if not self._count.has_begun:
            self._count.begin()

    def validated(self):
        """A forward of validation returned."""
        if self.passes.start:
            self.passes.forward_returned()

    def trains(self, module=None):
        """The program trains, with the forward of this module (None: not known): a pass of validation has ended."""
        passes = self.passes
        if passes.start and passes.end_pass():
            self._count.begin(passes.next)
            if self._count.ended:
                self.record()
        if passes.start or module is not None:
            passes.trains(module)

    def record(self):
        """Records the passes that have ended: the process has steps, or is about to have its first one."""
        for times in self.passes.take():
            validation(*times)

    def finish(self, has_trained):
        """The loop ends, and a pass with it. Passes are recorded only if the program has trained. May be called repeatedly."""
        self.passes.end_pass()
        self.passes.forget()
        if has_trained:
            self.record()
        if self.passes.count:
            facts.learn("validations", self.passes.count)
