"""Average times per operator, with the interface of PyTorch's `key_averages()`: a table as text, and its rows as objects."""
import json

from . import binary, output
from .times import BYTES, TOTALS, Rows, Times

# Default limit of a table's rows.
_ROWS = 100
# More frames than any recorded stack has.
_ALL_FRAMES = "10000"
_AS_JSON = ["--row-limit", "-1", "--format", "json"]
# The metrics of `export_stacks`.
STACK_METRICS = ("self_cpu_time_total", "self_cuda_time_total", "self_device_time_total")
# Replaces the characters in stack frames that separate frames and numbers in a file of stacks.
_SEPARATORS = str.maketrans(" ;\t\n", "____")


class KeyAverages(Rows):
    """The averages of a result. The program `proftui` computes them: the table at each call, the rows once."""

    def __init__(self, result, by_shape, by_stack):
        super().__init__(lambda: _averages(self._ask(_AS_JSON), self._events))
        self._result = result
        self._words = ["--layout", "torch"]
        self._words += ["--group-by-input-shape"] if by_shape else []
        self._words += ["--group-by-stack", str(by_stack)] if by_stack else []

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

    def total_average(self):
        """One row with the sums of all rows."""
        return total(self)

    def supported_export_stacks_metrics(self):
        """The metrics of `export_stacks`."""
        return list(STACK_METRICS)

    def export_chrome_trace(self, path):
        """Writes the trace as JSON in the form of PyTorch's profiler. Raises `ValueError`."""
        _valued(lambda: self._result and self._result.write_kineto(path))

    def export_stacks(self, path, metric):
        """Writes the Python stacks with their times, as the profiler's `export_stacks`. Raises `ValueError`."""
        check_metric(metric)
        _valued(lambda: self._result and write_stacks(self._result, path, metric))

    def __str__(self):
        return self.table()

    def _events(self):
        return self._result.events() if self._result is not None else []

    def _ask(self, words):
        return _valued(lambda: self._result.summary("json", *(self._words + words))) if self._result is not None else ""


class FunctionEventAvg(Times):
    """A row of the table with the attributes of PyTorch's rows; times in µs, memory in bytes. `find()` is the first event of the row; without
    `cells` it is the sum of nothing yet."""

    def __init__(self, cells=None, find=None):
        cells = cells or {}
        times = {name: cells.get(name, 0) / 1000.0 for name in TOTALS}
        self._set(dict(cells, is_device=cells.get("side") == "device", **times))
        self._find = find
        self.key = cells.get("name")
        self.count = cells.get("count", 0)
        self.input_shapes = json.loads(cells.get("input_shapes") or "[]")
        # Innermost first.
        self.stack = [frame for frame in (cells.get("source_location") or "").split("; ") if frame]

    def add(self, other):
        """Adds the times, memory and calls of another row or event."""
        if self.key is None:
            self.key, self.is_device, self._find = other.key, other.is_device, lambda: other
            self.input_shapes, self.stack = other.input_shapes, other.stack
        if self.key != other.key:
            raise AssertionError("rows of different keys: %r and %r" % (self.key, other.key))
        for name in TOTALS + BYTES + ("count", "flops"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        return self

    __iadd__ = add

    def __repr__(self):
        shown = (self.key, self.count, self.cpu_time_total, self.device_time_total)
        return "<FunctionEventAvg %r: %d calls, CPU %.3f us, device %.3f us>" % shown


def _of_first(name, otherwise):
    def value(row):
        first = row._find() if row._find is not None else None
        return getattr(first, name) if first is not None else otherwise

    return property(value, doc="`%s` of the row's first event." % name)


for _name, _otherwise in (
    ("cpu_children", ()),
    ("cpu_parent", None),
    ("is_async", False),
    ("is_user_annotation", False),
    ("scope", 0),
):
    setattr(FunctionEventAvg, _name, _of_first(_name, _otherwise))


def total(rows):
    """One row with the sums of all rows."""
    sums = FunctionEventAvg()
    for row in rows:
        sums.add(row)
        sums.key = None
    sums.key = "Total"
    return sums


def _averages(text, events):
    table = json.loads(text) if text else {"columns": (), "rows": ()}
    names = [column["id"] for column in table["columns"]]
    return [_average(dict(zip(names, row["cells"])), events) for row in table["rows"]]


def _average(cells, events):
    def find():
        for event in events():
            is_like = (event.key, event.is_device) == (row.key, row.is_device)
            if is_like and (not row.input_shapes or event.input_shapes == row.input_shapes):
                return event
        return None

    row = FunctionEventAvg(cells, find)
    return row


def check_metric(metric):
    """Raises `ValueError` for a metric that files of stacks do not have."""
    if metric not in STACK_METRICS:
        raise ValueError("metric must be one of %s, not %r" % (", ".join(STACK_METRICS), metric))


def write_stacks(result, path, metric):
    """Writes one line per stack, outermost frame first, with the sum of a metric: the input of flame graph tools. Raises `Refused`."""
    sums = {}
    text = result.summary("json", "--layout", "torch", "--group-by-stack", _ALL_FRAMES, *_AS_JSON)
    for row in _averages(text, lambda: ()):
        if row.stack:
            stack = ";".join(frame.translate(_SEPARATORS) for frame in reversed(row.stack))
            sums[stack] = sums.get(stack, 0) + getattr(row, metric)
    try:
        output.write(path, "".join("%s %d\n" % item for item in sums.items() if item[1] >= 1))
    except OSError as error:
        raise binary.Refused("cannot write %s: %s" % (path, error.strerror))


def _valued(make):
    """What `make()` returns; its failures are `ValueError`s."""
    try:
        return make()
    except (binary.Missing, binary.Refused) as error:
        raise ValueError(str(error))
