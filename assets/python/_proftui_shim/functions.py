"""Steps that end when a function named by `--step-on` returns: `module:function` or `module:Class.method`.

If calls of the function may overlap, of a coroutine function or on several threads, each step is a call, from its beginning to its return;
of a generator function, each step is an iteration (`generators`).

The object that the name is bound to is replaced by a wrapper; it may be a function or any callable, such as a compiled function.
"""
import os
import sys
import threading
from functools import wraps

from _proftui import note

from . import generators, imports, script
from .calls import begins, is_within, returned
from .hooks import Phase, hooked

# Flags of the code of functions; a generator function with `_ITERABLE_COROUTINE` is used as a coroutine.
_GENERATOR, _COROUTINE, _ITERABLE_COROUTINE, _ASYNC_GENERATOR = 0x20, 0x80, 0x100, 0x200

# The wrappers that were made. They are not marked by an attribute, since other wrappers around them would copy it.
_made = []

# True once the name was found; and the texts of the notes that were written, each of which is written once.
_is_found = False
_reported = set()


def watch(rule, is_child):
    """Wraps the function that `rule` names as soon as its module has it."""
    module, _, path = rule.partition(":")
    if module != "__main__":

        def imported(found):
            if count(found, path):
                script.stop()
            else:
                report_missing(rule)

        imports.watch(module, imported)
    script.watch(module, path, is_child, lambda names: count(names, path))


def report_missing(rule):
    """Writes a note why no step has ended so far."""
    module, _, path = rule.partition(":")
    if _is_found:
        text = "no step was seen: the function `%s` of --step-on never returned" % rule
    else:
        text = "no step was seen: the function `%s` of --step-on was not found in `%s`" % (path, module)
        if script.is_launched():
            text += " (it can be found beside a program that traces, such as a debugger, from Python 3.12 on)"
    if text not in _reported:
        _reported.add(text)
        # The kind `NO_STEP` of `ending`.
        note(4, text)


def count(owner, path):
    """Wraps the object at the dotted `path` in `owner`; returns False if there is none yet."""
    global _is_found
    *owners, last = path.split(".")
    for name in owners:
        owner = getattr(owner, name, None)
    bound = getattr(owner, "__dict__", {}).get(last) or getattr(owner, last, None)
    if bound is None:
        return False
    if not any(bound is made for made in _made):
        _made.append(_counted(bound))
        setattr(owner, last, _made[-1])
    _is_found = True
    return True


def _counted(bound):
    if isinstance(bound, (staticmethod, classmethod)):
        return type(bound)(_counted(bound.__func__))
    flags = getattr(getattr(bound, "__code__", None), "co_flags", 0)
    if flags & _ASYNC_GENERATOR:
        return generators.generating_async(bound)
    if flags & _GENERATOR and not flags & _ITERABLE_COROUTINE:
        return generators.generating(bound)
    if not flags & _COROUTINE:
        return hooked(_before, _after, Phase.FUNCTION)(bound)

    @wraps(bound)
    async def call(*args, **kwargs):
        # A call within another one is a part of it.
        is_outermost = not is_within.get()
        if is_outermost:
            is_within.set(True)
            begun = begins()
        try:
            result = await bound(*args, **kwargs)
        except BaseException as error:
            # Without this frame, from Python 3.11 on.
            error.__traceback__ = error.__traceback__.tb_next
            raise
        finally:
            if is_outermost:
                is_within.set(False)
                script.stop()
        if is_outermost:
            returned(begun)
        return result

    return call


def _before(*args, **kwargs):
    # Only the outermost call counts: the function may call itself, or its name be bound to another wrapper around this one.
    if _is_compiling():
        return None
    begun = begins()
    _calls.begin()
    return begun


def _after(begun, is_done, result):
    _calls.end()
    # The name was found, even if the function raised.
    script.stop()
    if is_done:
        returned(begun if _calls.overlap else None)


class _Calls:
    """The threads on which the function runs."""

    def __init__(self):
        self._threads = set()
        # True once it ran on two threads at the same time: then a step is a call, as of a coroutine, and not what lies between two ends.
        self.overlap = False

    def begin(self):
        self._threads.add(threading.get_ident())
        if len(self._threads) > 1:
            self.overlap = True

    def end(self):
        self._threads.discard(threading.get_ident())


def _is_compiling():
    is_compiling = getattr(getattr(sys.modules.get("torch"), "compiler", None), "is_compiling", None)
    return is_compiling is not None and is_compiling()


_calls = _Calls()


def _after_fork():
    global _calls
    _calls = _Calls()


os.register_at_fork(after_in_child=_after_fork)
