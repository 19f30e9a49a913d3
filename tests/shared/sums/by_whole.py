"""Least, average, most and percentiles of the times of a row's events in single steps, and in a part loaded.

As in ranges of time (parts.spread) they are of whole events that begin in the part: an event that the part's
end cuts is as long as it was. Counts and totals are of what lies in the part.
"""

from collections import defaultdict

from answers import plain, rows_of
from by_copy import owner_of
from chrome import OPERATORS, RUNTIME, STREAM, WINDOW
from nesting import counted
from parts import begins, spread, title

VIEWS = {
    "kernel": {"Kernel"}, "memcpy": {"Memcpy", "Memset"}, "operator": OPERATORS, "calls": RUNTIME,
    "userdefined": {"UserDefined", "PythonUserDefined"}, "names": None,
}  # fmt: skip
# The views whose rows have rows of owners below them.
OWNED = ("kernel", "memcpy")
COLUMNS = ("average", "min", "p50", "p99", "max")


def rows(trace, part):
    """{view: {(name of a row, of the row below or None): slices}} that begin in the part."""
    found = {view: defaultdict(list) for view in VIEWS}
    for slices in counted(trace):
        for s in slices:
            if not begins(s, part):
                continue
            for view, wanted in VIEWS.items():
                if s.cat == WINDOW if wanted is None else s.category not in wanted:
                    continue
                name = plain(title(s.name))
                found[view][name, None].append(s)
                if view in OWNED and s.lane[0] == STREAM:
                    found[view][name, plain(owner_of(s))].append(s)
    return found


def check(tally, trace, part, answers, has_owners):
    """Holds the columns of each view; rows below others only if `has_owners`, as a part loaded lacks some."""
    for view, expected in rows(trace, part).items():
        seen = set()
        for name, cells, below in rows_of(answers[view]):
            lines = [((name, None), cells)]
            if view in OWNED and has_owners:
                lines += [((name, owner), child) for owner, child, _ in below]
            for key, line in lines:
                if key in seen:
                    continue
                seen.add(key)
                want = spread(expected.get(key, ()), part)
                for column in COLUMNS:
                    where = " · ".join(text[:60] for text in key if text)
                    tally.check(f"{view} · {where}", column, want.get(column), line.get(column))
