"""Makes the tracer of PyTorch's operators that is asked for, and has it yield to the script's own profiler.

`operators_torch_light` and `operators_torch_full` are the tracers.
"""
from contextlib import contextmanager

from _proftui import note

from . import operators_chosen, operators_torch_full, operators_torch_light
from .operators_chosen import Operators
from .wrappers import wrapped

# The operators of this process; None before.
_operators = None
# The light tracer by ITT, once it was made.
_by_itt = None
# Why operators are recorded in full instead, by whether PyTorch was imported too early.
_WHY = {
    True: "PyTorch was imported before the first profiler began: its operators are recorded in full",
    False: "PyTorch does not report operators by ITT to proftui: its operators are recorded in full",
}


def install(torch):
    """Has operators recorded, now or later."""
    global _operators
    profiler = torch.autograd.profiler
    own = [
        (profiler.profile, ("_prepare_trace", "_start_trace"), "__exit__"),
        (getattr(profiler, "emit_itt", None), ("__enter__",), "__exit__"),
        (profiler.emit_nvtx, ("__enter__",), "__exit__"),
    ]
    own = [classes for classes in own if classes[0] is not None]
    # The tracers themselves use the methods without the wrappers.
    methods = {owner: [getattr(owner, name) for name in begins + (ends,)] for owner, begins, ends in own}
    _operators = Operators("torch", lambda *wanted: _tracer(torch, methods, *wanted))
    for owner, begins, ends in own:
        for name in begins:
            wrapped(owner, name, _operators.around(begins=True))
        wrapped(owner, ends, _operators.around(ends=True, takes=owner is profiler.profile))


def _tracer(torch, methods, how, asks, has_gpu):
    light = _light(torch, methods, has_gpu) if how == "light" else None
    is_instead = light is None and how == "light" and operators_chosen.may_change
    if how == "full" or is_instead:
        full = operators_torch_full.FullTracer(torch, torch.autograd.profiler, methods, asks, _emits_on)
        full.why = _WHY["torch" in operators_chosen.imported_before] if is_instead else ""
        return full
    if light is None:
        note(2, "torch %s: cannot record operators: this build has neither ITT nor CUDA, or another tool uses ITT; try --ops full"
             % torch.__version__)
    return light


def _light(torch, methods, has_gpu):
    """The light tracer; None if there is none, or where the script chooses what is recorded and that tracer would record nothing."""
    global _by_itt
    profiler = torch.autograd.profiler
    # PyTorch finds the library to which it reports by ITT when it is imported.
    if _by_itt is None and "torch" not in operators_chosen.imported_before:
        _by_itt = operators_torch_light.by_itt(torch, profiler, methods)
    if _by_itt is not None:
        return _by_itt
    may_record = not operators_chosen.may_change or (has_gpu and _has_gpu(torch))
    return operators_torch_light.by_nvtx(torch, profiler, methods) if may_record else None


def _emits_on():
    return _by_itt.recorded_on() if _by_itt is not None else ()


def _has_gpu(torch):
    """True if there are GPUs. Only NVML is asked: to ask CUDA would begin it."""
    count = getattr(torch.cuda, "_device_count_nvml", None)
    return torch.cuda.is_initialized() or (count is not None and count() > 0)


@contextmanager
def unseen():
    """A context manager within which a `record_function` range begins without being seen by the tracer on this thread.

    Such a range may end after the profiler has stopped; if another profiler is on by then, PyTorch writes to memory that the first one
    has freed.
    """
    tracer = _operators.tracer if _operators is not None else None
    switch = tracer.switch if tracer is not None and tracer.keeps and tracer.sees_this_thread() else None
    if switch is None:
        yield
        return
    switch(False)
    try:
        yield
    finally:
        switch(True)
