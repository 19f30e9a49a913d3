"""Writes a note at the end of a process in which a step was expected and none was seen."""
from _proftui import note

from . import functions, steps, wrappers
from .harmless import harmless

# Kind of a note that is shown only if no process of the run saw a step.
NO_STEP = 4


@harmless
def report(is_first):
    """Writes the note. `is_first` is True if no other Python process of the run started this one."""
    rule, has_phases = steps.rule, wrappers.has_phases()
    # The work of a child is part of its parent's steps.
    if rule.part.has_ended or rule.part.is_child:
        return
    if rule.function and (is_first or has_phases):
        functions.report_missing(rule.function)
    elif has_phases:
        note(NO_STEP, "no step was seen: use --step-on to set the event that ends a step")
