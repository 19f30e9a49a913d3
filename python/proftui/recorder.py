"""The way to the agent in this process: one that `proftui capture` put there, or that of a run that is begun for us.

What cannot be had is reported once, on stderr, and never raised: a script runs as well without it.
"""
import os
import sys
import threading

from . import asking, binary, collector

_lock = threading.Lock()
_warned = set()
# What was asked for first holds for the process, and for those that are forked from it.
_run = None
_is_tried = False


class Run:
    """A run that this process belongs to."""

    def __init__(self, folder, is_own):
        self.folder = folder
        # Begun by this script; else somebody around it says what is recorded, unless the script does.
        self.is_own = is_own
        self.agent = sys.modules["_proftui"]
        from _proftui_shim import control

        self.control = control

    @property
    def is_looked_after(self):
        """Whether somebody would take what is recorded."""
        return asking.is_looked_after(self.folder)

    def trace(self, cycle, form, path):
        """Has a cycle written to a path, in a form: an ending of traces' files. Raises `Refused`."""
        asking.trace(self.folder, self.agent.process_key(), cycle, form, path)


def warn(text):
    """A line to the person; each once."""
    if text not in _warned:
        _warned.add(text)
        try:
            sys.stderr.write("proftui: %s\n" % text)
        except Exception:
            # A script may have no stderr.
            pass


def there():
    """The agent, where it is there already; None else."""
    return sys.modules.get("_proftui")


def run(options=None, with_gpu=True):
    """This process's run, begun if there is none; None where there cannot be one, which is reported."""
    global _run, _is_tried
    with _lock:
        if not _is_tried:
            _is_tried, _run = True, _begin(options or {}, with_gpu)
        return _run


def _begin(options, with_gpu):
    try:
        folder, is_own = os.environ.get("PROFTUI_RUN"), False
        if there() is None:
            if "t" in getattr(sys, "abiflags", ""):
                raise binary.Refused("this Python runs without a global lock")
            if not (folder and asking.is_looked_after(folder)):
                _begin_own(dict(options, schedule="manual"), with_gpu)
                is_own = True
            _arm()
            folder = os.environ["PROFTUI_RUN"]
        found = Run(folder, is_own)
        if not found.agent.process_key():
            raise binary.Refused("the recorder is off")
        return found
    except Exception as error:
        what = str(error) if isinstance(error, (binary.Missing, binary.Refused)) else repr(error)
        warn("nothing is profiled: %s" % what)
        return None


def _begin_own(options, with_gpu):
    answer = collector.start(options, with_gpu)
    for warning in answer["warnings"]:
        warn(warning)
    for name in answer["unset"]:
        os.environ.pop(name, None)
    os.environ.update(answer["set"])


def _arm():
    """Loads the shim, which loads the agent, as in a captured process."""
    # The agent lies beside the folder of its Python files.
    folder = os.path.join(os.path.dirname(os.environ["PROFTUI_AGENT"]), "py")
    sys.path.insert(0, folder)
    try:
        import _proftui_shim
    finally:
        sys.path.remove(folder)
    _proftui_shim.arm()
    if there() is None:
        raise binary.Refused("the recorder cannot be loaded here")
    _meet_the_driver()


def _meet_the_driver():
    """Where CUDA was called before, its driver does not look for the agent any more: the agent is called instead."""
    agent = os.environ["PROFTUI_AGENT"]
    if os.environ.get("CUDA_INJECTION64_PATH") != agent:
        return
    try:
        import ctypes

        driver = ctypes.CDLL("libcuda.so.1", mode=os.RTLD_NOLOAD | os.RTLD_NOW)
        count = ctypes.c_int()
        if driver.cuDeviceGetCount(ctypes.byref(count)) == 0:
            ctypes.CDLL(agent).InitializeInjection()
    except (ImportError, OSError, AttributeError):
        # Nobody has called it; or this Python cannot, and then nothing of GPUs is recorded, which the trace says.
        pass
