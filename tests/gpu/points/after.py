"""15: steps after the last cycle launch as fast as without a capture, though CUPTI stays loaded."""

import statistics

from kit.table import judged, shown

from . import lagging

NUMBER, NAME = 15, "after"
# How many times as long as bare: far above what single runs differ.
MOST = 1.15


def rows(setting):
    rounds = 1 if setting.is_quick else 2
    ran = [(lagging.bare(setting, number), lagging.captured(setting, number)) for number in range(rounds)]
    yield judged("it ends, bare and captured", all(one.report for pair in ran for one in pair), "; ".join(one.why for pair in ran for one in pair))
    yield from judge([tuple(one.report for one in pair) for pair in ran if all(one.report for one in pair)])


def judge(reports):
    """`reports`: of rounds, the program's words bare and captured."""
    if not reports:
        return
    medians = [[statistics.median(report["times"][report["quiet"]:]) for report in pair] for pair in reports]
    bare, captured = (min(of) for of in zip(*medians))
    yield shown("launching a step, bare", "%.0f us" % (bare * 1e6))
    yield judged("launching a step after the cycles", captured <= MOST * bare, "%.3fx" % (captured / bare))
