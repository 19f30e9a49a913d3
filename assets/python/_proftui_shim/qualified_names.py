"""The qualified names of functions by their code, which Python itself keeps there from version 3.11 on.

Before, they follow from the code of a module, in which the code of its classes and functions is.
"""
_CODE = type((lambda: None).__code__)
# A flag of the code of functions; that of classes lacks it.
_FUNCTION = 2

# The modules' code, which keeps what is in it; and the names of that, by id.
_modules = []
_names = {}


def learn(module):
    """Learns the names in the code of a module, which is about to run."""
    if not hasattr(module, "co_qualname"):
        _modules.append(module)
        _learn(module, "")


def _learn(code, around):
    for inner in code.co_consts:
        if isinstance(inner, _CODE):
            name = around + inner.co_name
            _names[id(inner)] = name
            _learn(inner, name + (".<locals>." if inner.co_flags & _FUNCTION else "."))


def of(code):
    """The qualified name of a function; its bare name if that is all that is known."""
    return getattr(code, "co_qualname", None) or _names.get(id(code), code.co_name)
