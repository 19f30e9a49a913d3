#!/usr/bin/env python3
"""Checks `proftui insights` on the labelled traces: `check.py PROFTUI [OUT] [--seed N] [--scale X] [--only NAME]`.

Prints a row per trace, then the table of expected and found first causes. Exit status 1 if a row is wrong,
2 if the traces could not be made. OUT is a folder of
`generate.py`; it is written anew if it has no labels, or if --seed or --scale is given. Without OUT a folder is made and removed.
"""
import argparse
import json
import subprocess
import sys
import tempfile
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from generate import generate  # noqa: E402
from judge import judge  # noqa: E402
from labels import Unfit  # noqa: E402

SECONDS = 120
# A predicted gain is right that is so near to the simulated one, in shares of the run.
NEAR = 0.05


def ask(program, path):
    """The program's answer on a trace, and why there is none."""
    try:
        done = subprocess.run([program, "insights", "--format", "json", "--all", str(path)], stdout=subprocess.PIPE, stderr=subprocess.PIPE,
                              timeout=SECONDS, check=False)
    except (OSError, subprocess.TimeoutExpired) as error:
        return None, str(error)
    if done.returncode != 0:
        return None, "exit status %d: %s" % (done.returncode, " ".join(done.stderr.decode(errors="replace").split())[-160:])
    try:
        return json.loads(done.stdout.decode()), ""
    except ValueError as error:
        return None, "no JSON: %s" % error


def check(program, out, labels, jobs=2):
    """Prints a row per trace; returns the verdicts by name."""
    print("%-34s %-18s %-18s %18s %7s  %s" % ("trace", "expected", "got", "largest difference", "unknown", "wrong"))
    verdicts = {}
    with ThreadPoolExecutor(jobs) as pool:
        answers = pool.map(lambda row: ask(program, Path(out) / row["file"]), labels.values())
        for (name, label), (answer, why) in zip(labels.items(), answers):
            verdict = judge(label, answer)
            if answer is None:
                verdict.got, verdict.wrong = "no answer", [why]
            verdicts[name] = verdict
            print("%-34s %-18s %-18s %13.2f %-12s %5.1f %%  %s" % (
                name, verdict.expected or "-", verdict.got or "-", verdict.difference, verdict.cause[:12], verdict.unknown,
                "; ".join(verdict.wrong) or "ok"), flush=True)
    return verdicts


def confusion(verdicts):
    """The table of expected (rows) and found (columns) first rules, and how many are on its diagonal."""
    counts = Counter((verdict.expected or "healthy", verdict.got or "healthy") for verdict in verdicts.values())
    names = sorted({name for pair in counts for name in pair})
    lines = ["%-20s %s" % ("expected \\ got", " ".join("%4d" % number for number in range(1, len(names) + 1)))]
    for number, row in enumerate(names, 1):
        cells = " ".join("%4s" % (counts.get((row, column)) or ".") for column in names)
        lines.append("%2d %-17s %s" % (number, row[:17], cells))
    right = sum(count for (expected, got), count in counts.items() if expected == got)
    lines.append("%d of %d have the expected first finding" % (right, sum(counts.values())))
    return "\n".join(lines)


def far_predictions(verdicts):
    """Prints how many predicted gains are near the simulated ones; true if fewer than 95 % are."""
    errors = {name: verdict.headroom for name, verdict in verdicts.items() if verdict.headroom is not None}
    near = sum(abs(error) <= NEAR for error in errors.values())
    print("%d of %d predicted gains are within %.2f of the simulated ones" % (near, len(errors), NEAR))
    for name, error in errors.items():
        if abs(error) > NEAR:
            print("  %s: %+.3f" % (name, error))
    return near < 0.95 * len(errors)


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("proftui")
    parser.add_argument("out", nargs="?")
    parser.add_argument("--seed", type=int)
    parser.add_argument("--scale", type=float)
    parser.add_argument("--only", metavar="NAME")
    parser.add_argument("--jobs", type=int, default=2)
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        out = Path(options.out or folder)
        again = options.seed is not None or options.scale is not None or not (out / "labels.json").exists()
        if again:
            try:
                generate(out, 1 if options.seed is None else options.seed, 1.0 if options.scale is None else options.scale, options.only)
            except Unfit as error:
                print("check.py: the traces could not be made: %s" % error, file=sys.stderr)
                sys.exit(2)
        labels = json.loads((out / "labels.json").read_text())
        if options.only:
            labels = {name: row for name, row in labels.items() if name == options.only}
        verdicts = check(options.proftui, out, labels, options.jobs)
    print("\n" + confusion(verdicts))
    far = far_predictions(verdicts)
    wrong = [name for name, verdict in verdicts.items() if verdict.wrong]
    print("%d of %d traces are wrong" % (len(wrong), len(verdicts)))
    sys.exit(1 if wrong or far or not verdicts else 0)


if __name__ == "__main__":
    main()
