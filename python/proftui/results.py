"""The result of a recorded cycle: its trace, which is written on request, and summaries of it by `proftui`."""
import itertools
import os

from . import binary, events, nodes

_numbers = itertools.count()


class Result:
    """A recorded cycle. Its trace can be written until the process's next cycle has ended; files that were written stay."""

    def __init__(self, run, cycle):
        self._run = run
        self._cycle = cycle
        self._files = {}
        self._tree = None
        self._events = None

    def write(self, path, form, metadata=None):
        """Writes the trace to `path`; `form` is the name of a trace format, such as `json.gz`. Of PyTorch's form, the header has `metadata`, by
        key. Raises `Refused`."""
        self._run.trace(self._cycle, form, path, metadata or {})

    def write_kineto(self, path, metadata=None):
        """Writes the trace in PyTorch's form, compressed as the path says. Raises `Refused`."""
        self.write(path, "kineto" + _packing(path), metadata)

    def file(self, form):
        """Path of a file with the trace in the run folder, which is removed when the process has ended. Raises `Refused`."""
        if form not in self._files:
            name = "result.%d.%d.%d.%s" % (os.getpid(), self._cycle, next(_numbers), form)
            path = os.path.join(self._run.folder, name)
            self.write(path, form)
            self._files[form] = path
        return self._files[form]

    def summary(self, form, *words):
        """Output of `proftui summary` for the trace. Raises `Refused`."""
        return binary.ask("summary", *words, "--", self.file(form))

    def events(self):
        """The events of the trace, as PyTorch's profiler lists them. Raises `Missing` or `Refused`."""
        if self._events is None:
            self._events = events.events_of(binary.ask("events", "--", self.file("json")))
        return self._events

    def __del__(self):
        for path in self._files.values():
            try:
                os.unlink(path)
            except OSError:
                # The run folder was removed before.
                pass

    # The interface of Paddle's `ProfilerResult`.

    def save(self, path, format="json"):
        """Writes the trace in Paddle's form, as `json` or `pb`."""
        self.write(path, "paddle.json" if format == "json" else format)

    def get_data(self):
        """The root node of each thread's tree, by thread id."""
        return self._loaded().get_data()

    def get_extra_info(self):
        """The extra information of the file, by key."""
        return self._loaded().get_extra_info()

    def get_version(self):
        """The version of the file's format."""
        return self._loaded().get_version()

    def get_span_index(self):
        """The index of the cycle, from 0."""
        return self._loaded().get_span_index()

    def _loaded(self):
        if self._tree is None:
            try:
                self._tree = nodes.load_profiler_result(self.file("pb"))
            except ValueError as error:
                raise binary.Refused(str(error))
        return self._tree


def paddle_form_of(path, format):
    """The name of the trace format in Paddle's form for a path and `json` or `pb`; JSON is compressed if the path ends in `.gz` or `.zst`."""
    if format not in ("json", "pb"):
        raise ValueError("format must be json or pb, not %r" % (format,))
    return format if format == "pb" else "paddle.json" + _packing(path)


def _packing(path):
    ending = os.path.splitext(os.fspath(path))[1]
    return ending if ending in (".gz", ".zst") else ""
