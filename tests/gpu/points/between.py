"""14: CUDA graphs over several cycles: one that was captured before the first cycle, and one that was captured between two."""

from kit.table import judged

from . import lagging

NUMBER, NAME = 14, "between"


def rows(setting):
    ran = lagging.captured(setting)
    if not ran.report or not ran.traces:
        yield judged("three cycles", False, ran.why)
        return
    yield from judge(lagging.traces(setting), ran.report)


def judge(traces, program):
    for cycle, found in enumerate(traces):
        graphs = 2 if lagging.first_step(cycle) >= program["second"] else 1
        expected, kernels = lagging.RECORD * program["nodes"] * graphs, lagging.of_graphs(found)
        yield judged("cycle %d: kernels of %d graphs" % (cycle + 1, graphs), kernels == expected, "%d of %d" % (kernels, expected))
