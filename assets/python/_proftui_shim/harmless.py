"""What goes wrong in the shim is told to the agent, and never reaches the script."""
from functools import wraps

from _proftui import note


def fail(what, error):
    """Something cannot be captured."""
    try:
        note(3, "%s: %r" % (what, error))
    except Exception:
        # Then there is nobody to tell.
        pass


def harmless(hook):
    """A hook that tells what goes wrong in it, once, instead of raising it. Returns nothing."""
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
