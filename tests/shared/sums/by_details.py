"""The Details pane of a step in the explorer: how much device work the threads of its process launched."""

import re
import subprocess

from chrome import DEVICE_WORK

SUMS = re.compile(r"([\d,]+) (?:pieces?|kernels?)[^\n]*?lasting (\d[\d.]*) (ns|µs|ms|s)\b([^\n]*)")
LINKED = re.compile(r"^ device work +→ .* took (\d[\d.]*) (ns|µs|ms|s)", re.MULTILINE)
UNITS = {"ns": 1, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def launched(trace, step):
    """The work that calls in the time of the step launched: by the step's process, and by its own thread."""
    of_process, of_thread = [], []
    for s in trace.slices():
        call = s.launch if s.category in DEVICE_WORK else None
        if call and call.lane[1] == step.lane[1] and step.start <= call.start < step.end:
            of_process.append(s)
            if call.lane[2] == step.lane[2]:
                of_thread.append(s)
    return of_process, of_thread


def shown(proftui, path, step):
    """What the pane states of the step: pieces, time, unit, the text behind; None of another event."""
    keys = f"/{step.name}<enter>1o"
    command = [proftui, "render", "--size", "160x50", "--format", "text", "--keys", keys, path]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    screen = done.stdout.decode(errors="replace")
    is_step = re.search(r"^ kind, lane +ProfileStep", screen, re.MULTILINE)
    if f"\n {step.name[:60]}" not in screen or not is_step:
        return None
    found, listed = SUMS.search(screen), LINKED.findall(screen)
    if found:
        return int(found[1].replace(",", "")), found[2], found[3], found[4]
    return (1, *listed[0], "") if len(listed) == 1 else (0, "0", "ns", "")


def check(tally, proftui, path, trace, steps):
    for step in steps:
        pane = shown(proftui, path, step)
        if pane is None:
            continue
        of_process, of_thread = launched(trace, step)
        count, number, unit, behind = pane
        # A pane that says so may count the step's own thread only.
        want = of_thread if "thread" in behind and "threads" not in behind else of_process
        tally.check(step.name, "pieces of device work", len(want), count)
        time, decimals = sum(s.end - s.start for s in want), len(number.partition(".")[2])
        is_same = abs(float(number) * UNITS[unit] - time) <= UNITS[unit] / 10**decimals * 0.501
        tally.check(step.name, f"{number} {unit} of {time / 1e6:.3f} ms: as long", True, is_same)
