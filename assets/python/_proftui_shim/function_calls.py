"""Records the calls of the Python functions that `--functions` chooses, each as a range with the name that PyTorch's profiler gives it.

Decides once for each code object. The agent has the callbacks, which have no frame: from Python 3.12 on for `sys.monitoring` (PEP 669), where
functions that are not chosen cost nothing after their first call, unless they raise; before, as profile function of each thread (which
`sys.getprofile` does not show), until the program sets another one. A generator or coroutine is recorded while it runs: from where it is resumed to where it pauses.
"""
import atexit
import os
import sys
import threading
from fnmatch import fnmatchcase
from weakref import KeyedRef

from _proftui import choose_function, forget_function, function_begins, function_ends, function_goes_on, note, profile_thread, watch_functions

from . import monitoring, qualified_names
from .harmless import failed, harmless
from .ranges import FUNCTION, Tags

# A flag of the code of functions; that of modules and classes lacks it.
_OPTIMIZED = 1
# The kind of a note that is a warning.
_WARNING = 2
# Where the shim is loaded from, none of whose functions are recorded.
_OWN = __package__ + "."

_functions = Tags(FUNCTION)
# The patterns of module and function, by the value of the option; and the values of which functions were called.
_choices = {}
_called = set()
# References to the code objects that were decided about, by id.
_known = {}
# The tool id of `sys.monitoring`; None before Python 3.12.
_tool = None


def watch(choices, is_child):
    """Records the functions that `choices` name, separated by blanks, in the cycles to come."""
    _choices.update((choice, choice.split(":")) for choice in choices.split())
    watch_functions(_look)
    if _monitor() if hasattr(sys, "monitoring") else _profile():
        atexit.register(_end, None if is_child else os.getpid())
    else:
        note(3, "functions are not recorded: another profiler of Python is there")


def _monitor():
    """Has `sys.monitoring` call the agent; returns False if other tools have all tool ids."""
    global _tool
    _tool = monitoring.take()
    if _tool is None:
        return False
    events = sys.monitoring.events
    for event, callback in (
        (events.PY_START, function_begins),
        (events.PY_RESUME, function_goes_on),
        (events.PY_THROW, function_goes_on),
        (events.PY_RETURN, function_ends),
        (events.PY_YIELD, function_ends),
        (events.PY_UNWIND, function_ends),
    ):
        sys.monitoring.register_callback(_tool, event, callback)
    # The other events can be had for a single function.
    sys.monitoring.set_events(_tool, events.PY_START | events.PY_THROW | events.PY_UNWIND)
    return True


def _profile():
    """Has Python call the agent on this thread and those to come; returns False if there is another profiler."""
    if sys.getprofile() is not None:
        return False
    # Called with the first event of a thread.
    threading.setprofile(profile_thread)
    profile_thread()
    return True


def _is_followed():
    """True if new code on this thread is still looked at."""

    def new():
        pass

    new()
    return id(new.__code__) in _known


def _look(code):
    """Decides whether the calls of code that begins for the first time are recorded; returns what the callback of its event returns."""
    if not _choices:
        # The process ends.
        return None
    try:
        frame = sys._getframe(1)
        # The callback may have a frame.
        while frame.f_code is not code:
            frame = frame.f_back
        tag = _tag(code, frame.f_globals)
        if _tool is None:
            _decide(code, tag)
        elif tag:
            _decide(code, tag)
            events = sys.monitoring.events
            sys.monitoring.set_local_events(_tool, code, events.PY_RESUME | events.PY_RETURN | events.PY_YIELD)
        else:
            return sys.monitoring.DISABLE
    except Exception as error:
        failed("look", error)
    return None


def _decide(code, tag):
    # The address of code that is freed, such as of `eval`, may be that of other code later.
    _known[id(code)] = KeyedRef(code, _forget, id(code))
    choose_function(code, tag)


@harmless
def _forget(reference):
    forget_function(reference.key)
    del _known[reference.key]


def _tag(code, names):
    """The tag of the ranges of this code, which runs in a module with these names; 0 if it is no chosen function."""
    module = names.get("__name__")
    if not isinstance(module, str) or module.startswith(_OWN):
        return 0
    # The script in a process that multiprocessing spawned.
    module = "__main__" if module == "__mp_main__" else module
    chosen = [choice for choice, (pattern, _) in _choices.items() if fnmatchcase(module, pattern)]
    if chosen and code.co_name == "<module>" and not code.co_filename.startswith("<"):
        qualified_names.learn(code)
    # A comprehension, whose argument has this name, is a part of the function around it.
    if not code.co_flags & _OPTIMIZED or code.co_varnames[:1] == (".0",):
        return 0
    name = qualified_names.of(code)
    chosen = [choice for choice in chosen if fnmatchcase(name, _choices[choice][1])]
    _called.update(chosen)
    return _functions["%s(%d): %s" % (_short(code.co_filename), code.co_firstlineno, name)] if chosen else 0


def _short(path):
    """The path of a file without the longest folder in which Python looks for modules."""
    folders = [os.path.join(os.path.abspath(folder), "") for folder in sys.path]
    return path[max((len(folder) for folder in folders if path.startswith(folder)), default=0) :]


@harmless
def _end(process):
    """Ends deciding about code as the process ends; in the process with this id, warns if functions are missing."""
    missing = [choice for choice in _choices if choice not in _called]
    is_lost = _tool is None and not _is_followed()
    _choices.clear()
    # Their callbacks would run while Python clears its modules.
    _known.clear()
    if process != os.getpid():
        return
    for choice in missing:
        note(_WARNING, "no function of --functions %s was called" % choice)
    if is_lost:
        note(_WARNING, "functions were recorded only until the program called sys.setprofile")
