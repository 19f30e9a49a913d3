"""A saved trace as a tree, with the interface of Paddle's `load_profiler_result`. The program `proftui` reads the file."""
import json
import os

from . import binary
from .names import TracerEventType, TracerMemEventType

# Fields of a kernel that default to 0: whole numbers, and fractions.
_KERNEL = ("block_x", "block_y", "block_z", "grid_x", "grid_y", "grid_z", "registers_per_thread")
_SHARES = ("blocks_per_sm", "warps_per_sm", "occupancy")


def load_profiler_result(filename):
    """Reads a trace that proftui or Paddle saved: protobuf, or Paddle's JSON. Raises `ValueError` if that fails."""
    try:
        lines = binary.ask("nodes", "--", os.fspath(filename)).split("\n")
    except binary.Refused as error:
        raise ValueError(str(error))
    return ProfilerResult(os.path.abspath(os.fspath(filename)), [json.loads(line) for line in lines if line])


class ProfilerResult:
    """The contents of a saved trace."""

    def __init__(self, path, lines):
        self._path = path
        self._beside = lines[0] if lines else {}
        self._threads = {thread.get("thread_id", 0): _tree(thread.get("host_nodes", ())) for thread in lines[1:]}

    def get_data(self):
        """The root node of each thread's tree, by thread id."""
        return self._threads

    def get_extra_info(self):
        """The extra information of the file: a dictionary of texts."""
        return {_text(entry.get("key")): _text(entry.get("value")) for entry in self._beside.get("extra_info", ())}

    def get_version(self):
        """The version of the file's format."""
        return _text(self._beside.get("version"))

    def get_span_index(self):
        """The index of the cycle, from 0."""
        return self._beside.get("span_index", 0)

    def get_device_property(self):
        """The properties of each device, by device id."""
        return {device.get("id", 0): device for device in self._beside.get("device_property", ())}

    def save(self, path, format="json"):
        """Writes the result to another file, as `json` or `pb`."""
        path = os.path.abspath(os.fspath(path))
        ending = "." + format
        target = path if path.endswith(ending) else path + ending
        binary.ask("convert", "--force", self._path, target)
        if target != path:
            os.replace(target, path)


class HostNode:
    """A host event or a CUDA runtime call, with its child nodes. Times in ns."""

    def __init__(self, event, kind):
        self.name = _text(event.get("name"))
        self.type = _member(TracerEventType, kind)
        self.start_ns = event.get("start_ns", 0)
        self.end_ns = event.get("end_ns", 0)
        self.process_id = event.get("process_id", 0)
        self.thread_id = event.get("thread_id", 0)
        self.correlation_id = event.get("correlation_id", 0)
        self.children_node = []
        self.runtime_node = []
        self.device_node = []
        self.mem_node = []
        self.input_shapes = {}
        self.dtypes = {}
        self.callstack = ""
        self.attributes = {}
        self.op_id = 0

    def _add(self, node):
        """Adds the node's runtime calls, device work, memory events and operator details."""
        for call in node.get("runtime_nodes", ()):
            runtime = HostNode(call.get("runtime_trace_event", {}), TracerEventType.CudaRuntime)
            runtime.device_node = [DeviceNode(work.get("device_event", {})) for work in call.get("device_nodes", ())]
            self.runtime_node.append(runtime)
        self.mem_node = [MemNode(memory.get("mem_event", {})) for memory in node.get("mem_nodes", ())]
        for more in node.get("op_supplement_nodes", ()):
            event = more.get("op_supplement_event", {})
            self.input_shapes = _shapes(event.get("input_shapes", {}))
            self.dtypes = _dtypes(event.get("dtypes", {}))
            self.callstack = _text(event.get("callstack"))
            self.op_id = event.get("op_id", 0)


class DeviceNode:
    """A kernel, copy or memset on a device. Times in ns."""

    def __init__(self, event):
        self.name = _text(event.get("name"))
        self.type = _member(TracerEventType, event.get("type", 0))
        for key in ("start_ns", "end_ns", "device_id", "context_id", "stream_id", "correlation_id"):
            setattr(self, key, event.get(key, 0))
        kernel, copy, fill = (event.get(key, {}) for key in ("kernel_info", "memcpy_info", "memset_info"))
        for key in _KERNEL:
            setattr(self, key, kernel.get(key, 0))
        for key in _SHARES:
            setattr(self, key, kernel.get(key, 0.0))
        self.shared_memory = kernel.get("dynamic_shared_memory", 0) + kernel.get("static_shared_memory", 0)
        self.num_bytes = copy.get("num_bytes", fill.get("num_bytes", 0))
        self.value = fill.get("value", 0)


class MemNode:
    """An allocation or release of memory; sizes in bytes."""

    def __init__(self, event):
        self.type = _member(TracerMemEventType, event.get("type", 0))
        self.place = _text(event.get("place"))
        # Of what CUDA allocates, the kind of its memory; else empty.
        self.memory_kind = _text(event.get("memory_kind"))
        for key in ("timestamp_ns", "addr", "process_id", "thread_id", "increase_bytes"):
            setattr(self, key, event.get(key, 0))
        for key in ("current_allocated", "current_reserved", "peak_allocated", "peak_reserved"):
            setattr(self, key, event.get(key, 0))


def _tree(nodes):
    """Links a thread's nodes by their parents' ids; returns the root node."""
    known, root = {}, None
    for node in nodes:
        event = node.get("host_trace_event", {})
        known[node.get("id", 0)] = made = HostNode(event, event.get("type", 0))
        made._add(node)
        parent = known.get(node.get("parentid", -1))
        if parent is not None and parent is not made:
            parent.children_node.append(made)
        elif root is None:
            root = made
    return root


def _member(kinds, number):
    """The member of an enumeration with this value; the number itself if there is none."""
    try:
        return kinds(number)
    except ValueError:
        return number


def _text(given):
    """Decodes a text of the file; the program gives invalid UTF-8 as a list of bytes."""
    if isinstance(given, list):
        return bytes(given).decode("utf-8", "replace")
    return given or ""


def _shapes(given):
    vectors = [[shape.get("size", []) for shape in one.get("shapes", ())] for one in given.get("shape_vecs", ())]
    return dict(zip((_text(key) for key in given.get("key", ())), vectors))


def _dtypes(given):
    vectors = [[_text(one) for one in vector.get("dtype", ())] for vector in given.get("dtype_vecs", ())]
    return dict(zip((_text(key) for key in given.get("key", ())), vectors))
