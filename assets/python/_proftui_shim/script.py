"""Looks at the script's own module while its code runs, to find a name in it: no import tells of it.

From Python 3.12 on, only the lines of that one code report (PEP 669); calls and other modules cost nothing. Before, a
trace function is called at each call of a Python function until the first step has ended, so while the script imports
what it uses.
"""
import os
import sys

from _proftui import note

from .harmless import fail, harmless

# Undoes what is set up; nothing at first.
_undo = []


def watch(module, is_child, look):
    """Has `look(script)` called as the script's lines run, until `stop`: it may bind the name anew until it is used.

    The script goes by the name `module`, its file's, or by `__main__`.
    """
    # What multiprocessing starts has a main module of its own, and runs the script under another name.
    own = "__mp_main__" if is_child else "__main__"

    def is_script(frame):
        """None as long as the script has not begun; then whether it is the one that is meant."""
        if frame.f_code.co_name != "<module>" or frame.f_globals.get("__name__") != own:
            return None
        stem = os.path.splitext(os.path.basename(frame.f_code.co_filename))[0]
        return module == "__main__" or stem == module.rpartition(".")[2]

    def look_safely():
        try:
            look(sys.modules[own])
        except Exception as error:
            fail("the script's own function", error)
            stop()

    (_monitor if hasattr(sys, "monitoring") else _trace)(is_script, look_safely)


@harmless
def stop():
    """Looks no more."""
    while _undo:
        _undo.pop()()


def _monitor(is_script, look):
    monitoring = sys.monitoring
    tool = next((tool for tool in (4, 3) if monitoring.get_tool(tool) is None), None)
    if tool is None:
        note(3, "the script's own function: no number of a tool is free")
        return
    monitoring.use_tool_id(tool, "proftui")
    events = monitoring.events

    def started(code, offset):
        found = is_script(sys._getframe(1))
        if found is not None:
            monitoring.set_events(tool, 0)
        if found:
            monitoring.set_local_events(tool, code, events.LINE)
            _undo.append(lambda: monitoring.set_local_events(tool, code, 0))
        return monitoring.DISABLE

    monitoring.register_callback(tool, events.PY_START, started)
    monitoring.register_callback(tool, events.LINE, lambda code, number: look())
    monitoring.set_events(tool, events.PY_START)


def _trace(is_script, look):
    if sys.gettrace() is not None:
        note(3, "the script's own function: another tool traces this process")
        return

    def called(frame, event, argument):
        found = is_script(frame)
        if found is not None:
            sys.settrace(passed if found else None)
        return line if found else None

    def passed(frame, event, argument):
        return None

    def line(frame, event, argument):
        look()
        return line

    def undo():
        if sys.gettrace() is passed:
            sys.settrace(None)

    _undo.append(undo)
    sys.settrace(called)
