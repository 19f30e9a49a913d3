"""What the rows of PyTorch's lists have in common: times and memory under all of their names, and the list itself.

Knows neither events nor averages.
"""
from collections import UserList

from .names import DeviceType

# Totals of an event, or of all events of a row: times in µs, and bytes.
TOTALS = ("cpu_time_total", "self_cpu_time_total", "device_time_total", "self_device_time_total")
BYTES = ("cpu_memory_usage", "self_cpu_memory_usage", "device_memory_usage", "self_device_memory_usage")


class Times:
    """Times and memory of an event or a row, by the attributes of PyTorch's classes; those of `device` also by their older name `cuda`."""

    # No event of a recording has these.
    node_id = -1
    is_remote = is_legacy = False
    overload_name = ""

    def _set(self, cells):
        self.is_device = bool(cells.get("is_device"))
        for name in TOTALS + BYTES:
            setattr(self, name, cells.get(name, 0))
        self.flops = cells.get("flops") or 0

    @property
    def cpu_time(self):
        """Average time on the host."""
        return self.cpu_time_total / self.count if self.count else 0.0

    @property
    def device_time(self):
        """Average time on devices."""
        return self.device_time_total / self.count if self.count else 0.0

    @property
    def device_type(self):
        """The kind of device on which it ran."""
        return DeviceType.CUDA if self.is_device else DeviceType.CPU

    @property
    def use_device(self):
        """The name of the kind of devices that take part; None if none does."""
        return "cuda" if self.is_device or self.device_time_total or self.device_memory_usage else None


def _shown(name):
    return property(lambda self: _time(getattr(self, name)), doc="The time `%s` as text." % name)


def _time(us):
    if us >= 1e6:
        return "%.3fs" % (us / 1e6)
    return "%.3fms" % (us / 1e3) if us >= 1e3 else "%.3fus" % us


def _older(name):
    return property(lambda self: getattr(self, name), doc="The name of `%s` before PyTorch 2.3." % name)


for _name in ("cpu_time", "device_time") + TOTALS:
    setattr(Times, _name + "_str", _shown(_name))
for _name in ("device_time", "device_time_total", "self_device_time_total", "device_memory_usage", "self_device_memory_usage"):
    setattr(Times, _name.replace("device", "cuda"), _older(_name))


class Rows(UserList):
    """A list of which `read()` gives the items, once they are needed."""

    def __init__(self, read):
        self._read = read
        self._items = None

    @property
    def data(self):
        if self._items is None:
            self._items = list(self._read())
        return self._items

    def __getitem__(self, at):
        # A part of the list is a plain list.
        return self.data[at]

    # Other lists that are made of this one are plain lists.

    def copy(self):
        """A plain list of the same items."""
        return list(self.data)

    def __add__(self, other):
        return self.data + list(other)

    def __radd__(self, other):
        return list(other) + self.data

    def __mul__(self, count):
        return self.data * count

    __rmul__ = __mul__

    def __iadd__(self, other):
        self.data.extend(other)
        return self

    def __imul__(self, count):
        self._items = self.data * count
        return self

    def __copy__(self):
        return self.copy()

    @property
    def self_cpu_time_total(self):
        """Sum of the self times of all rows on the CPU, µs."""
        return sum(row.self_cpu_time_total for row in self)
