"""21: more kernels of graphs than CUPTI's memory on the device holds at once: it is used again, or what is missing is said."""

from kit import looks, trace
from kit.setting import STEPS_OF_PROGRAM, between, memory
from kit.table import judged

NUMBER, NAME = 21, "pool"
# Two of CUPTI's buffers on the device, of about 100,000 kernels each.
LIMIT = "7M"
STEPS, REPLAYS, NODES = 6, 50, 1000


def rows(setting):
    for limit in (LIMIT, None):
        command = setting.script("replays.py", "--nodes", str(NODES), "--steps", str(STEPS), "--replays", str(REPLAYS))
        options = STEPS_OF_PROGRAM + between(0, STEPS) + (memory(limit) if limit else [])
        ran = setting.capture("pool-%s" % (limit or "default"), options, command)
        name = limit or "the default limit"
        yield judged("%s: it ends as without" % name, ran.status == 0 and len(ran.traces) == 1, ran.why)
        if ran.traces:
            yield judge(name, trace.read(ran.traces[0]))


def judge(name, found):
    launched = STEPS * REPLAYS * NODES
    kernels, lost = looks.counts(found)["Kernel"], sum(looks.fact(found, key) for key in ("gpu.lost", "gpu.dropped"))
    figure = "%d, %d are said to be lost, of %d" % (kernels, lost, launched)
    return judged("%s: kernels" % name, kernels + lost == launched, figure)
