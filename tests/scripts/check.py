"""Captures each script of `programs/`, and compares the traces with `wanted.py` and the program with itself without a capture.

    python3 tests/scripts/check.py BINARY [ROW...] [--python PYTHON]... [--keep FOLDER]

A script runs in the first PYTHON that has its frameworks (by default the Python that runs this file), four times: bare; captured; captured
with `--timer-only`; and under its framework's own profiler (`reference.py`). Scripts whose frameworks no PYTHON has are skipped, and
listed in target/skipped with the packages to install; under CI=true the check fails there. ROW is the beginning of the names of rows. Prints a
line per row, as TITLE has it: what was wanted, and what was got where that differs. Status 1 if anything differs, 2 if no row ran.
"""
import argparse
import json
import os
import re
import shutil
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path[:0] = [str(HERE.parent / "support")]
import skip  # noqa: E402
from answered import Answered  # noqa: E402
from found import Found  # noqa: E402
from wanted import ROWS, USUAL  # noqa: E402

TITLE = "%-30s %-5s %-17s %-5s %-44s %-19s %-19s %-7s %-6s %s"
HEAD = ("row", "", "steps", "timer", "phases", "operators", "answer", "output", "status", "traces")
PHASES = ("forward", "validation", "backward", "optimization", "dataloader")
SHORT = dict(zip(PHASES, ("fwd", "val", "bwd", "opt", "load")))
# What a program of a few seconds may take on a busy machine, s.
LIMIT = 600


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("rows", nargs="*", metavar="ROW")
    parser.add_argument("--python", action="append", metavar="PYTHON", default=[])
    parser.add_argument("--keep", type=Path, metavar="FOLDER", help="keep what the runs wrote in FOLDER/ROW")
    options = parser.parse_args()
    options.binary = options.binary.resolve()
    pythons = options.python or [sys.executable]
    chosen = [name for name in ROWS if not options.rows or name.startswith(tuple(options.rows))]
    held = []
    print(TITLE % HEAD, flush=True)
    for name in chosen:
        wanted = {**USUAL, "script": name, **ROWS[name]}
        python = first_with(pythons, wanted["needs"])
        if python is None:
            what = " and ".join(wanted["needs"])
            skip.lacks_tool("the script " + name, "no %s in %s" % (what, ", ".join(pythons)), "install it there, or give another --python")
            continue
        with tempfile.TemporaryDirectory() as folder:
            held.append(Row(options.binary, python, Path(folder), wanted).holds(name))
            if options.keep:
                shutil.copytree(folder, options.keep / name.replace(", ", "-").replace(" ", "-"), dirs_exist_ok=True)
    print("%d of %d rows are as wanted" % (sum(held), len(held)))
    return 2 if not held else int(not all(held))


def first_with(pythons, needs):
    """The first of these Pythons that has all modules; None if a program is missing."""
    modules = [need for need in needs if need != "g++"]
    if len(modules) < len(needs) and not shutil.which("g++"):
        return None
    find = "import sys, importlib.util as i; sys.exit(any(i.find_spec(m) is None for m in sys.argv[1:]))"
    return next((python for python in pythons if not subprocess.call([python, "-c", find, *modules])), None)


