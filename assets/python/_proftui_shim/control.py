"""The functions by which the module `proftui` in a script says what is recorded; states are given by their numbers.

Only here are the cycles of such a script opened and closed. Knows neither schedules nor results.
"""
import _proftui

from . import facts, intervals, steps

# What ends steps, as the fact `step_on` has it.
_WHAT = "profiler: proftui.Profiler"


def start(state, has_steps):
    """Begins the first step, in this state; without `has_steps` the trace gets no steps. False where the command line says what is
    recorded."""
    if not _proftui.may_start():
        return False
    intervals.finish()
    _proftui.start_steps(0, has_steps)
    intervals.restart_step(state)
    steps.rule.hand_over_to(_WHAT)
    return True


def step(samples, state):
    """Ends a step of so many samples (0: not known), and begins the next one, in this state."""
    intervals.end_step(samples, state)
    steps.rule.step_reported()


def restart_step(state):
    """Begins the step under way only now, in this state."""
    intervals.restart_step(state)


def stop():
    """Ends the steps, and with them the step under way and a cycle that is open."""
    intervals.finish(is_step=True)
    _proftui.stop_steps()


def announce(text):
    """Reports, as a fact of the process, that the script has a profiler of this module, which may ask for results."""
    facts.learn("profiler", text)


def mark(samples):
    """Reports that a step of so many samples ended, as for any profiler of the script, where this one does not control the recording."""
    steps.rule.profiler_stepped("proftui.Profiler", samples)


def unmark():
    """Reports that the profiler that marked steps has stopped."""
    steps.rule.profiler_stopped()
