"""A jax of the names that the shim hooks, with the shape of the real one and none of its work."""
import types

__version__ = "0.1-stub"


class TraceAnnotation:
    def __init__(self, name, **keys):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass


class StepTraceAnnotation(TraceAnnotation):
    def __init__(self, name, **keys):
        super().__init__(name, **keys)


class _Compiled:
    """What `jit` gives is no function."""

    def __init__(self, function):
        self.function = function

    def __call__(self, *args):
        return self.function(*args)

    def lower(self):
        return "lowered"


def start_trace(folder):
    print("traces")


jit = _Compiled
profiler = types.SimpleNamespace(
    TraceAnnotation=TraceAnnotation, StepTraceAnnotation=StepTraceAnnotation, start_trace=start_trace
)
