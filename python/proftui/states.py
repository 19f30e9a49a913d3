"""The states of steps, and schedules of them: functions from a step's number to its state."""
import warnings
from enum import Enum


class ProfilerState(Enum):
    """What a profiler does during a step."""

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


class ProfilerAction(Enum):
    """The same, in PyTorch's words."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def state_of(given):
    """The state for what a schedule gives: one of these, of their originals in Paddle and PyTorch, or a number."""
    return ProfilerState(getattr(given, "value", given))


def make_scheduler(*, closed, ready, record, repeat=0, skip_first=0):
    """Cycles of `closed`, `ready` and `record` steps, `repeat` of them (0: without end), after `skip_first` steps."""
    if min(closed, ready, repeat, skip_first) < 0 or record <= 0:
        raise AssertionError("Invalid profiler scheduler arguments")
    if ready == 0:
        warnings.warn(
            "Profiler will record data after enabling profiler immediately, "
            "some data collected at the beginning of profiling may be 'noisy' because of overhead.",
            stacklevel=2,
        )
    return _cycles(closed, ready, record, repeat, skip_first, ProfilerState)


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """The same as PyTorch has it; with `skip_first_wait` the first cycle does not wait."""
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError("Invalid profiler schedule arguments")
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    states = _cycles(wait, warmup, active, repeat, skip_first, ProfilerAction)
    if not skip_first_wait:
        return states
    return lambda step: ProfilerAction.NONE if step < skip_first else states(step + wait)


def _cycles(closed, ready, record, repeat, skip_first, states):
    period = closed + ready + record

    def state(step):
        if step < 0:
            raise AssertionError("a step's number is not negative")
        cycle, at = divmod(step - skip_first, period)
        if step < skip_first or at < closed or (repeat and cycle >= repeat):
            return states(0)
        if at < closed + ready:
            return states(1)
        return states(3 if at == period - 1 else 2)

    return state


def scheduler_of(given):
    """A schedule from what users give: a function, None for all steps, or the first step and the one after the last."""
    if given is None:
        return lambda step: ProfilerState.RECORD
    if callable(given):
        return given
    if not isinstance(given, (tuple, list)) or len(given) != 2 or given[1] <= given[0]:
        raise AssertionError("a schedule is a function, or the first step and, larger, the one after the last")
    first, end = max(given[0], 0), max(given[1], 0)
    if first == 0:
        return make_scheduler(closed=0, ready=0, record=end, repeat=1)
    return make_scheduler(closed=first - 1, ready=1, record=end - first, repeat=1)
