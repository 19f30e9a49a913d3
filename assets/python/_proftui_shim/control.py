"""A script that says itself what is recorded, by the module `proftui`: states of steps, by their numbers, for the agent.

The only module that opens and closes such a script's cycles. Knows neither schedules nor results.
"""
import _proftui

from . import facts, intervals, steps

# What ends steps, in the words of `steps`.
_WHAT = "profiler: proftui.Profiler"


def start(state, has_steps):
    """The first step begins, in this state, or all that is done as one; False where somebody else says what is recorded."""
    if not _proftui.may_start():
        return False
    intervals.finish()
    _proftui.start_steps(0, has_steps)
    intervals.restart_step(state)
    steps.rule.hand_over_to(_WHAT)
    return True


def step(samples, state):
    """A step ends, and the next one, which has this state, begins."""
    intervals.end_step(samples, state)
    steps.rule.step_reported()


def restart_step(state):
    """The step under way begins only now, in this state."""
    intervals.restart_step(state)


def stop():
    """Steps end, in mid-step, and so does what is recorded."""
    intervals.finish(is_step=True)
    _proftui.stop_steps()


def announce(text):
    """Reports to the process that supervises the run that results may be asked for, with `text` on the profiler."""
    facts.learn("profiler", text)


def mark(samples):
    """A step ends where somebody else says what is recorded: a report as of any profiler of the script."""
    steps.rule.profiler_stepped("proftui.Profiler", samples)


def unmark():
    """The profiler that marked steps has stopped."""
    steps.rule.profiler_stopped()
