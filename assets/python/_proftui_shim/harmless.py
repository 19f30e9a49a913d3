"""Reports errors of the shim to the agent, and keeps them from the script."""
from functools import wraps

from _proftui import note


def fail(what, error):
    """Notes that something cannot be captured."""
    try:
        note(3, "%s: %r" % (what, error))
    except Exception:
        # There is no other way to report it.
        pass


def harmless(hook):
    """Decorates a hook: the first exception in it is noted, and none is raised. The hook returns nothing."""
    is_reported = False

    @wraps(hook)
    def call(*args, **kwargs):
        nonlocal is_reported
        try:
            hook(*args, **kwargs)
        except Exception as error:
            if not is_reported:
                is_reported = True
                fail(hook.__name__, error)

    return call
