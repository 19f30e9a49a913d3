"""PyTorch's operators as its own profiler records them, with `--ops full`; for the host only, since the agent records the GPUs.

The profiler's trace file is saved in the run folder. Stacks (`--with-stack`) are recorded as Python functions, from the beginning of the loop on;
`proftui` finds the stack of each operator in them. PyTorch's option `verbose` would add it to each event, Python functions included,
which takes memory by their number times their depth: 22 GB for a second of short steps.
"""
import os
import re
from contextlib import contextmanager, suppress

from _proftui import note

from . import intervals
from .quiet import Levels
from .ranges import here
from .torch_tracer import TorchTracer

# Variables with the log levels of Kineto and of PyTorch, and the value at which nothing is printed.
_LEVEL, _SILENCE = "_ZN9libkineto6Logger14severityLevel_E", 99
_WARNINGS = "FLAGS_caffe2_log_level"
# PyTorch's options for properties of operators, and ours.
_PROPERTIES = {"record_shapes": "shapes", "with_stack": "stack", "profile_memory": "memory", "with_flops": "flops"}
# The first version whose profiler of all threads ignores the ends of operators that began under another profiler.
_ALL_THREADS = (2, 15)
# Value of `here.backward` after a tracer stopped within a backward pass (an optimizer may step in it). No tracer begins in the rest of
# that pass: an operator must not end under another profiler than the one under which it began.
_CUT = "cut"


class FullTracer(TorchTracer):
    """PyTorch's own profiler: of all threads, if that version survives operators that are running when such a profiler stops."""

    how = "full"
    keeps = True

    def __init__(self, torch, profiler, methods, asks, emits_on):
        """`emits_on()` returns the system's numbers of the threads on which the light tracer still emits."""
        super().__init__(torch)
        self._make = profiler.profile
        self._methods = methods[self._make]
        self._options = {option: asked in asks for option, asked in _PROPERTIES.items()}
        # The options of the present profiler, without those that are off.
        self._asked = ()
        self._add = getattr(torch.autograd, "_add_metadata_json", None)
        # A profiler of all threads sees no allocation.
        self._has_all_threads = _version(torch) >= _ALL_THREADS and "memory" not in asks
        self.is_of_thread = not self._has_all_threads
        self._emits_on = emits_on
        self._config = getattr(torch._C._profiler, "_ExperimentalConfig", None) if self._has_all_threads else None
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

    def make_ready(self):
        self._disinherit()
        if self.is_taken():
            return False
        options = dict(self._options)
        # A thread that ends to emit would end a profiler of all threads instead.
        self.is_of_thread = not self._has_all_threads or bool(self._emits_on())
        if self._config is not None and not self.is_of_thread:
            with suppress(TypeError):
                options["experimental_config"] = self._config(profile_all_threads=True)
        if not intervals.has_loop:
            # A start-up imports thousands of modules, whose Python functions would take gigabytes.
            options["with_stack"] = False
        self._asked = [name for name in _PROPERTIES if options[name]]
        self._profile = self._make(use_cpu=True, use_kineto=True, **options)
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

    def loop_begins(self):
        # From now on with stacks.
        return self.renew() if self._options["with_stack"] else super().loop_begins()

    def stop(self):
        if self._options["with_stack"] and self.is_on and not intervals.has_loop:
            note(2, "torch: no stacks are recorded: they begin with the first batch, forward, backward pass or end of a step,"
                 " of which cycle %d has none" % self._cycle)
        super().stop()

    def end(self):
        profile, self._profile = self._profile, None
        if here.backward and self.is_of_thread:
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

    def retire(self):
        self._disinherit()
        super().retire()

    def sees_this_thread(self):
        """True if it sees the operators of this thread, and no profiler of the script's own does."""
        return self.is_alone and (self.is_taken() or not self.is_of_thread)

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


def _version(torch):
    """PyTorch's version: two numbers."""
    return tuple(int(number) for number in re.findall(r"\d+", torch.__version__)[:2])


