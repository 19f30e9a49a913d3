"""Measures the cost of a device record: a program on the fakes of tests/fake-cuda launches as fast as it can, bare, with a client of
CUPTI that only counts records, and captured.

    python3 tests/fake-cuda/build.py OUT
    python3 benches/capture/records.py BINARY OUT [ROUNDS]

Each launch makes two records. Figures are processor times of the program, the least of the rounds. The cost of reading and keeping
records is the captured time less the time with the counting client.
"""

import glob
import os
import resource
import shutil
import subprocess
import sys
import tempfile

BINARY, OUT = os.path.abspath(sys.argv[1]), os.path.abspath(sys.argv[2])
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
LAUNCHES = 1000000
CUPTI = glob.glob(os.path.join(OUT, "13.5", "libcupti.so.*"))[0]
PROGRAM = [os.path.join(OUT, "program"), "--preload", CUPTI, "--launches", str(LAUNCHES), "--streams", "3"]
# Prints processor time (s) and peak memory (KiB) of the program, as the last line of output.
TIMED = """
import resource, subprocess, sys
subprocess.check_call(sys.argv[1:], stdout=subprocess.DEVNULL)
used = resource.getrusage(resource.RUSAGE_CHILDREN)
print(used.ru_utime + used.ru_stime, used.ru_maxrss)
"""


def run(before, environment):
    command = [*before, sys.executable, "-S", "-c", TIMED, *PROGRAM]
    done = subprocess.run(command, env={**os.environ, "LD_LIBRARY_PATH": OUT, **environment}, check=True,
                          stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    seconds, kib = done.stdout.split()[-2:]
    return float(seconds), int(kib), done.stderr


def main():
    ways = {"bare": [], "counted": [], "captured": []}
    for _ in range(ROUNDS):
        ways["bare"].append(run([], {}))
        counting = {"CUDA_INJECTION64_PATH": os.path.join(OUT, "selftest.so"), "SELFTEST_CUPTI": CUPTI}
        ways["counted"].append(run([], counting))
        folder = tempfile.mkdtemp()
        before = [BINARY, "capture", "--format", "pb", "--out", folder, "--cupti", CUPTI, "--max-mb", "4096", "--"]
        ways["captured"].append(run(before, {"CUDA_INJECTION64_PATH": ""}))
        shutil.rmtree(folder)
    least = {way: min(runs) for way, runs in ways.items()}
    for way, (seconds, kib, _) in least.items():
        print("%-9s %.3f s of processor, %.0f ns a launch, at most %.1f MiB" % (way, seconds, seconds / LAUNCHES * 1e9, kib / 1024))
    more = (least["captured"][0] - least["counted"][0]) / (2 * LAUNCHES) * 1e9
    print("captured, more than counted: %.0f ns a record" % more)
    lost = [line for _, _, said in ways["captured"] for line in said.splitlines() if "kernels, copies and memsets" in line]
    print("\n".join(line.split(": ", 2)[-1] for line in lost))


if __name__ == "__main__":
    main()
