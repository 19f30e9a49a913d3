"""Writes a note at the end of a process in which a step was expected and none was seen."""
import sys

from _proftui import note

from . import functions, steps, wrappers
from .harmless import harmless

# Most functions that are offered.
_MOST = 3
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
    elif "jax" in sys.modules and not has_phases:
        note(NO_STEP, _of_jax())
    elif has_phases:
        note(NO_STEP, "no step was seen: use --step-on to set the event that ends a step")


def _of_jax():
    on_jax = sys.modules.get(__package__ + ".on_jax")
    found = on_jax.probable_steps() if on_jax is not None else []
    if not found:
        return "no step was seen: JAX reports none: --step-on module:function names the function that ends a step"
    more = "".join(", or " + path for path in found[1:_MOST])
    return "no step was seen: JAX reports none, and compiles functions of the script: use --step-on %s%s" % (found[0], more)
