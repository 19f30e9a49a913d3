"""The result of a cycle: its trace, written when it is asked for, and the program's output for it."""
import itertools
import os

from . import binary, nodes

_numbers = itertools.count()


class Result:
    """A cycle that is over. Traces can be written of the newest cycle of the process only; files that were written stay."""

    def __init__(self, run, cycle):
        self._run = run
        self._cycle = cycle
        self._files = {}
        self._tree = None

    def write(self, path, form):
        """Writes the trace in a form, which is an ending of trace files, such as `json.gz`. Raises `Refused`."""
        self._run.trace(self._cycle, form, path)

    def file(self, form):
        """The path of a file with the trace, in the run's private folder, which is removed when the process has ended. Raises `Refused`."""
        if form not in self._files:
            name = "result.%d.%d.%d.%s" % (os.getpid(), self._cycle, next(_numbers), form)
            path = os.path.join(self._run.folder, name)
            self.write(path, form)
            self._files[form] = path
        return self._files[form]

    def summary(self, form, *words):
        """The output of `proftui summary` for the trace. Raises `Refused`."""
        return binary.ask("summary", *words, "--", self.file(form))

    def __del__(self):
        for path in self._files.values():
            try:
                os.unlink(path)
            except OSError:
                # The run's folder was removed before.
                pass

    # The interface of Paddle's `ProfilerResult`.

    def save(self, path, format="json"):
        """Writes the trace as `json` or `pb`."""
        self.write(path, format)

    def get_data(self):
        """The trees of the threads, by the threads' numbers."""
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
            self._tree = nodes.load_profiler_result(self.file("pb"))
        return self._tree


def form_of(path, format="json"):
    """The form for a path and a format (`json` or `pb`): JSON is compressed where the path ends in `.gz` or `.zst`."""
    if format not in ("json", "pb"):
        raise ValueError("a format is json or pb, not %r" % (format,))
    if format == "pb":
        return format
    endings = {".gz": "json.gz", ".zst": "json.zst"}
    return endings.get(os.path.splitext(os.fspath(path))[1], "json")

