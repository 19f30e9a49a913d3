"""The interface of Paddle's old `fluid.profiler`: records one part of the program, and prints a table of the events by nesting path."""
from contextlib import contextmanager

from .profiling import Profiling, options_of
from .states import scheduler_of

_STATES = ("CPU", "GPU", "All")
_OPTIONS = ("Default", "OpDetail", "AllOpDetail")
_KEYS = (None, "default", "calls", "total", "max", "min", "ave", "gpu_time", "cpu_time")

# The running profiler with its state and tracer option; None while nothing is recorded.
_open = None


def start_profiler(state, tracer_option="Default"):
    """Starts recording; does nothing if a recording is running."""
    global _open
    _check("state", state, _STATES)
    _check("tracer_option", tracer_option, _OPTIONS)
    if _open is None:
        options = options_of(False, False, False, False, state != "CPU")
        prof = Profiling(scheduler_of(None), None, options, has_steps=False)
        _open = prof, state, tracer_option
        prof.start()


def stop_profiler(sorted_key=None, profile_path="/tmp/profile"):
    """Stops recording, prints the table of events, and writes the trace to `profile_path` as Paddle's protobuf."""
    global _open
    _check("sorted_key", sorted_key, _KEYS)
    if _open is None:
        return
    (prof, state, tracer_option), _open = _open, None
    prof.stop()
    words = ["--layout", "fluid", "--state", state, "--tracer-option", tracer_option]
    words += ["--sorted-by", sorted_key] if sorted_key else []
    text = prof._of_result(lambda result: result.summary("pb", *words))
    if text:
        print(text, end="")
    if profile_path:
        prof.export(profile_path, "pb")


def reset_profiler():
    """Discards the events recorded so far and restarts recording; does nothing if none is running."""
    if _open is not None:
        _open[0].stop()
        _open[0].start()


@contextmanager
def profiler(state, sorted_key=None, profile_path="/tmp/profile", tracer_option="Default"):
    """A context manager that calls `start_profiler` on entry and `stop_profiler` on exit."""
    _check("sorted_key", sorted_key, _KEYS)
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


def _check(what, given, known):
    if given not in known:
        raise ValueError("%s must be one of %s, not %r" % (what, ", ".join(str(one) for one in known), given))
