"""Keeps a library of a framework from saying on stderr what it does for us: the script's output is its own.

The level below which such a library says nothing is a number in its memory; where that is not found, it stays as it is.
"""
from contextlib import contextmanager
from ctypes import CDLL, c_int


class Levels:
    """The levels of some libraries: paths of files that are loaded, and the symbol's name."""

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
        """Within this, nothing is said."""
        before = [level.value for level in self._levels]
        for level in self._levels:
            level.value = self._quiet
        try:
            yield
        finally:
            for level, value in zip(self._levels, before):
                level.value = value
