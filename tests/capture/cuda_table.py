"""Captures programs on fakes of CUDA that go wrong, and prints what came of it: a row for each fault and version of CUPTI.

    python3 tests/fake-cuda/build.py FAKES
    python3 tests/capture/cuda_table.py BINARY FAKES [--only stuck,late] [--before BINARY]

`launched` counts what is to be recorded: a call and a kernel for each launch; `kept` is in the trace, and `lost` is what the trace says is
lost. `bare` is the exit status without a capture. A row is WRONG if kept and lost are not what was launched, if the exit status is
another one than the bare one, if the program hangs, or if a refusal does not have its error number. With --before the rows of
another BINARY stand beside, unjudged. Exit status 1 if a row is WRONG.

A fault is an entry of FAULTS: what the fakes do is stated in tests/fake-cuda/script.h.
"""

import argparse
import collections
import glob
import json
import os
import subprocess
import sys
import tempfile
import time
from concurrent.futures import ThreadPoolExecutor

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, os.path.join(HERE, "..", "fake-cuda"))
from headers import GENERATIONS  # noqa: E402

# What takes longer hangs.
LIMIT = 60
# No records but those of launches.
PLAIN = "refuse-kind 17 21\n"
PYTHON_FILLS = os.path.join(HERE, "cuda", "fills.py")
FILLS = 500
PYTHON_GRAPHS = os.path.join(HERE, "cuda", "graph_between.py")
# Steps 1, 2; 4, 5; 7, 8; 10, 11 are recorded, each of a call that launches five kernels.
CYCLES = ["--step-on", "__main__:step", "--closed", "1", "--record", "2", "--ops", "off"]
OF_GRAPHS = 4 * 2 * (1 + 5)

# What goes wrong, the fakes' script, and the program's options.
Fault = collections.namedtuple("Fault", "name script options")
FAULTS = [
    Fault("CUPTI is gone at exit", PLAIN + "after-teardown crash\n", "--launches 1500 --no-sync"),
    Fault("CUPTI refuses at exit", PLAIN + "after-teardown refuse\n", "--launches 1500 --no-sync --end exit"),
    Fault("a stuck kernel", PLAIN + "sync forever\nunfinished 1\n", "--launches 1500 --no-sync"),
    Fault("a flush of 12 s", PLAIN + "flush-ms 12000\n", "--launches 60000 --no-sync"),
    Fault("a late delivery", PLAIN + "deliver-late 1500\n", "--launches 60000 --no-sync"),
    *(Fault("error %d" % code, "answer cuptiSubscribe %d\n" % code, "--launches 100") for code in (14, 36, 38, 47)),
    Fault("300 threads", PLAIN, "--launches 12000 --threads 300 --no-sync"),
]
# The copy that is tried first and refused, and the one that must then be used.
SECOND = {"13.5": "12.9", "13.0": "12.4", "12.9": "11.8", "12.4": "11.8"}

Found = collections.namedtuple("Found", "status bare seconds kept lost kernels facts said")


class Trial:
    """A program on the fakes in a folder of its own: captured, and bare."""

    def __init__(self, fakes, script):
        self.folder = tempfile.TemporaryDirectory()
        self.fakes, self.program = fakes, os.path.join(fakes, "program")
        with open(self.path("script"), "w") as file:
            file.write(script)
        os.mkdir(self.path("run"))
        self.env = {name: value for name, value in os.environ.items() if name not in ("CUDA_HOME", "CUDA_PATH", "PYTHONPATH")}
        self.env.update(LD_LIBRARY_PATH=fakes, FAKE_CUDA_SCRIPT=self.path("script"), TMPDIR=self.path("run"), XDG_CACHE_HOME=self.path("cache"))

    def path(self, name):
        return os.path.join(self.folder.name, name)

    def libraries(self, where, *generations):
        """A folder with CUPTI of these generations."""
        os.makedirs(self.path(where))
        for generation in generations:
            file = library(self.fakes, generation)
            os.symlink(file, os.path.join(self.path(where), os.path.basename(file)))

    def run(self, command):
        """The exit status, and what was printed on stderr."""
        with open(self.path("said"), "w+") as said:
            child = subprocess.Popen(command, env=self.env, cwd=self.folder.name, stdout=subprocess.DEVNULL, stderr=said, start_new_session=True)
            try:
                status = child.wait(LIMIT)
            except subprocess.TimeoutExpired:
                os.killpg(child.pid, 9)
                child.wait()
                status = "hangs"
            said.seek(0)
            return status, said.read()

    def capture(self, binary, command, cupti=None, schedule=()):
        bare, _ = self.run(command)
        options = ["--cupti", cupti] if cupti else []
        start = time.monotonic()
        status, said = self.run([binary, "capture", "--out", self.path("out"), *options, *schedule, "--", *command])
        seconds = time.monotonic() - start
        kept = lost = kernels = 0
        facts = {}
        for path in glob.glob(self.path("out/*.json")):
            with open(path) as file:
                trace = json.load(file)
            kinds = collections.Counter(event.get("cat") for event in trace["traceEvents"] if event.get("ph") == "X")
            facts = trace["ExtraInfo"]
            kernels += kinds["Kernel"]
            kept += kinds["Kernel"] + kinds["Memset"] + kinds["CudaRuntime"]
            lost += int(facts.get("proftui.gpu.lost", 0)) + int(facts.get("proftui.gpu.dropped", 0))
        return Found(status, bare, seconds, kept, lost, kernels, facts, said)


def library(fakes, generation):
    (file,) = glob.glob(os.path.join(fakes, generation, "libcupti.so.*"))
    return file


def is_whole(found, launched):
    return found.kept + found.lost == launched and found.status == found.bare


