"""Triton's proton: the agent leaves CUPTI to it, and learns when it ran and which file it writes.

Knows the functions by which a session of proton begins and ends, and the names of its files; imports nothing of Triton.
"""
import glob
import os
import shutil
import tempfile

from _proftui import note, stand_aside

from . import imports, profiler_runs
from .gpu_profilers import wrote
from .hooks import hooked
from .wrappers import wrapped

_NAME = "triton.profiler"
_WARNING = 2
_ENDING = ".chrome_trace"
# The folder whose libcupti.so proton loads, by default Triton's own.
_CUPTI_FOLDER = "TRITON_CUPTI_LIB_PATH"
_NO_TIMES = (
    'triton.profiler: its file has sums of the kernels and no times (data="tree"), so they are not in the trace; '
    'triton.profiler.start(data="trace") writes times'
)
# The sessions that are not over and write times, by their numbers.
_sessions = {}


class _Session:
    """A session, and the path of its file without the ending."""

    def __init__(self, path):
        self.path = path


class _Copy:
    """The CUPTI at `path`, for proton to load instead of Triton's own: a copy beside the one that was used before cannot subscribe."""

    def __init__(self, path):
        self._folder = None
        if path is None or not os.path.isabs(path) or _CUPTI_FOLDER in os.environ:
            return
        self._folder = tempfile.mkdtemp(prefix="link-", dir=os.environ.get("PROFTUI_RUN"))
        os.symlink(path, os.path.join(self._folder, "libcupti.so"))
        os.environ[_CUPTI_FOLDER] = self._folder

    def loaded(self):
        """Removes what proton needs no more."""
        if self._folder is not None:
            if os.environ.get(_CUPTI_FOLDER) == self._folder:
                del os.environ[_CUPTI_FOLDER]
            shutil.rmtree(self._folder, ignore_errors=True)


def watch():
    """Has the hooks installed when the script imports proton."""
    imports.watch("triton.profiler.profile", _install)


def _install(module):
    for name, wrapper in (("start", hooked(_starting, _started)), ("finalize", hooked(_ending, _ended))):
        if hasattr(module, name):
            wrapped(module, name, wrapper)


def _starting(*args, **kwargs):
    # Some versions take them by position, in this order.
    given = dict(zip(("name", "context", "data", "backend"), args), **kwargs)
    backend = given.get("backend")
    # Without it, proton takes CUPTI where the GPU is NVIDIA's.
    if backend is not None and not str(backend).startswith("cupti"):
        return None
    copy = _Copy(stand_aside(_NAME))
    return os.path.abspath(os.path.expanduser(given.get("name") or "proton")), given.get("data") or "tree", copy


def _started(begun, is_done, session):
    path, data, copy = begun
    copy.loaded()
    if not is_done or session is None:
        return
    if data != "trace":
        note(_WARNING, _NO_TIMES)
        return
    _sessions[session] = _Session(path)
    profiler_runs.began(_sessions[session], _NAME)


def _ending(session=None, *args, **kwargs):
    ending = list(_sessions) if session is None else [session] * (session in _sessions)
    for number in ending:
        profiler_runs.ended(_sessions[number])
    return (ending,)


def _ended(begun, is_done, result):
    for session in [_sessions.pop(number, None) for number in begun[0]]:
        if is_done and session is not None:
            # Where the session was written in parts, each has a number.
            parts = sorted(glob.glob(glob.escape(session.path) + ".part_*" + _ENDING))
            for path in filter(os.path.isfile, [session.path + _ENDING] + parts):
                wrote(_NAME, path)
                profiler_runs.written(session)
