"""Measures what `--functions` costs per call of a Python function: bare, captured and under VizTracer.

    python3 benches/capture/functions.py BINARY PYTHON... [--rounds 5]

VizTracer is measured with each PYTHON that has it, with its defaults but for room for all calls. Each run is a process of its own, which times
1,000,000 calls of an empty function of its own (`chosen`), and as many of one of another module (`other`), which `--functions` leaves out and
VizTracer records, too. Figures are medians of the rounds, each with all ways: ns per call, with the loop. Prints a table in Markdown.
"""

import argparse
import os
import statistics
import subprocess
import sys
import tempfile

CALLS = 1_000_000
SCRIPT = """
import time
import other

def chosen():
    pass

def timed(function):
    start = time.perf_counter()
    for _ in range(%d):
        function()
    return time.perf_counter() - start

chosen(), other.other()
print("times", timed(chosen), timed(other.other))
""" % CALLS
OTHER = "def other():\n    pass\n"


def ways(binary, python):
    """The command of each way to run the script."""
    script = [python, "-B", "train.py"]
    found = {"bare": script, "capture `--functions __main__:chosen`": [binary, "capture", "-q", "--functions", "__main__:chosen", "--", *script]}
    if subprocess.run([python, "-c", "import viztracer"], stderr=subprocess.DEVNULL).returncode == 0:
        found["VizTracer"] = [python, "-B", "-m", "viztracer", "--quiet", "--tracer_entries", str(3 * CALLS), "-o", "trace.json", "train.py"]
    return found


def run(command):
    """The times of the two loops, ns per call."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in (("train.py", SCRIPT), ("other.py", OTHER)):
            with open(os.path.join(folder, name), "w") as file:
                file.write(text)
        done = subprocess.run(command, cwd=folder, stdout=subprocess.PIPE, universal_newlines=True, check=True)
    times = next(line.split()[1:] for line in done.stdout.splitlines() if line.startswith("times"))
    return [float(time) / CALLS * 1e9 for time in times]


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("binary")
    parser.add_argument("pythons", nargs="+", metavar="PYTHON")
    parser.add_argument("--rounds", type=int, default=5)
    asked = parser.parse_args()
    print("| Python | run | a chosen function, ns per call | another one, ns per call |\n| --- | --- | --- | --- |")
    for python in asked.pythons:
        version = subprocess.run([python, "-c", "import sys; print('%d.%d' % sys.version_info[:2])"], stdout=subprocess.PIPE, universal_newlines=True)
        commands = ways(os.path.abspath(asked.binary), python)
        times = {way: [] for way in commands}
        for _ in range(asked.rounds):
            for way, command in commands.items():
                times[way].append(run(command))
        for way, rounds in times.items():
            chosen, other = (statistics.median(part) for part in zip(*rounds))
            print("| %s | %s | %.0f | %.0f |" % (version.stdout.strip(), way, chosen, other))


if __name__ == "__main__":
    sys.exit(main())
