"""The script's own profilers of the GPU: the agent leaves CUPTI to such a profiler before it is made, and learns when it ran and which files
it writes.

Knows where the profilers of PyTorch and Paddle begin, and nothing of what they record; imports neither.
"""
import os
import sys
import threading

from _proftui import is_subscribed, leave_gpu, note, stand_aside

from . import kineto_cupti, profiler_runs
from .hooks import hooked, preceded
from .wrappers import wrapped

_FACT, _WARNING = 1, 2
_TORCH, _PADDLE = "torch.profiler", "paddle.profiler"
_OF_HOST = (
    "PyTorch's profiler, which in this version takes CUPTI also when it records the host alone, as --ops full has it do; "
    "--ops light does without it"
)
_LATE = (
    "torch.profiler: it records no GPU work, and proftui goes on: PyTorch looks for CUPTI once, when its first profiler begins, and that was a "
    "profiler of the host alone (--ops full begins one) while proftui recorded the GPU; --gpu off leaves the GPU to torch.profiler"
)
# Calls that write a file, on this thread: `export_chrome_trace` of one class calls that of another one.
_writing = threading.local()


def torch(module):
    """Hooks of the module `torch.autograd.profiler`, by whose class all profilers of PyTorch begin."""

    kineto = _Kineto()

    def preparing(profile, *args, **kwargs):
        kineto.asked(profile)
        return True

    def starting(profile, *args, **kwargs):
        kineto.asked(profile)
        if _is_of_gpu(profile) and not kineto.is_of_host:
            profiler_runs.began(profile, _TORCH)

    # The first of them makes Kineto look for CUPTI.
    wrapped(module.profile, "_prepare_trace", hooked(preparing, kineto.looked))
    wrapped(module.profile, "_start_trace", preceded(starting))
    wrapped(module.profile, "__exit__", preceded(_ending))
    torch_files(module.profile)


class _Kineto:
    """PyTorch's profiler, and what is known of its way to CUPTI."""

    def __init__(self):
        self._way = None
        self._is_way_known = False
        self._has_looked = False
        # True once it was refused CUPTI, for good.
        self.is_of_host = False
        self._is_reported = False

    def asked(self, profile):
        """A profiler is about to be prepared or to begin."""
        # A script that profiles itself may ask for GPUs later than for the host.
        if not self._is_way_known and os.environ.get("CUDA_INJECTION64_PATH"):
            self._is_way_known = True
            self._way = kineto_cupti.way(sys.modules["torch"])
        if not _is_of_gpu(profile):
            if self._way is kineto_cupti.TAKES:
                leave_gpu(_OF_HOST)
        elif not self.is_of_host:
            stand_aside(_TORCH)
        elif not self._is_reported:
            self._is_reported = True
            note(_WARNING, _LATE)

    def looked(self, begun, is_done, result):
        """A profiler was prepared: the first time Kineto has looked for CUPTI."""
        if not self._has_looked:
            self._has_looked = True
            self.is_of_host = self._way is kineto_cupti.SUBSCRIBES and is_subscribed()


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
