"""The states of steps, and schedules: functions from a step's number to its state."""
import functools
import sys
import warnings
from enum import Enum

from . import binary, recorder

# A number of steps that no program gets to. Larger ones count as this: the recorder's numbers have 64 bits.
_NEVER = 1 << 60
# Steps whose states the program is asked for at once.
_BLOCK = 1024


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
    return Schedule(closed, ready, record, repeat, skip_first, ProfilerState)


def schedule(*, wait, warmup, active, repeat=0, skip_first=0, skip_first_wait=0):
    """The same as PyTorch has it; with `skip_first_wait` the first cycle does not wait."""
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError("Invalid profiler schedule arguments")
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    skipped_wait = wait if skip_first_wait else 0
    return Schedule(wait, warmup, active, repeat, skip_first, ProfilerAction, skipped_wait)


class Schedule:
    """A function from a step's number to its state, which begins with cycles of `closed`, `ready` and `record` steps.

    The rule is the recorder's (`crates/wire/src/schedule.rs`). Where none is loaded the program is asked for the states of many steps
    at once; where there is no program, nothing can be recorded: one line says so, and all steps are closed.
    """

    def __init__(self, closed, ready, record, repeat, skip_first, states, skipped_wait=0):
        numbers = skip_first, closed, ready, record, repeat
        # As the options of a run have it.
        self._text = ",".join("%d" % min(number, _NEVER) for number in numbers)
        self._skip_first = skip_first
        # So many closed steps does the first cycle lack.
        self._skipped_wait = skipped_wait
        self._states = states

    def __call__(self, step):
        if step < 0:
            raise AssertionError("a step's number is not negative")
        if step >= self._skip_first:
            step += self._skipped_wait
        return self._states(_state(self._text, int(step)))


def _state(schedule, step):
    """The number of a step's state in a schedule."""
    # A capture of another version may be around the script, whose recorder does not know the function.
    rule = getattr(sys.modules.get("_proftui"), "schedule_state", None)
    if rule is not None:
        return rule(schedule, step)
    block, at = divmod(step, _BLOCK)
    return _states_of(schedule, block)[at]


@functools.lru_cache(maxsize=256)
def _states_of(schedule, block):
    """The numbers of the states of `_BLOCK` consecutive steps, as the program knows them."""
    try:
        digits = binary.ask("states", schedule, str(block * _BLOCK), str(_BLOCK)).strip()
    except (binary.Missing, binary.Refused) as error:
        recorder.warn("nothing is profiled: %s" % error)
        return bytes(_BLOCK)
    return bytes(int(digit) for digit in digits)


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
