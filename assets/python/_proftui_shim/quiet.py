"""Keeps a framework's libraries from printing on stderr what they do for the shim.

The level below which such a library logs nothing is a number in its memory; where that is not found, nothing is changed.
"""
from contextlib import contextmanager
from ctypes import CDLL, c_int


class Levels:
    """The log levels of libraries: `paths` of loaded files, the `symbol` of the level, and its value for `quiet`."""

    def __init__(self, paths, symbol, quiet):
        self._quiet = quiet
        self._levels = []
        for path in paths:
            try:
                self._levels.append(c_int.in_dll(CDLL(path), symbol))
            except (OSError, ValueError):
                # Not in this version.
                pass

    def __bool__(self):
        return bool(self._levels)

    @contextmanager
    def lowered(self):
        """A context in which the libraries log nothing."""
        before = [level.value for level in self._levels]
        for level in self._levels:
            level.value = self._quiet
        try:
            yield
        finally:
            for level, value in zip(self._levels, before):
                level.value = value
