"""The steps and cycles of a profiler: the state of each step, and a callback when a cycle has ended.

Knows the schedule and the recorder; knows neither tables nor files.
"""
import warnings
import weakref

from . import recorder
from .results import Result
from .states import ProfilerState, Schedule, state_of

CLOSED, READY, RECORD, RETURN = ProfilerState

# Warnings about changes of states; in Paddle's words if these are true here.
_ODD = {
    (READY, CLOSED): "Improper schedule: READY->CLOSED, profiler will start and stop without saving data",
    (RECORD, CLOSED): "Improper schedule: RECORD->CLOSED, recording stops in mid-cycle; its result is marked incomplete",
    (RECORD, READY): "Improper schedule: RECORD->READY, recording stops in mid-cycle; its result is marked incomplete",
}
_ODD_END = "Improper Profiler state transform: READY->CLOSED, profiler will start and stop without saving data"

# Values of the fact `profiler` in the trace: the script controls the recording, or the command line does.
_CONTROLS = "the script's own Profiler selects the recorded steps"
_MARKS = "the command line selects the recorded steps; the script's own Profiler marks where steps end"

# Weak reference to the profiler that records; one per process, since a process has one agent.
_current = None


class Cycles:
    """The steps of a profiler; `on_ready()` is called after each recorded cycle.

    Without `has_steps` the whole run is one cycle, and steps are only counted.
    """

    def __init__(self, schedule, on_ready, is_timer_only=False, has_steps=True):
        self._has_steps = has_steps
        self._schedule = lambda step: state_of(schedule(step))
        # A `Schedule` is evaluated only once the recorder is loaded or the state is asked for: before, each call runs the program.
        self._is_lazy = isinstance(schedule, Schedule)
        self._on_ready = on_ready
        self._is_timer_only = is_timer_only
        self._run = None
        self._is_in_control = False
        self.is_running = False
        self.step_num = 0
        self._state = self._first_state()
        # The result of the last cycle that ended; None before.
        self.result = None

    @property
    def state(self):
        """State of the current step; before the start, that of the first step."""
        if self._state is None:
            self._state = self._schedule(0)
        return self._state

    def _first_state(self):
        return None if self._is_lazy else self._schedule(0)

    def start(self, options, with_gpu=True):
        """Begins the first step."""
        global _current
        if self.is_running:
            return
        self.is_running = True
        self.step_num, self._state, self._is_in_control = 0, self._first_state(), False
        other = _current and _current()
        if other is not None and other.is_running:
            warnings.warn("another profiler is already recording in this process: this one records nothing", stacklevel=3)
            return
        self._run = recorder.run(options, with_gpu)
        if self._run is None:
            return
        _current = weakref.ref(self)
        if not self._run.is_looked_after:
            recorder.warn("the proftui process that writes the traces of this script has ended: nothing is recorded")
        # With `timer_only` only times are wanted: a capture around the script keeps control of the recording.
        if self._run.is_own or not self._is_timer_only:
            self._is_in_control = self._run.control.start(self._number(), self._has_steps)
        self._run.control.announce(_CONTROLS if self._is_in_control else _MARKS)

    def step(self, samples=None):
        """Ends the current step, which processed `samples` samples (None: unknown), and begins the next one."""
        if not self.is_running:
            return
        last = self.state
        self.step_num += 1
        self._state = self._schedule(self.step_num)
        odd = None if self._is_timer_only else _ODD.get((last, self.state))
        if odd:
            warnings.warn(odd, stacklevel=3)
        if self._run is None or not self._has_steps:
            return
        samples, control = int(samples or 0), self._run.control
        if not self._is_in_control:
            if self._ends(control.mark, samples):
                self._on_ready()
        elif last == RETURN and not self._is_timer_only:
            is_over = self._ends(control.step, samples, CLOSED.value)
            try:
                if is_over:
                    self._on_ready()
            finally:
                # The time of the callback counts for no step and no cycle.
                if self.is_running:
                    control.restart_step(self._number())
        else:
            self._ends(control.step, samples, self._number())

    def stop(self):
        """Ends the current step and an open cycle. Later calls do nothing."""
        global _current
        if not self.is_running:
            return
        self.is_running = False
        if self.state == READY and not self._is_timer_only:
            warnings.warn(_ODD_END, stacklevel=3)
        run, self._run, self._state = self._run, None, CLOSED
        if run is None:
            return
        _current, self._run = None, run
        if not self._is_in_control:
            run.control.unmark()
        elif self._ends(run.control.stop):
            self._on_ready()

    def step_info(self, unit):
        """Average times of the steps since the last call, as one line; `unit` names a sample."""
        return self._run.agent.step_info(unit) if self._run is not None else ""

    def perf(self, unit):
        """Table of the times of all steps; empty if there were ten steps or fewer."""
        return self._run.agent.perf(unit) if self._run is not None else ""

    def _number(self):
        return (CLOSED if self._is_timer_only else self.state).value

    def _ends(self, act, *args):
        """Calls `act`. If a cycle ended with it, makes that cycle's result the current one and returns True."""
        before = self._run.agent.last_cycle()
        act(*args)
        cycle = self._run.agent.last_cycle()
        if cycle == before:
            return False
        self.result = Result(self._run, cycle)
        return True
