"""Paddle's operators, by the host tracer in Paddle's C++ core, for both `--ops light` and `--ops full`.

`paddle.profiler.Profiler` is not used, since it adds ranges of phases, which the hooks report. The core allows one tracer at a time:
none can be created while the script's own exists, even an idle one.
"""
import os
import weakref

from _proftui import note

from . import intervals
from .operators import Tracer
from .operators_chosen import Operators
from .quiet import Levels
from .wrappers import wrapped

# The bit of `trace_switch` for the host.
_HOST = 1
# The variable of Google's logging library that holds the lowest level written, and the value for warnings.
_LEVEL, _SILENCE = "_ZN3fLI17FLAGS_minloglevelE", 1


def install(paddle):
    """Has operators recorded, now or later."""
    core = paddle.base.core if hasattr(paddle, "base") else paddle.fluid.core
    for needed in ("_Profiler", "ProfilerOptions"):
        if not hasattr(core, needed):
            note(2, "paddle %s: cannot record operators: this version has no core.%s" % (paddle.__version__, needed))
            return
    if intervals.is_by_time:
        note(2, "paddle %s: cannot record operators with --window: Paddle's profiler starts and stops between steps only"
             % paddle.__version__)
        return
    folder = os.path.dirname(paddle.__file__)
    operators = Operators("paddle", lambda how, asks, has_gpu: _Host(core, folder, how, asks))
    profiler = paddle.profiler.Profiler
    wrapped(profiler, "__init__", operators.around(begins=True))
    wrapped(profiler, "step", operators.around(takes=True))
    wrapped(profiler, "stop", operators.around(ends=True, takes=True))


class _Host(Tracer):
    framework, ending = "paddle", "paddle.pb"
    keeps = True
    is_of_thread = False

    def __init__(self, core, folder, how, asks):
        super().__init__()
        self.how = how
        self._core = core
        # Switches of the whole process; not every version has them.
        asked = [("op_info", {"shapes", "flops"}), ("memory", {"memory"})]
        self._switches = [name for name, words in asked if how == "full" and words & set(asks) and hasattr(core, "enable_%s_recorder" % name)]
        self._profiler = None
        # For each of the script's own profilers: the result that was written last.
        self._taken = weakref.WeakKeyDictionary()
        paths = [os.path.join(folder, *path) for path in (("base", "libpaddle.so"), ("libs", "libphi_core.so"))]
        self._levels = Levels(paths, _LEVEL, _SILENCE)

    def make_ready(self):
        options = self._core.ProfilerOptions()
        options.trace_switch = _HOST
        try:
            self._profiler = self._core._Profiler.create(options, [])
        except TypeError:
            # Versions without custom devices take one argument.
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
        # The last reference to the tracer must go, else the next one cannot be created.
        profiler, self._profiler = self._profiler, None
        result = profiler.stop()
        del profiler
        self._switch("disable")
        self._save(result)

    def unready(self):
        # No other tracer can be created while this one exists.
        self._profiler = None

    def take(self, profiler):
        """Writes the result of the script's own profiler, if it has a new one."""
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
            # In the child it is still on, and no other could be created.
            self._profiler.stop()
        super().forget()
        self._profiler = None
