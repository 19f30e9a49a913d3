"""A trace in a notebook: its tables as Arrow, its summaries and findings. All of it is what the program prints or exports."""
import html
import json
import os
import shutil
import tempfile
import weakref

from . import binary

# The tables that `proftui export` writes.
_TABLES = (
    "workers", "devices", "lanes", "slices", "links", "steps", "idle", "collectives", "counters", "allocations", "quality"
)


def load(path, *options):
    """Loads a trace: a file or a folder. `options` are those of `proftui export`, such as `"--cycle", "0"`. Raises `RuntimeError`."""
    return Trace(path, options)


def summary(path, view="overview", *options):
    """The table of a view of a trace: `proftui summary --view VIEW`, with more of its options. Raises `RuntimeError`."""
    return Summary(path, ("--view", view) + options)


class Trace:
    """A loaded trace. Its tables are read on first use, from a folder of its own that is removed with it: `slices`, `lanes`, `links`,
    `steps`, `idle`, `devices`, `workers`, `collectives`, `counters`, `allocations`, `quality`; docs/tables.md explains the columns. Each
    is a table of pyarrow, or a frame of polars where pyarrow is not installed; pandas, polars and DuckDB take both."""

    def __init__(self, path, options=()):
        self.path = os.fspath(path)
        self._tables = {}
        self._folder = tempfile.mkdtemp(prefix="proftui-")
        self._removed = weakref.finalize(self, shutil.rmtree, self._folder, True)
        try:
            _ask("export", "--out", self._folder, *options, "--", self.path)
        except RuntimeError:
            self.close()
            raise

    def close(self):
        """Removes the folder with the tables; tables that were read stay."""
        self._removed()

    def __enter__(self):
        return self

    def __exit__(self, *error):
        self.close()

    def __getattr__(self, name):
        if name not in _TABLES:
            raise AttributeError("a trace has no table %r: there are %s" % (name, ", ".join(_TABLES)))
        if name not in self._tables:
            self._tables[name] = _read(os.path.join(self._folder, name + ".arrow"))
        return self._tables[name]

    def __dir__(self):
        return [*super().__dir__(), *_TABLES]

    @property
    def kernels(self):
        """The slices that are kernels."""
        return _rows(self.slices, "category", "Kernel")

    @property
    def operators(self):
        """The slices that are operators."""
        return _rows(self.slices, "own_ns", None)

    def summary(self, view="overview", *options):
        """The table of a view: `proftui summary --view VIEW`, with more of its options."""
        return summary(self.path, view, *options)

    def insights(self, *options):
        """What limits the run, with all findings: `proftui insights`, with more of its options."""
        return Insights(self.path, options)

    def __repr__(self):
        return "<Trace %r: %d slices>" % (self.path, len(self.slices))

    def _repr_html_(self):
        return self.insights()._repr_html_()


class Summary:
    """A table of a summary. `columns` has the ids of the columns, `rows` a dict a row, with times in ns and sizes in bytes, `notes` the
    notes under the table."""

    def __init__(self, path, options):
        self._words = ("summary",) + tuple(options), ("--", os.fspath(path))
        found = json.loads(self._form("json"))
        self._tables = found if isinstance(found, list) else [found]
        first = self._tables[0]
        self.columns = [column["id"] for column in first["columns"]]
        self.rows = [dict(zip(self.columns, row["cells"])) for row in first["rows"]]
        self.notes = first["notes"]

    def _form(self, form):
        before, after = self._words
        return _ask(*before, "--format", form, *after)

    def __repr__(self):
        return self._form("table")

    def _repr_markdown_(self):
        return self._form("markdown")


class Insights:
    """What limits a run. `verdict` is the sentence on it, `findings` a dict a finding, as `proftui insights --format json` prints them."""

    def __init__(self, path, options=()):
        self._words = ("insights",) + tuple(options), ("--", os.fspath(path))
        before, after = self._words
        found = json.loads(_ask(*before, "--format", "json", *after))
        self.verdict = found["verdict"]
        self.findings = found["findings"]
        self.devices = found["devices"]

    def __repr__(self):
        before, after = self._words
        return _ask(*before, *after)

    def _repr_html_(self):
        items = ["<li>%s<br><small>%s</small></li>" % (html.escape(of["sentence"]), html.escape(of["advice"] or "")) for of in self.findings]
        return "<p><b>%s</b></p><ol>%s</ol>" % (html.escape(self.verdict or ""), "".join(items))


def _ask(*words):
    """Runs the program. Its failures become `RuntimeError`, since a notebook asked for a result."""
    try:
        return binary.ask(*words)
    except (binary.Missing, binary.Refused) as error:
        raise RuntimeError(str(error)) from None


def _read(path):
    """Reads a table from a file of Arrow, without copying it."""
    try:
        import pyarrow
    except ImportError:
        return _polars().read_ipc(path)
    with pyarrow.memory_map(path) as source:
        return pyarrow.ipc.open_file(source).read_all()


def _polars():
    try:
        import polars
    except ImportError:
        raise RuntimeError("tables need pyarrow or polars: pip install pyarrow") from None
    return polars


def _rows(table, column, value):
    """The rows of a table whose column has a value; for None, those where it is not missing."""
    try:
        import pyarrow.compute as compute
    except ImportError:
        of = _polars().col(column)
        return table.filter(of.is_not_null() if value is None else of == value)
    of = table[column]
    return table.filter(compute.is_valid(of) if value is None else compute.equal(of.cast("string"), value))
