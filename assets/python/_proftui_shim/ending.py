"""Notes, when the process ends, why no step was seen in it, where one was to be expected."""
from _proftui import note

from . import functions, steps, wrappers
from .harmless import harmless

# The kind of note that is shown only where no process of the run saw a step.
NO_STEP = 4


@harmless
def report(is_first):
    """Writes the note. `is_first`: no other Python of the run started this one."""
    rule, has_phases = steps.rule, wrappers.has_phases()
    # The work of a child is part of its parent's steps.
    if rule.has_ended or rule.is_child:
        return
    if rule.function and (is_first or has_phases):
        functions.report_missing(rule.function)
    elif has_phases:
        note(NO_STEP, "no step was seen: --step-on says what ends one")
