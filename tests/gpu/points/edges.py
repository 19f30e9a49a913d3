"""13: work that is in flight where a cycle begins or ends: each cycle has the work that its steps launched, all of it and no other."""

from kit import looks
from kit.table import judged

from . import lagging

NUMBER, NAME = 13, "edges"


def rows(setting):
    ran = lagging.captured(setting)
    is_good = ran.status == 0 and len(ran.traces) == lagging.REPEAT
    yield judged("three cycles, a device that lags", is_good, "%d traces, %s" % (len(ran.traces), ran.why))
    if ran.report and ran.traces:
        yield from judge(lagging.traces(setting), ran.report)


def judge(traces, program):
    expected = lagging.RECORD * program["adds"]
    found = [lagging.adds(of) for of in traces]
    yield judged("additions of each cycle", found == [expected] * len(traces), "%s, launched %d" % (found, expected))
    orphans = [len(looks.orphans(of)) for of in traces]
    yield judged("work without a call", not any(orphans), str(orphans))
    outside = [sum(1 for call in looks.outside(of) if call in of.calls) for of in traces]
    yield judged("calls outside the steps", not any(outside), str(outside))
    for key in ("gpu.lost", "gpu.dropped", "gpu.unfinished"):
        numbers = [looks.fact(of, key) for of in traces]
        yield judged(key, not any(numbers), str(numbers))
