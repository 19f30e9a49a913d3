"""What PyTorch's tracers have in common: they keep the events of the script's own profiler, for which they make room.

Knows the host's part of PyTorch's profiler, and no tracer.
"""
import time

from . import kineto
from .operators import Tracer


class TorchTracer(Tracer):
    framework, ending = "torch", "kineto.json"

    def __init__(self, torch):
        super().__init__()
        self.is_taken = torch.autograd._profiler_enabled
        self._since = 0

    def start(self, cycle):
        if cycle != self._cycle:
            self._since = time.time_ns()
        return super().start(cycle)

    def take(self, profile):
        """Writes the events of the script's own profiler that belong to the cycle."""
        results = getattr(profile, "kineto_results", None)
        if results is not None and getattr(profile, "use_cpu", True):
            self.write(lambda path: kineto.write(path, results.events(), self._since, self.recorded_on()))

    def count(self, path):
        return kineto.count(path)

    def recorded_on(self):
        """The system's numbers of the threads whose operators the tracer records itself."""
        return ()
