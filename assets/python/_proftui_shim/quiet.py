"""Keeps a framework's libraries from logging to stderr what the shim makes them do.

Each library has its log level in a global variable; if that is not found, nothing is changed.
"""
from contextlib import contextmanager
from ctypes import CDLL, c_int


class Levels:
    """The log levels of libraries: the libraries' `paths`, the `symbol` of the variable, and its value `quiet` for no output."""

    def __init__(self, paths, symbol, quiet):
        self._quiet = quiet
        self._levels = []
        for path in paths:
            try:
                self._levels.append(c_int.in_dll(CDLL(path), symbol))
            except (OSError, ValueError):
                # This version does not have the library or the variable.
                pass

    def __bool__(self):
        return bool(self._levels)

    @contextmanager
    def lowered(self):
        """A context manager within which the libraries log nothing."""
        before = [level.value for level in self._levels]
        for level in self._levels:
            level.value = self._quiet
        try:
            yield
        finally:
            for level, value in zip(self._levels, before):
                level.value = value
