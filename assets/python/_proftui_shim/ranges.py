"""The phases that a thread is in, and the tags of ranges' names.

Knows no framework and wraps nothing. All of it runs within the script's own calls, so it is short and raises nothing.
"""
import os
import threading

from _proftui import name, thread

DATALOADER, OTHER, FORWARD, BACKWARD, OPTIMIZATION, USER = 1, 7, 9, 10, 11, 14

# Most names whose tags are kept: a script may make a new name in every step.
_MOST_TAGS = 4096


class _Here(threading.local):
    """The phases that the thread is in: a call of the same sort within one belongs to it."""

    loading = False
    forward = False
    # True in a backward pass, or the mark that a tracer of operators has put on it.
    backward = False
    function = False
    # Optimizers that are stepping, outermost first.
    optimizers = ()
    # How many ranges a framework has open around an optimizer's step, and the optimizer that stepped in them.
    around = 0
    stepped = None
    # The stack of NVTX's pushes, as nested pairs: whether a push is a range here, and the rest. Some are never popped.
    pushed = ()
    # How many of Paddle's events are open.
    events = 0

    def __init__(self):
        # Runs once per thread. `threading.current_thread()` would make an object for threads that are not Python's.
        known = getattr(threading, "_active", {}).get(threading.get_ident())
        try:
            if known is not None:
                thread(known.name)
        except Exception:
            # A thread without a name is shown by its number.
            pass


here = _Here()


class Tags(dict):
    """The tags of a kind of range, by name; made by the agent at the first use."""

    def __init__(self, kind):
        super().__init__()
        # The tag of the kind without a name.
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
        """The tag for an object, by the name of its class."""
        return self[type(thing).__name__ + suffix]


def _after_fork():
    here.__dict__.clear()


os.register_at_fork(after_in_child=_after_fork)
