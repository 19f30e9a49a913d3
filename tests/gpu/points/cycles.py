"""5: cycles: a trace each, with what is of it and nothing else, none lost; and a hundred of them, after which the process
is no larger than after twenty."""

import statistics

from kit import looks, trace
from kit.setting import STEPS_OF_PROGRAM, cycles
from kit.table import judged, shown

NUMBER, NAME = 5, "cycles"
MANY, EACH = 100, 2
MIB = 1 << 20
# What a process may grow by over eighty cycles, MiB, on either side.
GROWTH = 8


def rows(setting):
    many = 40 if setting.is_quick else MANY
    command = setting.script("train.py", "--model", "resnet", "--steps", "20")
    few = setting.capture("cycles-few", STEPS_OF_PROGRAM + cycles(1, 1, 4, 3), command)
    # By itself: it looks at the device's memory.
    command = setting.script("train.py", "--model", "small", "--steps", str(many * EACH + 10), "--sleep", "0.02")
    all_of_them = setting.capture("cycles-many", STEPS_OF_PROGRAM + cycles(1, 0, 1, many), command)
    is_good = few.status == 0 and len(few.traces) == 3
    yield judged("closed 1, ready 1, record 4, repeat 3", is_good, "%d traces, %s" % (len(few.traces), few.why))
    traces = [trace.read(path) for path in few.traces]
    if traces:
        yield from windows(traces)
    yield judged("%d cycles" % many, all_of_them.status == 0 and len(all_of_them.traces) == many,
                 "%d traces, %s" % (len(all_of_them.traces), all_of_them.why))
    if all_of_them.report:
        yield from growth(all_of_them.report["models"]["small"]["memory"])
        yield shown("a step, by what comes at its end", edges(all_of_them.report["models"]["small"]["times"], many))
    kernels = {looks.counts(trace.read(path))["Kernel"] for path in all_of_them.traces[2:]}
    yield judged("each of them has as many kernels", len(kernels) == 1 and 0 not in kernels, str(sorted(kernels)))


def windows(traces):
    """Rows about cycles of the same work."""
    found = [looks.counts(of) for of in traces]
    is_good = all(counts == found[0] for counts in found) and found[0]["Kernel"] > 0
    yield judged("each has the same work", is_good, "kernels %s" % [counts["Kernel"] for counts in found])
    outside = [len(looks.outside(of)) for of in traces]
    yield judged("outside its steps", not any(outside), str(outside))
    yield judged("steps", all(len(looks.steps(of)) == 4 for of in traces), str([len(looks.steps(of)) for of in traces]))
    for key in ("lost", "gpu.lost", "gpu.dropped"):
        numbers = [looks.fact(of, key) for of in traces]
        yield judged(key, not any(numbers), str(numbers))
    yield shown("came with a cycle's and was not of it", str([looks.fact(of, "gpu.outside") for of in traces]))


def edges(times, many):
    """Median lengths of steps at which a cycle begins, at which one ends, and of others; the first cycles are left out."""
    begins, ends, rest = times[10:EACH * many:EACH], times[11:EACH * many:EACH], times[EACH * many + 1:]
    figures = [statistics.median(of) * 1e6 if of else 0 for of in (begins, ends, rest)]
    return "begin of a cycle %.0f us, its end with the flush %.0f us, neither %.0f us" % tuple(figures)


def growth(sizes):
    """`sizes`: of the process and free on the device, every ten steps."""
    if len(sizes) < 6:
        return
    early, last = sizes[len(sizes) // 5], sizes[-1]
    own, device = (last[0] - early[0]) / MIB, (early[1] - last[1]) / MIB
    yield judged("the process grows over them", own <= GROWTH, "by %.1f MiB from %.1f MiB" % (own, early[0] / MIB))
    yield judged("memory of the device", device <= GROWTH, "%.1f MiB more taken" % device)
