"""The common base class of the profilers with Paddle's and PyTorch's interfaces."""
import sys

from . import binary, recorder
from .cycles import Cycles
from .results import paddle_form_of


class Profiling:
    """A profiler with a schedule of steps and a callback after each recorded cycle."""

    def __init__(self, schedule, on_trace_ready, options, is_timer_only=False, has_steps=True):
        self._options = options
        self.on_trace_ready = on_trace_ready
        self._cycles = Cycles(schedule, (self._begins, self._is_ready), is_timer_only, has_steps)

    def _begins(self):
        """Called where a cycle begins, or the steps before it."""

    def _is_ready(self):
        if self.on_trace_ready is not None:
            self.on_trace_ready(self)

    @property
    def step_num(self):
        """Number of the current step, from 0."""
        return self._cycles.step_num

    @property
    def current_state(self):
        """State of the current step."""
        return self._cycles.state

    @property
    def previous_state(self):
        """State of the step before the current one; CLOSED before the first."""
        return self._cycles.previous_state

    @property
    def profiler_result(self):
        """The result of the last recorded cycle; None if no cycle has ended."""
        return self._cycles.result

    def start(self):
        """Begins the first step."""
        self._cycles.start(self._options)

    def stop(self):
        """Ends the last step and the recording. Later calls do nothing; `start` may be called again."""
        self._cycles.stop()

    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    def export(self, path, format="json"):
        """Writes the trace of the last recorded cycle in Paddle's form; does nothing if no cycle has ended. A failure is printed as
        one line on stderr."""
        form = paddle_form_of(path, format)
        self._of_result(lambda result: result.write(path, form))

    def export_chrome_trace(self, path):
        """Writes the last recorded cycle as JSON in the form of PyTorch's profiler; compressed if the path ends in `.gz` or `.zst`. Does
        nothing, and fails, like `export`."""
        self._of_result(lambda result: result.write_kineto(path, self._header()))

    def _header(self):
        """What the profiler adds to the header of traces in PyTorch's form, by key."""
        return {}

    def _of_result(self, make):
        """Returns `make(result)` for the last result; None if there is none, or if `make` fails, which is printed on stderr."""
        result = self._cycles.result
        if result is None:
            return None
        try:
            return make(result)
        except (binary.Missing, binary.Refused) as error:
            recorder.warn(str(error))
            return None


def options_of(shapes, memory, stack, flops, with_gpu, is_full=False):
    """The recorder's options for these arguments of a profiler, by key."""
    wanted = (("shapes", shapes), ("stack", stack), ("memory", memory), ("flops", flops))
    asks = [word for word, is_wanted in wanted if is_wanted]
    device = "off" if not with_gpu else "memory" if memory else ""
    return {"ops": "full" if is_full or asks else "light", "ops_asks": ",".join(asks), "device": device}


def is_loaded(framework):
    """True if the script has imported a framework."""
    return framework in sys.modules
