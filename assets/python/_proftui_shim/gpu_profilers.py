"""The script's own profilers of the GPU: the agent leaves CUPTI to such a profiler before it is made, and learns when it ran and which files
it writes.

Knows where the profilers of PyTorch and Paddle begin, and nothing of what they record; imports neither.
"""
import os
import threading

from _proftui import note, stand_aside

from . import profiler_runs
from .hooks import hooked, preceded
from .wrappers import wrapped

_FACT = 1
_TORCH, _PADDLE = "torch.profiler", "paddle.profiler"
# Calls that write a file, on this thread: `export_chrome_trace` of one class calls that of another one.
_writing = threading.local()


def torch(module):
    """Hooks of the module `torch.autograd.profiler`, by whose class all profilers of PyTorch begin."""

    def making(profile, *args, **kwargs):
        if _is_of_gpu(profile):
            stand_aside(_TORCH)

    def starting(profile, *args, **kwargs):
        making(profile)
        if _is_of_gpu(profile):
            profiler_runs.began(profile, _TORCH)

    # The first of them makes Kineto look for CUPTI.
    wrapped(module.profile, "_prepare_trace", preceded(making))
    wrapped(module.profile, "_start_trace", preceded(starting))
    wrapped(module.profile, "__exit__", preceded(_ending))
    torch_files(module.profile)


def torch_files(kind):
    """Hooks of a class of PyTorch's that writes Chrome traces."""
    if hasattr(kind, "export_chrome_trace"):
        # The class for scripts has a profiler of `torch.autograd`, which runs.
        wrapped(kind, "export_chrome_trace", _writes(_TORCH, lambda profiler: getattr(profiler, "profiler", profiler)))


def paddle(profiler):
    """Hooks of the class `paddle.profiler.Profiler`."""

    def starting(profiler):
        # With `timer_only` it measures steps, and records nothing.
        if _is_of_gpu(profiler) and not getattr(profiler, "timer_only", False):
            stand_aside(_PADDLE)
            profiler_runs.began(profiler, _PADDLE)

    wrapped(profiler, "start", preceded(starting))
    wrapped(profiler, "stop", preceded(_ending))
    wrapped(profiler, "export", _writes(_PADDLE, lambda profiler: profiler))


def wrote(name, path):
    """Reports a file with GPU work that the profiler `name` has written."""
    note(_FACT, "gpu.file=%s: %s" % (name, os.path.abspath(os.fsdecode(path))))


def _ending(profiler, *args, **kwargs):
    profiler_runs.ended(profiler)


def _is_of_gpu(profiler):
    """True for a profiler that records CUDA: by the activities of PyTorch's classes, or the targets of Paddle's."""
    of = [part for name in ("kineto_activities", "activities", "targets") for part in getattr(profiler, name, None) or ()]
    return any(str(part).rpartition(".")[2] in ("CUDA", "GPU") for part in of)


def _writes(name, running):
    """A wrapper for a method that writes a Chrome trace to a path; `running(profiler)` is what runs."""

    def before(profiler, path, *args, **kwargs):
        _writing.depth = getattr(_writing, "depth", 0) + 1
        return profiler, path

    def after(begun, is_done, result):
        _writing.depth -= 1
        profiler, path = begun
        if is_done and not _writing.depth and _is_of_gpu(profiler):
            wrote(name, path)
            profiler_runs.written(running(profiler))

    return hooked(before, after)
