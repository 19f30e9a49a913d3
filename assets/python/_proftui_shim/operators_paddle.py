"""Paddle's operators: its own tracer of the host, which both light and full take, by its core.

Paddle's Python has a profiler around that core, with ranges of phases; the hooks report those, so it is not used. The core can have
one tracer: ours cannot be made as long as one of the script's own exists, be it idle.
"""
import os
import weakref

from _proftui import note

from . import facts, intervals, steps
from .operators import Tracer
from .quiet import Levels
from .wrappers import wrapped

# Traces the host.
_HOST = 1
# Of Google's log, which Paddle writes to: warnings are the least that is said.
_LEVEL, _SILENCE = "_ZN3fLI17FLAGS_minloglevelE", 1


def install(paddle, how, asks):
    """Traces operators while cycles are open, by `how` (light or full), with the properties `asks`."""
    core = paddle.base.core if hasattr(paddle, "base") else paddle.fluid.core
    for needed in ("_Profiler", "ProfilerOptions"):
        if not hasattr(core, needed):
            note(2, "paddle %s: operators not captured: it has no %s" % (paddle.__version__, needed))
            return
    if intervals.is_by_time:
        note(2, "paddle %s: operators not captured: a window by time opens in the middle of a step" % paddle.__version__)
        return
    if how == "full":
        facts.operators("paddle", "full")
    tracer = _Host(core, os.path.dirname(paddle.__file__), asks if how == "full" else ())
    profiler = paddle.profiler.Profiler
    wrapped(profiler, "__init__", tracer.around(begins=True))
    wrapped(profiler, "step", tracer.around(found=tracer.take))
    wrapped(profiler, "stop", tracer.around(ends=True, found=tracer.take))
    intervals.add(tracer, steps.rule.is_child)


class _Host(Tracer):
    framework, ending = "paddle", "paddle.pb"
    keeps = True
    is_of_thread = False

    def __init__(self, core, folder, asks):
        super().__init__()
        self._core = core
        # Each a switch of the whole process, in versions that have it.
        asked = [("op_info", {"shapes", "flops"}), ("memory", {"memory"})]
        self._switches = [name for name, words in asked if words & set(asks) and hasattr(core, "enable_%s_recorder" % name)]
        self._profiler = None
        # The result of each of the script's own profilers that was written last.
        self._taken = weakref.WeakKeyDictionary()
        paths = [os.path.join(folder, *path) for path in (("base", "libpaddle.so"), ("libs", "libphi_core.so"))]
        self._levels = Levels(paths, _LEVEL, _SILENCE)

    def make_ready(self):
        options = self._core.ProfilerOptions()
        options.trace_switch = _HOST
        try:
            self._profiler = self._core._Profiler.create(options, [])
        except TypeError:
            # Before there were devices of other makes.
            self._profiler = self._core._Profiler.create(options)
        if self._profiler is None:
            return False
        self._profiler.prepare()
        return True

    def begin(self):
        self._switch("enable")
        self._profiler.start()
        return True

    def end(self):
        # The last reference: only without it can the next tracer be made.
        profiler, self._profiler = self._profiler, None
        result = profiler.stop()
        del profiler
        self._switch("disable")
        self._save(result)

    def unready(self):
        # As long as it exists, no other tracer can be made.
        self._profiler = None

    def take(self, profiler):
        """Writes the result of the script's own profiler, if that is new."""
        result = profiler.profiler_result
        if result is not None and self._taken.get(profiler) is not result:
            self._taken[profiler] = result
            self._save(result)

    def _save(self, result):
        with self._levels.lowered():
            self.write(lambda path: result.save(path, "pb"))

    def _switch(self, action):
        for name in self._switches:
            getattr(self._core, "%s_%s_recorder" % (action, name))()

    def forget(self):
        if self.is_on:
            # It goes on in the child, and keeps others from being made.
            self._profiler.stop()
        super().forget()
        self._profiler = None
