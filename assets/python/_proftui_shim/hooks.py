"""Makes hooks: callables of the agent that stand for a function of a framework or script, and have no frame of their own.

So a hook is in no traceback of the script, takes nothing of its recursion limit, and has the function's attributes. Knows no framework.
"""
from _proftui import hook

from .harmless import failed


class Phase:
    """Phases: while a thread is in a call of a hook with a phase, other hooks with that phase just call their functions."""

    NONE, LOADING, FORWARD, BACKWARD, FUNCTION, CHECKPOINT, COLLECTIVE, FIT = 0, 1, 2, 4, 8, 16, 32, 64


def hooked(before, after, phase=Phase.NONE):
    """A wrapper for functions. `before` gets the arguments of a call; if it returns None, the function is just called.

    Else `after(begun, is_done, result)` is called when the function has ended: `begun` is what `before` returned; `is_done` is False if the
    function raised, and `result` then the class of the exception.
    """
    return lambda function: hook(function, before, after, phase, _report)


def preceded(report):
    """A wrapper for functions: calls `report` before them, with the same arguments."""

    def before(*args, **kwargs):
        report(*args, **kwargs)

    return hooked(before, _nothing)


def followed(report):
    """A wrapper for functions: calls `report` after they have returned."""

    def after(begun, is_done, result):
        if is_done:
            report()

    return hooked(_always, after)


def _always(*args, **kwargs):
    return True


def _nothing(begun, is_done, result):
    pass


def _report(part, error):
    failed(part.__qualname__, error)
