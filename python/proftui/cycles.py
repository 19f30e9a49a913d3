"""A profiler's steps: their states, and the call of a function when a cycle is over.

Knows the schedule and the recorder; knows neither tables nor files.
"""
import warnings
import weakref

from . import recorder
from .results import Result
from .states import ProfilerState, Schedule, state_of

CLOSED, READY, RECORD, RETURN = ProfilerState

# Warnings about changes of states: Paddle's texts where they are true here.
_ODD = {
    (READY, CLOSED): "Improper schedule: READY->CLOSED, profiler will start and stop without saving data",
    (RECORD, CLOSED): "Improper schedule: RECORD->CLOSED, profiler stops in mid-cycle; its result is marked incomplete",
    (RECORD, READY): "Improper schedule: RECORD->READY, profiler stops in mid-cycle; its result is marked incomplete",
}
_ODD_END = "Improper Profiler state transform: READY->CLOSED, profiler will start and stop without saving data"

# The fact `profiler` in the trace, where the script says what is recorded and where it does not.
_CONTROLS = "the script's own Profiler says which steps are recorded"
_MARKS = "the command line says which steps are recorded, the script's own Profiler where they end"

# The profiler that records, by a weak reference: a process has one agent.
_current = None


class Cycles:
    """The steps of a profiler; `on_ready()` is called whenever a cycle is over.

    Without `has_steps` everything is in one cycle, and steps are only counted.
    """

    def __init__(self, schedule, on_ready, is_timer_only=False, has_steps=True):
        self._has_steps = has_steps
        self._schedule = lambda step: state_of(schedule(step))
        # A schedule of ours is evaluated once the recorder is loaded, or when the state is asked for: before that it has to run the
        # program.
        self._is_lazy = isinstance(schedule, Schedule)
        self._on_ready = on_ready
        self._is_timer_only = is_timer_only
        self._run = None
        self._is_in_control = False
        self.is_running = False
        self.step_num = 0
        self._state = self._first_state()
        # The result of the newest cycle; None before there is one.
        self.result = None

    @property
    def state(self):
        """The state of the step under way; before the start, that of the first one."""
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
            warnings.warn("another profiler of this process records: this one does not", stacklevel=3)
            return
        self._run = recorder.run(options, with_gpu)
        if self._run is None:
            return
        _current = weakref.ref(self)
        if not self._run.is_looked_after:
            recorder.warn("whoever writes traces for this process is gone: nothing is recorded")
        # With `timer_only` only times are wanted: a capture around the script keeps control of the recording.
        if self._run.is_own or not self._is_timer_only:
            self._is_in_control = self._run.control.start(self._number(), self._has_steps)
        self._run.control.announce(_CONTROLS if self._is_in_control else _MARKS)

    def step(self, samples=None):
        """Ends a step, of so many samples, and begins the next one."""
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
                # The time of the callback belongs to no step and no cycle.
                if self.is_running:
                    control.restart_step(self._number())
        else:
            self._ends(control.step, samples, self._number())

    def stop(self):
        """Ends the steps, and with them the step under way and an open cycle. Later calls do nothing."""
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
        """The timer's line on the steps since the last call; `unit` names a sample."""
        return self._run.agent.step_info(unit) if self._run is not None else ""

    def perf(self, unit):
        """The timer's table of all steps; empty before there are enough of them."""
        return self._run.agent.perf(unit) if self._run is not None else ""

    def _number(self):
        return (CLOSED if self._is_timer_only else self.state).value

    def _ends(self, act, *args):
        """Calls `act`; returns whether a cycle ended with it, whose result is the newest then."""
        before = self._run.agent.last_cycle()
        act(*args)
        cycle = self._run.agent.last_cycle()
        if cycle == before:
            return False
        self.result = Result(self._run, cycle)
        return True
