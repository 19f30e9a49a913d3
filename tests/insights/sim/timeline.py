"""A thread's time as a row of segments, each with the class that the ledger charges: from the true activities, not from names."""
from bisect import bisect_right

FOREVER = 1 << 60
NAMED = ("blocking_sync", "blocking_copy", "allocator", "garbage_collection", "compile", "data_loading", "checkpoint",
         "waits_for_stream")
# An operator that launches nothing is work of its own from here on; script time from here on is not dispatch any more.
LONG_OPERATOR, LONG_STRETCH = 200_000, 100_000
# A function of this length that launches nothing is no refilling of a queue.
LONG_FUNCTION = 100_000_000
# Labels of the script's time: a long function's, and that of a range which is the script's own whatever operators are in it.
SCRIPT = ("script", "function", "sparse", "bare")


class Segment:
    """[start, end) of a thread. `label`: a cause, `waiting` (for another thread), `bare` (nothing is recorded), or one of the script's (`SCRIPT`)."""

    __slots__ = ("start", "end", "label")

    def __init__(self, start, end, label):
        self.start, self.end, self.label = start, end, label


def _label(parent, activity):
    """The label inside `activity`, whose parent's label is `parent`. The outermost named cause has all inside it."""
    if parent in NAMED or parent == "no_requests":
        return parent
    if activity.cause in NAMED:
        return activity.cause
    if activity.cause in ("profiler", "no_requests"):
        return activity.cause
    if activity.kind == "compute":
        return "cpu_operator" if activity.end - activity.start >= LONG_OPERATOR else "launch_bound"
    if parent in ("launch_bound", "cpu_operator"):
        return parent
    if activity.kind == "operator":
        is_long = activity.end - activity.start >= LONG_OPERATOR
        return "cpu_operator" if is_long and not activity.launches else "launch_bound"
    if activity.kind in ("call", "overhead"):
        return "launch_bound"
    if activity.kind == "wait":
        return "waiting"
    if parent == "sparse" or activity.cause == "host_python" and activity.kind == "range":
        return "sparse"
    is_long = activity.kind == "python" and activity.end - activity.start >= LONG_FUNCTION
    return "function" if parent == "function" or is_long and not activity.launches else "script"


def _is_seen(activity):
    """A wait for another thread is known to the machine even where the file has no frame for it."""
    return activity.kind in ("wait", "compute") or activity.is_recorded


def segments(activities):
    """Segments of one thread, end to end from the first activity to the last, before the rule of stretches."""
    rows, open_, cursor = [], [], None

    def emit(until):
        nonlocal cursor
        if cursor is not None and until > cursor:
            label = open_[-1][1] if open_ else "bare"
            if rows and rows[-1].label == label and label in ("script", "bare"):
                rows[-1].end = until
            else:
                rows.append(Segment(cursor, until, label))
        cursor = until if cursor is None else max(cursor, until)

    for activity in activities:
        if not _is_seen(activity):
            continue
        while open_ and open_[-1][0].end <= activity.start:
            emit(open_[-1][0].end)
            open_.pop()
        emit(activity.start)
        open_.append((activity, _label(open_[-1][1] if open_ else "bare", activity)))
    while open_:
        emit(open_[-1][0].end)
        open_.pop()
    return rows


def _stretches(rows):
    """Script outside operators is dispatch while a stretch of it is short, and bare time counts with its neighbours."""
    at = 0
    while at < len(rows):
        end = at
        while end < len(rows) and rows[end].label in SCRIPT:
            end += 1
        if end > at:
            is_long = rows[end - 1].end - rows[at].start >= LONG_STRETCH
            for row in rows[at:end]:
                if row.label == "sparse":
                    row.label = "host_python"
                elif not is_long:
                    row.label = "launch_bound"
                elif row.label == "script":
                    row.label = "host_python"
        at = max(end, at + 1)
    return rows


class Drain:
    """What a wait left behind: the time until the next launch has returned is the wait's, for as long as it had waited."""

    __slots__ = ("start", "end", "cause", "budget")

    def __init__(self, start, end, cause, budget):
        self.start, self.end, self.cause, self.budget = start, end, cause, budget


class Timeline:
    """The segments of a thread, its waits, and its drains."""

    def __init__(self, thread):
        self.thread = thread
        self.rows = _stretches(segments(thread.activities))
        self.starts = [row.start for row in self.rows]
        seen = [activity for activity in thread.activities if activity.is_recorded]
        self.waits = sorted((a.start, a.end) for a in seen if a.kind == "call" and a.blocks)
        self.flushes = sorted((a.start, a.end) for a in seen if a.cause == "profiler")
        self.drains = sorted(self._drains(seen), key=lambda drain: drain.start)
        self.drain_starts = [drain.start for drain in self.drains]

    def _drains(self, seen):
        launches = sorted((a.start, a.end) for a in seen if a.is_launch)
        starts = [start for start, _ in launches]
        drains = []
        for activity in seen:
            if activity.blocks and activity.cause in ("blocking_sync", "blocking_copy"):
                at = bisect_right(starts, activity.end - 1)
                until = launches[at][1] if at < len(launches) else FOREVER
                drains.append(Drain(activity.end, until, activity.cause, activity.end - activity.start))
        return drains

    def between(self, start, end):
        """Parts of [start, end) with their labels, bare ones included, in order and without holes."""
        if not self.rows:
            return [(start, end, "bare")] if end > start else []
        parts, cursor = [], start
        at = max(0, bisect_right(self.starts, start) - 1)
        while cursor < end and at < len(self.rows):
            row = self.rows[at]
            if row.start > cursor:
                parts.append((cursor, min(row.start, end), "bare"))
                cursor = min(row.start, end)
            if row.end > cursor and row.start < end:
                parts.append((cursor, min(row.end, end), row.label))
                cursor = min(row.end, end)
            at += 1
        if cursor < end:
            parts.append((cursor, end, "bare"))
        return [part for part in parts if part[1] > part[0]]

    def waits_at(self, at):
        """Whether the thread is inside a call that waits for the device."""
        index = bisect_right(self.waits, (at, FOREVER)) - 1
        return index >= 0 and self.waits[index][0] <= at < self.waits[index][1]

    def open_drains(self):
        """Fresh copies of the drains, with their whole budgets."""
        return [Drain(d.start, d.end, d.cause, d.budget) for d in self.drains]
