"""Runs a script under its framework's own profiler, and writes how often each operator ran on any thread of the script's process.

`python reference.py torch|paddle COUNTS SCRIPT [ARGUMENT...]` writes the file COUNTS: a JSON object, counts by name. Profiling begins when
the framework has been imported and ends with the script, as in a capture of all steps.
"""
import json
import runpy
import sys
import tempfile
from collections import Counter
from contextlib import contextmanager, suppress
from pathlib import Path


@contextmanager
def torch_counts(counts):
    import torch

    options = torch._C._profiler._ExperimentalConfig(profile_all_threads=True)
    profiler = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU], experimental_config=options)
    # Two profilers cannot run at the same time; what a script's own one would record is part of this one.
    torch.profiler.profile = Nothing
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()
        events = profiler.profiler.kineto_results.events()
        counts.update(event.name() for event in events if not event.is_user_annotation() and not event.name().startswith("["))


@contextmanager
def paddle_counts(counts):
    import paddle

    profiler = paddle.profiler.Profiler(targets=[paddle.profiler.ProfilerTarget.CPU])
    profiler.start()
    try:
        yield
    finally:
        profiler.stop()
        with tempfile.TemporaryDirectory() as folder:
            path = Path(folder, "trace.json")
            profiler.export(str(path), "json")
            events = json.loads(path.read_text())["traceEvents"]
        counts.update(event["name"].rpartition("[")[0] for event in events if event.get("cat") == "Operator")


class Nothing:
    """Instead of a script's own profiler: records nothing."""

    def __init__(self, *args, **kwargs):
        pass

    def __enter__(self):
        return self

    def __exit__(self, *error):
        pass

    def step(self):
        pass

    def key_averages(self):
        return []


def main():
    framework, path, script, *arguments = sys.argv[1:]
    counts = Counter()
    sys.argv = [script, *arguments]
    sys.path[0] = str(Path(script).parent)
    with {"torch": torch_counts, "paddle": paddle_counts}[framework](counts):
        # How the script ends is not the matter here.
        with suppress(Exception, SystemExit):
            runpy.run_path(script, run_name="__main__")
    Path(path).write_text(json.dumps(counts))


# A process that the script spawns imports this file, too.
if __name__ == "__main__":
    main()
