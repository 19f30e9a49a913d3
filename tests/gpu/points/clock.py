"""3: work and calls are on one clock: nothing begins before it was launched, nothing outlasts the wait for it."""

from kit import looks
from kit.table import judged, shown, skipped

from . import training

NUMBER, NAME = 3, "clock"
# A wait's end and the work's are read by different clocks; more than this is none of their noise, ns.
SLACK = 20_000


def rows(setting):
    for model, ((_, theirs), (ours, trace)) in training.both(setting).items():
        if trace is None:
            yield judged("%s: a trace" % model, False, ours.why)
            continue
        yield from of_trace(model, trace)
        if theirs is not None and looks.delays(theirs):
            yield shown("%s: delays by torch.profiler" % model, delays(theirs))


def of_trace(model, trace):
    early, linked = looks.early(trace), looks.delays(trace)
    worst = max((before for _, before in early), default=0)
    yield judged("%s: work before its launch" % model, bool(linked) and not early,
                 "%d of %d, by %d ns at most" % (len(early), len(linked), worst))
    if linked:
        yield shown("%s: from a launch to its work" % model, delays(trace))
    late = looks.late(trace)
    yield judged("%s: work after the wait for it" % model, bool(linked) and max(late, default=0) <= SLACK,
                 "%d of %d, by %d ns at most" % (len(late), len(linked), max(late, default=0)))
    clock = trace.facts.get("proftui.gpu.clock")
    if clock:
        yield shown("%s: the clock of records" % model, clock)
    yield skipped("%s: by the wall clock" % model, "not offered where the monotonic one works")


def delays(trace):
    found = looks.delays(trace)
    return "least %.1f us, median %.1f us, most %.1f us" % (found[0] / 1e3, found[len(found) // 2] / 1e3, found[-1] / 1e3)
