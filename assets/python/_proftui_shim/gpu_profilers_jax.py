"""The profiler of JAX: the agent leaves CUPTI to it, and learns when it ran and which file it writes.

Knows JAX's functions by which a profile begins and ends, and the names of its files; imports nothing of JAX.
"""
import glob
import os
import socket

from _proftui import stand_aside

from . import profiler_runs
from .gpu_profilers import wrote
from .hooks import hooked, preceded
from .wrappers import wrapped

_NAME = "jax.profiler"
_ENDING = ".trace.json.gz"
# The profile that is on, if any: JAX has room for one.
_profiles = []


class _Profile:
    """A profile, and the folder that JAX is to write it to."""

    def __init__(self, folder):
        self.folder = folder


def install(*modules):
    """Hooks of `jax.profiler`, and of the module that it takes its functions from. That there is a GPU shows when CUDA is used."""

    def asked(*args, **kwargs):
        stand_aside(_NAME)

    for module in modules:
        for name, wrapper in (
            ("start_trace", hooked(_starting, _started)),
            # Where another program asks for the profile, that program gets it.
            ("start_server", preceded(asked)),
            ("stop_trace", hooked(_stopping, _stopped)),
            ("stop_and_get_fdo_profile", hooked(_stopping, _dropped)),
        ):
            if hasattr(module, name):
                wrapped(module, name, wrapper)


def _starting(log_dir, *args, **kwargs):
    stand_aside(_NAME)
    return (os.path.abspath(os.fspath(log_dir)),)


def _started(begun, is_done, result):
    if is_done:
        _profiles[:] = [_Profile(begun[0])]
        profiler_runs.began(_profiles[0], _NAME)


def _stopping(*args, **kwargs):
    if _profiles:
        profiler_runs.ended(_profiles[0])
    return (bool(_profiles),)


def _stopped(begun, is_done, result):
    if is_done and begun[0]:
        profile = _profiles.pop()
        for path in _newest(profile.folder):
            wrote(_NAME, path)
            profiler_runs.written(profile)


def _dropped(begun, is_done, result):
    if is_done:
        _profiles.clear()


def _newest(folder):
    """The files of the newest run in a folder, as JAX looks for them, without those of other hosts."""
    runs = glob.glob(os.path.join(glob.escape(folder), "plugins", "profile", "*"))
    run = max(filter(os.path.isdir, runs), key=os.path.getmtime, default=None)
    files = [] if run is None else sorted(glob.glob(os.path.join(glob.escape(run), "*" + _ENDING)))
    own = [path for path in files if os.path.basename(path).startswith(socket.gethostname())]
    return own or [path for path in files if len(files) == 1]
