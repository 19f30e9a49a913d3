"""A profiler with the interface of `paddle.profiler.Profiler`."""

from . import recorder
from .exports import export_chrome_tracing
from .names import VIEWS, SortedKeys
from .profiling import Profiling, options_of
from .states import scheduler_of

_UNITS = ("s", "ms", "us", "ns")


class Profiler(Profiling):
    """Profiles the steps of a training or inference loop. Use it as a context manager, or call `start()`, `step()` and `stop()`.

    `scheduler` selects the recorded steps: a function from a step's number to its `ProfilerState`, a pair (first step, step after
    the last), or None for all steps. `on_trace_ready` is called with the profiler after each recorded cycle.
    """

    def __init__(
        self,
        *,
        targets=None,
        scheduler=None,
        on_trace_ready=None,
        record_shapes=False,
        profile_memory=False,
        timer_only=False,
        emit_nvtx=False,
        custom_device_types=(),
        with_flops=False,
    ):
        has_device = _has_device(targets) and not timer_only
        options = options_of(record_shapes, profile_memory, False, with_flops, has_device)
        if timer_only:
            options["ops"] = "off"
        if on_trace_ready is None and not timer_only:
            try:
                on_trace_ready = export_chrome_tracing("./profiler_log/")
            except RuntimeError as error:
                # The default folder is no request of the script, so an error there is only printed.
                recorder.warn(str(error))
        self.targets = targets
        self.scheduler = scheduler_of(scheduler)
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.timer_only = timer_only
        self.emit_nvtx = emit_nvtx
        self.custom_device_types = custom_device_types
        self.with_flops = with_flops
        self._unit = "samples"
        super().__init__(self.scheduler, on_trace_ready, options, timer_only)

    def step(self, num_samples=None):
        """Ends the current step, which processed `num_samples` samples, and begins the next one."""
        self._cycles.step(num_samples)

    def stop(self):
        """Stops profiling, and prints a summary of step times if there were more than ten steps."""
        if not self._cycles.is_running:
            return
        text = self._cycles.perf(self._unit)
        if text:
            print(text, end="")
        super().stop()

    def step_info(self, unit=None):
        """Average times and throughput of the steps since the last call, as one line; `unit` names a sample."""
        self._unit = unit or "samples"
        return self._cycles.step_info(self._unit)

    def summary(
        self, sorted_by=SortedKeys.CPUTotal, op_detail=True, thread_sep=False, time_unit="ms", views=None
    ):
        """Prints the summary tables of the last recorded cycle; prints nothing if none has ended."""
        if time_unit not in _UNITS:
            raise ValueError("time_unit must be one of %s, not %r" % (", ".join(_UNITS), time_unit))
        key = getattr(sorted_by, "name", sorted_by)
        if key not in SortedKeys.__members__:
            raise ValueError("sorted_by must be a member of SortedKeys, not %r" % (sorted_by,))
        words = ["--layout", "paddle", "--sorted-by", key, "--time-unit", time_unit]
        words += [] if op_detail else ["--no-op-detail"]
        words += ["--thread-sep"] if thread_sep else []
        for view in _views(views):
            text = self._of_result(lambda result: result.summary("pb", "--view", view, *words))
            if text is None:
                return
            print(text, end="")


def _views(given):
    """The names of the given tables for `proftui summary --view`; `all` for None."""
    if given is None:
        return ["all"]
    names = [getattr(view, "name", view) for view in (given if isinstance(given, (list, tuple, set)) else [given])]
    for name in names:
        if name not in VIEWS:
            raise ValueError("views must contain only %s, not %r" % (", ".join(VIEWS), name))
    return [VIEWS[name] for name in names]


def _has_device(targets):
    """True if GPUs are to be recorded: by default, or if a target other than `CPU` is given."""
    return targets is None or any(getattr(target, "name", target) != "CPU" for target in targets)
