"""Profiles a script from within, with the interfaces of Paddle's and PyTorch's profilers.

    import proftui as profiler

    with profiler.Profiler(scheduler=(2, 5), on_trace_ready=profiler.export_chrome_tracing("./log")) as prof:
        for batch in loader:
            train(batch)
            prof.step()
    prof.summary()

Pure Python, standard library only. The program `proftui` does the recording: it is the one that `PROFTUI_BIN` names, else the one beside
this Python, else the one on `PATH`. Without it the script runs unprofiled, and one line on stderr says why. The program also makes all
tables, trees of saved files, texts of the timer and states of steps, so that each is computed once.

The schedule of such a run is `manual`: the script's states go to the agent's scheduler (`crates/agent/src/process/control.rs`), and the
shim's rule for the end of a step does not apply; the two meet in the shim's `control` only. A result is a file that the script requests
from the supervisor (`src/capture/supervisor/requests.rs`); a `proftui capture` around the script answers the same requests. A callback gets the cycle
that has ended: where the next cycle would begin at once, it begins when the callback has returned.

- `as_paddle`, `as_torch`, `as_fluid`: the public classes and functions, each with the interface of its original.
- `states`, `names`: states of steps and schedules; the other enumerations.
- `profiling`: what these profilers share. `output`: files that the script names.
- `averages`, `events`: the rows of `key_averages()` and `events()`; `times`: what both have. `memory_timeline`: memory over time.
- `ranges`: named ranges in the script. `exports`: callbacks that write each trace to a file.
- `cycles`: a profiler's steps and cycles; `results`: the trace of a cycle; `nodes`: a saved trace as a tree.
- `loaded`: a trace in a notebook, with tables, summaries and findings.
- `recorder`: access to the agent in this process; `collector`, `asking`, `binary`: start the program and request traces from it.
"""
from .as_fluid import profiler, reset_profiler, start_profiler, stop_profiler
from .as_paddle import Profiler
from .as_torch import _KinetoProfile, kineto_available, profile
from .exports import export_chrome_tracing, export_protobuf, tensorboard_trace_handler
from .loaded import load, summary
from .names import (
    DeviceType,
    ProfilerActivity,
    ProfilerTarget,
    SortedKeys,
    SummaryView,
    TracerEventType,
    TracerMemEventType,
    supported_activities,
)
from .nodes import load_profiler_result
from .ranges import RecordEvent, record_function
from .states import ProfilerAction, ProfilerState, make_scheduler, schedule

__all__ = [
    "DeviceType",
    "Profiler",
    "ProfilerAction",
    "ProfilerActivity",
    "ProfilerState",
    "ProfilerTarget",
    "RecordEvent",
    "SortedKeys",
    "SummaryView",
    "TracerEventType",
    "TracerMemEventType",
    "export_chrome_tracing",
    "export_protobuf",
    "kineto_available",
    "load",
    "load_profiler_result",
    "make_scheduler",
    "profile",
    "profiler",
    "record_function",
    "reset_profiler",
    "schedule",
    "start_profiler",
    "stop_profiler",
    "summary",
    "supported_activities",
    "tensorboard_trace_handler",
]


def __getattr__(name):
    if name != "__version__":
        raise AttributeError("module %r has no attribute %r" % (__name__, name))
    # The version of the installed package, which is also the program's. Imported here because that is slow and rare.
    from importlib.metadata import PackageNotFoundError, version

    try:
        return version("proftui")
    except PackageNotFoundError:
        return "unknown"
