"""Runs a hook once a module is there: at once where it is, else right after its own code ran.

Knows nothing about the modules. The path of an import that nobody watches costs one look into a dictionary.
"""
import sys

from .harmless import fail

# The hook of each module that is yet to come.
_hooks = {}


def watch(name, hook):
    """Has `hook(module)` run, once. What it raises is noted and goes no further."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    _hooks[name] = hook
    if name in sys.modules and not getattr(spec, "_initializing", False):
        _run(name, sys.modules[name])
    elif _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def _run(name, module):
    hook = _hooks.pop(name, None)
    if hook is not None:
        try:
            hook(module)
        except Exception as error:
            fail("hooks of " + name, error)


class _Finder:
    """Finds nothing itself: lets the others find, and wraps what executes the module."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _hooks:
            return None
        spec = _find(name, path, target)
        if spec is not None and spec.loader is not None:
            try:
                _wrap(name, spec.loader)
            except Exception as error:
                fail("hooks of " + name, error)
        return spec


def _find(name, path, target):
    for finder in list(sys.meta_path):
        find = None if finder is _Finder else getattr(finder, "find_spec", None)
        spec = find and find(name, path, target)
        if spec is not None:
            return spec
    return None


def _wrap(name, loader):
    execute = loader.exec_module

    def exec_module(module):
        # A spec may be looked for and never be loaded, so the hook waits for this.
        execute(module)
        _run(name, module)

    loader.exec_module = exec_module
