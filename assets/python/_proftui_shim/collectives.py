"""Records what the ranks of a program do together, as far as Python asks for it: the operation, the group, and its number in the group.

A number is the one by which the backend counts the group's operations, so that it is the same on each rank; where the backend has none, the
operations are counted here. What frameworks ask for in C++, such as the buckets of a backward pass, is in the numbers, but is no range.
Operations between two ranks have no number. Of operations within each other only the outermost one is recorded.
"""
from _proftui import begin, end_numbered

from . import imports
from .hooks import Phase, hooked
from .ranges import COMMUNICATION, Tags
from .wrappers import wrapped

_tags = Tags(COMMUNICATION)
# Between the parts of a name: the operation, the group, the number of its ranks.
_PART = "\x1f"

_TORCH = "torch.distributed.distributed_c10d"
_OF_TORCH = (
    "all_reduce", "all_reduce_coalesced", "all_gather", "all_gather_coalesced", "all_gather_into_tensor", "_all_gather_base",
    "reduce_scatter", "reduce_scatter_tensor", "_reduce_scatter_base", "all_to_all", "all_to_all_single",
    "broadcast", "reduce", "gather", "scatter", "barrier", "monitored_barrier", "send", "recv", "isend", "irecv",
)
_BETWEEN_TWO = ("send", "recv", "isend", "irecv")
_PADDLE = "paddle.distributed.communication."
_OF_PADDLE = {
    "all_reduce": ("all_reduce",), "all_gather": ("all_gather",), "all_to_all": ("alltoall", "alltoall_single"), "broadcast": ("broadcast",),
    "reduce": ("reduce",), "reduce_scatter": ("reduce_scatter",), "scatter": ("scatter",), "gather": ("gather",), "send": ("send", "isend"),
    "recv": ("recv", "irecv"), "group": ("barrier",),
}


def watch():
    """Records these calls from now on, in modules that are imported already and those that will be."""
    imports.watch(_TORCH, _install_torch)
    groups = _PaddleGroups()
    for module, functions in _OF_PADDLE.items():
        imports.watch(_PADDLE + module, lambda module, functions=functions: _install(module, functions, groups))


def _install_torch(module):
    _install(module, _OF_TORCH, _TorchGroups(module))


def _install(module, functions, groups):
    for name in functions:
        if hasattr(module, name):
            wrapped(module, name, _recording(name, groups))


class _Groups:
    """The groups of a framework; counts their operations where the backend does not."""

    def __init__(self):
        self._counts = {}

    def counted(self, name):
        count = self._counts[name] = self._counts.get(name, 0) + 1
        return count


class _TorchGroups(_Groups):
    def __init__(self, module):
        super().__init__()
        self._module = module

    def named(self, group):
        """The group, its name and size; raises for a group in which this process is not."""
        if group is None:
            group = self._module._get_default_group()
        name = self._module._get_process_group_name(group)
        return group, name, group.size()

    def number(self, group, name):
        try:
            number = group._get_sequence_number_for_group()
        except Exception:
            number = 0
        return number or self.counted(name)


class _PaddleGroups(_Groups):
    def named(self, group):
        if group is None:
            from paddle.distributed.communication.group import _get_global_group

            group = _get_global_group()
        return group, str(group.id), group.nranks

    def number(self, group, name):
        return self.counted(name)


def _parameters(function):
    """The names of a function's parameters; `inspect` would take longer to import than all else here."""
    while hasattr(function, "__wrapped__"):
        function = function.__wrapped__
    code = getattr(function, "__code__", None)
    return code.co_varnames[: code.co_argcount] if code else ()


def _recording(name, groups):
    """A wrapper for the function `name`, which gets its group as an argument of that name."""

    def wrap(function):
        parameters = _parameters(function)
        at = parameters.index("group") if "group" in parameters else len(parameters)

        def before(*args, **kwargs):
            try:
                group, of_group, size = groups.named(args[at] if len(args) > at else kwargs.get("group"))
            except Exception:
                # No group yet, or one of other processes: the call says so, or does nothing.
                return None
            begin(_tags[_PART.join((name, of_group, str(size)))])
            return group, of_group

        is_numbered = name not in _BETWEEN_TWO

        def after(begun, is_done, result):
            end_numbered(groups.number(*begun) & 0xFFFFFFFF if is_done and is_numbered else 0)

        return hooked(before, after, Phase.COLLECTIVE)(function)

    return wrap
