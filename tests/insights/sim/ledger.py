"""Why a device had no work: every nanosecond of each gap gets one owner, from what the machine knows.

The definitions are those of README.md ("Causes"). The ledger uses true times, true reasons of activities, and the true state of
the queues; names, which a reader of the file has to go by, are not looked at.
"""
from bisect import bisect_right
from statistics import median

from .timeline import LONG_STRETCH, Timeline

CAUSES = ("not_recorded", "profiler", "graph", "launch_delay", "waits_for_stream", "blocking_sync", "blocking_copy", "allocator",
          "garbage_collection", "compile", "data_loading", "checkpoint", "cpu_operator", "launch_bound", "host_python",
          "within_call", "no_requests", "not_attributable")
# Bounds of the device's own delay, ns.
QUEUED, FEW, GRAPH, FEW_SAMPLES = 10_000, 25_000, 50_000, 20
# Labels of a thread that does not say what held up the device.
SILENT = ("bare", "waiting")
LOST_STRETCH, LOST_HOLE = 200_000, 100_000


def union(ranges):
    """Sorted ranges without overlaps; those that touch are one."""
    merged = []
    for start, end in sorted(ranges):
        if merged and start <= merged[-1][1]:
            merged[-1][1] = max(merged[-1][1], end)
        else:
            merged.append([start, end])
    return [(start, end) for start, end in merged]


def common(left, right):
    """What two lists of ranges have in common."""
    return union((max(a, c), min(b, d)) for a, b in left for c, d in right if max(a, c) < min(b, d))


def without(ranges, taken):
    """`ranges` without what is in `taken`."""
    rest = []
    for start, end in ranges:
        for a, b in taken:
            if b <= start or a >= end:
                continue
            if a > start:
                rest.append((start, a))
            start = max(start, b)
        if start < end:
            rest.append((start, end))
    return rest


def length(ranges):
    """Sum of the lengths."""
    return sum(end - start for start, end in ranges)


class Gap:
    """A stretch without work, with the work before and after it, if there is any."""

    def __init__(self, start, end, last, next_):
        self.start, self.end, self.last, self.next = start, end, last, next_

    @property
    def call(self):
        """The launch call of the work that ended the gap, if the file has it."""
        return self.next.call if self.next and self.next.call.is_recorded else None

    def delay(self):
        """From the end of the launch call to the start of the work, without what it waited for other work."""
        begun = self.next.ready if self.next.held else self.next.start
        return max(0, begun - self.call.end)


