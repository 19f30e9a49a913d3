"""The steps and cycles of a profiler: the state of each step, and a callback when a cycle has ended.

Knows the schedule and the recorder; knows neither tables nor files. Profilers follow one another or nest: while an outer one records, an
inner one is refused; else the outer one waits for the inner one, and then goes on.
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

_REFUSED = "another profiler records in this process: this one records nothing"
_LATE = "a profiler within another one records: the outer one records only from its end on"

# Weak references to the running profilers of this process. The last one has the agent, of which a process has one; those before it wait
# for its end.
_running = []


class Cycles:
    """The steps of a profiler. Of the two functions `calls`, one is called where a cycle begins or gets ready, the other one after each recorded
    cycle.

    Without `has_steps` the whole run is one cycle, and steps are only counted.
    """

    def __init__(self, schedule, calls, is_timer_only=False, has_steps=True):
        self._has_steps = has_steps
        self._schedule = lambda step: state_of(schedule(step))
        # A `Schedule` is evaluated only once the recorder is loaded or the state is asked for: before, each call runs the program.
        self._is_lazy = isinstance(schedule, Schedule)
        self._on_begin, self._on_ready = calls
        self._is_timer_only = is_timer_only
        self._run = None
        self._options = {}
        self._is_in_control = False
        # True while a profiler that began within this one has the agent.
        self._waits = False
        self.is_running = False
        self.step_num = 0
        self.previous_state = CLOSED
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

    def start(self, options):
        """Begins the first step; `options` are those of the recorder."""
        if self.is_running:
            return
        self.is_running = True
        # Nothing of an earlier use counts.
        self._run, self._is_in_control, self._waits = None, False, False
        self.step_num, self.previous_state, self._state, self._options = 0, CLOSED, self._first_state(), options
        outer = _innermost()
        if outer is not None:
            if outer._records():
                recorder.warn(_REFUSED)
                return
            outer._waits = True
        self._take_agent()
        if self._run is not None:
            _running.append(weakref.ref(self))
            if not self._run.is_looked_after:
                recorder.warn("the proftui process that writes the traces of this script has ended: nothing is recorded")
            self._run.control.announce(_CONTROLS if self._is_in_control else _MARKS)
        self._follow(CLOSED)

    def _follow(self, last):
        """Calls the function for the beginning of a cycle, if the state says so after the state `last`."""
        if self._records() and last in (CLOSED, RETURN):
            self._on_begin()

    def _take_agent(self):
        """Has the agent record the current step as its state says, and the steps after it."""
        self._waits = self._is_in_control = False
        self._run = recorder.run(self._options)
        # With `timer_only` only times are wanted: a capture around the script keeps control of the recording.
        if self._run is not None and (self._run.is_own or not self._is_timer_only):
            first = self._number(), self._has_steps, self.step_num
            self._is_in_control = self._run.control.start(*first, self._options, self._run.shared)

    def _take_back(self):
        """Has the agent record this profiler's steps again, from the current one on."""
        self._take_agent()
        self._follow(CLOSED)

    def _records(self):
        """True if a profiler that begins now would take the recorder away from this one."""
        return self._number() != CLOSED.value

    def step(self, samples=None):
        """Ends the current step, which processed `samples` samples (None: unknown), and begins the next one."""
        if not self.is_running:
            return
        last = self.previous_state = self.state
        self.step_num += 1
        self._state = self._schedule(self.step_num)
        odd = None if self._is_timer_only else _ODD.get((last, self.state))
        if odd:
            warnings.warn(odd, stacklevel=3)
        # If the inner profiler was dropped, this one has the agent again, and its step has begun.
        if self._waits and _innermost() is self:
            return
        if self._waits and self._records():
            recorder.warn(_LATE)
        if self._run is None or self._waits or not self._has_steps:
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
                    self._follow(last)
                    control.restart_step(self._number())
        else:
            self._follow(last)
            self._ends(control.step, samples, self._number())

    def stop(self):
        """Ends the current step and an open cycle. Later calls do nothing."""
        if not self.is_running:
            return
        has_agent = _innermost() is self
        self.is_running = False
        if self.state == READY and not self._is_timer_only:
            warnings.warn(_ODD_END, stacklevel=3)
        self._state = CLOSED
        if not has_agent:
            return
        try:
            if not self._is_in_control:
                self._run.control.unmark()
            elif self._ends(self._run.control.stop):
                self._on_ready()
        finally:
            outer = _innermost()
            if outer is not None and outer._waits:
                outer._take_back()

    def prepare(self, options):
        """Loads the recorder ahead of `start`, if no profiler has it."""
        if _innermost() is None:
            recorder.run(options)

    def collect(self, is_on):
        """Has the operators of the open cycle recorded no longer, or again."""
        if self._is_in_control and _innermost() is self:
            self._run.control.collect(is_on)

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


def _innermost():
    """The running profiler that has the agent; None if none runs. After one that was dropped while it ran, that is the one that waited."""
    is_dropped = False
    while _running:
        found = _running[-1]()
        if found is not None and found.is_running:
            if is_dropped:
                found._take_back()
            return found
        _running.pop()
        is_dropped = is_dropped or found is None
    return None
