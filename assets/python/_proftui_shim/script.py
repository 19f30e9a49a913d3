"""Watches the script's main module while its code runs, to find a function in it: that module is never imported. In a shell, each statement
or cell is such code, up to the first one that binds the name; under a launcher, such as `coverage run`, the script is, which it runs later.

The instructions that bind the function's name are searched in the module's code: watching ends after the last of them, and does not
begin if there is none. From Python 3.12 on, only the lines of that code object report events (PEP 669); other code costs nothing.
Before, a trace function runs at each call of a Python function until then, which is mostly while the script imports its modules.
"""
import os
import sys
import sysconfig

from _proftui import note

from .harmless import fail, harmless
from .monitoring import take

# Modules or programs that run a script, or what is typed, from their own main module.
_LAUNCHERS = {
    "cProfile", "coverage", "debugpy", "ipykernel_launcher", "IPython", "ipython", "ipython3", "kernprof", "memray", "mpi4py", "pdb",
    "profile", "pyinstrument", "scalene", "trace", "viztracer",
}  # fmt: skip
# Names in the code of any other main module that does so.
_RUNS_ANOTHER = "start_ipython", "runpy", "run_path", "run_module"
# Folders of what is installed: a main module there may run a script, too.
_INSTALLED = tuple({os.path.join(sysconfig.get_path(name) or "-", "") for name in ("stdlib", "platstdlib", "purelib", "platlib", "scripts")})
# Beginnings of the file names of what is typed, statement by statement; and of the names of its code in versions of IPython.
_TYPED, _CELL = ("<stdin>", "<python-input"), "<cell line:"

# The watches that have not ended.
_watches = []


def watch(module, path, is_child, look):
    """Calls `look(names)` at each line of the script, up to the last line that binds a part of the path.

    `module` is the name of the script's file without its ending, or `__main__`. `names` has the module's names as attributes.
    """
    this = _Watch(module, path, is_child, look)
    _watches.append(this)
    (_monitor if hasattr(sys, "monitoring") else _trace)(this)


@harmless
def stop():
    """Ends all watches: the function was found."""
    while _watches:
        _watches.pop().end()


def is_launched():
    """True if a program that runs scripts was started and, before Python 3.12, may have taken the one trace function that there is."""
    return not hasattr(sys, "monitoring") and any(watch.is_launched for watch in _watches)


class _Watch:
    """The search for a path in the script's module; `_monitor` or `_trace` calls it for each line."""

    is_over = False

    def __init__(self, module, path, is_child, look):
        self._module = module
        self._path = path
        self._is_child = is_child
        self._look = look
        self._last = -1
        # True if a shell or launcher was started, which may run more code as the main module; and if that is a known one.
        self.is_shell = self.is_launched = False

    def undo(self):
        """Removes the callbacks; `_monitor` and `_trace` replace this method."""

    def end(self):
        """Ends the watch; may be called on any thread."""
        if not self.is_over:
            self.is_over = True
            self.undo()

    def begins(self, frame):
        """None before the script begins; then True if its code binds the name, else False."""
        name, names = frame.f_code.co_name, frame.f_globals
        # A process that multiprocessing starts has another main module, and runs the script, if at all, under another name.
        if self._is_child and name == "_bootstrap":
            return False
        if not (name == "<module>" or name.startswith(_CELL)):
            return None
        if names.get("__name__") != ("__mp_main__" if self._is_child else "__main__"):
            return None
        code = frame.f_code
        stem = os.path.splitext(os.path.basename(code.co_filename))[0]
        # A module that `-m` names, or a program without an ending.
        started = getattr(names.get("__spec__"), "name", None) or os.path.basename(code.co_filename)
        if started.partition(".")[0] in _LAUNCHERS and started != stem + ".py":
            self.is_shell = self.is_launched = True
            return None
        # Before Python 3.12 the search costs each call until it ends.
        may_launch = hasattr(sys, "monitoring") and code.co_filename.startswith(_INSTALLED)
        if may_launch or any(name in code.co_names for name in _RUNS_ANOTHER):
            self.is_shell = True
        if self._module == "__main__" or stem == self._module.rpartition(".")[2]:
            self._last = _last_binding(code, self._path)
        # What is typed next may bind it.
        return True if self._last >= 0 else None if self.is_shell or _is_typed(code) else False

    def look(self, frame):
        """Looks for the name at a line of the script, or at its end; ends the watch with the last line that binds it."""
        try:
            self._look(_Names(frame.f_globals))
        except Exception as error:
            fail("cannot find the function of --step-on in the script", error)
            self.end()
        if frame.f_lasti > self._last:
            self.end()


