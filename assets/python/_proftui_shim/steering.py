"""A script that says itself what is recorded, by the module `proftui`: states of steps, by their numbers, for the agent.

The one place where such a script's cycles open and close. Knows neither schedules nor results.
"""
import _proftui

from . import facts, steps, windows

# What ends steps, in the words of `steps`.
_WHAT = "profiler: proftui.Profiler"


def start(state, has_steps):
    """The first step begins, in this state, or all that is done as one; False where somebody else says what is recorded."""
    if not _proftui.may_start():
        return False
    windows.finish()
    _proftui.start(0, has_steps)
    windows.turn(state)
    steps.rule.leave_to(_WHAT)
    return True


def step(samples, state):
    """A step ends, and the next one, which has this state, begins."""
    windows.end_step(samples, state)
    steps.rule.step_told()


def turn(state):
    """The step under way begins only now, in this state."""
    windows.turn(state)


def stop():
    """Steps end, in mid-step, and so does what is recorded."""
    windows.finish(is_step=True)
    _proftui.stop()


def tell(what):
    """Tells whoever looks after the run that results may be asked for, and what there is to know of it."""
    facts.learn("profiler", what)


def mark(samples):
    """A step ends where somebody else says what is recorded: a report as of any profiler of the script."""
    steps.rule.profiler_stepped("proftui.Profiler", samples)


def leave():
    """The profiler that marked steps has stopped."""
    steps.rule.profiler_stopped()
