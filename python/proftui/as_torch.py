"""A profiler with the interface of `torch.profiler.profile`."""
from .averages import STACK_METRICS, KeyAverages, write_stacks
from .names import ProfilerActivity
from .profiling import Profiling, is_loaded, options_of
from .states import scheduler_of


class profile(Profiling):
    """Profiles the steps that `schedule` selects; all of the run without one. Use it as a context manager, or call `start()`,
    `step()` and `stop()`.

    `with_modules`, `experimental_config`, `execution_trace_observer`, `acc_events` and `custom_trace_id_callback` are
    accepted and ignored.
    """

    def __init__(
        self,
        *,
        activities=None,
        schedule=None,
        on_trace_ready=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events=False,
        use_cuda=None,
        custom_trace_id_callback=None,
    ):
        self.activities = set(activities) if activities else set(ProfilerActivity)
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.schedule = scheduler_of(schedule)
        has_device = any(getattr(activity, "name", activity) != "CPU" for activity in self.activities)
        with_gpu = has_device if use_cuda is None else bool(use_cuda)
        options = options_of(record_shapes, profile_memory, with_stack, with_flops, with_gpu, is_loaded("torch"))
        super().__init__(self.schedule, on_trace_ready, options, has_steps=schedule is not None)

    def step(self):
        """Ends the current step and begins the next one."""
        self._cycles.step()

    def key_averages(self, group_by_input_shape=False, group_by_stack_n=0):
        """Average times of the last recorded cycle per operator; empty if no cycle has ended."""
        return KeyAverages(self._cycles.result, group_by_input_shape, group_by_stack_n)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes the Python stacks of the last recorded cycle (recorded by `with_stack=True`) with their times in µs."""
        if metric not in STACK_METRICS:
            raise ValueError("metric must be one of %s, not %r" % (", ".join(STACK_METRICS), metric))
        self._of_result(lambda result: write_stacks(result, path, metric))

    def add_metadata(self, key, value):
        """Accepted and ignored."""

    def add_metadata_json(self, key, value):
        """Accepted and ignored."""
