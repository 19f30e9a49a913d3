"""The rows of the table: what was looked at, the figure, and whether it is as it must be."""

from collections import namedtuple

OK, WRONG = "ok", "WRONG"

Row = namedtuple("Row", "what figure verdict")


def judged(what, is_good, figure):
    return Row(what, figure or "none", OK if is_good else WRONG)


def shown(what, figure):
    """A row with a figure that is shown, not judged."""
    return Row(what, figure, "")


def skipped(what, why):
    return Row(what, "", "skipped: " + why)


NO_TIME = "no time is left"


def outcome(rows):
    """What came of a point: passed, failed, not finished, or not possible here, and why."""
    wrong = [row.what for row in rows if row.verdict == WRONG]
    missed = [row for row in rows if row.verdict.startswith("skipped")]
    if wrong:
        return "failed", "%d of %d: %s" % (len(wrong), sum(row.verdict in (OK, WRONG) for row in rows), "; ".join(wrong))
    if not is_whole(rows):
        return "not finished", NO_TIME + "; --resume goes on"
    if not any(row.verdict == OK for row in rows):
        why = missed[0].verdict.partition(": ")[2] if missed else "nothing was judged"
        return "not possible here", why
    left_out = "; not possible here: " + ", ".join(row.what for row in missed) if missed else ""
    return "passed", "%d%s" % (sum(row.verdict == OK for row in rows), left_out)


def is_whole(rows):
    """Whether a point was gone through to its end."""
    return not any(row.verdict == "skipped: " + NO_TIME for row in rows)


def line(point, row):
    return ("%-2s %-10s %-52s %-5s %s" % (point.NUMBER, point.NAME, row.what, row.verdict, row.figure)).rstrip()
