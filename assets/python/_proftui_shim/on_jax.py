"""JAX: records the annotations that the script makes; JAX's compiled functions have no phases.

Only the public names are replaced, by subclasses of the annotations, since JAX uses the same classes internally for its own work.
"""
import sys
from functools import update_wrapper

from _proftui import begin, end

from . import gpu_profilers_jax, steps
from .harmless import harmless
from .wrappers import user


def install(jax, is_timer_only):
    """Replaces the annotations by subclasses that report to the agent."""
    profiler = jax.profiler
    gpu_profilers_jax.install(*filter(None, (sys.modules.get("jax._src.profiler"), profiler)))

    def step_ended():
        steps.rule.profiler_stepped("jax.profiler.StepTraceAnnotation")

    profiler.StepTraceAnnotation = _marked(profiler.StepTraceAnnotation, lambda name: steps.rule.function_begins(), step_ended)
    if not is_timer_only:
        profiler.TraceAnnotation = _marked(profiler.TraceAnnotation, lambda name: begin(user[name]), end)


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
