"""The script's own profilers of the GPU: the agent leaves CUPTI to such a profiler before it is made, and learns which files it writes.

Knows where the profilers of PyTorch, Paddle, JAX and Triton begin, and nothing of what they record; imports none of them.
"""
import os
import threading

from _proftui import note, stand_aside

from . import imports
from .hooks import hooked, preceded
from .wrappers import wrapped

_FACT = 1
_TORCH, _PADDLE, _JAX, _PROTON = "torch.profiler", "paddle.profiler", "jax.profiler", "triton.profiler"
# Calls that write a file, on this thread: `export_chrome_trace` of one class calls that of another one.
_writing = threading.local()


def torch(module):
    """Hooks of the module `torch.autograd.profiler`, by whose class all profilers of PyTorch begin."""

    def making(profile, *args, **kwargs):
        if _is_of_gpu(profile):
            stand_aside(_TORCH)

    # The first of them makes Kineto look for CUPTI.
    for name in ("_prepare_trace", "_start_trace"):
        wrapped(module.profile, name, preceded(making))
    torch_files(module.profile)


def torch_files(kind):
    """Hooks of a class of PyTorch's that writes Chrome traces."""
    if hasattr(kind, "export_chrome_trace"):
        wrapped(kind, "export_chrome_trace", _writes(_TORCH))


def paddle(profiler):
    """Hooks of the class `paddle.profiler.Profiler`."""

    def starting(profiler):
        if _is_of_gpu(profiler):
            stand_aside(_PADDLE)

    wrapped(profiler, "start", preceded(starting))
    wrapped(profiler, "export", _writes(_PADDLE))


def jax(*modules):
    """Hooks of `jax.profiler`, and of the module that it takes its functions from. That there is a GPU shows when CUDA is used."""

    def starting(*args, **kwargs):
        stand_aside(_JAX)

    for module in modules:
        for name in ("start_trace", "start_server", "trace"):
            if hasattr(module, name):
                wrapped(module, name, preceded(starting))


def watch_proton():
    """Has the hook of Triton's proton installed when the script imports it."""

    def starting(*args, **kwargs):
        # The fourth parameter; without it, proton takes CUPTI where the GPU is NVIDIA's.
        backend = kwargs.get("backend", args[3] if len(args) > 3 else None)
        if backend is None or str(backend).startswith("cupti"):
            stand_aside(_PROTON)

    imports.watch("triton.profiler.profile", lambda module: wrapped(module, "start", preceded(starting)))


def _is_of_gpu(profiler):
    """True for a profiler that records CUDA: by the activities of PyTorch's classes, or the targets of Paddle's."""
    of = [part for name in ("kineto_activities", "activities", "targets") for part in getattr(profiler, name, None) or ()]
    return any(str(part).rpartition(".")[2] in ("CUDA", "GPU") for part in of)


def _writes(name):
    """A wrapper for a method that writes a Chrome trace to a path."""

    def before(profiler, path, *args, **kwargs):
        _writing.depth = getattr(_writing, "depth", 0) + 1
        return profiler, path

    def after(begun, is_done, result):
        _writing.depth -= 1
        profiler, path = begun
        if is_done and not _writing.depth and _is_of_gpu(profiler):
            note(_FACT, "gpu.file=%s: %s" % (name, os.path.abspath(os.fsdecode(path))))

    return hooked(before, after)
