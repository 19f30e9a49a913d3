"""6: CUDA graphs, drawn before anything was recorded and replayed while it is: each kernel with its name, or each replay."""

from kit import looks, trace
from kit.setting import GRAPHS, NODES, STEPS_OF_PROGRAM, between, together
from kit.table import judged, shown

NUMBER, NAME = 6, "graphs"
FIRST, LAST = 3, 6


def rows(setting):
    def capture(name, options):
        return setting.capture("graphs-" + name, STEPS_OF_PROGRAM + between(FIRST, LAST) + options, setting.script("graphs.py"))

    nodes, wholes = together(lambda: capture("node", NODES), lambda: capture("graph", GRAPHS))
    for name, ran in (("node", nodes), ("graph", wholes)):
        yield judged("captured by %s" % name, ran.status == 0 and len(ran.traces) == 1, ran.why)
    if nodes.traces and nodes.report:
        yield from by_node(trace.read(nodes.traces[0]), nodes.report)
    if wholes.traces and wholes.report:
        yield from by_graph(trace.read(wholes.traces[0]), wholes.report)


def by_node(found, program):
    expected = (LAST - FIRST) * program["replays"] * program["nodes"]
    kernels = [work for work, call in looks.launches(found) if work.kind == "Kernel" and call and "GraphLaunch" in call.name]
    yield judged("node: kernels of graphs", len(kernels) == expected, "%d of %d" % (len(kernels), expected))
    # Before a replay torch may set its random numbers by kernels.
    yield shown("node: kernels of none", str(looks.counts(found)["Kernel"] - len(kernels)))
    marked = looks.of_graphs(found)[0]
    yield judged("node: kernels that say which node they are", marked == expected, "%d of %d" % (marked, expected))
    names = {work.name for work in kernels}
    yield judged("node: kernels have names", bool(names) and "" not in names, ", ".join(sorted(names))[:60])
    yield judged("node: work without a call", bool(kernels) and not looks.orphans(found), str(len(looks.orphans(found))))
    by = looks.calls_by_name(found)
    replays = sum(count for name, count in by.items() if "GraphLaunch" in name)
    expected = (LAST - FIRST) * program["replays"]
    yield judged("node: launches of graphs", replays == expected, "%d of %d" % (replays, expected))
    early = len(looks.early(found))
    yield judged("node: none before its launch", bool(kernels) and not early, "%d of %d" % (early, len(kernels)))


def by_graph(found, program):
    expected = (LAST - FIRST) * program["replays"]
    nodes, wholes = looks.of_graphs(found)
    yield judged("graph: replays as wholes", wholes == expected, "%d of %d" % (wholes, expected))
    yield judged("graph: none node by node", wholes > 0 and nodes == 0, str(nodes))
    yield judged("graph: work without a call", wholes > 0 and not looks.orphans(found), str(len(looks.orphans(found))))
    names = sorted({work.name for work in found.work})
    yield shown("graph: they are called", ", ".join(names[:3]))
