"""The runs of the script's own GPU profilers: the agent learns when each begins and ends, and whether its file can still come.

The trace of a cycle in which such a profiler ran waits for that file. Knows no profiler.
"""
import itertools
import sys
import weakref

from _proftui import note

from .harmless import harmless

_FACT = 1
_numbers = itertools.count(1)
# The runs whose file may still come, by the id of their profiler, which is in no other run at the same time.
_runs = {}


class _Run:
    def __init__(self, profiler, name):
        self.name = name
        self.number = next(_numbers)
        self.is_on = True
        self.profiler = weakref.ref(profiler, self._gone)
        self.report("began " + name)

    def report(self, what):
        note(_FACT, "gpu.run=%d %s" % (self.number, what))

    @harmless
    def _gone(self, profiler, is_over=sys.is_finalizing):
        # At the end of the process its traces wait for nothing.
        if not is_over():
            gone(self)


def began(profiler, name):
    """A run of a profiler, which is named `name`, begins. What its last run recorded is lost if that has not been written."""
    gone(_runs.get(id(profiler)))
    _runs[id(profiler)] = _Run(profiler, name)


def ended(profiler):
    """The run of this profiler, if there is one, is about to end."""
    run = _runs.get(id(profiler))
    if run is not None and run.is_on:
        run.is_on = False
        run.report("ended")


def written(profiler):
    """The profiler has written what it recorded up to now. If it goes on, another run begins."""
    run = _runs.pop(id(profiler), None)
    if run is not None:
        run.report("written")
        if run.is_on:
            began(profiler, run.name)


def gone(run):
    """No file of this run will come any more; does nothing for None."""
    if run is not None:
        for at in [at for at, other in _runs.items() if other is run]:
            del _runs[at]
            run.report("gone")
