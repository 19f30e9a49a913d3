"""The profiler that scripts use."""
import gzip
import os

from torch.autograd import profiler as prof
from torch.autograd.profiler import ProfilerActivity


class _KinetoProfile:
    def __init__(self, *, activities=None):
        self.activities = set(activities or ProfilerActivity)

    def start(self):
        self.profiler = prof.profile(use_device="cuda" if ProfilerActivity.CUDA in self.activities else None)
        self.profiler._prepare_trace()
        self.profiler._start_trace()

    def stop(self):
        self.profiler.__exit__(None, None, None)

    def export_chrome_trace(self, path):
        if not path.endswith(".gz"):
            return self.profiler.export_chrome_trace(path)
        self.profiler.export_chrome_trace(path + ".part")
        with open(path + ".part", "rb") as plain, gzip.open(path, "wb") as packed:
            packed.write(plain.read())
        os.remove(path + ".part")


class profile(_KinetoProfile):
    def __enter__(self):
        self.start()
        return self

    def __exit__(self, *error):
        self.stop()

    def step(self):
        pass
