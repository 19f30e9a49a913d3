"""A result by name of operator, as PyTorch's `key_averages()` has it: the table as text, the rows as objects."""
import json

from . import binary

_TIMES = (
    "cpu_time",
    "cpu_time_total",
    "self_cpu_time_total",
    "device_time",
    "device_time_total",
    "self_device_time_total",
)
_BYTES = ("cpu_memory_usage", "self_cpu_memory_usage", "device_memory_usage", "self_device_memory_usage")
# Most rows of a table that says nothing else.
_ROWS = 100


class KeyAverages:
    """The averages of a result; worked out by the program each time they are asked for."""

    def __init__(self, result, by_shape, by_stack):
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
        """The table as text. The widths of sources and shapes are PyTorch's own, whatever is given."""
        words = ["--row-limit", str(row_limit), "--max-name-width", str(max_name_column_width)]
        words += ["--sorted-by", sort_by] if sort_by else []
        words += ["--top-level-only"] if top_level_events_only else []
        words += ["--time-unit", time_unit] if time_unit else []
        text = self._ask(words)
        return text if header is None else "%s\n%s" % (header, text)

    def __iter__(self):
        text = self._ask(["--row-limit", "-1", "--format", "json"])
        table = json.loads(text) if text else {"columns": (), "rows": ()}
        names = [column["id"] for column in table["columns"]]
        return iter([Average(dict(zip(names, row["cells"]))) for row in table["rows"]])

    def __len__(self):
        return sum(1 for _ in self)

    def __str__(self):
        return self.table()

    def _ask(self, words):
        if self._result is None:
            return ""
        try:
            return self._result.summary("json", *(self._words + words))
        except binary.Refused as error:
            raise ValueError(str(error))


class Average:
    """A row, with PyTorch's names for what it holds; times are in µs, as there."""

    def __init__(self, cells):
        self.key = cells.get("name", "")
        self.count = cells.get("count", 0)
        self.is_device = cells.get("side") == "device"
        for name in _TIMES:
            setattr(self, name, cells.get(name, 0) / 1000.0)
        for name in _BYTES:
            setattr(self, name, cells.get(name, 0))
