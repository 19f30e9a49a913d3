"""20: a device whose memory is nearly full: the program must not run out of it for the capture."""

from kit import trace
from kit.setting import STEPS_OF_PROGRAM
from kit.table import judged, shown, skipped

from . import lagging

NUMBER, NAME = 20, "full"
# How much is left free, MiB.
LEFT = (1024, 256)


def rows(setting):
    for left in LEFT:
        command = setting.script("full.py", "--leave", str(left))
        bare = setting.run("full-%d-bare" % left, command)
        if bare.status != 0 or not bare.report:
            yield skipped("%d MiB are free" % left, "it does not work here without us either: " + bare.why)
            continue
        ran = setting.capture("full-%d" % left, STEPS_OF_PROGRAM, command)
        yield from judge(left, bare.report, ran.status, ran.report, sum(lagging.adds(trace.read(path)) for path in ran.traces))


def judge(left, bare, status, captured, kernels):
    """`bare` and `captured`: the program's words."""
    yield judged("%d MiB are free: it ends as without" % left, status == 0 and captured is not None, "status %s" % status)
    yield judged("%d MiB are free: additions" % left, kernels == bare["adds"], "%d of %d" % (kernels, bare["adds"]))
    if captured:
        used = [words["free"][0] - words["free"][1] for words in (bare, captured)]
        yield shown("%d MiB are free: taken meanwhile" % left, "%d MiB, bare %d MiB" % (used[1], used[0]))
