"""What a process says when it ends: why no step was seen in it, where one was to be expected."""
import os

from _proftui import note

from . import functions, steps, wrappers
from .harmless import harmless


@harmless
def tell(is_first):
    """Tells the person. `is_first`: no other Python of the run started this one, to help with whatever."""
    rule, has_phases = steps.rule, wrappers.has_phases()
    # What a child does is part of somebody's step.
    if rule.has_ended or rule.is_child or _was_idle():
        return
    if rule.function and (is_first or has_phases):
        functions.tell_what_lacks(rule.function)
    elif has_phases:
        note(2, "no step was seen: --step-on says what ends one")


def _was_idle():
    """True where what the process started did more than itself: a launcher's steps are those of what it launches."""
    times = os.times()
    return times.children_user + times.children_system > times.user + times.system
