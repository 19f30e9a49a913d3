"""Processes that multiprocessing forks: they get its name for them, and the recorder is closed in them, since they exit without running
`atexit` functions."""
import _proftui

from . import intervals, process, steps
from .harmless import harmless


class _Forks:
    """An object for `register_after_fork`, which keeps a weak reference to its first argument."""


_forks = _Forks()


def install(util):
    """Names each child when it begins, and closes the recorder in it when its work is done."""
    util.register_after_fork(_forks, lambda _: _begin(util))


@harmless
def _begin(util):
    util.Finalize(None, _close, exitpriority=-1000)
    process.name_child()


def _close():
    steps.rule.settle()
    intervals.finish()
    _proftui.close()
