"""Runs a hook when a module has been imported: at once if it is imported already, else right after the module's code has run.

Knows nothing about the modules. The import of any other module costs two lookups in dictionaries more.
"""
import sys

from . import kept
from .harmless import fail
from .hooks import hooked

# Lists of the hooks that have not run yet, by the module's name.
_hooks = {}


def watch(name, hook):
    """Runs `hook(module)` when the module has been imported. An exception in the hook is written as a note and not raised."""
    spec = getattr(sys.modules.get(name), "__spec__", None)
    _hooks.setdefault(name, []).append(hook)
    if name in sys.modules and not getattr(spec, "_initializing", False):
        _run(name, sys.modules[name])
    elif _Finder not in sys.meta_path:
        sys.meta_path.insert(0, _Finder)


def _run(name, module):
    for hook in _hooks.pop(name, ()):
        try:
            hook(module)
        except Exception as error:
            fail("cannot install the hooks for module " + name, error)


class _Finder:
    """A finder that asks the other finders for the module, and wraps `exec_module` of the loader that they return."""

    @staticmethod
    def find_spec(name, path=None, target=None):
        if name not in _hooks:
            return kept.spec(name)
        spec = _find(name, path, target)
        if spec is not None and spec.loader is not None:
            try:
                _wrap(name, spec.loader)
            except Exception as error:
                fail("cannot install the hooks for module " + name, error)
        return spec


def _find(name, path, target):
    for finder in list(sys.meta_path):
        find = None if finder is _Finder else getattr(finder, "find_spec", None)
        spec = find and find(name, path, target)
        if spec is not None:
            return spec
    return None


def _wrap(name, loader):
    # The watch ends only here, since a module whose spec was found may never be executed.
    def after(module, is_done, result):
        if is_done:
            _run(name, module)

    loader.exec_module = hooked(_itself, after)(loader.exec_module)


def _itself(module):
    return module
