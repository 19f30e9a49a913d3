"""`--from`, `--to` and `--range` that leave nothing: an error that names the trace's end, exit status 1."""

import re
import subprocess

UNITS = {"ns": 1, "µs": 1_000, "ms": 1_000_000, "s": 1_000_000_000}


def stated(text):
    """The end of the trace in an error, ns; 0 without one."""
    found = re.search(r"the trace ends (?:at )?([\d.]+) (ns|µs|ms|s)\b", text)
    return float(found[1]) * UNITS[found[2]] if found else 0


def check(tally, proftui, path, extent):
    length = extent[1] - extent[0]
    if not 4 <= length < 120_000_000_000:
        return
    past, middle = 2 * length + 1_000_000, length // 2
    for options, names_end in (
        (["--from", f"{past}ns"], True),
        (["--from", f"{past}ns", "--to", f"{2 * past}ns"], True),
        (["--from", f"{middle}ns", "--to", f"{middle}ns"], False),
        (["--from", f"{middle}ns", "--to", f"{middle // 2}ns"], False),
        (["--to", "0ns"], False),
        (["--range", f"{past}ns:{2 * past}ns"], True),
        (["--range", f"{past}ns:"], True),
    ):
        command = [proftui, "summary", "--view", "device", "--no-capture-trace", *options, path]
        done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
        text, where = done.stderr.decode(errors="replace"), " ".join(options)
        tally.check(where, "exit status", 1, done.returncode)
        tally.check(where, "bytes of tables", 0, len(done.stdout))
        if names_end:
            # What has no length, such as an instant, may come later than the extent.
            is_near = 0.99 * length <= stated(text) <= past
            tally.check(where, f"says that the trace ends near {length} ns", True, is_near)
