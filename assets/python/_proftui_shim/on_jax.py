"""JAX: records the annotations that the script makes; JAX's compiled functions have no phases. Notes which of the script's functions JAX
compiles: one of them is probably a step.

Only the public names are replaced, of the annotations by subclasses, since JAX uses the same classes internally for its own work.
"""
import os
import sys
from functools import update_wrapper
from types import FunctionType

from _proftui import begin, end

from . import gpu_profilers_jax, steps
from .harmless import harmless
from .hooks import preceded
from .wrappers import user, wrapped

# The functions of the script that are compiled, in the order in which they were given to `jit`: module and path.
_compiled = {}
# What names of functions have that are a step.
_OF_STEPS = "step", "train", "update"
# Folders of modules that are not the script's.
_INSTALLED = "site-packages", "dist-packages"


def install(jax, is_timer_only):
    """Replaces the annotations by subclasses that report to the agent."""
    profiler = jax.profiler
    gpu_profilers_jax.install(*filter(None, (sys.modules.get("jax._src.profiler"), profiler)))

    for name in ("jit", "pmap"):
        if isinstance(getattr(jax, name, None), FunctionType):
            wrapped(jax, name, preceded(_compiles))

    def step_ended():
        steps.rule.profiler_stepped("jax.profiler.StepTraceAnnotation")

    profiler.StepTraceAnnotation = _marked(profiler.StepTraceAnnotation, lambda name: steps.rule.function_begins(), step_ended)
    if not is_timer_only:
        profiler.TraceAnnotation = _marked(profiler.TraceAnnotation, lambda name: begin(user[name]), end)


@harmless
def _compiles(fun=None, *args, **kwargs):
    code = getattr(fun, "__code__", None)
    if code is not None and "<" not in fun.__qualname__ and not any(name in code.co_filename.split(os.sep) for name in _INSTALLED):
        _compiled["%s:%s" % (fun.__module__, fun.__qualname__)] = fun.__name__


def probable_steps():
    """The values of `--step-on` for compiled functions of the script: those first whose names say that they are a step."""
    return sorted(_compiled, key=lambda path: not any(part in _compiled[path].lower() for part in _OF_STEPS))


def _marked(annotation, entered, left):
    entered, left = harmless(entered), harmless(left)

    class Marked(annotation):
        def __init__(self, name, *args, **kwargs):
            super().__init__(name, *args, **kwargs)
            self._proftui_name = name

        def __enter__(self):
            result = super().__enter__()
            entered(self._proftui_name)
            return result

        def __exit__(self, *error):
            result = super().__exit__(*error)
            left()
            return result

    return update_wrapper(Marked, annotation, updated=())
