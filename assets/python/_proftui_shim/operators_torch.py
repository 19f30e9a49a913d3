"""PyTorch's operators.

`--ops light` uses `emit_itt`, which reports operators to the agent by Intel's ITT; in builds without ITT `emit_nvtx`, which needs CUDA.
`--ops full` uses PyTorch's own profiler for the host only (the agent records the GPUs), and saves its trace file.
"""
import os
import time
from contextlib import contextmanager, suppress

from _proftui import note

from . import facts, intervals, kineto, steps
from .operators import Tracer
from .quiet import Levels
from .ranges import here
from .wrappers import wrapped

# The tracer of this process.
_tracer = None

# Environment variable that names the library to which PyTorch's ITT reports.
_ITT = "INTEL_LIBITTNOTIFY64"
# Variables with the log levels of Kineto and of PyTorch, and the value at which nothing is printed.
_LEVEL, _SILENCE = "_ZN9libkineto6Logger14severityLevel_E", 99
_WARNINGS = "FLAGS_caffe2_log_level"
# Value of `here.backward` after a tracer stopped within a backward pass (an optimizer may step in it). No tracer begins in the rest of
# that pass: an operator must not end under another profiler than the one under which it began.
_CUT = "cut"


def install(torch, how, asks):
    """Adds a tracer of operators; `how` is light or full, `asks` are the properties of operators to record."""
    profiler = torch.autograd.profiler
    tracer = _Full(torch, profiler, asks) if how == "full" else _light(torch, profiler)
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
    intervals.add(tracer, steps.rule.is_child)


@contextmanager
def unseen():
    """A context manager within which a `record_function` range begins without being seen by the tracer on this thread.

    Such a range may end after the profiler has stopped; if another profiler is on by then, PyTorch writes to memory that the first one
    has freed.
    """
    switch = _tracer.switch if _tracer is not None and _tracer.keeps and _tracer.is_alone and _tracer.is_taken() else None
    if switch is None:
        yield
        return
    switch(False)
    try:
        yield
    finally:
        switch(True)


def _light(torch, profiler):
    agent = os.path.basename(os.environ["PROFTUI_AGENT"])
    itt = getattr(torch.profiler, "itt", None)
    if itt is not None and itt.is_available() and os.path.basename(os.environ.get(_ITT, "")) == agent:
        return _Emitting(torch, profiler.emit_itt, lambda: True)
    if getattr(torch.version, "cuda", None):
        # Starts only when the script has initialized CUDA, which `emit_nvtx` itself would initialize.
        return _Emitting(torch, profiler.emit_nvtx, lambda: torch.cuda.is_initialized())
    return None


class _Torch(Tracer):
    framework, ending = "torch", "kineto.json"

    def __init__(self, torch):
        super().__init__()
        self.is_taken = torch.autograd._profiler_enabled
        self._since = 0

    def start(self, cycle):
        if cycle != self._cycle:
            self._since = time.time_ns()
        return super().start(cycle)

    def take(self, profile):
        """Writes the events of the script's own profiler that belong to the cycle."""
        results = getattr(profile, "kineto_results", None)
        if results is not None and getattr(profile, "use_cpu", True):
            self.write(lambda path: kineto.write(path, results.events(), self._since))


class _Emitting(_Torch):
    def __init__(self, torch, emit, is_possible):
        super().__init__(torch)
        self._emit = emit
        self._is_possible = is_possible
        self._emitting = None
        self._methods = emit.__enter__, emit.__exit__

    def begin(self):
        if self.is_taken() or not self._is_possible():
            return False
        self._emitting = self._emit()
        self._methods[0](self._emitting)
        return True

    def end(self):
        emitting, self._emitting = self._emitting, None
        self._methods[1](emitting, None, None, None)

    def forget(self):
        if self.is_on:
            # In the child PyTorch is still emitting.
            self._end()
        super().forget()


class _Full(_Torch):
    keeps = True

    def __init__(self, torch, profiler, asks):
        super().__init__(torch)
        self._make = profiler.profile
        self._methods = self._make._prepare_trace, self._make._start_trace, self._make.__exit__
        self._options = {
            "record_shapes": "shapes" in asks,
            "with_stack": "stack" in asks,
            "profile_memory": "memory" in asks,
            "with_flops": "flops" in asks,
        }
        self._asked = [name for name, is_on in self._options.items() if is_on]
        self._add = getattr(torch.autograd, "_add_metadata_json", None)
        if "stack" in asks:
            # Without `verbose` PyTorch's file has the Python functions, but not the stack of each operator.
            with suppress(AttributeError, TypeError):
                self._options["experimental_config"] = torch._C._profiler._ExperimentalConfig(verbose=True)
        self._profile = None
        self._levels = Levels([os.path.join(os.path.dirname(torch.__file__), "lib", "libtorch_cpu.so")], _LEVEL, _SILENCE)
        # True in the child of a fork while the parent's profiler is still on in it. Stopping it takes long, so it is stopped only when
        # another one is to begin.
        self._is_inherited = False
        # Enables or disables the `record_function` callbacks on this thread.
        self.switch = getattr(torch.autograd, "_enable_record_function", None)
        self._toggle = getattr(torch._C._autograd, "_toggle_collection_dynamic", None)
        self._activities = {profiler.ProfilerActivity.CPU}
        self._warnings = Levels([os.path.join(os.path.dirname(torch.__file__), "lib", "libc10.so")], _WARNINGS, _SILENCE)
        facts.operators("torch", "full")

    def make_ready(self):
        self._disinherit()
        if self.is_taken():
            return False
        self._profile = self._make(use_cpu=True, use_kineto=True, **self._options)
        # The first call makes Kineto set its log level.
        self._methods[0](self._profile)
        return True

    def begin(self):
        if self.is_taken() or here.backward is _CUT:
            return False
        with self._levels.lowered():
            self._methods[1](self._profile)
            if self._add is not None:
                # The file states the options only if they are added here, as `torch.profiler` does.
                for name in self._asked:
                    self._add(name, "1")
        return True

    def end(self):
        profile, self._profile = self._profile, None
        if here.backward:
            here.backward = _CUT
        with self._levels.lowered(), self._warnings.lowered():
            self._methods[2](profile, None, None, None)
            if self._is_spoilt:
                note(2, "torch: the operators of cycle %d are lost: the script's own profiler ran on another thread" % self._cycle)
            else:
                self.write(profile.kineto_results.save)

    def unready(self):
        # A prepared profiler that is never started would disturb the next one.
        profile, self._profile = self._profile, None
        with self._levels.lowered():
            self._methods[1](profile)
            self._methods[2](profile, None, None, None)

    def give_way(self, other):
        self._disinherit()
        return super().give_way(other)

    @contextmanager
    def beside(self):
        # The script's profiler cancels the tracer and prints a warning.
        if self._is_spoilt:
            with self._levels.lowered(), self._warnings.lowered():
                yield
        else:
            yield

    def _disinherit(self):
        if self._is_inherited:
            self._is_inherited = False
            with self._levels.lowered():
                self._methods[2](self._make(use_cpu=True, use_kineto=True), None, None, None)

    def forget(self):
        if self.is_on:
            self._is_inherited = True
            if self._toggle and self._warnings:
                with self._warnings.lowered():
                    self._toggle(False, self._activities)
        super().forget()
        self._profile = None
