"""Keeps the text of the shim's modules that are not imported yet: when they are needed, the process may be another user or in another root
folder, or the files be gone.

`imports` asks for the module's spec; as long as the file can be read, it is imported from there.
"""
import os
from importlib.machinery import ModuleSpec

_FOLDER = os.path.dirname(os.path.abspath(__file__))
# By full name: path and text.
_texts = {}


def keep(imported):
    """Reads the modules that are not among those `imported`."""
    for entry in os.listdir(_FOLDER):
        own, ending = os.path.splitext(entry)
        name = __package__ + "." + own
        if ending == ".py" and own != "__init__" and name not in imported:
            path = os.path.join(_FOLDER, entry)
            with open(path, "rb") as file:
                _texts[name] = path, file.read()


def spec(name):
    """The spec of a kept module whose file cannot be read any more; None for any other module."""
    if name not in _texts:
        return None
    path, text = _texts.pop(name)
    try:
        os.close(os.open(path, os.O_RDONLY))
    except OSError:
        return ModuleSpec(name, _Kept(path, text), origin=path)
    return None


class _Kept:
    """A loader of one module."""

    def __init__(self, path, text):
        self._code = text, path

    def create_module(self, spec):
        return None

    def exec_module(self, module):
        text, path = self._code
        exec(compile(text, path, "exec", dont_inherit=True), module.__dict__)
