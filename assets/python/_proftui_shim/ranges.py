"""What a thread is in, and the tags of ranges' names.

Knows no framework and wraps nothing. All of it runs within the script's own calls, so it is short and raises nothing.
"""
import os
import threading

from _proftui import name, thread

DATALOADER, OTHER, FORWARD, BACKWARD, OPTIMIZATION, USER = 1, 7, 9, 10, 11, 14

# Names that are kept here; a script that makes up a name a step would fill the memory otherwise.
_MOST_TAGS = 4096


class _Here(threading.local):
    """What the thread is in: calls of the same sort within it belong to it."""

    loading = False
    forward = False
    # True within one, or what a tracer of operators has to remember of it.
    backward = False
    function = False
    # Optimizers that are stepping, outermost first.
    optimizers = ()
    # Ranges that a framework has open around an optimizer's step, and the optimizer that stepped in them.
    around = 0
    stepped = None
    # NVTX's pushes, of which the pop need not come: whether the last is a range here, and those before it.
    pushed = ()
    # Paddle's events that are under way.
    events = 0

    def __init__(self):
        # Once a thread. Asking for the current thread would make one up for threads that are not Python's.
        known = getattr(threading, "_active", {}).get(threading.get_ident())
        try:
            if known is not None:
                thread(known.name)
        except Exception:
            # A thread without a name is shown by its number.
            pass


here = _Here()


class Tags(dict):
    """The tags of a kind, by name."""

    def __init__(self, kind):
        super().__init__()
        # Of the kind, without a name.
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
        """The tag for a thing, by the name of its class."""
        return self[type(thing).__name__ + suffix]


def _after_fork():
    here.__dict__.clear()


os.register_at_fork(after_in_child=_after_fork)
