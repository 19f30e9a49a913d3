"""Judges one answer of `proftui insights --format json` against the label of its trace. It runs nothing and prints nothing."""

WARNINGS = ("warning", "critical")
# Largest allowed difference of a cause's share, in percent of the idle time; where there is little idle time, in percent of the part.
OF_IDLE, OF_PART = 2.0, 0.2
# Times of a device may differ by so many ns from the run's (Paddle cuts its times).
SLACK = 2_000
LAW = ((0.20, "critical"), (0.10, "warning"), (0.05, "note"))


class Verdict:
    """What was expected, what came, the largest difference of a cause, and everything that is wrong."""

    def __init__(self, expected):
        self.expected, self.got, self.wrong = expected, None, []
        self.difference, self.cause, self.unknown, self.headroom = 0.0, "", 0.0, None


def judge(label, answer):
    """The verdict on an answer, which is the decoded JSON, or None if there was none."""
    verdict = Verdict(label["top"])
    if not isinstance(answer, dict):
        verdict.wrong.append("no answer")
        return verdict
    try:
        _devices(label, answer, verdict)
        _hosts(label, answer, verdict)
        _findings(label, answer, verdict)
        _says(label, answer, verdict)
        _steps(label, answer, verdict)
        verdict.headroom = headroom(label, answer)
    except (KeyError, TypeError, ValueError, AttributeError) as error:
        verdict.wrong.append("the answer is not of the form: %r" % error)
    return verdict


def headroom(label, answer):
    """How far the predicted gain is from the simulated one, in shares of the run; None where the answer predicts none.

    A copy that blocks has two costs: the wait, and the copy's own time, which is of the finding `exposed_copy`.
    """
    gain, findings = label.get("gain_ns"), answer.get("findings", [])
    likely = [finding.get("likely_ns") for finding in findings if finding["rule"] == label["top"]]
    if gain is None or not likely or None in likely:
        return None
    own = sum(f.get("saves_ns", 0) for f in findings if f["rule"] == "exposed_copy") if label["top"] == "blocking_copy" else 0
    return (sum(likely) + own - gain) / label["devices"][0]["span_ns"]


def _number(name):
    """A device's number: as it stands, or the digits of its name."""
    if isinstance(name, int):
        return name
    digits = "".join(c if c.isdigit() else " " for c in str(name)).split()
    return int(digits[-1]) if digits else None


def _devices(label, answer, verdict):
    rows = {_number(row["device"]): row for row in answer["devices"]}
    if len(rows) == len(label["devices"]) == 1:
        rows = {label["devices"][0]["device"]: row for row in rows.values()}
    for wanted in label["devices"]:
        row = rows.get(wanted["device"])
        if row is None:
            verdict.wrong.append("device %s is missing" % wanted["device"])
            continue
        _sums(wanted, row, verdict)
        _causes(label, wanted, row, verdict)
    unused = sorted(_number(row["device"]) for row in answer.get("unused_devices", []))
    if unused != sorted(label.get("unused", [])):
        verdict.wrong.append("devices %s are said to be unused, not %s" % (unused, label.get("unused", [])))
    if len(rows) > len(label["devices"]):
        verdict.wrong.append("%d devices, not %d" % (len(rows), len(label["devices"])))


def _hosts(label, answer, verdict):
    """In a run without device work, the thread of the steps; else there is no such row."""
    rows, wanted = answer.get("hosts") or [], label.get("hosts") or []
    if len(rows) != len(wanted):
        verdict.wrong.append("%d hosts, not %d" % (len(rows), len(wanted)))
        return
    for row, of_label in zip(rows, wanted):
        # Some microseconds of script between operators are theirs, or are not.
        _sums(of_label, row, verdict, max(SLACK, round(of_label["span_ns"] * OF_PART / 100)))
        _causes(label, of_label, row, verdict)


def _sums(wanted, row, verdict, slack=SLACK):
    """An answer's sums are exact; its span and work are those of the run."""
    causes = row["causes"]
    names = [entry["cause"] for entry in causes]
    if len(set(names)) < len(names):
        verdict.wrong.append("a cause stands twice")
    total = sum(entry["ns"] for entry in causes)
    if total != row["idle_ns"]:
        verdict.wrong.append("causes sum to %d, idle_ns is %d" % (total, row["idle_ns"]))
    if row["work_ns"] + row["idle_ns"] != row["span_ns"]:
        verdict.wrong.append("work_ns + idle_ns is not span_ns")
    for key in ("span_ns", "work_ns"):
        if abs(row[key] - wanted[key]) > slack:
            verdict.wrong.append("%s is %d, not %d" % (key, row[key], wanted[key]))


def _causes(label, wanted, row, verdict):
    got = {entry["cause"]: entry["ns"] for entry in row["causes"]}
    idle, inner = wanted["idle_ns"], wanted["span_ns"]
    for cause in sorted(set(got) | set(wanted["causes"])):
        apart = abs(got.get(cause, 0) - wanted["causes"].get(cause, 0))
        of_idle = 100 * abs(got.get(cause, 0) / max(1, row["idle_ns"]) - wanted["causes"].get(cause, 0) / max(1, idle))
        if 100 * apart / max(1, inner) <= OF_PART:
            of_idle = min(of_idle, OF_IDLE)
        if of_idle > verdict.difference:
            verdict.difference, verdict.cause = of_idle, cause
        if of_idle > OF_IDLE:
            verdict.wrong.append("%s differs by %.1f points of idle" % (cause, of_idle))
    unknown = got.get("not_attributable", 0)
    verdict.unknown = max(verdict.unknown, 100 * unknown / max(1, row["idle_ns"]))
    limit = max(OF_IDLE, label["allowed_unknown_percent"])
    if verdict.unknown > limit and 100 * unknown / max(1, inner) > OF_PART:
        verdict.wrong.append("%.1f %% of idle is not attributable" % verdict.unknown)


