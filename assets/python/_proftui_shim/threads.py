"""Has a tracer trace each thread that computes, where the framework can be asked to trace one thread at a time.

Each thread begins and ends its own part: new threads before their first line, others with the next hook that runs on them. So a hook of a
phase calls `follow` if the thread does not trace as it should. Knows no framework and ends no step.
"""
import atexit
import threading
from contextlib import suppress
from functools import wraps

from _proftui import thread

from .harmless import harmless
from .ranges import here

# The tracer that each thread should be traced by: an object with `join()` and `leave()`; None for none.
tracer = None


def trace(wanted):
    """From now on, threads that compute should be traced by `wanted`, or by none; this thread is at once. May raise."""
    global tracer
    tracer = wanted
    try:
        _follow()
    except Exception:
        tracer = None
        raise


@harmless
def follow():
    """This thread begins or ends to be traced, as it should."""
    _follow()


def _follow():
    before, wanted = here.tracer, tracer
    # A tracer that may not end yet is asked again by the next hook.
    if before is wanted or (before is not None and not before.leave()):
        return
    here.tracer = wanted
    if wanted is not None:
        wanted.join()


def watch():
    """Threads that Python starts from now on follow before their first line, and the main thread at the end of the process."""
    atexit.register(follow)
    # Called on the new thread. A wrapper of the function that the thread runs would be in its tracebacks.
    begins = getattr(threading.Thread, "_set_ident", None)
    if begins is None:
        return

    @wraps(begins)
    def _set_ident(self):
        begins(self)
        if tracer is not None:
            _begin(self)

    threading.Thread._set_ident = _set_ident


@harmless
def _begin(new):
    if here.tracer is None and not isinstance(new, threading._DummyThread):
        # Python does not know the thread yet, so that `here` did not find its name.
        thread(new.name)
        follow()


class AtEnd:
    """Calls a function when the thread that made this ends, where it is kept in a `threading.local`; or before, when it is deleted."""

    def __init__(self, call, *args):
        self._thread, self._call, self._args = threading.get_ident(), call, args

    def __del__(self):
        # At the end of the process, the main thread deletes what belongs to threads that still run.
        if self._thread == threading.get_ident():
            with suppress(Exception):
                self._call(*self._args)
