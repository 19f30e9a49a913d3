"""A program whose device lags behind (`programs/lagging.py`), bare and with three recorded cycles. Several points look at it."""

from kit import looks, trace
from kit.setting import STEPS_OF_PROGRAM, cycles

CLOSED, READY, RECORD, REPEAT = 2, 1, 2, 3


def bare(setting, number=0):
    return setting.once("lagging-bare-%d" % number, lambda: setting.run("lagging-bare-%d" % number, setting.script("lagging.py")))


def captured(setting, number=0):
    options = STEPS_OF_PROGRAM + cycles(CLOSED, READY, RECORD, REPEAT)
    name = "lagging-captured-%d" % number
    return setting.once(name, lambda: setting.capture(name, options, setting.script("lagging.py")))


def traces(setting):
    """The traces of the cycles, the oldest first."""
    return setting.once("lagging-traces", lambda: [trace.read(path) for path in captured(setting).traces])


def first_step(cycle):
    """The first recorded step of a cycle, from 0."""
    return CLOSED + READY + cycle * (CLOSED + READY + RECORD)


def adds(found):
    """Kernels that are additions, and of no graph."""
    return sum(1 for work in found.work if work.kind == "Kernel" and "add" in work.name.lower() and "graph node id" not in work.args)


def of_graphs(found):
    """Kernels that a graph's launch started."""
    return sum(1 for work, call in looks.launches(found) if work.kind == "Kernel" and call and "GraphLaunch" in call.name)
