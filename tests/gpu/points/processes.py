"""19: processes: workers that are forked when CUDA is in use, and two ranks on one device."""

from kit import trace
from kit.setting import STEPS_OF_PROGRAM
from kit.table import judged, skipped

from . import lagging

NUMBER, NAME = 19, "processes"


def rows(setting):
    for title, script, count in (("forked workers", "forked.py", 1), ("two ranks", "ranks.py", 2)):
        command = setting.script(script)
        ran, why = setting.fair(setting.capture("processes-" + script[:-3], STEPS_OF_PROGRAM, command), command)
        if not ran:
            yield skipped(title, why)
            continue
        yield from judge(title, count, ran, [trace.read(path) for path in ran.traces])


def judge(title, count, ran, traces):
    yield judged("%s: it ends well, %d traces" % (title, count), ran.status == 0 and len(traces) == count,
                 "%d traces, %s" % (len(traces), ran.why))
    if ran.report:
        found = [lagging.adds(of) for of in traces]
        yield judged("%s: additions" % title, found == [ran.report["adds"]] * count, "%s of %d" % (found, ran.report["adds"]))
