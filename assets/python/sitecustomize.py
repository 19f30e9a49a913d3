"""Python imports this first in a captured process: it runs the user's own sitecustomize, found later on the path, then the shim.

Any version of Python may import it, so it is written in syntax that all of them know, Python 2 included. The shim raises
nothing; what the user's own file raises is raised, as it would be without the shim.
"""
import os
import sys


def _leave_the_path():
    """Removes the folder of this file from the path, which is to look as it would without a capture; returns the folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    return here


# Python 2 clears a module without references, even while it runs.
_ours = sys.modules.get("sitecustomize")


def _run_the_users_own():
    sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401 (the next one on the path)
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        # The import of this very file ends with a look-up of its name.
        if _ours is not None:
            sys.modules.setdefault("sitecustomize", _ours)


def _arm(here):
    if not os.environ.get("PROFTUI_RUN") or sys.version_info < (3, 8):
        return
    try:
        sys.path.insert(0, here)
        try:
            import _proftui_shim
        finally:
            sys.path.remove(here)
        _proftui_shim.arm()
    except Exception as error:
        sys.stderr.write("proftui: not captured: %s: %s\n" % (type(error).__name__, error))


_here = _leave_the_path()
try:
    _run_the_users_own()
finally:
    _arm(_here)
