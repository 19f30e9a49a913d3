"""The interface of Paddle's old `fluid.profiler`: it records one part of the program, and reports the events by path."""
from contextlib import contextmanager

from .profiling import Profiling, options_of
from .states import scheduler_of

_STATES = ("CPU", "GPU", "All")
_OPTIONS = ("Default", "OpDetail", "AllOpDetail")
_KEYS = (None, "default", "calls", "total", "max", "min", "ave", "gpu_time", "cpu_time")

# The profiler that is recording, its state and option; None where none is.
_open = None


def start_profiler(state, tracer_option="Default"):
    """Begins to record; does nothing where it records already."""
    global _open
    _check("state", state, _STATES)
    _check("tracer option", tracer_option, _OPTIONS)
    if _open is None:
        options = options_of(False, False, False, False, False)
        prof = Profiling(scheduler_of(None), None, options, state != "CPU", has_steps=False)
        _open = prof, state, tracer_option
        prof.start()


def stop_profiler(sorted_key=None, profile_path="/tmp/profile"):
    """Ends the recording, prints the report, and writes the trace to a file as protobuf."""
    global _open
    _check("key to sort by", sorted_key, _KEYS)
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
    """Discards the recording so far, and begins again."""
    if _open is not None:
        _open[0].stop()
        _open[0].start()


@contextmanager
def profiler(state, sorted_key=None, profile_path="/tmp/profile", tracer_option="Default"):
    """A context that records: `start_profiler` at its beginning, `stop_profiler` at its end."""
    _check("key to sort by", sorted_key, _KEYS)
    start_profiler(state, tracer_option)
    try:
        yield
    finally:
        stop_profiler(sorted_key, profile_path)


def _check(what, given, known):
    if given not in known:
        raise ValueError("%s: %r is none of %s" % (what, given, ", ".join(str(one) for one in known)))
