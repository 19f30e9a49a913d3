"""Records imports that take long. Knows no module.

Python looks each module that is not imported yet up by one function of its own, which has a hook while something is recorded.
"""
from importlib import _bootstrap
from time import monotonic_ns

from _proftui import cycle, record

from .hooks import hooked
from .installed import RECORDING
from .ranges import IMPORT, Tags
from .wrappers import wrapped

# The time of the shortest import that is recorded, ns.
_LEAST = 10_000_000

# Imports of the shim itself are none of the program's.
_OWN = __package__ + "."

_imports = Tags(IMPORT)


def watch():
    """Records slow imports from now on, those within others, too."""
    wrapped(_bootstrap, "_find_and_load", hooked(_before, _after), RECORDING)


def _before(name, import_):
    begun = cycle()
    return (name, monotonic_ns(), begun) if begun and not name.startswith(_OWN) else None


def _after(begun, is_done, result):
    name, start, in_cycle = begun
    if monotonic_ns() - start >= _LEAST:
        record(_imports["import " + name], start, in_cycle)
