"""Closes the recorder in children that multiprocessing forks: they exit without running `atexit`."""
import _proftui

from . import intervals


class _Forks:
    """Exists so that multiprocessing has something to hold by a weak reference."""


_forks = _Forks()


def install(util):
    """Has each child close the recorder when its work is done."""
    util.register_after_fork(_forks, lambda _: util.Finalize(None, _close, exitpriority=-1000))


def _close():
    intervals.finish()
    _proftui.close()
