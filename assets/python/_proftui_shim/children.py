"""Closes the recorder in processes that multiprocessing forks: they exit without running `atexit` functions."""
import _proftui

from . import intervals, steps


class _Forks:
    """An object for `register_after_fork`, which keeps a weak reference to its first argument."""


_forks = _Forks()


def install(util):
    """Closes the recorder in each forked child when its work is done."""
    util.register_after_fork(_forks, lambda _: util.Finalize(None, _close, exitpriority=-1000))


def _close():
    steps.rule.settle()
    intervals.finish()
    _proftui.close()
