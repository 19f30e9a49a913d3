"""PyTorch's operators by name and time, with `--ops light`: PyTorch emits them as ranges, which the agent records.

By `emit_itt`, which reports operators to the agent by Intel's ITT; in builds without ITT by `emit_nvtx`, which needs CUDA. Must not know
PyTorch's profiler.
"""
import os
import threading
from contextlib import contextmanager

from . import imports, threads
from .hooks import hooked
from .torch_tracer import TorchTracer
from .wrappers import wrapped

# Environment variable that names the library to which PyTorch's ITT reports.
_ITT = "INTEL_LIBITTNOTIFY64"


def by_itt(torch, profiler, methods):
    """The tracer by ITT; None if this build has none, or reports to another library. `methods` are those of PyTorch's classes, without
    wrappers."""
    agent = os.path.basename(os.environ["PROFTUI_AGENT"])
    itt = getattr(torch.profiler, "itt", None)
    if itt is None or not itt.is_available() or os.path.basename(os.environ.get(_ITT, "")) != agent:
        return None
    threads.watch()
    emitting = _EmittingItt(torch, profiler, methods[profiler.emit_itt])
    imports.watch("torch.cuda.graphs", emitting.watch_captures)
    return emitting


def by_nvtx(torch, profiler, methods):
    """The tracer by NVTX; None if this build has no CUDA."""
    # Starts only when the script has initialized CUDA, which `emit_nvtx` itself would initialize.
    is_there = getattr(torch.version, "cuda", None)
    return _EmittingNvtx(torch, profiler.emit_nvtx, methods[profiler.emit_nvtx]) if is_there else None


class _EmittingNvtx(TorchTracer):
    """Emits on the thread on which it began: to begin on another one, PyTorch would wait for the device."""

    how = "light"

    def __init__(self, torch, emit, methods):
        super().__init__(torch)
        self._torch = torch
        self._emit = emit
        self._emitting = None
        self._methods = methods

    def begin(self):
        # `emit_nvtx` itself would initialize CUDA.
        if self.is_taken() or not self._torch.cuda.is_initialized():
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


class _EmittingItt(TorchTracer):
    """Emits on each thread that computes: PyTorch has observers of one thread, which its backward passes take along."""

    how = "light"
    is_of_thread = False

    def __init__(self, torch, profiler, methods):
        super().__init__(torch)
        self._flag = _Flag(profiler)
        self._emit = profiler.emit_itt
        self._methods = methods
        # The system's numbers of the threads that emit.
        self._emits_on = set()

    def begin(self):
        if self.is_taken():
            return False
        threads.trace(self)
        self._flag.set(True)
        return True

    def end(self):
        threads.trace(None)
        self._flag.set(False)

    # While a CUDA graph is captured, its operators are emitted although nothing is recorded: the agent notes them with the graph's nodes.

    def watch_captures(self, graphs):
        wrapped(graphs.CUDAGraph, "capture_begin", hooked(self._capture_begins, lambda begun, is_done, result: None))
        wrapped(graphs.CUDAGraph, "capture_end", hooked(lambda *args, **kwargs: True, self._capture_ended))

    def _capture_begins(self, *args, **kwargs):
        if not (self.is_on or self.others or self.is_taken()):
            emitting = self._emit()
            with self._flag.kept():
                self._methods[0](emitting)
            self._local.captures = emitting

    def _capture_ended(self, *_):
        emitting = self._local.__dict__.pop("captures", None)
        if emitting is not None:
            with self._flag.kept():
                self._methods[1](emitting, None, None, None)

    # Called by `threads`, on the thread concerned.

    def join(self):
        self._capture_ended()
        if not self.is_taken():
            emitting = self._emit()
            with self._flag.kept():
                self._methods[0](emitting)
            self._local.ends = threads.AtEnd(self._ended, emitting)
            self._emits_on.add(threading.get_native_id())

    def leave(self):
        # PyTorch would end the script's own profiler instead, if that is one of all threads.
        if self.others:
            return False
        self._local.__dict__.clear()
        return True

    def _ended(self, emitting):
        self._emits_on.discard(threading.get_native_id())
        with self._flag.kept():
            self._methods[1](emitting, None, None, None)

    def give_way(self, other):
        is_new = super().give_way(other)
        self._local.__dict__.clear()
        return is_new

    def recorded_on(self):
        return self._emits_on

    def forget(self):
        # In the child this thread is still emitting.
        threads.tracer = None
        self._local.__dict__.clear()
        self._emits_on.clear()
        super().forget()


class _Flag:
    """PyTorch's variable of the whole process, whether a profiler is on; not every version has it."""

    _NAME = "_is_profiler_enabled"

    def __init__(self, profiler):
        self._profiler = profiler
        self._is_there = hasattr(profiler, self._NAME)

    def set(self, is_on):
        if self._is_there:
            setattr(self._profiler, self._NAME, is_on)

    @contextmanager
    def kept(self):
        """A context in which one thread begins or ends to emit, which is none of the other threads' business."""
        before = getattr(self._profiler, self._NAME, None)
        try:
            yield
        finally:
            self.set(before)
