"""22: a server, whose threads always have work in flight: a recording by time has whole graphs, and nothing of it is said to be lost."""

from kit import looks, trace
from kit.setting import window
from kit.table import judged, shown

NUMBER, NAME = 22, "server"
NODES, SECONDS = 50, 9


def rows(setting):
    command = setting.script("replays.py", "--nodes", str(NODES), "--seconds", str(SECONDS))
    ran = setting.capture("server", window("6s", "500ms"), command)
    is_good = ran.status == 0 and len(ran.traces) == 1
    yield judged("a window of half a second", is_good, "%d traces, %s" % (len(ran.traces), ran.why))
    if ran.traces:
        yield from judge(trace.read(ran.traces[0]))


def judge(found):
    sizes = {}
    for work, call in looks.launches(found):
        if call and "GraphLaunch" in call.name:
            sizes[work.correlation] = sizes.get(work.correlation, 0) + 1
    whole = sum(size == NODES for size in sizes.values())
    yield judged("graphs whose launch is recorded", len(sizes) > 0 and whole == len(sizes), "%d of %d are whole" % (whole, len(sizes)))
    yield shown("work without a call, at the beginning", str(len(looks.orphans(found))))
    for key in ("gpu.lost", "gpu.dropped", "gpu.unfinished"):
        number = looks.fact(found, key)
        yield judged(key, not number, str(number))
