"""What a cycle left: a trace as soon as somebody wants one, and what the program makes of it."""
import itertools
import os

from . import binary, nodes

_numbers = itertools.count()


class Result:
    """A cycle that is over. The newest one of the process can be asked for; what was asked for stays."""

    def __init__(self, run, cycle):
        self._run = run
        self._cycle = cycle
        self._files = {}
        self._tree = None

    def write(self, path, form):
        """Writes it, in a form: an ending of traces' files. Raises `Refused`."""
        self._run.trace(self._cycle, form, path)

    def file(self, form):
        """A file with it, in the run's private folder, which is gone when the process is. Raises `Refused`."""
        if form not in self._files:
            name = "result.%d.%d.%d.%s" % (os.getpid(), self._cycle, next(_numbers), form)
            path = os.path.join(self._run.folder, name)
            self.write(path, form)
            self._files[form] = path
        return self._files[form]

    def summary(self, form, *words):
        """What `proftui summary` prints of it. Raises `Refused`."""
        return binary.ask("summary", *words, "--", self.file(form))

    def __del__(self):
        for path in self._files.values():
            try:
                os.unlink(path)
            except OSError:
                # The run's folder went before.
                pass

    # As Paddle's result of a profiler has it.

    def save(self, path, format="json"):
        """Writes it, as `json` or `pb`."""
        self.write(path, format)

    def get_data(self):
        """The trees of threads, by their numbers."""
        return self._loaded().get_data()

    def get_extra_info(self):
        """What stands beside the trees."""
        return self._loaded().get_extra_info()

    def get_version(self):
        """The version of the form."""
        return self._loaded().get_version()

    def get_span_index(self):
        """Which cycle it is, from 0."""
        return self._loaded().get_span_index()

    def _loaded(self):
        if self._tree is None:
            self._tree = nodes.load_profiler_result(self.file("pb"))
        return self._tree


def form_of(path, format="json"):
    """The form for a path: JSON is compressed where the path's ending says so."""
    if format not in ("json", "pb"):
        raise ValueError("a format is json or pb, not %r" % (format,))
    if format == "pb":
        return format
    endings = {".gz": "json.gz", ".zst": "json.zst"}
    return endings.get(os.path.splitext(os.fspath(path))[1], "json")

