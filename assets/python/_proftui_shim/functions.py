"""Steps that end with a function that the person named, `module:function` or `module:Class.method`.

The name is what counts: whatever it is bound to is replaced by a wrapper, be it a function or something that a
compiler made.
"""
import sys
from functools import WRAPPER_ASSIGNMENTS, update_wrapper, wraps

from _proftui import note

from . import imports, script, steps
from .ranges import here

_COROUTINE = 0x80

# The wrappers that were made. A mark on them would be copied by what wraps them.
_made = []


# Whether there was something by the name; and what was reported to the user, each once.
_is_found = False
_reported = set()


def watch(rule, is_child):
    """Has the function of the rule counted, once it is there."""
    module, _, path = rule.partition(":")
    if module != "__main__":
        imports.watch(module, lambda found: count(found, path) or report_missing(rule))
    script.watch(module, path, is_child, lambda names: count(names, path))


def report_missing(rule):
    """Reports why no step has ended by now."""
    module, _, path = rule.partition(":")
    text = "`%s` never returned" % rule if _is_found else "`%s` was not found in `%s`" % (path, module)
    if text not in _reported:
        _reported.add(text)
        # In the words of `ending`.
        note(4, text)


def count(owner, path):
    """Counts the calls of the function that the path names now; false if it names none."""
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
    code = getattr(bound, "__code__", None)
    if code is None:
        return _Counted(bound)
    if code.co_flags & _COROUTINE:

        @wraps(bound)
        async def call(*args, **kwargs):
            try:
                result = await bound(*args, **kwargs)
            finally:
                script.stop()
            steps.rule.function_returned()
            return result

    else:

        @wraps(bound)
        def call(*args, **kwargs):
            return _call(bound, args, kwargs)

    return call


def _call(function, args, kwargs):
    # Within itself it is one: where it calls itself, or was bound anew around an older wrapper.
    if here.function or _is_compiling():
        return function(*args, **kwargs)
    here.function = True
    try:
        result = function(*args, **kwargs)
    finally:
        here.function = False
        # It is in use, also where it raised.
        script.stop()
    steps.rule.function_returned()
    return result


def _is_compiling():
    torch = sys.modules.get("torch")
    return torch is not None and torch.compiler.is_compiling()


class _Counted:
    """Stands for something that can be called and is no function, and looks like it."""

    def __init__(self, bound):
        update_wrapper(self, bound, [name for name in WRAPPER_ASSIGNMENTS if hasattr(bound, name)], ())
        self.__wrapped__ = bound

    def __call__(self, *args, **kwargs):
        return _call(self.__wrapped__, args, kwargs)

    def __getattr__(self, name):
        return getattr(self.__dict__["__wrapped__"], name)

    def __get__(self, owner, kind=None):
        return self if owner is None else _Counted(self.__wrapped__.__get__(owner, kind))

    @property
    def __class__(self):
        return type(self.__dict__.get("__wrapped__"))
