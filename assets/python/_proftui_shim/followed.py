"""The thread whose loop is followed: batches, and forwards of validation, are looked at on it alone."""
import os
import threading

from . import threads
from .ranges import here

# Evidence that a thread trains, from weak to strong: it makes an optimizer, computes gradients, ends a step with an optimizer.
MADE, LEARNED, STEPPED = 1, 2, 3


class Followed:
    """The followed thread, at first the main one, and how sure that is."""

    def __init__(self, moved, ended):
        """`moved()` is called when another thread begins to be followed, `ended()` when it ends, unless it is the main one."""
        self._moved, self._ended = moved, ended
        self._thread = threading.main_thread().ident
        self._evidence = 0

    def is_here(self):
        """True on the followed thread."""
        return threading.get_ident() == self._thread

    def trains_here(self, evidence):
        """This thread trains, by this evidence: its loop is followed, unless there is as good evidence that another one trains."""
        if evidence > self._evidence or evidence == STEPPED:
            self._evidence = evidence
            thread = threading.get_ident()
            if thread != self._thread:
                self._thread = thread
                self._moved()
                if thread != threading.main_thread().ident:
                    here.at_end = threads.AtEnd(self._thread_ended, thread, os.getpid())

    def _thread_ended(self, thread, pid):
        # In the child of a fork the loop is over, too.
        if thread == self._thread and pid == os.getpid():
            self._ended()
