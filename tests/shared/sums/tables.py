"""The tables of one part of a trace, as the views' definitions state them: {view: {row: {column: value}}}."""

from by_call import calls
from by_copy import copies
from by_device import devices, queue, stream_idle
from by_host import threads
from by_name import device_work, launches, names, operators, overview, ranges
from by_step import phases_of_steps, stages, steps
from chrome import DEVICE_WORK, STREAM
from parts import is_in


def tables(trace, part):
    streams = []
    for lane, slices in trace.lanes.items():
        found = [s for s in slices if s.category in DEVICE_WORK] if lane[0] == STREAM else []
        if found:
            streams.append((lane, [s for s in found if is_in(s, part)]))
    work = [s for _, slices in streams for s in slices]
    out = {"overview": overview(trace, part), "operator": operators(trace, part, work)}
    out["kernel"] = device_work([s for s in work if s.category == "Kernel"], part)
    out["memcpy"] = copies(trace, part, work)
    out.update(devices(streams, part))
    out["waits"] = dict(stream_idle(lane, slices, part) for lane, slices in streams)
    of_steps = phases_of_steps(trace)
    out["steps"] = steps(of_steps, part, work, bool(streams))
    out["host"] = threads(trace, of_steps, part)
    out["stages"] = stages(trace, of_steps, part)
    out["calls"] = calls(trace, part)
    out["userdefined"] = ranges(trace, part, work)
    out["names"] = names(trace, part)
    out["launches"] = launches(trace, part, work)
    out["queue"] = dict(queue(trace, lane, part) for lane, _ in streams)
    out["memory"] = memory(trace, part)
    return out


def in_use(events):
    """The bytes in use after each event: as stated, or, of a device without totals from 0 on, as the events add up."""
    stated = {device for _, device, _, _, allocated, _ in events if allocated > 0}
    sums, least = {}, {}
    for _, device, kind, size, _, _ in events:
        sums[device] = sums.get(device, 0) + size * (kind in ("Allocate", "Free"))
        least[device] = min(least.get(device, 0), sums[device])
    now = {device: -low for device, low in least.items()}
    for _, device, kind, size, allocated, _ in events:
        now[device] += size * (kind in ("Allocate", "Free"))
        yield allocated if device in stated else now[device]


def memory(trace, part):
    """The memory events of each device in the part."""
    rows, level = {}, {}
    events = sorted(trace.memory, key=lambda event: event[0])
    for (time, device, kind, size, _, reserved), allocated in zip(events, in_use(events)):
        before = level.get(device, allocated - size * (kind in ("Allocate", "Free")))
        level[device] = allocated
        if part.asked[0] <= time < part.asked[1]:
            row = rows.setdefault(
                device,
                {"peak": 0, "allocated": 0, "allocations": 0, "largest": 0, "released": 0, "releases": 0, "reserved": 0},
            )
            row["peak"] = max(row["peak"], before, allocated)
            row["reserved"] = max(row["reserved"], reserved)
            if kind == "Allocate":
                row["allocations"] += 1
                row["allocated"] += size
                row["largest"] = max(row["largest"], size)
            elif kind == "Free":
                row["releases"] += 1
                row["released"] -= size
    for row in rows.values():
        row["increase"] = row["allocated"] - row["released"]
    return rows
