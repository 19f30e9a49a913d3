"""Children that multiprocessing forks: they leave without the end that other processes have, and say it here."""
import _proftui

from . import intervals


class _Forks:
    """What multiprocessing keeps for as long as it is there."""


_forks = _Forks()


def install(util):
    """Has each child close the recorder when its work is done."""
    util.register_after_fork(_forks, lambda _: util.Finalize(None, _close, exitpriority=-1000))


def _close():
    intervals.finish()
    _proftui.close()
