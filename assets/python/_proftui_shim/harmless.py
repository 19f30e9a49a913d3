"""Failures of the shim are noted with the agent and never raised into the script."""
from functools import wraps

from _proftui import note


def fail(what, error):
    """Something cannot be captured."""
    try:
        note(3, "%s: %r" % (what, error))
    except Exception:
        # Then there is nobody to report to.
        pass


def harmless(hook):
    """Wraps a hook: what it raises is noted, once, and not raised. The wrapper returns None."""
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
