"""The training phases of a part: the host's time in each, and the device time of what was launched in each.

A piece of device work counts whole for the phase in which its launch begins, wherever it runs. So the device
times of parts add up to that of the whole, and those of all phases to the row of the steps. What runs in the
part's steps but was not launched in them (before the part, between steps), or whose launch is not in the
trace, has rows of its own, with its time in these steps.
"""

from by_step import PHASES, edges_of_phases, phase_at
from parts import begins, is_in, share
from spans import clip, covered, length_in, total, union

TITLES = {
    "dataloader": "Data loading", "forward": "Forward", "backward": "Backward", "optimization": "Optimizer",
}  # fmt: skip
OTHERS = {"earlier": "Launched earlier", "unknown": "Launch not known"}


def model(of_steps, part, work):
    """{row: {column: value}} of the part; none without a step in it."""
    found = [(step, spans) for step, spans in of_steps if is_in(step, part)]
    if not found:
        return {}
    device = device_times(found, part, work)
    host = sum(length_in(step.start, step.end, part) for step, _ in found)
    wholes = host, sum(device[phase] for phase in (*PHASES, "other"))
    in_part = lambda spans: covered(clip(*one, part) for one in spans)
    steps, others, rows = [], [], {}
    for step, spans in found:
        inside, length = length_in(step.start, step.end, part), step.end - step.start
        left = inside - sum(in_part(spans[phase]) for phase in PHASES)
        steps.append((inside, length, begins(step, part)))
        others.append((left, length - sum(total(spans[phase]) for phase in PHASES), begins(step, part)))
    rows["Step"] = row(steps, wholes[1], *wholes)
    for phase, title in TITLES.items():
        times = [(in_part(spans[phase]), total(spans[phase]), begins(step, part)) for step, spans in found]
        times = [time for time in times if time[0] > 0]
        if times or device[phase]:
            rows[title] = row(times, device[phase], *wholes)
    rows["Other"] = row(others, device["other"], *wholes)
    rows.update({title: {"device": device[key]} for key, title in OTHERS.items() if device[key]})
    return rows


def row(times, device, whole_host, whole_device):
    """`times`: of each step, its time in the part, its whole time, and whether it begins there."""
    host = sum(inside for inside, _, _ in times)
    lengths = sorted(whole for _, whole, is_begun in times if is_begun)
    cells = {
        "steps": len(lengths), "total": host, "share": share(host, whole_host),
        "device": device, "device_share": share(device, whole_device),
    }  # fmt: skip
    if lengths:
        rank = lambda percent: lengths[-(-len(lengths) * percent // 100) - 1]
        cells.update(average=sum(lengths) // len(lengths), min=lengths[0], max=lengths[-1])
        cells.update(p50=rank(50), p99=rank(99))
    return cells


def device_times(found, part, work):
    """The device time by phase of the launch; `other`: in none, `earlier`: not launched by the steps,
    `unknown`: without a launch."""
    edges = edges_of_phases(found)
    starts = [edge[0] for edge in edges]
    inside = union(clip(step.start, step.end, part) for step, _ in found)
    times = dict.fromkeys([*PHASES, "other", *OTHERS], 0)
    for s in work:
        if s.outer_same:
            continue
        phase = phase_at(edges, starts, s.launch.start) if s.launch and begins(s.launch, part) else None
        if phase:
            times[phase] += s.end - s.start
        else:
            times["earlier" if s.launch else "unknown"] += sum(length_in(s.start, s.end, span) for span in inside)
    return times


def check(tally, expected, answer):
    """Holds the view against the rows."""
    if answer is None:
        tally.faults.append("model: no table")
        return
    tally.table("model", expected, answer)