class Ledger:
    """The causes of one device's idle time within [part_start, part_end)."""

    def __init__(self, machine, device, part, timelines):
        self.machine, self.device, self.timelines = machine, device, timelines
        self.part_start, self.part_end = part
        # Work of no time splits a gap like any other.
        self.works = sorted((w for w in device.works if w.is_recorded), key=lambda w: (w.start, w.call.start, w.end))
        self.busy = union((w.start, w.end) for w in self.works)
        self.pieces = []
        self.drains = {thread: timeline.open_drains() for thread, timeline in timelines.items()}
        self.lost = self._lost()
        self.gaps = self._gaps()
        self.bounds = self._bounds()
        self._charge_all()

    def sums(self, run=None):
        """ns by cause; all causes that have any. With `run`, of what lies in [start, end) of it."""
        sums = {}
        for start, end, cause in self.pieces:
            if run:
                start, end = max(start, run[0]), min(end, run[1])
            if start < end:
                sums[cause] = sums.get(cause, 0) + end - start
        return sums

    # What the device has.

    def _gaps(self):
        """Gaps between two works of the device, before the first and after the last."""
        by_start, ends = {}, {}
        for work in self.works:
            by_start.setdefault(work.start, work)
            ends[work.end] = work
        bounds = [(None, self.part_start), *self.busy, (self.part_end, None)]
        return [Gap(a[1], b[0], ends.get(a[1]) if a[0] is not None else None, by_start[b[0]] if b[1] is not None else None)
                for a, b in zip(bounds, bounds[1:]) if a[1] < b[0]]

    def _bounds(self):
        """By kind of work, how long queued work may take to begin."""
        delays = {}
        for gap in self.gaps:
            if gap.call and gap.call.end > gap.start and gap.end - gap.start > 1:
                delays.setdefault(gap.next.group, []).append(gap.delay())
        bounds = {}
        for group in ("kernel", "memcpy", "memset", "graph", "collective"):
            seen = delays.get(group, [])
            bound = max(QUEUED, round(2 * median(seen))) if len(seen) >= FEW_SAMPLES else FEW
            bounds[group] = max(bound, GRAPH) if group == "graph" else bound
        return bounds

    def _lost(self):
        """Times of work whose records are missing, as far as a call that waits for the device shows them."""
        if not self.works:
            return []
        last = max(work.end for work in self.works)
        waits = union((a, b) for timeline in self.timelines.values() for a, b in timeline.waits if a < last)
        lost = union((w.start, w.end + LOST_HOLE) for w in self.device.works if not w.is_recorded)
        lost = [(start, end - LOST_HOLE) for start, end in lost]
        bare = without([(self.part_start, self.part_end)], self.busy)
        return [r for r in common(common(lost, waits), bare) if r[1] - r[0] >= LOST_STRETCH]

    # How a gap is charged.

    def _put(self, ranges, cause):
        self.pieces.extend((start, end, cause) for start, end in ranges if end > start)

    def _charge_all(self):
        if not self.works:
            return
        lag = 0
        for gap in self.gaps:
            lag = self._charge(gap, lag)

    def _charge(self, gap, lag):
        """Charges a gap whose predecessor's work came `lag` ns after its call; returns the lag for the next one."""
        rest = [(gap.start, gap.end)]
        if gap.end - gap.start == 1:
            self._put(rest, "launch_delay")
            return lag
        rest = self._take(rest, self.lost, "not_recorded")
        thread = gap.call.thread if gap.call else None
        if thread:
            rest = self._take(rest, self.timelines[thread].flushes, "profiler")
        if gap.next is None:
            self._charge_last(gap, rest)
            return lag
        if gap.last and gap.last.correlation == gap.next.correlation:
            self._put(rest, "graph" if gap.last.is_graph else "within_call")
            return lag
        if gap.call is None:
            return self._charge_queued(gap, rest, gap.start + QUEUED) or lag
        if gap.call.end <= gap.start:
            self._charge_queued(gap, rest, max(gap.start + QUEUED, gap.call.end + self.bounds[gap.next.group]))
            return gap.delay()
        return self._charge_launched(gap, rest, lag)

    def _take(self, rest, ranges, cause):
        taken = common(rest, ranges)
        self._put(taken, cause)
        return without(rest, taken)

    def _charge_last(self, gap, rest):
        """Nothing was launched any more: what did the thread of the last work do?"""
        thread = gap.last.call.thread if gap.last.call.is_recorded else self.machine.threads[0]
        asked = [self.timelines[thread]] + [self.timelines[t] for t in self.machine.threads if t is not thread]
        for start, end, cause in self._host(asked, gap.start, gap.end):
            self._put(common(rest, [(start, end)]), cause)

    def _beyond(self, gap):
        """The owner of the time in which launched work did not begin, beyond the device's delay."""
        return "waits_for_stream" if gap.next.held and gap.next.proof else "not_attributable"

    def _charge_queued(self, gap, rest, bound):
        rest = self._take(rest, [(gap.start, min(gap.end, bound))], "launch_delay")
        self._put(rest, self._beyond(gap))

    def _charge_launched(self, gap, rest, lag):
        """The launch call returned inside the gap, or runs on beyond it."""
        call_end = min(gap.call.end, gap.end)
        delay = gap.delay()
        begun = gap.end
        if gap.next.held:
            begun = max(call_end, min(gap.end, gap.next.ready))
            rest = self._take(rest, [(begun, gap.end)], self._beyond(gap))
        asked = self._asked(gap)
        shift = 0 if self._was_waiting(asked, gap.start) else min(delay, lag, begun - gap.start)
        rest = self._take(rest, [(begun - max(0, delay - shift), begun)], "launch_delay")
        for start, end, cause in self._host(asked, gap.start - shift, call_end):
            self._put(common(rest, [(start + shift, end + shift)]), cause)
        covered = union((s + shift, e + shift) for s, e in [(gap.start - shift, call_end)])
        self._put(without(rest, covered), "not_attributable")
        return delay

    # What the host did.

    def _asked(self, gap):
        """Timelines in the order in which they are asked: the launching thread, the thread of the last work, all others."""
        order = [gap.call.thread]
        for thread in ([gap.last.call.thread] if gap.last else []) + self.machine.threads:
            if thread not in order:
                order.append(thread)
        return [self.timelines[thread] for thread in order]

    @staticmethod
    def _was_waiting(asked, at):
        """Whether the thread to ask was inside a call that waits when the device ran dry."""
        for timeline in asked:
            if timeline.waits_at(at):
                return True
            if timeline.between(at, at + 1)[0][2] not in SILENT:
                return False
        return False

    def _host(self, asked, start, end, silent=None):
        """Parts of the host's time with the cause of each, in order; `silent`: the cause where no thread has anything to say."""
        parts = []
        for a, b, label in asked[0].between(start, end):
            if label in SILENT or label == "no_requests":
                parts.extend(self._ask_others(asked, a, b, "no_requests" if label == "no_requests" else silent))
            else:
                parts.extend(self._drained(asked[0], a, b, label))
        return parts

    def _ask_others(self, asked, start, end, silent):
        """The launching thread had nothing to say: what did the others do?"""
        if len(asked) == 1:
            if silent:
                return [(start, end, silent)]
            is_short = end - start < LONG_STRETCH
            return self._drained(None, start, end, "launch_bound" if is_short else "not_attributable")
        return self._host(asked[1:], start, end, silent)

    def _drained(self, timeline, start, end, label):
        """Dispatch and script after a wait belong to the wait, for as long as it had waited."""
        if label == "profiler":
            label = "launch_bound"
        if label == "function":
            return [(start, end, "host_python")]
        if timeline is None or label not in ("launch_bound", "host_python"):
            return [(start, end, label)]
        parts = []
        drains = self.drains[timeline.thread]
        for at in range(bisect_right(timeline.drain_starts, start) - 1, -1, -1):
            drain = drains[at]
            if start >= end or drain.end <= start:
                break
            if drain.budget <= 0:
                continue
            until = min(end, drain.end, start + drain.budget)
            drain.budget -= until - start
            parts.append((start, until, drain.cause))
            start = until
        if start < end:
            parts.append((start, end, label))
        return parts


class HostLedger(Ledger):
    """The time of the main thread in a run without device work: operators are its work, the rest has causes."""

    def __init__(self, machine, part):
        timelines = {thread: Timeline(thread) for thread in machine.threads}
        super().__init__(machine, machine.devices[0], part, timelines)
        flushes = common(timelines[machine.threads[0]].flushes, [part])
        parts = [(start, end, "profiler") for start, end in flushes]
        for a, b in without([part], flushes):
            parts.extend(self._host([timelines[thread] for thread in machine.threads], a, b))
        self.pieces = [piece for piece in parts if piece[2] not in ("launch_bound", "cpu_operator")]
        self.busy = union((start, end) for start, end, cause in parts if cause in ("launch_bound", "cpu_operator"))


def ledgers(machine, part):
    """One ledger per device."""
    timelines = {thread: Timeline(thread) for thread in machine.threads}
    return [Ledger(machine, device, part, timelines) for device in machine.devices]