def _is_typed(code):
    """True for code that was typed: each statement is a module of its own."""
    return code.co_filename.startswith(_TYPED) and bool(sys.flags.interactive or (sys.stdin and sys.stdin.isatty()))


class _Names:
    """The names of a frame's module as attributes; the module may be missing in `sys.modules`."""

    def __init__(self, names):
        self.__dict__ = names


def _last_binding(code, path):
    """Offset of the last instruction of a module that binds a part of the path; -1 if none does."""
    from dis import get_instructions

    first, *others = path.split(".")
    last = -1
    for one in get_instructions(code):
        if (
            (one.opname in ("STORE_NAME", "STORE_GLOBAL") and one.argval == first)
            or (one.opname == "STORE_ATTR" and one.argval in others)
            # `from x import *` may bind any name.
            or "IMPORT_STAR" in (one.opname, one.argrepr[-11:])
        ):
            last = one.offset
    return last


def _monitor(this):
    tool = take()
    if tool is None:
        note(3, "cannot find the function of --step-on in the script: other tools use all tool ids of sys.monitoring")
        return
    monitoring = sys.monitoring
    events = monitoring.events
    watched = []

    def started(code, offset):
        begun = None if this.is_over else this.begins(sys._getframe(1))
        if begun:
            monitoring.set_events(tool, 0)
            monitoring.set_local_events(tool, code, events.LINE | events.PY_RETURN)
            watched.append(code)
        elif begun is not None:
            this.end()
        return monitoring.DISABLE

    def line(code, *where):
        if not this.is_over:
            this.look(sys._getframe(1))

    def undo():
        monitoring.set_events(tool, 0)
        for code in watched:
            monitoring.set_local_events(tool, code, 0)
        for event in (events.PY_START, events.LINE, events.PY_RETURN):
            monitoring.register_callback(tool, event, None)
        monitoring.free_tool_id(tool)

    this.undo = undo
    monitoring.register_callback(tool, events.PY_START, started)
    monitoring.register_callback(tool, events.LINE, line)
    monitoring.register_callback(tool, events.PY_RETURN, line)
    monitoring.set_events(tool, events.PY_START)


def _trace(this):
    if sys.gettrace() is not None:
        note(3, "cannot find the function of --step-on in the script: another tool has called sys.settrace")
        return
    traced = []

    def called(frame, event, argument):
        begun = None if this.is_over else this.begins(frame)
        if begun:
            traced.append(frame)
            sys.settrace(passed)
            return line
        if begun is not None:
            this.end()
        return passed(frame, event, argument)

    def passed(frame, event, argument):
        # The thread that ended the watch cannot remove the trace function of another thread.
        if this.is_over:
            sys.settrace(None)
        return None

    def line(frame, event, argument):
        if not this.is_over:
            this.look(frame)
        return None if this.is_over or event == "return" else line

    def undo():
        # Before Python 3.10 a frame with a trace function left in it reports a wrong line.
        for frame in traced:
            if frame.f_trace is line:
                frame.f_trace = None
        traced.clear()
        if sys.gettrace() in (called, passed):
            sys.settrace(None)

    this.undo = undo
    sys.settrace(called)
