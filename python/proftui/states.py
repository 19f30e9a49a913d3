"""The states of steps, and schedules: functions from a step's number to its state."""
import functools
import sys
import warnings
from enum import Enum

from . import binary, recorder

# A number of steps that no program executes. Larger numbers are cut to this one, since the recorder's numbers have 64 bits.
_NEVER = 1 << 60
# Number of steps per query of states.
_BLOCK = 1024


class ProfilerState(Enum):
    """State of a profiler during a step."""

    CLOSED = 0
    READY = 1
    RECORD = 2
    RECORD_AND_RETURN = 3


class ProfilerAction(Enum):
    """State of a profiler during a step, with PyTorch's names."""

    NONE = 0
    WARMUP = 1
    RECORD = 2
    RECORD_AND_SAVE = 3


def state_of(given):
    """Converts the value that a schedule returned: a member of these enumerations, of Paddle's or PyTorch's, or a number."""
    return ProfilerState(getattr(given, "value", given))


def make_scheduler(*, closed, ready, record, repeat=0, skip_first=0):
    """A schedule of cycles after `skip_first` steps: each has `closed`, `ready` and `record` steps; `repeat` cycles (0: no limit)."""
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
    """A schedule with the arguments of PyTorch's `schedule`; with `skip_first_wait` the first cycle has no `wait` steps."""
    if min(wait, warmup, repeat, skip_first) < 0 or active <= 0:
        raise AssertionError("Invalid profiler schedule arguments")
    if warmup == 0:
        warnings.warn("Profiler won't be using warmup, this can skew profiler results", stacklevel=2)
    skipped_wait = wait if skip_first_wait else 0
    return Schedule(wait, warmup, active, repeat, skip_first, ProfilerAction, skipped_wait)


class Schedule:
    """A function from a step's number to its state, for cycles of `closed`, `ready` and `record` steps.

    The agent computes the states (`crates/wire/src/schedule.rs`). Before it is loaded, `proftui states` returns those of many steps at
    once; without the program nothing can be recorded: one line on stderr says so, and all steps are CLOSED.
    """

    def __init__(self, closed, ready, record, repeat, skip_first, states, skipped_wait=0):
        numbers = skip_first, closed, ready, record, repeat
        # The schedule's text form in the options of a run.
        self._text = ",".join("%d" % min(number, _NEVER) for number in numbers)
        self._skip_first = skip_first
        # Number of closed steps that the first cycle leaves out.
        self._skipped_wait = skipped_wait
        self._states = states

    def __call__(self, step):
        if step < 0:
            raise AssertionError("step numbers must not be negative")
        if step >= self._skip_first:
            step += self._skipped_wait
        return self._states(_state(self._text, int(step)))


def _state(schedule, step):
    """The number of a step's state in a schedule."""
    # The agent of another version of proftui may not have the function.
    rule = getattr(sys.modules.get("_proftui"), "schedule_state", None)
    if rule is not None:
        return rule(schedule, step)
    block, at = divmod(step, _BLOCK)
    return _states_of(schedule, block)[at]


@functools.lru_cache(maxsize=256)
def _states_of(schedule, block):
    """The numbers of the states of `_BLOCK` consecutive steps, from `proftui states`."""
    try:
        digits = binary.ask("states", schedule, str(block * _BLOCK), str(_BLOCK)).strip()
    except (binary.Missing, binary.Refused) as error:
        recorder.warn("nothing is recorded: %s" % error)
        return bytes(_BLOCK)
    return bytes(int(digit) for digit in digits)


def scheduler_of(given):
    """A schedule from a function, None for all steps, or a pair (first step, step after the last)."""
    if given is None:
        return lambda step: ProfilerState.RECORD
    if callable(given):
        return given
    if not isinstance(given, (tuple, list)) or len(given) != 2 or given[1] <= given[0]:
        raise AssertionError("scheduler must be a function, None, or a pair (first step, step after the last)")
    first, end = max(given[0], 0), max(given[1], 0)
    if first == 0:
        return make_scheduler(closed=0, ready=0, record=end, repeat=1)
    return make_scheduler(closed=first - 1, ready=1, record=end - first, repeat=1)
