"""The profilers of PyTorch: `profile`, with a schedule of steps, and `_KinetoProfile`, on which it is built."""
import json
import uuid

from . import binary, recorder
from .averages import KeyAverages, check_metric, write_stacks
from .events import EventList
from .memory_timeline import write_timeline
from .names import ProfilerActivity
from .profiling import Profiling, is_loaded, options_of
from .states import ProfilerAction, scheduler_of

# The options that the header of a trace states where they are on, as PyTorch's does.
_STATED = ("record_shapes", "profile_memory", "with_stack", "with_modules", "with_flops")


class _KinetoProfile(Profiling):
    """Profiles from `start()` to `stop()`, as one cycle without steps.

    `experimental_config`, `execution_trace_observer`, `acc_events` and `post_processing_timeout_s` are accepted and ignored.
    """

    def __init__(
        self,
        *,
        activities=None,
        record_shapes=False,
        profile_memory=False,
        with_stack=False,
        with_flops=False,
        with_modules=False,
        experimental_config=None,
        execution_trace_observer=None,
        acc_events=False,
        custom_trace_id_callback=None,
        post_processing_timeout_s=None,
        _steps=None,
    ):
        self.activities = set(_kinds(activities)) if activities else set(ProfilerActivity)
        self.record_shapes = record_shapes
        self.profile_memory = profile_memory
        self.with_stack = with_stack
        self.with_flops = with_flops
        self.with_modules = with_modules
        self.experimental_config = experimental_config
        self.execution_trace_observer = execution_trace_observer
        self.acc_events = acc_events
        self.custom_trace_id_callback = custom_trace_id_callback
        self.post_processing_timeout_s = post_processing_timeout_s
        has_device = any(getattr(activity, "name", activity) != "CPU" for activity in self.activities)
        self.use_device = "cuda" if has_device else None
        self.preset_metadata = {}
        self._metadata = {}
        self._trace_id = None
        schedule, on_trace_ready, has_steps = _steps or (scheduler_of(None), None, False)
        options = options_of(record_shapes, profile_memory, with_stack, with_flops, has_device, is_loaded("torch"))
        super().__init__(schedule, on_trace_ready, options, has_steps=has_steps)

    def prepare_trace(self):
        """Loads the recorder, which takes time, ahead of `start_trace()`."""
        self._cycles.prepare(self._options)

    def start_trace(self):
        """Begins the recording, as `start()`."""
        self.start()

    def stop_trace(self):
        """Ends the recording, as `stop()`."""
        self.stop()

    def toggle_collection_dynamic(self, enable, activities):
        """Has operators recorded no longer, or again (`enable`), if `activities` has `CPU`. GPUs and named ranges go on."""
        for activity in activities:
            if getattr(activity, "name", activity) == "CPU":
                self._cycles.collect(bool(enable))
            else:
                recorder.warn("toggle_collection_dynamic: recording of GPUs cannot be changed within a cycle")

    def events(self):
        """The events of the last recorded cycle; empty if no cycle has ended."""
        return EventList(self._cycles.result)

    def key_averages(
        self, group_by_input_shape=False, group_by_stack_n=0, group_by_overload_name=False, include_python_functions=False
    ):
        """Average times of the last recorded cycle per operator; empty if no cycle has ended. `group_by_overload_name` changes nothing: no
        overloads are recorded. `include_python_functions` is ignored."""
        return KeyAverages(self._cycles.result, group_by_input_shape, group_by_stack_n)

    def export_chrome_trace(
        self, path, use_python_export=False, cuda_graph_annotations=None, graph_lanes="none", default_stream=7
    ):
        """Writes the last recorded cycle as JSON in the form of PyTorch's profiler; compressed if the path ends in `.gz` or `.zst`. All other
        arguments are ignored. Does nothing, and fails, like `export`."""
        super().export_chrome_trace(path)

    def export_stacks(self, path, metric="self_cpu_time_total"):
        """Writes the Python stacks of the last recorded cycle (recorded by `with_stack=True`) with their times in µs."""
        check_metric(metric)
        self._of_result(lambda result: write_stacks(result, path, metric))

    def export_memory_timeline(self, path, device=None):
        """Writes the memory of a device (such as `cpu` or `cuda:0`) over the last recorded cycle (recorded by `profile_memory=True`)."""
        self._of_result(lambda result: write_timeline(result, path, device))

    def wait_for_exports(self):
        """Does nothing: an export has ended when its function returns."""

    def take_pending_cuspy_export(self):
        """None, as in PyTorch without its profiler Cuspy."""

    def add_metadata(self, key, value):
        """Adds a text to the header of the traces of this cycle that are exported in PyTorch's form."""
        self._metadata[key] = str(value)

    def add_metadata_json(self, key, value):
        """As `add_metadata`, for a value that is given as the text of JSON."""
        self._metadata[key] = _value(value)

    def preset_metadata_json(self, key, value):
        """As `add_metadata_json`, for all cycles."""
        self.preset_metadata[key] = value

    def get_trace_id(self):
        """The id of the trace of this cycle, which is in its header; None before the first one."""
        return self._trace_id

    def set_custom_trace_id_callback(self, callback):
        """Has `callback()` return the ids of the traces of later cycles."""
        self.custom_trace_id_callback = callback

    def _begins(self):
        make = self.custom_trace_id_callback or (lambda: uuid.uuid4().hex.upper())
        if self._trace_id is not None:
            self._metadata = {}
        self._trace_id = make()

    def _header(self):
        header = {name: 1 for name in _STATED if getattr(self, name)}
        if self._trace_id is not None:
            header["trace_id"] = self._trace_id
        header.update((key, _value(value)) for key, value in self.preset_metadata.items())
        header.update(self._metadata)
        return header


class profile(_KinetoProfile):
    """Profiles the steps that `schedule` selects; all of the run without one. Use it as a context manager, or call `start()`,
    `step()` and `stop()`."""

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
        post_processing_timeout_s=None,
    ):
        if use_cuda is not None:
            activities = (ProfilerActivity.CPU, ProfilerActivity.CUDA) if use_cuda else (ProfilerActivity.CPU,)
        self.schedule = scheduler_of(schedule)
        self.record_steps = schedule is not None
        super().__init__(
            activities=activities,
            record_shapes=record_shapes,
            profile_memory=profile_memory,
            with_stack=with_stack,
            with_flops=with_flops,
            with_modules=with_modules,
            experimental_config=experimental_config,
            execution_trace_observer=execution_trace_observer,
            acc_events=acc_events,
            custom_trace_id_callback=custom_trace_id_callback,
            post_processing_timeout_s=post_processing_timeout_s,
            _steps=(self.schedule, on_trace_ready, self.record_steps),
        )

    @property
    def current_action(self):
        """The state of the current step, with PyTorch's name."""
        return ProfilerAction(self._cycles.state.value)

    def step(self):
        """Ends the current step and begins the next one."""
        self._cycles.step()


def kineto_available():
    """True if there is the program that records."""
    try:
        return bool(binary.path())
    except binary.Missing:
        return False


def _kinds(activities):
    """The activities, some of which may be the keys of dictionaries, whose values are ignored."""
    for activity in activities:
        yield from activity if isinstance(activity, dict) else (activity,)


def _value(text):
    """The value of a text of JSON; the text itself if it is none."""
    try:
        value = json.loads(text)
        # Refuses NaN and infinity, which are no JSON.
        json.dumps(value, allow_nan=False)
        return value
    except (TypeError, ValueError):
        return str(text)
