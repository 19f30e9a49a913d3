"""The events of a result one by one, with the interface of PyTorch's `events()`. The program `proftui` lists them."""
import ast
import collections
import json

from .averages import KeyAverages
from .times import Times

# The scopes of PyTorch's `RecordScope` that a trace shows: of operators, of their backward, and of ranges that the script names.
_FUNCTION, _BACKWARD, _USER = 0, 1, 7

# What an event that only changes the memory in use lacks.
_OF_OPERATORS = "concrete_inputs flops input_dtypes kwinputs structured_input_shapes structured_input_strides trace_name".split()

# Events of the autograd engine, which has the operators of the backward pass called, begin so.
_ENGINE = "autograd::engine::"

# A piece of device work that an operator launched; its duration in µs.
Kernel = collections.namedtuple("Kernel", "name device duration")


class EventList(KeyAverages):
    """The events of a result, by start. Its table is that of `key_averages()`."""

    def __init__(self, result):
        super().__init__(result, False, 0)
        self._read = self._events

    def key_averages(
        self, group_by_input_shapes=False, group_by_stack_n=0, group_by_overload_name=False, include_python_functions=False
    ):
        """The averages of the events. `group_by_overload_name` changes nothing: no overloads are recorded. `include_python_functions` is
        ignored."""
        return KeyAverages(self._result, group_by_input_shapes, group_by_stack_n)


class Interval:
    """A time from `start` to `end`, µs."""

    def __init__(self, start, end):
        self.start = start
        self.end = end

    def elapsed_us(self):
        """The length of the time, µs."""
        return self.end - self.start


class FunctionEvent(Times):
    """An event with the attributes of PyTorch's; times in µs since the beginning of the recording, memory in bytes."""

    count = 1
    # PyTorch sets none of these in its list.
    self_cpu_percent = total_cpu_percent = total_device_percent = -1
    metadata = event_metadata = None
    flow_id = flow_type = 0
    flow_start = False

    def __init__(self, cells):
        self._set(cells)
        arguments = cells["arguments"] or {}
        self.key = self.name = cells["key"]
        self.trace_name = cells["name"]
        self.activity_type = cells["activity_type"]
        self.time_range = Interval(cells["start"], cells["end"])
        self.stack = cells["stack"]
        self.is_async = cells["is_async"]
        self.is_user_annotation = cells["is_user_annotation"]
        self.is_python_function = cells["is_python_function"]
        self.device_resource_id = _number(cells["thread"])
        # The number of the thread among those of the list.
        self.thread = 0
        # That of a host's event is its process, as PyTorch has it.
        self.device_index = arguments.get("device", _number(cells["process"]))
        self.structured_input_shapes = arguments.get("Input Dims", [])
        # As PyTorch lists them: a list of tensors has no shape.
        self.input_shapes = [[] if any(isinstance(one, list) for one in shape) else shape for shape in self.structured_input_shapes]
        self.structured_input_strides = arguments.get("Input Strides", [])
        self.input_dtypes = arguments.get("Input type", [])
        self.concrete_inputs = [_python(text) for text in arguments.get("Concrete Inputs", [])]
        self.kwinputs = arguments.get("kwinputs", {})
        self.external_id = arguments.get("External id", 0)
        self.linked_correlation_id = 0
        self.id = arguments.get("correlation", 0) or self.external_id
        self.sequence_nr = arguments.get("Sequence number", -1)
        self.fwd_thread = arguments.get("Fwd thread id", 0)
        is_backward = self.fwd_thread and not self.name.startswith(_ENGINE)
        self.scope = _USER if self.is_user_annotation else _BACKWARD if is_backward else _FUNCTION
        self.python_id = arguments.get("Python id", -1)
        self.python_parent_id = arguments.get("Python parent id", -1)
        self.python_module_id = arguments.get("Python module id", -1)
        self.kernels = []
        self.cpu_parent = None
        self.cpu_children = []
        if cells["activity_type"] is None:
            self._clear()

    def _clear(self):
        """Sets what PyTorch has of an event that only changes the memory in use."""
        for name in _OF_OPERATORS:
            setattr(self, name, None)
        self.device_index = 0

    def __repr__(self):
        shown = (self.name, self.cpu_time_total, self.device_time_total)
        return "<FunctionEvent %r: CPU %.3f us, device %.3f us>" % shown


def events_of(text):
    """The events that the program lists, linked to one another."""
    # Other separators of lines may be in texts.
    cells = [json.loads(line) for line in text.split("\n") if line]
    events = [FunctionEvent(one) for one in cells]
    threads = {}
    for at, (one, event) in enumerate(zip(cells, events)):
        event.thread = threads.setdefault(event.device_resource_id, len(threads) + 1)
        if one["activity_type"] is None:
            event.device_resource_id = event.fwd_thread = event.thread
        # Below zero there are no numbers of the file.
        event.id = event.id or -1 - at
        if one["parent"] is not None:
            event.cpu_parent = events[one["parent"]]
            event.cpu_parent.cpu_children.append(event)
            if event.cpu_parent.name == _ENGINE + "evaluate_function: " + event.name:
                event.scope = _BACKWARD
        if one["operator"] is not None:
            operator = events[one["operator"]]
            event.linked_correlation_id = operator.id
            if event.is_device:
                operator.kernels.append(Kernel(event.name, event.device_index, event.device_time_total))
    return events


def _python(text):
    """The value of an argument that is given as the text of Python; None for no text, and the text itself if it is no constant."""
    try:
        return ast.literal_eval(text) if text else None
    except (SyntaxError, ValueError):
        return text


def _number(text):
    try:
        return int(text)
    except (TypeError, ValueError):
        return text
