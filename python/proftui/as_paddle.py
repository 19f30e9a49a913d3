"""The interface of `paddle.profiler.Profiler`, on proftui's recorder."""

from . import recorder
from .exports import export_chrome_tracing
from .names import VIEWS, SortedKeys
from .profiling import Profiling, options_of
from .states import scheduler_of

_UNITS = ("s", "ms", "us", "ns")


class Profiler(Profiling):
    """Profiles steps. Used with `with`, or by `start()`, `step()` and `stop()`.

    `scheduler`: a function from a step's number to its state, the pair of the first step recorded and the one after the
    last, or None for all steps. `on_trace_ready` gets the profiler whenever there is a result, and may use all of it.
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
        options = options_of(record_shapes, profile_memory, False, with_flops, False)
        if timer_only:
            options["ops"] = "off"
        if on_trace_ready is None and not timer_only:
            try:
                on_trace_ready = export_chrome_tracing("./profiler_log/")
            except RuntimeError as error:
                # The script did not ask for this folder.
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
        super().__init__(self.scheduler, on_trace_ready, options, _has_device(targets), timer_only)

    def step(self, num_samples=None):
        """Ends a step of so many samples, and begins the next one."""
        self._cycles.step(num_samples)

    def stop(self):
        """Stops, and prints the times of steps where there were more than ten."""
        if not self._cycles.is_running:
            return
        text = self._cycles.perf(self._unit)
        if text:
            print(text, end="")
        super().stop()

    def step_info(self, unit=None):
        """A line on the times of the steps since the last call; `unit` names a sample."""
        self._unit = unit or "samples"
        return self._cycles.step_info(self._unit)

    def summary(
        self, sorted_by=SortedKeys.CPUTotal, op_detail=True, thread_sep=False, time_unit="ms", views=None
    ):
        """Prints the tables of the newest result; nothing before there is one."""
        if time_unit not in _UNITS:
            raise ValueError("a time unit is one of %s, not %r" % (", ".join(_UNITS), time_unit))
        key = getattr(sorted_by, "name", sorted_by)
        if key not in SortedKeys.__members__:
            raise ValueError("tables are sorted by one of SortedKeys, not by %r" % (sorted_by,))
        words = ["--layout", "paddle", "--sorted-by", key, "--time-unit", time_unit]
        words += [] if op_detail else ["--no-op-detail"]
        words += ["--thread-sep"] if thread_sep else []
        for view in _views(views):
            text = self._of_result(lambda result: result.summary("pb", "--view", view, *words))
            if text is None:
                return
            print(text, end="")


def _views(given):
    """The program's names for one table or several; `all` for None."""
    if given is None:
        return ["all"]
    names = [getattr(view, "name", view) for view in (given if isinstance(given, (list, tuple, set)) else [given])]
    for name in names:
        if name not in VIEWS:
            raise ValueError("a view is one of %s, not %r" % (", ".join(VIEWS), name))
    return [VIEWS[name] for name in names]


def _has_device(targets):
    """Whether devices are recorded: where a target is not `CPU`, and by default."""
    return targets is None or any(getattr(target, "name", target) != "CPU" for target in targets)
