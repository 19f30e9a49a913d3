"""The label of a run: what must be found in its trace, from the machine's own record."""
from sim.ledger import CAUSES, HostLedger, common, ledgers, length
from sim.measures import SHOWS, measures

# Causes that are a note at most, of which a scenario says itself whether they must be found; and one that is never a warning.
SILENT_CAUSES = ("not_attributable", "no_requests")
NO_WARNING = ("profiler",)
# Shares of the run: silent below the law's 5 %, with room on both sides for the tolerance of the check.
MUST, MUST_NOT, HEALTHY = 0.07, 0.03, 0.04
# The first finding's headroom is at least this many times the second's.
MARGIN = 1.25
# A device is not used if its work is less than these shares, in time and in number, of that of the device with most.
UNUSED_TIME, UNUSED_NUMBER = 0.001, 0.05


class Unfit(Exception):
    """A run that does not show what its scenario states."""


def part_of(machine):
    """[start, end) of what the file shows: from the first to the last event that has a length."""
    is_paddle = machine.flavour == "paddle"
    ranges = [(a.start, a.end) for t in machine.threads for a in t.activities
              if a.is_recorded and a.end > a.start and not (is_paddle and a.kind in ("python", "wait"))]
    ranges += [(w.start, w.end) for d in machine.devices for w in d.works if w.is_recorded]
    return min(start for start, _ in ranges), max(end for _, end in ranges)


# The words with which annotations of serving engines begin that are steps.
SERVING = ("execute_", "step[", "prefill[", "decode[")


def steps_of(machine):
    """The recorded steps, in order of time; of those within each other the outermost."""
    seen = [a for t in machine.threads for a in t.activities if a.is_recorded and a.end > a.start]
    steps = [a for a in seen if a.kind == "step"] or [a for a in seen if a.kind == "range" and a.name.startswith(SERVING)]
    steps.sort(key=lambda a: (a.start, -a.end))
    outer = []
    for step in steps:
        if not outer or step.start >= outer[-1].end:
            outer.append(step)
    return outer


def run_of(machine):
    """[start, end) of the run: with marked steps, from the first to the end of the last or of the work launched in them."""
    part, steps = part_of(machine), steps_of(machine)
    if not steps:
        return part
    start, end = min(a.start for a in steps), max(a.end for a in steps)
    launched = [w for d in machine.devices for w in d.works if w.is_recorded]
    # Where the file has no call at all, the calls that the run had decide.
    has_calls = any(w.call.is_recorded for w in launched)
    starts = [w.call.start if w.call.is_recorded or not has_calls else w.start for w in launched]
    inside = [w.end for w, at in zip(launched, starts) if start <= at < end]
    return start, min(part[1], max([end, *inside]))


