"""Installs wrappers of frameworks' functions, and removes those that nothing needs: then a call is the bare one.

All are installed while steps are recorded or about to be. While the schedule is closed, only those are that show where steps end. They
change at the ends of steps; a call that is under way ends as it began. Knows neither frameworks nor what ends steps.
"""
from .harmless import fail

# What a hook serves: what must always be seen; recording alone; or also counting steps, by batches, by forwards and backward passes, or
# by annotations.
ALWAYS, RECORDING, BATCHES, WORK, ANNOTATIONS = range(5)
COUNTING = BATCHES, WORK, ANNOTATIONS
# The state of a closed step; after how many closed steps in a row hooks are removed; and how often they are removed at most, after which
# they stay: Python 3.13 stops caching the methods of a class that has changed 1,000 times.
_CLOSED, _PATIENCE, _MOST = 0, 16, 200

_hooks = []
# What counting steps needs while the schedule is closed.
_needed = COUNTING
_closed_steps = _removals = 0
_is_held = False
# True while the schedule is closed and hooks that only record are removed: those that are left need not record.
is_closed = False
# True while hooks are removed that count steps.
are_removed = False


class _Hook:
    """A function of a class or module, and its wrapper."""

    def __init__(self, owner, name, wrap, purpose, changed):
        self.purpose = purpose
        self._owner, self._name, self._wrap, self._changed = owner, name, wrap, changed
        self._bare = self._wrapper = None
        self._is_inherited = self._is_lost = False

    def install(self):
        """Replaces the function by the wrapper."""
        now = getattr(self._owner, self._name)
        if now is self._wrapper or self._is_lost:
            return
        if now is not self._bare:
            # The first time, or the program has replaced the function meanwhile.
            self._is_inherited = self._name not in vars(self._owner)
            self._bare, self._wrapper = now, self._wrap(now)
        self._set(self._wrapper)

    def remove(self):
        """Replaces the wrapper by the function, unless the wrapper is a part of one of the program's own by now."""
        now = getattr(self._owner, self._name)
        if now is self._bare or self._is_lost:
            return
        if now is not self._wrapper:
            self._is_lost = True
        elif self._is_inherited:
            delattr(self._owner, self._name)
        else:
            self._set(self._bare)

    def _set(self, function):
        setattr(self._owner, self._name, function)
        if self._changed is not None:
            self._changed(function)


def install(owner, name, wrap, purpose, changed):
    """Replaces the function `name` of a class or module by `wrap` of it, while that is needed; calls `changed(function)` after each change."""
    hook = _Hook(owner, name, wrap, purpose, changed)
    hook.install()
    if purpose != ALWAYS:
        _hooks.append(hook)


def hold():
    """From now on all hooks stay installed."""
    global _is_held
    _is_held = True


def follow(state):
    """A step in this state begins; None if another process decides what is recorded."""
    global _closed_steps
    if state != _CLOSED:
        _closed_steps = 0
        if is_closed:
            _change(False)
    else:
        _closed_steps += 1
        if _closed_steps == _PATIENCE:
            close()


def close():
    """For some time nothing is recorded: removes the hooks that nothing needs, unless they are held."""
    if not (is_closed or _is_held):
        _change(True)


def need(purposes):
    """While the schedule is closed, counting steps needs the hooks with these purposes."""
    global _needed
    if purposes != _needed:
        _needed = purposes
        if is_closed:
            _change(True)


def _change(to_closed):
    global are_removed, is_closed, _is_held, _removals
    _removals += to_closed
    _is_held = _is_held or _removals > _MOST
    is_closed = to_closed and not _is_held
    are_removed = is_closed and _needed != COUNTING
    for hook in _hooks:
        try:
            if is_closed and hook.purpose not in _needed:
                hook.remove()
            else:
                hook.install()
        except Exception as error:
            fail("cannot install or remove a hook", error)
