"""Finds requests in a program that only infers, and calls several modules one after the other: an encoder, then a decoder many times.

A request begins with the module that was called first; if that one does not come again soon, with the first one that comes again after another
one. Calls of one module in a row count as one call. As long as it is not plain what begins a request, forwards wait; where nothing comes
again, each forward is a step, until the first module comes again. Knows neither frameworks nor how steps are counted.
"""
from weakref import ref

# So many forwards wait at most. A request has at most so many, or a few times as many as the longest one so far.
_MOST, _TIMES = 64, 4
# A module that begins requests and is called more often than this in a row is none of a request.
_IN_A_ROW = 16

# What a forward is: of the only module so far; the first one of a second module; one that waits until it is plain what begins a request; one
# after which that is plain; one after which it is plain that each is a step, or that each is one from now on; a step; a part of a request; the
# beginning of one; the beginning of one after other steps; the beginning of one, and what was taken for steps were parts of one; of a program
# that throws its modules away.
ALONE, SECOND, WAITS, DECIDED, ALL, OVER, EACH, PART, REQUEST, RESUMED, ANEW, TRANSIENT = range(12)


class Periods:
    """The modules that a thread calls, and which of them begins a request."""

    def __init__(self):
        # The modules, as `id`, in the order of their first calls; references to them.
        self._order = []
        self._modules = {}
        # The module that begins a request; None as long as that is not plain.
        self._head = None
        # The module of the last forward, and how often it was called in a row.
        self._last, self._row = None, 0
        # The modules of the forwards that wait; None for one in a row of the same module.
        self._waiting = []
        # Forwards since the last request began, and the most in a request.
        self._since = self._longest = 0
        self._is_each = self._has_requests = False

    @property
    def holds(self):
        """True if a forward's return ends no step, since it may be a part of a request."""
        return len(self._order) > 1 and not self._is_each

    def begins(self, module):
        """A forward of a module begins. Returns what that is: one of the numbers above."""
        key = id(module)
        if any(found() is None for found in self._modules.values()):
            return TRANSIENT
        is_new, begins_row = key not in self._modules, key != self._last
        if is_new:
            self._modules[key] = ref(module)
            self._order.append(key)
        self._last, self._row = key, 1 if begins_row else self._row + 1
        if len(self._order) == 1:
            return ALONE
        if is_new and len(self._order) == 2:
            return SECOND
        is_first = begins_row and key == self._order[0]
        self._since += 1
        if self._is_each:
            if not is_first:
                return EACH
            self._is_each, self._head = False, key
            self._longest, self._since = max(self._longest, self._since), 0
            return RESUMED if self._has_requests else ANEW
        if self._head is None:
            self._waiting.append(key if begins_row else None)
            if is_first:
                self._head, self._longest, self._since = key, self._since, 0
            elif len(self._waiting) >= _MOST:
                self._choose()
                self._is_each = self._head is None
            self._has_requests = self._head is not None
            return ALL if self._is_each else DECIDED if self._has_requests else WAITS
        if begins_row and key == self._head:
            self._longest, self._since = max(self._longest, self._since), 0
            return REQUEST
        if self._since > max(_MOST, _TIMES * self._longest) or (key == self._head and self._row > _IN_A_ROW):
            self._is_each = True
            return OVER
        return PART

    def decide(self):
        """The process ends: returns the indices of the forwards that wait and begin a request, or are steps."""
        if self._head is None:
            self._choose()
        return self.beginnings() if self._head is not None else set(range(len(self._waiting)))

    def beginnings(self):
        """The indices of the forwards that waited and began a request."""
        found = {at for at, key in enumerate(self._waiting) if key == self._head}
        self._waiting = []
        return found

    def _choose(self):
        self._head = next((key for key in self._order if self._waiting.count(key) > 1), None)
        if self._head is not None:
            self._since = self._waiting[::-1].index(self._head)
