"""Captures each program of `lasting/` for long, and checks that its memory stays flat, and that each step is kept or counted.

    python3 tests/scripts/check_memory.py BINARY [PROGRAM...] [--python PYTHON] [--scale 1] [--ways WAY...]

PYTHON has torch. Prints a table in Markdown, a row per program and way of recording: the memory of the program that no file backs, over its bare
run, while the loop goes on; how much of it came between the second fifth of the loop and the last; the most memory in all, over the bare run;
the most that the run folder took; the most memory of `proftui capture` itself, all in MiB; the time over that of the bare run; the steps of the
traces, and what their headers say of the others. `torch.profiler` is the script's own profiler of a loop of a tenth of the steps, without a
capture, since its memory grows with them; its time has its stop. Status 1 if memory grows, or if a step is neither in a trace nor
before the first one that the header states.
"""
import argparse
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile
import threading
from pathlib import Path

HERE = Path(__file__).resolve().parent
# Steps of each program, some twenty seconds bare.
STEPS = {"convolutions": 6000, "encoder": 2500, "serving": 8000, "allocating": 2500, "short_steps": 200_000}
STACK = ["--with-stack"]
SCHEDULE = ["--closed", "90", "--record", "10"]
WAYS = {
    "off": ["--ops", "off"],
    "light": ["--ops", "light"],
    "full": ["--ops", "full"],
    "full, stacks": ["--ops", "full", *STACK],
    "off, schedule": ["--ops", "off", *SCHEDULE],
    "light, schedule": ["--ops", "light", *SCHEDULE],
    "full, schedule": ["--ops", "full", *SCHEDULE],
    "full, stacks, schedule": ["--ops", "full", *STACK, *SCHEDULE],
}
OWN = {"torch.profiler": ["profiler"], "torch.profiler, stacks": ["profiler", "stack"]}
# The part of the steps that the script's own profiler records: for all of them it would take tens of gigabytes.
OWN_PART = 10
# Most that memory may grow from the second fifth of a run to the last one, MiB: a part of a framework's profiler and less. What grows with the
# steps takes more in a run as long as these.
MOST = 24
TITLE = "| program | way | memory over bare | grown | peak | run folder | proftui itself | time, × bare | steps in traces | of others |"


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("programs", nargs="*", metavar="PROGRAM")
    parser.add_argument("--python", default=sys.executable)
    parser.add_argument("--scale", type=float, default=1, help="times as many steps")
    parser.add_argument("--ways", nargs="+", metavar="WAY", default=[*WAYS, *OWN])
    options = parser.parse_args()
    options.binary = options.binary.resolve()
    print(TITLE + "\n" + "| --- " * TITLE.count(" | ") + "| --- |", flush=True)
    wrong = 0
    for program in options.programs or STEPS:
        steps = int(STEPS[program] * options.scale)
        bare = Run(options, program, steps, None)
        for way in options.ways:
            wrong += Run(options, program, steps, way).differs(bare)
    print("%d rows are wrong" % wrong)
    return int(wrong > 0)


