"""Runs a hook once a module is imported: at once where it is already, else right after its code has run.

Knows nothing about the modules. For the import of any other module this costs one lookup in a dictionary.
"""
import sys

from .harmless import fail

# The hooks that have not run yet, by the module's name.
_hooks = {}


def watch(name, hook):
    """Runs `hook(module)` once the module is imported. What it raises is noted and not raised."""
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
    """Finds no module itself: has the other finders find it, and wraps the loader's `exec_module`."""

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
        # A spec may be found and its module never be executed, so the hook waits for this.
        execute(module)
        _run(name, module)

    loader.exec_module = exec_module
