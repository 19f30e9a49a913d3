"""Python imports this module at start-up in a captured process: it imports the user's own `sitecustomize`, if there is one, then the shim.

Every version of Python may import it, so its syntax is valid in all of them, Python 2 included. The shim raises no exception; one that
the user's own module raises passes through, as without the shim.
"""
import os
import sys


def _leave_the_path():
    """Removes this file's folder from `sys.path`, so the script sees the path that it has without a capture; returns the folder."""
    here = os.path.dirname(os.path.abspath(__file__))
    sys.path[:] = [entry for entry in sys.path if os.path.abspath(entry) != here]
    return here


# Python 2 clears a module without references, even while its code runs.
_ours = sys.modules.get("sitecustomize")


def _run_the_users_own():
    sys.modules.pop("sitecustomize", None)
    try:
        import sitecustomize  # noqa: F401 (the next one on the path)
    except ImportError as error:
        if getattr(error, "name", "sitecustomize") != "sitecustomize":
            raise
    finally:
        # After running this file, Python looks the module up in `sys.modules`.
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
        sys.stderr.write("proftui: this process is not captured: %s: %s\n" % (type(error).__name__, error))


_here = _leave_the_path()
try:
    _run_the_users_own()
finally:
    _arm(_here)
