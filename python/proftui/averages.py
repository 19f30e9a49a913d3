"""Average times per operator, with the interface of PyTorch's `key_averages()`: a table as text, and its rows as objects."""
import json
from collections.abc import Sequence

from . import binary, output

_TIMES = (
    "cpu_time",
    "cpu_time_total",
    "self_cpu_time_total",
    "device_time",
    "device_time_total",
    "self_device_time_total",
)
_BYTES = ("cpu_memory_usage", "self_cpu_memory_usage", "device_memory_usage", "self_device_memory_usage")
# Default limit of a table's rows.
_ROWS = 100
# More frames than any recorded stack has.
_ALL_FRAMES = "10000"
_AS_JSON = ["--row-limit", "-1", "--format", "json"]
# The metrics of `export_stacks`.
STACK_METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_device_time_total")
# Replaces the characters in stack frames that separate frames and numbers in a file of stacks.
_SEPARATORS = str.maketrans(" ;\t\n", "____")


class KeyAverages(Sequence):
    """The averages of a result. The program `proftui` computes them: the table at each call, the rows once."""

    def __init__(self, result, by_shape, by_stack):
        self._result = result
        self._words = ["--layout", "torch"]
        self._words += ["--group-by-input-shape"] if by_shape else []
        self._words += ["--group-by-stack", str(by_stack)] if by_stack else []
        self._rows = None

    def table(
        self,
        sort_by=None,
        row_limit=_ROWS,
        max_src_column_width=75,
        max_name_column_width=55,
        max_shapes_column_width=80,
        header=None,
        top_level_events_only=False,
        time_unit=None,
    ):
        """The table as text. `max_src_column_width` and `max_shapes_column_width` are ignored: PyTorch's defaults are used."""
        words = ["--row-limit", str(row_limit), "--max-name-width", str(max_name_column_width)]
        words += ["--sorted-by", sort_by] if sort_by else []
        words += ["--top-level-only"] if top_level_events_only else []
        words += ["--time-unit", time_unit] if time_unit else []
        text = self._ask(words)
        return text if header is None else "%s\n%s" % (header, text)

    @property
    def self_cpu_time_total(self):
        """Sum of the self times of all operators on the CPU, µs."""
        return sum(row.self_cpu_time_total for row in self if not row.is_device)

    def __getitem__(self, at):
        return self._known()[at]

    def __len__(self):
        return len(self._known())

    def __str__(self):
        return self.table()

    def _known(self):
        if self._rows is None:
            self._rows = _averages(self._ask(_AS_JSON))
        return self._rows

    def _ask(self, words):
        if self._result is None:
            return ""
        try:
            return self._result.summary("json", *(self._words + words))
        except (binary.Missing, binary.Refused) as error:
            raise ValueError(str(error))


class Average:
    """A row of the table with the attributes of PyTorch's rows; times in µs, memory in bytes."""

    def __init__(self, cells):
        self.key = cells.get("name", "")
        self.count = cells.get("count", 0)
        self.is_device = cells.get("side") == "device"
        self.input_shapes = json.loads(cells.get("input_shapes") or "[]")
        # Innermost first.
        self.stack = [frame for frame in (cells.get("source_location") or "").split("; ") if frame]
        self.flops = cells.get("flops") or 0
        for name in _TIMES:
            self._set(name, cells.get(name, 0) / 1000.0)
        for name in _BYTES:
            self._set(name, cells.get(name, 0))

    def _set(self, name, value):
        setattr(self, name, value)
        # The attribute's name before PyTorch 2.3.
        setattr(self, name.replace("device", "cuda"), value)

    def __repr__(self):
        shown = (self.key, self.count, self.cpu_time_total, self.device_time_total)
        return "<Average %r: %d calls, CPU %.3f us, device %.3f us>" % shown


def _averages(text):
    table = json.loads(text) if text else {"columns": (), "rows": ()}
    names = [column["id"] for column in table["columns"]]
    return [Average(dict(zip(names, row["cells"]))) for row in table["rows"]]


def write_stacks(result, path, metric):
    """Writes one line per stack, outermost frame first, with the sum of a metric: the input of flame graph tools. Raises `Refused`."""
    sums = {}
    for row in _averages(result.summary("json", "--layout", "torch", "--group-by-stack", _ALL_FRAMES, *_AS_JSON)):
        if row.stack:
            stack = ";".join(frame.translate(_SEPARATORS) for frame in reversed(row.stack))
            sums[stack] = sums.get(stack, 0) + getattr(row, metric)
    try:
        output.write(path, "".join("%s %d\n" % item for item in sums.items() if item[1] >= 1))
    except OSError as error:
        raise binary.Refused("cannot write %s: %s" % (path, error.strerror))
