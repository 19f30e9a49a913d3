"""Finds requests in a program that only forwards, and calls several modules in turn: an encoder, then a decoder several times.

A request begins with the module that was called first; or, if that one was called only once, with the first one that is called again. Until
that is plain, each forward may begin a request. Knows neither frameworks nor how steps are counted.
"""
from weakref import ref

# So many forwards wait at most for the module that was called first.
_MOST = 64


class Periods:
    """The modules that one thread calls, and which of them begins a request."""

    def __init__(self):
        # How often each was called, in the order of their first calls.
        self._calls = {}
        # References to them: a program may make a module for each call.
        self._modules = {}
        # The module that begins a request: its `id`; None as long as that is not plain.
        self._head = None
        # The modules of the forwards that wait.
        self._waiting = []

    @property
    def are_several(self):
        """True if several modules are called."""
        return len(self._calls) > 1

    def begins(self, module):
        """A forward of a module begins. Returns what that is: one of the numbers below."""
        key = id(module)
        if any(found() is None for found in self._modules.values()):
            return TRANSIENT
        if key not in self._modules:
            self._modules[key] = ref(module)
        calls = self._calls[key] = self._calls.get(key, 0) + 1
        if len(self._calls) == 1:
            return ALONE
        if len(self._calls) == 2 and calls == 1:
            return SECOND
        if self._head is None:
            self._waiting.append(key)
            if key == next(iter(self._calls)):
                self._head = key
            elif len(self._waiting) >= _MOST:
                self._choose()
            return WAITS if self._head is None else DECIDED
        if key == self._head:
            return REQUEST
        order = list(self._calls)
        if calls > 1 and order.index(key) < order.index(self._head):
            # It was called first, and comes again only now.
            self._head = key
            return ANEW
        return PART

    def decide(self):
        """The process ends: returns the indices of the forwards that wait and begin a request."""
        if self._head is None:
            self._choose()
        return self.beginnings()

    def beginnings(self):
        """The indices of the forwards that waited and began a request."""
        found = {at for at, key in enumerate(self._waiting) if key == self._head}
        self._waiting = []
        return found

    def _choose(self):
        self._head = next((key for key, calls in self._calls.items() if calls > 1), None)


# What a forward is: of the only module so far; the first one of a second module; one that waits until it is plain what begins a request; one
# after which that is plain; a part of a request; the beginning of one; the beginning of one, and what was taken for requests was none; of a
# program that makes modules and throws them away.
ALONE, SECOND, WAITS, DECIDED, PART, REQUEST, ANEW, TRANSIENT = range(8)
