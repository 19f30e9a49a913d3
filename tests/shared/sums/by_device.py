"""The sums of a part by device, and by stream: busy and idle time, kinds of work, queues."""

from collections import defaultdict

from chrome import COMMUNICATION, DEVICE_WORK
from parts import begins, begins_in_run, share, time_in
from spans import by_set, clip, covered, total, union


def devices(streams, part):
    """The views by device: device, busy, kinds and distributed."""
    by_device = defaultdict(list)
    for lane, slices in streams:
        by_device[lane[1]].append((lane, slices))
    out = {"device": {}, "busy": {}, "kinds": {}, "distributed": {}}
    run = part.run
    length = run[1] - run[0]
    kinds = defaultdict(int)
    for pid, lanes in by_device.items():
        name = device_title(pid)
        work = [s for _, slices in lanes for s in slices]
        spans = [(clip(s.start, s.end, run), s) for s in work]
        of = [[span for span, s in spans if kind(s) == number] for number in range(3)]
        all_work = union(span for span, _ in spans)
        busy = total(all_work)
        kernels = covered(span for span, s in spans if s.category == "Kernel")
        out["device"][name] = {
            "utilization": share(busy, length), "busy": kernels, "busy_all": busy, "idle": length - busy,
            "kernels": sum(begins_in_run(s, part) for s in work if s.category == "Kernel"),
            "copies": sum(begins_in_run(s, part) for s in work if s.category != "Kernel"),
            **occupancy([s for s in work if s.category == "Kernel"], run),
        }  # fmt: skip
        computing = covered(of[0])
        between, edges = holes(all_work, length)
        out["busy"][name] = {
            "idle": length - busy, "between": between, "edges": edges, "compute": computing, "other": busy - computing,
        }  # fmt: skip
        for set_of_kinds, time in by_set(of).items():
            kinds[set_of_kinds] += time
        if any(kind(s) == 1 and (time_in(s, run) or begins_in_run(s, part)) for s in work):
            communicating = covered(of[1])
            hidden = sum(time for key, time in by_set(of[:2]).items() if key == (0, 1))
            out["distributed"][name] = {
                "communication": communicating, "hidden": hidden, "exposed": communicating - hidden,
                "hidden_share": share(hidden, communicating),
            }  # fmt: skip
    names = ("computation", "communication", "memory")
    whole = sum(kinds.values())
    for key, time in kinds.items():
        name = " with ".join(names[number] for number in key)
        out["kinds"][name] = {"time": time, "share": share(time, whole)}
    return out


def occupancy(kernels, part):
    """Mean occupancy by the kernels' time; and the blocks per multiprocessor that run at a time, at most 1, over the part."""
    stated = [(time_in(s, part), s.occupancy) for s in kernels if s.occupancy is not None]
    time = sum(time for time, _ in stated)
    changes = []
    for s in kernels:
        if s.blocks is not None:
            start, end = clip(s.start, s.end, part)
            changes += [(start, min(s.blocks, 1)), (max(start, end), -min(s.blocks, 1))]
    running = before = work = 0
    for at, change in sorted(changes):
        work += min(running, 1) * (at - before)
        running, before = running + change, at
    length = part[1] - part[0]
    return {
        "occupancy": float(sum(time * share for time, share in stated) / time) if time else None,
        "sm_efficiency": float(work / length) if changes and length else None,
    }


def device_title(pid):
    return "GPU " + pid.removeprefix("GPU ").removesuffix(" Counters")


def kind(s):
    """Computation, communication or memory."""
    if s.category != "Kernel":
        return 2
    return 1 if any(word in s.name for word in COMMUNICATION) else 0


def holes(work, length):
    """The time of a part between pieces of work, and before the first and after the last."""
    if not work:
        return 0, length
    between = sum(after[0] - before[1] for before, after in zip(work, work[1:]))
    return between, length - total(work) - between


def stream_idle(lane, slices, part):
    run = part.run
    all_work = union(clip(s.start, s.end, run) for s in slices)
    length = run[1] - run[0]
    between, edges = holes(all_work, length)
    number = lane[2].removeprefix("stream ")
    # Start and end of a piece of work are rounded: a hole of 1 ns is idle time, but no gap.
    gaps = sum(after[0] - before[1] > 1 for before, after in zip(all_work, all_work[1:]))
    row = {"gaps": gaps, "idle": between + edges, "edges": edges, "host": 0, "kernel": 0, "other": 0}
    first = {}
    for s in slices:
        if time_in(s, run):
            first.setdefault(clip(s.start, s.end, run)[0], s)
    for before, after in zip(all_work, all_work[1:]):
        row[why_idle(before[1], after[0], first[after[0]])] += after[0] - before[1]
    return f"{device_title(lane[1])} · stream {number}", row


def why_idle(start, end, after):
    """Why a stream had no work from `start` to `end`, when the slice `after` began."""
    if after.launch and after.launch.start > start:
        return "host"
    return "kernel" if end - start < 30_000 else "other"


def queue(trace, lane, part):
    """How much work of a stream was launched and had not started, over time."""
    waits = []
    for s in trace.lanes[lane]:
        if s.launch and s.category in DEVICE_WORK:
            start, end = (min(max(t, part[0]), part[1]) for t in (min(s.launch.start, s.start), s.start))
            if end > start or begins(s, part):
                waits.append((start, end))
    changes = sorted([(start, 0) for start, _ in waits] + [(end, 1) for _, end in waits])
    held, length, most, before = defaultdict(int), 0, 0, None
    for at, ends in changes:
        if before is not None:
            held[length] += at - before
        length += -1 if ends else 1
        most, before = max(most, length), at
    whole = sum(held.values())

    def length_of(percent):
        below = 0
        for length in sorted(held):
            below += held[length]
            if below * 100 >= whole * percent:
                return length
        return 0

    row = {
        "work": len(waits), "most": most, "median": length_of(50), "p90": length_of(90), "empty": share(held[0], whole),
        "full": sum(time for length, time in held.items() if length >= 1024),
        "longest": max((end - start for start, end in waits), default=0),
    }  # fmt: skip
    number = lane[2].removeprefix("stream ")
    return f"{device_title(lane[1])} · stream {number}", row
