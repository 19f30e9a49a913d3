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


def line(point, row):
    return ("%-2s %-9s %-52s %-5s %s" % (point.NUMBER, point.NAME, row.what, row.verdict, row.figure)).rstrip()
