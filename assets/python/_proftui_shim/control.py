"""The functions by which the script's module `proftui` ends steps, and selects the recorded ones and what is recorded of them. States are
given as numbers.

Only these functions open and close the cycles of such a script. Knows neither schedules nor results.
"""
from contextlib import suppress

import _proftui

from . import facts, installed, intervals, operators_chosen, own, steps
from .harmless import harmless

# The options that were asked for last; None before.
_asked = None
# Value of the fact `step_on`, which states what ends steps.
_WHAT = "profiler: proftui.Profiler"


def start(state, has_steps, first, options, shared):
    """Begins a step with the number `first`, in this state; without `has_steps` the trace has no steps. Ends an open cycle, which another
    profiler or another process may have left. Returns False, without effect, if the command line selects the recorded steps.

    Where the script chooses what is recorded, that is what `options` ask for from now on, in the form of the run's options. `shared` is the
    folder of the run if processes that begin later are to have them, else None.
    """
    if not _proftui.may_start():
        return False
    intervals.finish()
    _proftui.start_steps(0, has_steps, first)
    if operators_chosen.may_change and options != _asked:
        _ask(options, shared)
    intervals.restart_step(state)
    steps.rule.hand_over_to(_WHAT)
    return True


@harmless
def _ask(options, shared):
    global _asked
    # Refused while a cycle is open.
    if _proftui.change_options(own.lines(options)):
        _asked = options
        operators_chosen.choose(options)
        if shared is not None:
            with suppress(OSError):
                own.change_options(shared, options)


def step(samples, state):
    """Ends a step that processed `samples` samples (0: unknown), and begins the next one, in this state."""
    intervals.end_step(samples, state)
    steps.rule.part.has_step()


def restart_step(state):
    """Begins the current step anew, now and in this state."""
    intervals.restart_step(state)


def collect(is_on):
    """Has operators recorded no longer, or again, in the open cycle; the next one begins with them."""
    intervals.collect(is_on)


def stop():
    """Ends the current step and an open cycle; no further step begins."""
    intervals.finish(is_step=True)
    _proftui.stop_steps()
    installed.close()


def announce(text):
    """Reports, as a fact of the process, that the script uses a profiler of the module `proftui`, which may request traces."""
    facts.learn("profiler", text)


def mark(samples):
    """Reports the end of a step that processed `samples` samples; for a profiler that does not control the recording."""
    steps.rule.profiler_stepped("proftui.Profiler", samples)


def unmark():
    """Reports that the profiler that marked steps has stopped."""
    steps.rule.profiler_stopped()