class Row:
    """The runs of one row, in a folder of their own."""

    def __init__(self, binary, python, folder, wanted):
        self.binary, self.folder, self.wanted = binary, folder, wanted
        self.program = [python, *wanted["before"], str(HERE / "programs" / (wanted["script"] + ".py")), *wanted["arguments"]]
        self.run_number = 0

    def run(self, *command):
        """Runs a command in a fresh folder; returns its status, what it printed, and the folder."""
        self.run_number += 1
        where = self.folder / str(self.run_number)
        for name in ("tmp", "cache"):
            (where / name).mkdir(parents=True)
        # The caches of compilers are fresh as well: otherwise only the first run would compile.
        environment = dict(os.environ, OMP_NUM_THREADS="1", TMPDIR=str(where / "tmp"), PROFTUI_CACHE=str(where / "cache"))
        environment["TORCHINDUCTOR_CACHE_DIR"] = str(where / "tmp" / "inductor")
        with open(where / "out", "wb") as out, open(where / "said", "wb") as said:
            try:
                status = subprocess.call(command, cwd=where, env=environment, stdin=subprocess.DEVNULL, stdout=out, stderr=said, timeout=LIMIT)
            except subprocess.TimeoutExpired:
                status = "over %d s" % LIMIT
        shutil.rmtree(where / "tmp", ignore_errors=True)
        return status, (where / "out").read_text(errors="replace"), where

    def holds(self, name):
        """Prints the row's line, and below it what was got where that is not as wanted; returns True if all is."""
        bare = self.run(*self.program)
        captured = self.run(self.binary, "capture", "--format", "json", *self.wanted["options"], "--", *self.program)
        found = Found(sorted(captured[2].glob("profiler_log/*.json")))
        wanted = self.wanted
        # Each cell is its text, and what was got instead of it, if anything.
        cells = [
            self.steps(found),
            self.timer(),
            self.phases(found),
            self.operators(found, captured[2]),
            self.answer(found, captured[2]),
            self.output(bare, captured),
            cell(str(wanted["status"]), wanted["status"] == bare[0] == captured[0], "%s, bare %s" % (captured[0], bare[0])),
            self.processes(found),
        ]
        wrong = ["%s: %s" % (what, got) for what, (_, got) in zip(HEAD[2:], cells) if got]
        print((TITLE % (name, "WRONG" if wrong else "ok", *(text for text, _ in cells))).rstrip())
        for line in wrong:
            print("    got " + line)
        sys.stdout.flush()
        return not wrong

    def steps(self, found):
        wanted, by = self.wanted["steps"], " and ".join(sorted(found.by)) or "nothing"
        is_right = (found.cats["ProfileStep"], by) == (wanted, self.wanted["by"])
        return cell("%d by %s" % (wanted, self.wanted["by"]), is_right, "%d by %s" % (found.cats["ProfileStep"], by))

    def timer(self):
        # The timer has no schedule, and counts the steps of all processes together.
        if "--steps" in self.wanted["options"]:
            return "-", None
        _, _, where = self.run(self.binary, "capture", "--timer-only", *self.wanted["options"], "--", *self.program)
        said = (where / "said").read_text(errors="replace")
        counted = re.findall(r"Perf Summary of (\d+) steps?(?: \(the first (\d+) left out\))?", said)
        got = sum(int(number or 0) for numbers in counted for number in numbers)
        return cell(str(self.wanted["steps"]), got == self.wanted["steps"], str(got))

    def phases(self, found):
        rows = [(SHORT[phase], self.wanted[phase], found.cats[phase.capitalize()]) for phase in PHASES]
        rows += [(name, count, found.names[name]) for name, count in self.wanted["named"].items()]
        text = " ".join("%s %d" % (what, wanted) for what, wanted, _ in rows if wanted)
        wrong = ["%s %d" % (what, got) for what, wanted, got in rows if wanted != got]
        return cell(text or "-", not wrong, " ".join(wrong))

    def operators(self, found, where):
        framework = self.wanted["operators"]
        if framework is None:
            return "-", None
        counts = where / "counts"
        self.run(self.program[0], str(HERE / "reference.py"), framework, str(counts), *self.program[1:])
        if not counts.exists():
            return "?", "no counts of the framework's own profiler"
        ours, theirs = found.operators, Counter(json.loads(counts.read_text()))
        names = sorted((name for name in {*theirs, *ours} if theirs[name] != ours[name]), key=lambda name: -abs(theirs[name] - ours[name]))
        most = ", ".join("%s %d of %d" % (name, ours[name], theirs[name]) for name in names[:6])
        got = "%d in %d names; %d names differ: %s" % (sum(ours.values()), len(ours), len(names), most)
        return cell("%d in %d names" % (sum(theirs.values()), len(theirs)), not names, got)

    def answer(self, found, where):
        """What was printed at the end: how many steps, in how many lines."""
        answered = Answered((where / "said").read_text(errors="replace"), where, found, self.wanted["says"])
        return cell(answered.text, not answered.wrong, "; ".join(answered.wrong))

    def output(self, bare, captured):
        if bare[1] != captured[1]:
            return "equal", "another output"
        if self.wanted["same_errors"]:
            ours, theirs = ((run[2] / "said").read_text(errors="replace").splitlines() for run in (captured, bare))
            ours = [line for line in ours if not line.startswith("proftui:")]
            return cell("equal", ours == theirs, "other errors: " + " / ".join(line for line in ours if line not in theirs))
        return "equal", None

    def processes(self, found):
        rows = [("traces", self.wanted["traces"], len(found.paths)), ("processes", self.wanted["processes"], len(found.pids))]
        rows = [row for row in rows if row[1] is not None]
        wanted, got = (", ".join("%s %d" % (row[0], row[at]) for row in rows) for at in (1, 2))
        return cell(wanted, wanted == got, got)


def cell(text, is_right, got):
    """A cell of the table: its text, and what was got instead of it, None if that is right."""
    return text, None if is_right else got


if __name__ == "__main__":
    sys.exit(main())