def _once(machine, ledger, run, cause):
    """The time of a cause that comes once, at the start: in the first step, if it has three times the median of the others; without
    steps, before a twentieth of the work is done, if that has half of it."""
    steps = steps_of(machine)
    if cause in ("not_recorded", "not_attributable", "no_requests"):
        return 0
    if not steps:
        done, work = 0, sum(end - start for start, end in ledger.busy)
        for start, end in ledger.busy:
            if done + end - start >= work / 20:
                early = ledger.sums((run[0], start + max(0, round(work / 20 - done)))).get(cause, 0)
                return early if early >= 0.5 * ledger.sums(run).get(cause, 0) else 0
            done += end - start
        return 0
    bounds = [step.start for step in steps] + [run[1]]
    times = [ledger.sums((start, end)).get(cause, 0) for start, end in zip(bounds, bounds[1:]) if end > start]
    others = sorted(times[1:])
    return times[0] if others and times[0] > 3 * others[len(others) // 2] else 0


def _work_of(device):
    """The time of a device's recorded work, and how many pieces it is."""
    works = [work for work in device.works if work.is_recorded]
    return sum(work.end - work.start for work in works), len(works)


def _slow_operators(machine, run):
    """In a run on the host alone, the time of operators that the scenario calls slow."""
    slow = [(a.start, a.end) for t in machine.threads for a in t.activities if a.kind == "operator" and a.cause == "cpu_operator"]
    return length(common(slow, [run]))


def _host_of(machine, run, shares, once):
    """The row of the main thread in a run without device work; its shares go to `shares` and `once`."""
    ledger = HostLedger(machine, run)
    sums, span = ledger.sums(), run[1] - run[0]
    work = length(ledger.busy)
    if sum(sums.values()) + work != span:
        raise Unfit("causes and operators sum to %d, the run is %d" % (sum(sums.values()) + work, span))
    for cause, ns in sums.items():
        first = _once(machine, ledger, run, cause)
        shares[cause], once[cause] = (ns - first) / span, first / span
    shares["cpu_operator"] = _slow_operators(machine, run) / span
    return {"span_ns": span, "work_ns": work, "idle_ns": span - work, "causes": {cause: sums[cause] for cause in CAUSES if cause in sums},
            "share_of_part": {cause: round(sums[cause] / span, 4) for cause in CAUSES if cause in sums}}


def label(scenario, machine):
    """The label as a dict of plain values; raises `Unfit` where the run is not what the scenario states."""
    part, run = part_of(machine), run_of(machine)
    devices, times, first_times, unused = [], {}, {}, []
    most = max(_work_of(device) for device in machine.devices)
    for ledger in ledgers(machine, part):
        if not ledger.works:
            continue
        time, number = _work_of(ledger.device)
        if time < UNUSED_TIME * most[0] and number < UNUSED_NUMBER * most[1]:
            unused.append(ledger.device.number)
            continue
        sums = ledger.sums(run)
        work = length(common(ledger.busy, [run]))
        inner = run[1] - run[0]
        idle = inner - work
        if sum(sums.values()) != idle:
            raise Unfit("%s: causes sum to %d, idle is %d" % (scenario.name, sum(sums.values()), idle))
        unknown = sums.get("not_attributable", 0)
        if unknown > 0.02 * idle and unknown > 0.002 * inner and not scenario.allowed_unknown:
            raise Unfit("%s: %d of %d ns are not attributable" % (scenario.name, unknown, idle))
        for cause, ns in sums.items():
            first = _once(machine, ledger, run, cause)
            times[cause] = times.get(cause, 0) + ns - first
            first_times[cause] = first_times.get(cause, 0) + first
        devices.append({
            "device": ledger.device.number, "span_ns": inner, "work_ns": work, "idle_ns": idle,
            "causes": {cause: sums[cause] for cause in CAUSES if cause in sums},
            "share_of_part": {cause: round(sums[cause] / inner, 4) for cause in CAUSES if cause in sums},
            "measures": measures(machine, ledger.device, inner, sums.get("launch_bound", 0)),
        })
    # A share is of the runs of all devices.
    spans = len(devices) * (run[1] - run[0])
    shares, once = ({cause: ns / spans for cause, ns in rows.items()} for rows in (times, first_times))
    hosts = [] if devices else [_host_of(machine, run, shares, once)]
    finds = [c for c in CAUSES if c not in SILENT_CAUSES + NO_WARNING and c not in scenario.abstains]
    must = [c for c in finds if shares.get(c, 0) >= MUST]
    must_not = [c for c in finds if shares.get(c, 0) < MUST_NOT]
    _check(scenario, shares, finds)
    for cause in scenario.once:
        if once.get(cause, 0) < MUST:
            raise Unfit("%s: expected %s once, the record has %.1f %%" % (scenario.name, cause, 100 * once.get(cause, 0)))
    _check_beyond(scenario, [row["measures"] for row in devices])
    return {
        "scenario": scenario.note, "flavour": scenario.flavour, "top": scenario.top,
        "findings": sorted(set(must) | set(scenario.findings)),
        "must_not": sorted((set(must_not) | set(scenario.must_not) | set(scenario.abstains)) - set(scenario.findings) - set(scenario.may)),
        "once": sorted(cause for cause in CAUSES if once.get(cause, 0) >= MUST and cause not in SILENT_CAUSES + NO_WARNING),
        "may": sorted(scenario.may), "allowed_unknown_percent": scenario.allowed_unknown,
        "part": {"start_ns": part[0], "end_ns": part[1]}, "run": {"start_ns": run[0], "end_ns": run[1]}, "devices": devices, "unused": unused,
        "hosts": hosts, "steps": machine.steps or None, "says": dict(scenario.says, **machine.says),
    }


def _check(scenario, shares, finds):
    """The scenario's own words against the record."""
    for cause in SILENT_CAUSES:
        if cause in scenario.findings and shares.get(cause, 0) < MUST:
            raise Unfit("%s: expected %s, the record has %.1f %%" % (scenario.name, cause, 100 * shares.get(cause, 0)))
    ranked = sorted(((shares.get(c, 0.0), c) for c in finds), reverse=True)
    text = ", ".join("%s %.1f %%" % (c, 100 * s) for s, c in ranked[:4])
    if "not_recorded" in shares and shares["not_recorded"] >= MUST:
        ranked = [(1.0, "not_recorded")] + [row for row in ranked if row[1] != "not_recorded"]
    if scenario.top in CAUSES:
        if scenario.top in NO_WARNING:
            return
        if ranked[0][1] != scenario.top or ranked[0][0] < MUST or ranked[0][0] < MARGIN * ranked[1][0]:
            raise Unfit("%s: expected %s first, the record has %s" % (scenario.name, scenario.top, text))
    elif scenario.top is None and not scenario.findings and ranked[0][0] >= HEALTHY:
        raise Unfit("%s: expected to be healthy, the record has %s" % (scenario.name, text))


def _check_beyond(scenario, figures):
    """The scenario's words on findings beyond idle time against the run's figures."""
    for rule, (speaks, is_silent) in SHOWS.items():
        if rule in scenario.findings and not any(speaks(row) for row in figures):
            raise Unfit("%s: expected %s, the figures are %s" % (scenario.name, rule, figures))
        if rule in scenario.must_not and not all(is_silent(row) for row in figures):
            raise Unfit("%s: expected no %s, the figures are %s" % (scenario.name, rule, figures))