def _findings(label, answer, verdict):
    findings = [finding for finding in answer["findings"] if not finding["once"]]
    once = {finding["rule"] for finding in answer["findings"] if finding["once"]}
    for rule in sorted(set(label["once"]) - once):
        verdict.wrong.append("%s that comes once is missing" % rule)
    if any(finding["once"] and finding["severity"] != "note" for finding in answer["findings"]):
        verdict.wrong.append("a cost that comes once is no warning")
    rules = [finding["rule"] for finding in findings]
    warned = [f["rule"] for f in findings if f["severity"] in WARNINGS]
    if label["top"] is None:
        verdict.got = warned[0] if warned else None
        if warned:
            verdict.wrong.append("warns of %s in a healthy run" % ", ".join(warned))
    else:
        judged = [rule for rule in rules if rule not in label["may"]]
        verdict.got = judged[0] if judged else None
        if verdict.got != label["top"]:
            verdict.wrong.append("%s is first, not %s" % (verdict.got, label["top"]))
    for rule in label["findings"]:
        if rule not in rules:
            verdict.wrong.append("%s is missing" % rule)
    for rule in label["must_not"]:
        if rule in rules:
            verdict.wrong.append("%s must not be found" % rule)
    if "not_attributable" in warned:
        verdict.wrong.append("a cause that is not known is no warning")
    if "profiler" in warned:
        verdict.wrong.append("the profiler's own time is no warning")
    if "not_recorded" in rules and rules[0] != "not_recorded":
        verdict.wrong.append("not_recorded is not first")
    _severities(answer, findings, verdict)


def _says(label, answer, verdict):
    """What the label wants said by its first finding; in a healthy run by the cost that comes once, else by the note that must be there."""
    rules = [label["top"]] if label["top"] else label["once"] or label["findings"]
    is_once = not label["top"] and bool(label["once"])
    found = [f for f in answer["findings"] if f["rule"] in rules and f["once"] == is_once]
    says = label.get("says") or {}
    if not says or not found:
        return
    finding = found[0]
    for key in ("when", "severity"):
        if key in says and finding.get(key) != says[key]:
            verdict.wrong.append("%s is %s: %s, not %s" % (finding["rule"], key, finding.get(key), says[key]))
    if "device" in says and _number(finding.get("device")) != says["device"]:
        verdict.wrong.append("%s is of device %s, not %s" % (finding["rule"], finding.get("device"), says["device"]))
    reasons = says.get("reason", ())
    for reason in [reasons] if isinstance(reasons, str) else reasons:
        if reason not in finding["sentence"]:
            verdict.wrong.append("%s does not name %s: %s" % (finding["rule"], reason, finding["sentence"]))


def _severities(answer, findings, verdict):
    """Severity follows from the finding's share; headrooms of idle causes are at most the idle time."""
    rows = answer["devices"] + (answer.get("hosts") or [])
    known = {entry["cause"] for row in rows for entry in row["causes"]}
    # What is not known, or is no fault, is a note whatever its share.
    causes = [f for f in findings if f["rule"] in known and f["rule"] not in ("profiler", "not_recorded", "not_attributable", "no_requests")]
    for finding in causes:
        share = finding["share"]
        fits = {name for limit, name in LAW if share >= limit - 0.001}
        wanted = next((name for limit, name in LAW if share >= limit + 0.001), None)
        first = next((name for _, name in LAW if name in fits), None)
        if finding["severity"] not in (wanted, first):
            verdict.wrong.append("%s has share %.3f and severity %s" % (finding["rule"], share, finding["severity"]))
    for finding in findings:
        if finding["rule"] in ("not_attributable", "no_requests") and finding["saves_ns"]:
            verdict.wrong.append("%s saves %d ns" % (finding["rule"], finding["saves_ns"]))
    if sum(f["saves_ns"] for f in causes) > sum(row["idle_ns"] for row in rows):
        verdict.wrong.append("headrooms of idle causes exceed the idle time")


def _steps(label, answer, verdict):
    """Counts of a serving engine's steps by kind, if the answer has them (`steps_by_kind`)."""
    given = answer.get("steps_by_kind")
    if given is None or label["steps"] is None:
        return
    rows = given if isinstance(given, dict) else {row["kind"]: row for row in given}
    for kind, wanted in label["steps"].items():
        row = rows.get(kind, {})
        for key in ("steps", "requests", "tokens"):
            if key in row and row[key] != wanted[key] or not row:
                verdict.wrong.append("%s of kind %s: %s, not %s" % (key, kind, row.get(key), wanted[key]))
    for kind in rows:
        if kind not in label["steps"] and rows[kind].get("steps"):
            verdict.wrong.append("steps of kind %s, of which there are none" % kind)
