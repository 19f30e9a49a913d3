"""Reports exceptions of the shim to the agent, and keeps them from the script."""
from functools import wraps

from _proftui import note


def fail(what, error):
    """Writes a note of a failure: the text `what` and the exception."""
    try:
        note(3, "%s: %r" % (what, error))
    except Exception:
        # There is no other way to report the failure.
        pass


def harmless(hook):
    """Decorator for a hook: the first exception in it is written as a note, and none is raised. The hook returns None."""
    is_reported = False

    @wraps(hook)
    def call(*args, **kwargs):
        nonlocal is_reported
        try:
            hook(*args, **kwargs)
        except Exception as error:
            if not is_reported:
                is_reported = True
                fail("the hook %s failed" % hook.__name__, error)

    return call
