"""Runs the loop of a program beside this file, bare or under torch.profiler, and prints the memory of the process as the loop goes on."""
import contextlib
import json
import resource
import sys
import time


def anonymous():
    """The memory of this process that no file backs, KiB: mapped files, such as those of a recording, are not in it."""
    with open("/proc/self/status") as status:
        return next(int(line.split()[1]) for line in status if line.startswith("RssAnon"))


def own():
    """The program's own torch.profiler, if the second argument asks for it."""
    if sys.argv[2:] not in (["profiler"], ["profiler", "stack"]):
        return contextlib.nullcontext()
    from torch.profiler import ProfilerActivity, profile
    return profile(activities=[ProfilerActivity.CPU], with_stack="stack" in sys.argv)


def run(step):
    """Calls `step` as often as the first argument says. Prints JSON: the seconds, with those that a profiler of the program takes to stop; the
    memory at each hundredth, KiB; the most memory in all, with what files back, KiB."""
    count = int(sys.argv[1])
    each = max(count // 100, 1)
    memory = []
    began = time.monotonic()
    with own():
        for at in range(count):
            step()
            if at % each == each - 1:
                memory.append(anonymous())
    took = time.monotonic() - began
    print(json.dumps({"seconds": took, "memory": memory, "peak": resource.getrusage(resource.RUSAGE_SELF).ru_maxrss}))
