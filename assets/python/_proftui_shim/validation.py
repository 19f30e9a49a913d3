"""Finds passes of validation: forwards in evaluation mode without gradients, in a program that trains.

A pass has batches of its own: the loader is asked for the next batch before the program trains again. Without a loader, the module is
one that trains. So the forward of a teacher in each step of a student is none. Ends no step; knows no framework.
"""
import weakref
from time import monotonic_ns

# Most passes that are kept until they are taken; of more, the first ones are dropped.
_MOST = 64


class Passes:
    """The pass that goes on, and those before."""

    def __init__(self):
        # Number of passes that were taken; and the times of those that ended since.
        self.count = 0
        self._ended = []
        # The module that trained last.
        self._trained = None
        self.forget()

    def forget(self):
        """No pass goes on."""
        self.start = self.end = 0
        self.is_sure = False
        # The moment at which the next step begins if it trains; None if it was not seen yet.
        self.next = None
        self.has_forward_since = False

    def forward_begins(self, module, asked):
        """A forward of validation begins; `asked`: when the batch was requested that no forward got yet, 0 if there is none."""
        if not self.start:
            self.start = asked or monotonic_ns()
            self.is_sure = not asked and self._trained is not None and self._trained() is module

    def forward_returned(self):
        """A forward of validation returned."""
        self.end = monotonic_ns()
        self.has_forward_since, self.next = True, None

    def batch_asked(self):
        """The next batch is requested: those before were validated. Returns True if a pass goes on."""
        if self.start and self.end:
            self.is_sure = True
        return self.is_sure

    def trains(self, module=None):
        """The program trains, with the forward of this module (None: not known): no pass goes on."""
        self.forget()
        if module is not None:
            self._trained = weakref.ref(module)

    def end_pass(self):
        """Ends the pass; returns False if it was none."""
        if self.is_sure and self.end:
            self._ended.append((self.start, self.end))
            # Before the first step they are kept: the process may only validate, and these be its steps.
            del self._ended[:-_MOST]
            return True
        return False

    def take(self):
        """Returns the times of the passes that ended since the last call."""
        found, self._ended = self._ended, []
        self.count += len(found)
        return found
