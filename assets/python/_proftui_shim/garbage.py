"""Has the agent record Python's garbage collections. Knows nothing of what the program does.

Python's interpreter has one list of callbacks, `gc.callbacks`. The agent's function becomes its only entry, and programs get another list,
whose entries that function calls: a program finds its own callbacks there, and no other.
"""
import gc
import sys

# References to the list if only the interpreter and the module `gc` (before 3.10 also a copy of the module's names) have it, and the call
# that counts them.
_UNSHARED = 3 if sys.version_info >= (3, 10) else 4


def watch():
    """Records collections from now on, unless the program has kept the list itself."""
    from _proftui import collections

    if type(gc.callbacks) is not list or sys.getrefcount(gc.callbacks) > _UNSHARED:
        return
    of_interpreter, of_program = gc.callbacks, list(gc.callbacks)
    of_interpreter[:] = [collections(of_program)]
    gc.callbacks = of_program