def of_fault(binary, fakes, generation, fault):
    trial = Trial(fakes, fault.script)
    found = trial.capture(binary, [trial.program, *fault.options.split()], library(fakes, generation))
    launches = int(fault.options.split()[1])
    if fault.name.startswith("error "):
        # Nothing is recorded; the reason says so, with the number.
        is_good = found.status == found.bare and found.kernels == 0 and fault.name + " (" in found.facts.get("proftui.gpu.why", "")
        return launches * 2, found, is_good
    return launches * 2, found, is_whole(found, launches * 2)


def graph_between(binary, fakes, generation):
    """A CUDA graph that is made between two cycles, when nothing is recorded."""
    trial = Trial(fakes, PLAIN)
    found = trial.capture(binary, [sys.executable, PYTHON_GRAPHS], library(fakes, generation), CYCLES)
    return OF_GRAPHS, found, is_whole(found, OF_GRAPHS)


def refused_first(binary, fakes, generation):
    """The first CUPTI that is found refuses the driver, the second one works."""
    second = SECOND[generation]
    trial = Trial(fakes, f"{PLAIN}only {generation}\nanswer cuptiSubscribe 15\n")
    trial.libraries("home/extras/CUPTI/lib64", generation, second)
    trial.env["CUDA_HOME"] = trial.path("home")
    found = trial.capture(binary, [trial.program, "--launches", "100", "--no-sync"])
    used = os.path.basename(library(fakes, second))
    return 200, found, is_whole(found, 200) and used in found.facts.get("proftui.gpu.cupti", "")


def doctor_says(trial, binary):
    """What the doctor says of CUPTI: for Python programs, and for others."""
    done = subprocess.run([binary, "doctor", "--python", sys.executable], env=trial.env, capture_output=True, text=True, timeout=LIMIT)
    lines = [line for line in done.stdout.splitlines() if " CUPTI " in line]
    of = {kind: line for line in lines for kind in ("Python programs: ", "other programs: ") if kind in line or "all programs: " in line}
    return of.get("Python programs: ", ""), of.get("other programs: ", "")


def as_the_doctor(binary, fakes, generation, is_python):
    """CUPTI is in Python's packages alone: the doctor and the capture find the same, for Python and for other programs."""
    trial = Trial(fakes, PLAIN)
    trial.libraries("packages/nvidia/cuda_cupti/lib", generation)
    trial.env["PYTHONPATH"] = trial.path("packages")
    said = doctor_says(trial, binary)[0 if is_python else 1]
    if is_python:
        found = trial.capture(binary, [sys.executable, PYTHON_FILLS])
        used = found.facts.get("proftui.gpu.cupti", "none").split(" (")[0]
        # A fill is a call and a record of work; the script does not wait for the device.
        return FILLS * 2, found, is_whole(found, FILLS * 2) and used in said
    found = trial.capture(binary, [trial.program, "--launches", "100"])
    return 200, found, found.status == found.bare and found.facts.get("proftui.gpu.reason") == "no_cupti" and "not found" in said


def rows():
    """The name of each row, the generation, and the function that tries it."""
    for fault in FAULTS:
        for generation in GENERATIONS:
            yield fault.name, generation, lambda binary, fakes, generation=generation, fault=fault: of_fault(binary, fakes, generation, fault)
    for generation in GENERATIONS:
        yield "a graph between cycles", generation, lambda binary, fakes, generation=generation: graph_between(binary, fakes, generation)
    for generation in SECOND:
        yield "the first CUPTI refuses", generation, lambda binary, fakes, generation=generation: refused_first(binary, fakes, generation)
    for name, is_python in (("doctor and Python", True), ("doctor and a C program", False)):
        for generation in GENERATIONS:
            yield name, generation, lambda binary, fakes, generation=generation, is_python=is_python: as_the_doctor(binary, fakes, generation, is_python)


def line(name, generation, launched, found, verdict):
    reason = found.facts.get("proftui.gpu.reason", "")
    why = found.facts.get("proftui.gpu.why", "").partition("error ")
    number = " (error %s)" % why[2].split(" ")[0] if why[1] and reason else ""
    figures = "%8d %8d %8d %6s %6s %6.1f" % (launched, found.kept, found.lost, found.bare, found.status, found.seconds)
    return ("%-24s %-5s %s  %-7s %s%s" % (name, generation, figures, verdict, reason, number)).rstrip()


def main():
    words = argparse.ArgumentParser()
    words.add_argument("binary", type=os.path.abspath)
    words.add_argument("fakes", type=os.path.abspath)
    words.add_argument("--only", default="", help="rows whose name has one of these words")
    words.add_argument("--before", metavar="BINARY", type=os.path.abspath)
    options = words.parse_args()
    wanted = [word for word in options.only.split(",") if word]
    chosen = [row for row in rows() if not wanted or any(word in row[0] for word in wanted)]
    print("%-24s %-5s %8s %8s %8s %6s %6s %6s  %-7s %s" % ("fault", "CUPTI", "launched", "kept", "lost", "bare", "status", "s", "", "reason"))
    wrong = 0
    binaries = [options.binary] + ([options.before] if options.before else [])
    with ThreadPoolExecutor(max_workers=3) as pool:
        waiting = [[pool.submit(row[2], binary, options.fakes) for binary in binaries] for row in chosen]
        for (name, generation, _), results in zip(chosen, waiting):
            for at, result in enumerate(results):
                launched, found, is_good = result.result()
                verdict = "before" if at else "ok" if is_good else "WRONG"
                wrong += verdict == "WRONG"
                print(line(name, generation, launched, found, verdict), flush=True)
    print("%d rows, %d wrong" % (len(chosen), wrong))
    return int(wrong > 0 or not chosen)


if __name__ == "__main__":
    sys.exit(main())
