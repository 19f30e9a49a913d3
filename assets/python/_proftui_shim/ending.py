"""What a process says when it ends: why no step was seen in it, where one was to be expected."""
from _proftui import note

from . import functions, steps, wrappers
from .harmless import harmless

# The kind of note that only counts where no process of the run saw a step.
NO_STEP = 4


@harmless
def report(is_first):
    """Reports to the user, on stderr. `is_first`: no other Python of the run started this one, to help with whatever."""
    rule, has_phases = steps.rule, wrappers.has_phases()
    # What a child does is part of somebody's step.
    if rule.has_ended or rule.is_child:
        return
    if rule.function and (is_first or has_phases):
        functions.report_missing(rule.function)
    elif has_phases:
        note(NO_STEP, "no step was seen: --step-on says what ends one")
