"""Adds the tracer of PyTorch's operators that was asked for, and has it yield to the script's own profiler.

`operators_torch_light` and `operators_torch_full` are the tracers.
"""
from contextlib import contextmanager

from _proftui import note

from . import intervals, operators_torch_full, operators_torch_light, steps
from .wrappers import wrapped

# The tracer of this process.
_tracer = None


def install(torch, how, asks):
    """Adds a tracer of operators; `how` is light or full, `asks` are the properties of operators to record."""
    profiler = torch.autograd.profiler
    if how == "full":
        tracer = operators_torch_full.FullTracer(torch, profiler, asks)
    else:
        tracer = operators_torch_light.tracer(torch, profiler)
    if tracer is None:
        note(2, "torch %s: cannot record operators: this build has neither ITT nor CUDA, or another tool uses ITT; try --ops full"
             % torch.__version__)
        return
    # The tracers themselves use the methods without these wrappers.
    for owner, begins, ends in (
        (profiler.profile, ("_prepare_trace", "_start_trace"), "__exit__"),
        (getattr(profiler, "emit_itt", None), ("__enter__",), "__exit__"),
        (profiler.emit_nvtx, ("__enter__",), "__exit__"),
    ):
        if owner is not None:
            for name in begins:
                wrapped(owner, name, tracer.around(begins=True))
            found = tracer.take if owner is profiler.profile else None
            wrapped(owner, ends, tracer.around(ends=True, found=found))
    global _tracer
    _tracer = tracer
    intervals.add(tracer, steps.rule.part.is_child)


@contextmanager
def unseen():
    """A context manager within which a `record_function` range begins without being seen by the tracer on this thread.

    Such a range may end after the profiler has stopped; if another profiler is on by then, PyTorch writes to memory that the first one
    has freed.
    """
    switch = _tracer.switch if _tracer is not None and _tracer.keeps and _tracer.sees_this_thread() else None
    if switch is None:
        yield
        return
    switch(False)
    try:
        yield
    finally:
        switch(True)
