"""Reports exceptions of the shim to the agent, and keeps them from the script."""
from functools import wraps

from _proftui import note

# The names of the hooks whose failure was reported.
_failed = set()


def fail(what, error):
    """Writes a note of a failure: the text `what` and the exception."""
    try:
        note(3, "%s: %r" % (what, error))
    except Exception:
        # There is no other way to report the failure.
        pass


def failed(name, error):
    """Reports that a hook has failed, once per name; returns None."""
    if name not in _failed:
        _failed.add(name)
        fail("the hook %s failed" % name, error)


def harmless(hook):
    """Decorator for a hook: the first exception in it is written as a note, and none is raised. The hook returns None."""

    @wraps(hook)
    def call(*args, **kwargs):
        try:
            hook(*args, **kwargs)
        except Exception as error:
            failed(hook.__name__, error)

    return call