class Run:
    """A run of a program in a way; None is bare."""

    def __init__(self, options, program, steps, way):
        self.program, self.way = program, way
        self.steps = steps = steps // OWN_PART if way in OWN else steps
        self.is_captured = way in WAYS
        self.most = {"folder": 0, "itself": 0}
        script = [options.python, str(HERE / "lasting" / (program + ".py")), str(steps), *OWN.get(way, [])]
        with tempfile.TemporaryDirectory() as folder:
            spool = Path(folder) / "spool"
            spool.mkdir()
            command = script
            if self.is_captured:
                command = [options.binary, "capture", "--format", "json", "--spool", spool, "--step-on", "__main__:step", *WAYS[way], "--", *script]
            with open(Path(folder) / "said", "w+") as said:
                child = subprocess.Popen(command, cwd=folder, stdout=subprocess.PIPE, stderr=said, universal_newlines=True)
                is_over = threading.Event()
                watcher = threading.Thread(target=self.watch, args=(child.pid, spool, is_over))
                watcher.start()
                out, _ = child.communicate()
                is_over.set()
                watcher.join()
                said.seek(0)
                self.said = said.read()
            if child.returncode:
                raise SystemExit("%s, %s: status %d\n%s" % (program, way, child.returncode, self.said))
            found = json.loads(out.splitlines()[-1])
            self.memory, self.seconds, self.peak = [kib / 1024 for kib in found["memory"]], found["seconds"], found["peak"] / 1024
            self.kept, self.left = self.count(sorted(Path(folder).glob("profiler_log/*.json")))

    def watch(self, pid, spool, is_over):
        """Notes the most that the run folder and the capture's own process take, MiB."""
        while self.is_captured and not is_over.wait(0.25):
            try:
                with open("/proc/%d/status" % pid) as status:
                    mine = next((int(line.split()[1]) / 1024 for line in status if line.startswith("VmHWM")), 0)
                used = sum(file.lstat().st_blocks * 512 for file in spool.rglob("*"))
            except OSError:
                # Files come and go.
                continue
            self.most["itself"] = max(self.most["itself"], mine)
            self.most["folder"] = max(self.most["folder"], used / (1 << 20))

    def count(self, paths):
        """The numbers of the steps in these traces, and what their headers say of those that are left out."""
        kept, left = [], set()
        for path in paths:
            text = path.read_text()
            kept += [int(number) for number in re.findall(r'"name":\s*"ProfilerStep#(\d+)"', text)]
            left.update(re.findall(r'"proftui\.(?:kept|stopped)":"((?:[^"\\]|\\.)*)"', text))
        return kept, left

    def differs(self, bare):
        """Prints the row; True if memory grows, or a step is lost without a word."""
        part = len(self.memory) // 5
        over = max(self.memory) - max(bare.memory)
        grown = statistics.median(self.memory[-part:]) - statistics.median(self.memory[part:2 * part])
        grown -= statistics.median(bare.memory[-part:]) - statistics.median(bare.memory[part:2 * part])
        says = "; ".join(sorted(self.left)) or "-"
        steps, is_right = "of %d" % self.steps, True
        if self.is_captured:
            ranges = spans(self.kept)
            steps = "%d: %s" % (len(self.kept), ranges)
            is_right = grown <= MOST and len(self.kept) == len(set(self.kept)) and self.states_all()
        sizes = (over, grown, self.peak - bare.peak, self.most["folder"], self.most["itself"])
        slower = self.seconds / self.steps / (bare.seconds / bare.steps)
        cells = (self.program, self.way, *("%.0f" % size for size in sizes), "%.2f" % slower, steps, says)
        print("| " + " | ".join(cells) + " |" + ("" if is_right else " WRONG\n" + self.said), flush=True)
        return not is_right

    def states_all(self):
        """True if each step that was to be recorded is in a trace, or before the first step that the trace says it has."""
        kept = set(self.kept)
        wanted = set(range(self.steps))
        if "schedule" in self.way:
            wanted = {step for step in wanted if step % 100 >= 90}
        missing = sorted(wanted - kept)
        if not missing:
            return True
        first = min(kept, default=self.steps)
        return bool(self.left) and missing[-1] < first and all(said.startswith("from step %d on; " % first) for said in self.left)


def spans(numbers):
    """Numbers as ranges: `3-5, 9`; of many ranges the first and the last."""
    found = []
    for number in sorted(numbers):
        if found and number == found[-1][1] + 1:
            found[-1][1] = number
        else:
            found.append([number, number])
    texts = ["%d" % first if first == last else "%d–%d" % (first, last) for first, last in found]
    return ", ".join(texts if len(texts) < 4 else [texts[0], "…", texts[-1]]) or "none"


if __name__ == "__main__":
    sys.exit(main())
