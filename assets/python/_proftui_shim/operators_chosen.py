"""Which tracer records a framework's operators: the one that the run's options ask for, or those that the script's profilers of the module
`proftui` ask for, one after the other.

The wrappers of the framework's own profiler serve the tracer of the moment. Knows no framework.
"""
import sys
from contextlib import nullcontext

from . import facts, intervals, steps
from .harmless import fail
from .hooks import hooked
from .operators import Tracer

# How operators are recorded: off, light or full; the properties of operators to record in full; and whether GPUs are recorded.
_wanted = "off", (), True
# True if the script's profilers of the module `proftui` choose, and may choose anew.
may_change = False
# The frameworks that were imported before the recorder was there.
imported_before = frozenset()
_frameworks = []


def follow(options):
    """Reads the run's options; called before the shim looks at any framework."""
    global _wanted, may_change, imported_before
    _wanted, may_change = _read(options), options.get("schedule") == "manual"
    imported_before = frozenset(sys.modules).intersection(("torch", "paddle"))


def are_wanted():
    """True if operators are recorded, or may be later."""
    return may_change or _wanted[0] != "off"


def choose(options):
    """From the next cycle on, operators are recorded as these options ask for. No cycle may be open."""
    global _wanted
    _wanted = _read(options)
    for framework in _frameworks:
        framework.choose()


def _read(options):
    asks, device = (options.get(key, "").split(",") for key in ("ops_asks", "device"))
    return options.get("ops", "off"), tuple(asks), "off" not in device


class Operators:
    """The operators of a framework. `make(how, asks, has_gpu)` makes a tracer; it returns None, and says why, if there is none."""

    def __init__(self, name, make):
        self._name = name
        self._make = make
        self._made = {}
        # This one traces nothing.
        self.tracer = Tracer()
        self.choose()
        _frameworks.append(self)

    def choose(self):
        """Uses the tracer that is wanted by now, instead of the present one."""
        before, self.tracer = self.tracer, self._tracer()
        if self.tracer is not before:
            intervals.remove(before)
            before.retire()
            self.tracer.others = before.others
            if self.tracer.framework:
                intervals.add(self.tracer, steps.rule.part.is_child)
        if "full" in (before.how, self.tracer.how):
            facts.operators(self._name, self.tracer.how)
        if self.tracer.why != before.why:
            facts.learn("ops.why", self.tracer.why)

    def _tracer(self):
        if _wanted not in self._made:
            tracer = None
            try:
                tracer = self._make(*_wanted) if _wanted[0] != "off" else None
            except Exception as error:
                fail("%s: cannot record operators" % self._name, error)
            self._made[_wanted] = tracer or Tracer()
        return self._made[_wanted]

    def around(self, begins=False, ends=False, takes=False):
        """A wrapper for a method by which the script's own profiler begins or ends; with `takes`, the events of that profiler are kept."""

        def before(other, *args, **kwargs):
            tracer = self.tracer
            is_new = begins and self._safely(tracer.give_way, other)
            beside = tracer.beside() if is_new else nullcontext()
            beside.__enter__()
            return tracer, other, beside

        def after(begun, is_done, result):
            tracer, other, beside = begun
            beside.__exit__(None, None, None)
            if is_done and takes and tracer.has_cycle:
                self._safely(tracer.take, other)
            if ends or not is_done:
                self._safely(tracer.take_back, other)

        return hooked(before, after)

    def _safely(self, method, other):
        try:
            return method(other)
        except Exception as error:
            fail("%s: cannot record operators while the script's own profiler runs" % self._name, error)
