"""The phases that a thread is in, and the tags of ranges' names.

Knows no framework and wraps nothing. Its functions run within the script's calls, so they are short and raise nothing.
"""
import os
import threading

from _proftui import leave_phases, name, thread

DATALOADER, OTHER, FORWARD, BACKWARD, OPTIMIZATION, COMMUNICATION, USER = 1, 7, 9, 10, 11, 12, 14
# Kinds that Paddle does not have.
COMPILE, CHECKPOINT, IMPORT, FUNCTION = 201, 202, 203, 204

# Most names whose tags are kept: a script may make a new name in every step.
_MOST_TAGS = 4096


class _Here(threading.local):
    """The calls that the thread is in, beside those of hooks with a phase."""

    # True in a backward pass; `operators_torch_full._CUT` after a tracer stopped in it.
    backward = False
    # Optimizers that are stepping, outermost first.
    optimizers = ()
    # Number of the framework's open ranges around an optimizer's step, and the optimizer that stepped within them.
    around = 0
    stepped = None
    # The stack of NVTX pushes, nested: True for a push that is recorded by the hooks, its annotation, and the rest of the stack.
    pushed = ()
    # The outermost annotation of a serving engine (`calls`).
    annotation = None
    # Number of open events of Paddle's `RecordEvent`.
    events = 0
    # Something that is deleted when the thread ends.
    at_end = None
    # The tracer that traces this thread, where `threads` decides that.
    tracer = None

    def __init__(self):
        # Runs once per thread. `threading.current_thread()` would create an object for a thread that Python did not start.
        known = getattr(threading, "_active", {}).get(threading.get_ident())
        try:
            if known is not None:
                thread(known.name)
        except Exception:
            # A thread without a name is shown with its id.
            pass


here = _Here()


class Tags(dict):
    """The tags of one kind of range, by name; the agent makes a tag at the name's first use."""

    def __init__(self, kind):
        super().__init__()
        # The tag for this kind without a name.
        self._nameless = kind << 24
        self._kind = kind

    def __missing__(self, text):
        try:
            tag = name(self._kind, text)
        except Exception:
            return self._nameless
        if len(self) < _MOST_TAGS:
            self[text] = tag
        return tag

    def of_class(self, thing, suffix=""):
        """The tag for the name of an object's class."""
        return self[type(thing).__name__ + suffix]


def _after_fork():
    here.__dict__.clear()
    leave_phases()


os.register_at_fork(after_in_child=_after_fork)
