"""Measures the cost of a device record: a program on the fakes of tests/fake-cuda makes a million launches as fast as it can, bare, with
a client of CUPTI that only counts records, and captured.

    python3 tests/fake-cuda/build.py OUT
    python3 benches/capture/records.py BINARY OUT [--rounds 5] [--cupti 13.5,13.0] [--launches 1000000]

Each launch makes two records. The three ways alternate. Figures are processor times of the program: the median of the rounds, with
the least and the most. `record` is what a record costs above the counting client; `ratio` is the captured time by the counting
client's. Last comes the size of the recorder that BINARY has. Exit status 1 if a kernel is lost.
"""

import argparse
import glob
import json
import os
import re
import statistics
import subprocess
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "tests", "fake-cuda"))
from headers import GENERATIONS  # noqa: E402

# The recorder's size that is aimed at, KB.
SIZE_GOAL = 700
# Prints processor time (s) and peak memory (KiB) of the program, as the last line of output.
TIMED = """
import resource, subprocess, sys
subprocess.check_call(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


class Bench:
    def __init__(self, binary, out, launches, folder):
        self.binary, self.out, self.launches, self.folder = binary, out, launches, folder

    def run(self, before, cupti, environment):
        """Processor time of the program, s; its peak memory, KiB; what was printed on stderr."""
        program = [os.path.join(self.out, "program"), "--preload", cupti, "--launches", str(self.launches), "--streams", "3"]
        command = [*before, sys.executable, "-S", "-c", TIMED, *program]
        cleared = {"CUDA_INJECTION64_PATH": "", "XDG_CACHE_HOME": os.path.join(self.folder, "cache"), "LD_LIBRARY_PATH": self.out}
        done = subprocess.run(command, env={**os.environ, **cleared, **environment}, check=True,
                              stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        seconds, kib = done.stdout.split()[-2:]
        return float(seconds), int(kib), done.stderr

    def ways(self, cupti):
        """A run of each way."""
        counting = {"CUDA_INJECTION64_PATH": os.path.join(self.out, "counter.so"), "COUNTER_CUPTI": cupti}
        with tempfile.TemporaryDirectory(dir=self.folder) as folder:
            options = ["--format", "pb", "--out", folder, "--cupti", cupti, "--max-mb", "4096"]
            bare, counted = self.run([], cupti, {}), self.run([], cupti, counting)
            seconds, kib, _ = self.run([self.binary, "capture", *options, "--"], cupti, {})
            return {"bare": bare, "counted": counted, "captured": (seconds, kib, self.kept(folder))}

    def kept(self, folder):
        """Kernels in the trace, and records that are lost."""
        (path,) = glob.glob(os.path.join(folder, "*.pb"))
        done = subprocess.run([self.binary, "info", "--format", "json", path], check=True, stdout=subprocess.PIPE)
        trace = json.loads(done.stdout)
        return trace["categories"].get("Kernel", 0), trace["gpu"]["lost"] + trace["gpu"]["dropped"]


def span(numbers):
    return "%.0f (%.0f to %.0f)" % (statistics.median(numbers), min(numbers), max(numbers))


def judge(generation, rounds, launches):
    """Prints a generation's rows; how many launches have no kernel in the trace, in the worst round."""
    of = {way: [round_[way] for round_ in rounds] for way in rounds[0]}
    ns = {way: [seconds / launches * 1e9 for seconds, _, _ in runs] for way, runs in of.items()}
    for way, runs in of.items():
        print("CUPTI %-5s %-9s %s ns a launch, at most %.1f MiB" % (generation, way, span(ns[way]), max(kib for _, kib, _ in runs) / 1024))
    above = [(ours - counted) / 2 for ours, counted in zip(ns["captured"], ns["counted"])]
    ratios = [ours / counted for ours, counted in zip(ns["captured"], ns["counted"])]
    print("CUPTI %-5s record    %s ns above the counting client" % (generation, span(above)))
    print("CUPTI %-5s ratio     %.2f (%.2f to %.2f)" % (generation, statistics.median(ratios), min(ratios), max(ratios)))
    least = min(kernels for _, _, (kernels, _) in of["captured"])
    lost = max(lost for _, _, (_, lost) in of["captured"])
    counted = min(int(re.search(r"records (\d+)", said).group(1)) for _, _, said in of["counted"])
    print("CUPTI %-5s kernels   %d of %d, %d records lost; the counting client had %d records" % (generation, least, launches, lost, counted))
    return launches - least + lost


def main():
    words = argparse.ArgumentParser()
    words.add_argument("binary", type=os.path.abspath)
    words.add_argument("out", type=os.path.abspath)
    words.add_argument("--rounds", type=int, default=5)
    words.add_argument("--cupti", default=",".join(GENERATIONS))
    words.add_argument("--launches", type=int, default=1_000_000)
    options = words.parse_args()
    missing = 0
    with tempfile.TemporaryDirectory() as folder:
        bench = Bench(options.binary, options.out, options.launches, folder)
        for generation in options.cupti.split(","):
            (cupti,) = glob.glob(os.path.join(options.out, generation, "libcupti.so.*"))
            missing += judge(generation, [bench.ways(cupti) for _ in range(options.rounds)], options.launches)
        for path in glob.glob(os.path.join(folder, "cache", "**", "*.so"), recursive=True):
            print("recorder    %.0f KB (goal: at most %d)" % (os.path.getsize(path) / 1000, SIZE_GOAL))
    return int(missing > 0)


if __name__ == "__main__":
    sys.exit(main())
