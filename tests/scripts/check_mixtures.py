"""Captures each program of `mixtures/`, and compares where the thread of the steps was with a clock of the program's own.

    python3 tests/scripts/check_mixtures.py BINARY [PROGRAM...] [--python PYTHON]

Prints a line per program: the shares of the steps' time in which the thread was on a processor, ready without one, and waiting, as the program
measured them, and as the capture's closing line states them. Status 1 if two shares differ by more than 3 points.
"""
import argparse
import re
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
LINE = re.compile(r"their thread was on a processor for ([\d.]+)%, was ready without one for ([\d.]+)%.*?, and waited for ([\d.]+)%")
POINTS = 3


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--python", default=sys.executable)
    options = parser.parse_args()
    names = options.programs or sorted(path.stem for path in (HERE / "mixtures").glob("*.py") if path.stem != "clock")
    print("%-18s %-20s %-20s %s" % ("program", "measured", "stated", "on a processor, ready without one, waiting: % of the steps' time"))
    wrong = 0
    for name in names:
        measured, stated, said = shares(options.binary.resolve(), options.python, HERE / "mixtures" / (name + ".py"))
        is_right = bool(stated) and all(abs(one - other) <= POINTS for one, other in zip(measured, stated))
        wrong += not is_right
        texts = [" ".join("%5.1f" % share for share in found) for found in (measured, stated)]
        print("%-18s %-20s %-20s %s" % (name, *texts, "ok" if is_right else "WRONG\n" + said), flush=True)
    print("%d of %d programs are as measured" % (len(names) - wrong, len(names)))
    return int(wrong > 0)


def shares(binary, python, program):
    """The shares that the program measured and those that the capture states (none if it does not), and what the capture printed."""
    with tempfile.TemporaryDirectory() as folder:
        command = [binary, "capture", "--step-on", "__main__:step", "--", python, program]
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=300)
    measured = [float(word) for word in done.stdout.split()]
    found = LINE.search(done.stderr)
    return measured, [float(share) for share in found.groups()] if found else [], done.stderr


if __name__ == "__main__":
    sys.exit(main())
