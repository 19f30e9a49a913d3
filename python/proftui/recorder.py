"""Access to the agent in this process: that of `proftui capture` if the script runs in one, else that of a run started for this process.

Failures are printed once on stderr and never raised: the script then runs unprofiled.
"""
import os
import sys
import threading

from . import asking, binary, collector

_lock = threading.Lock()
_warned = set()
# The run of this process and of processes forked from it.
_run = None
_is_tried = False
# What the recorder of GPUs needs, as the collector said, until a profiler asks for GPUs; None after that.
_for_gpus = None


class Run:
    """The run to which this process belongs."""

    def __init__(self, folder, is_own):
        self.folder = folder
        # True if this script started the run; False within `proftui capture`.
        self.is_own = is_own
        self._began_in = os.getpid()
        self.agent = sys.modules["_proftui"]
        from _proftui_shim import control

        self.control = control

    @property
    def is_looked_after(self):
        """True while a proftui process supervises the run and can write its traces."""
        return asking.is_looked_after(self.folder)

    @property
    def shared(self):
        """The folder of a run that this process started itself: a fork of it has a copy of this object."""
        return self.folder if self.is_own and os.getpid() == self._began_in else None

    def trace(self, cycle, form, path, metadata):
        """Has the trace of a cycle written to `path`; `form` is the name of a trace format, such as `json.gz`. Raises `Refused`."""
        asking.trace(self.folder, self.agent.process_key(), (cycle, form, path, metadata))


def warn(text):
    """Prints a line on stderr; each text only once."""
    if text not in _warned:
        _warned.add(text)
        try:
            sys.stderr.write("proftui: %s\n" % text)
        except Exception:
            # A script may have no stderr.
            pass


def there():
    """The agent's module; None if it is not loaded."""
    return sys.modules.get("_proftui")


def run(options):
    """This process's run, which is started with these options if there is none. None if it cannot be started, which is printed on stderr."""
    global _run, _is_tried
    with _lock:
        if not _is_tried:
            _is_tried = True
            _run = _begin(options)
        elif _run is not None and _run.is_own:
            try:
                _prepare_gpus(options)
            except Exception as error:
                warn("no GPU is recorded: %r" % error)
        return _run


def _begin(options):
    try:
        folder, is_own = os.environ.get("PROFTUI_RUN"), False
        if there() is None:
            if "t" in getattr(sys, "abiflags", ""):
                raise binary.Refused("this Python runs without the GIL (free-threaded build)")
            if not (folder and asking.is_looked_after(folder)):
                _begin_own(options)
                is_own = True
            _arm()
            folder = os.environ["PROFTUI_RUN"]
        found = Run(folder, is_own)
        if not found.agent.process_key():
            raise binary.Refused("the recorder could not start, or PROFTUI_DISABLE is set")
        return found
    except Exception as error:
        what = str(error) if isinstance(error, (binary.Missing, binary.Refused)) else repr(error)
        warn("nothing is recorded: %s" % what)
        return None


def _begin_own(options):
    global _for_gpus
    answer = collector.start(dict(options, schedule="manual"))
    _for_gpus = answer["gpu"]
    _prepare(answer)
    _prepare_gpus(options)


def _prepare_gpus(options):
    """Has the recorder of GPUs loaded, if these options are the first that ask for it."""
    global _for_gpus
    if options["device"] != "off" and _for_gpus is not None:
        answer, _for_gpus = _for_gpus, None
        _prepare(answer)
        if there() is not None:
            _meet_the_driver()


def _prepare(answer):
    for warning in answer["warnings"]:
        warn(warning)
    for name in answer["unset"]:
        os.environ.pop(name, None)
    os.environ.update(answer["set"])


def _arm():
    """Imports the shim, which loads the agent, as in a captured process."""
    # The agent's library and the folder of its Python files are in the same folder.
    folder = os.path.join(os.path.dirname(os.environ["PROFTUI_AGENT"]), "py")
    sys.path.insert(0, folder)
    try:
        import _proftui_shim
    finally:
        sys.path.remove(folder)
    _proftui_shim.arm()
    if there() is None:
        raise binary.Refused("the recorder cannot be loaded into this process")
    _meet_the_driver()


def _meet_the_driver():
    """Loads the device recorder if CUDA was initialized before: the driver loads it only during initialization."""
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
        # CUDA was not initialized; or this Python has no ctypes: then GPUs are not recorded, and the trace says so.
        pass
