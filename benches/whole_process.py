#!/usr/bin/env python3
"""Measures time and peak memory of `proftui info FILE`, beside Python reading the same file with orjson.

    benches/whole_process.py [--runs 3] [--proftui PATH] [FILES]

Without files, it makes Kineto traces of 10, 100 and 1000 MB with `cargo bench -p proftui-benches --bench generate`. A `.gz` is made once for each file that
has none. orjson is installed from PyPI into a virtual environment in the temporary folder. Files are read once before they are measured;
the two programs run in alternation. The time that Python takes to start and to import orjson is measured and subtracted. Must not know
the library: it sees processes only.
"""

import argparse
import gzip
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
IMPORT = "import gzip, orjson"
LOAD = IMPORT + "; import sys; p = sys.argv[1]; o = gzip.open if p.endswith('.gz') else open; orjson.loads(o(p, 'rb').read())"
# A text of `LARGE` bytes or more is read by Python only if `NEEDED` bytes of memory are available.
LARGE, NEEDED = 500e6, 10e9


def measure(command):
    """Wall and processor seconds, peak bytes of a process that must succeed."""
    start = time.perf_counter()
    child = subprocess.Popen(command, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(child.pid, 0)
    wall = time.perf_counter() - start
    child.returncode = os.waitstatus_to_exitcode(status)
    if child.returncode:
        raise SystemExit(f"{command[0]} failed: {child.returncode}")
    return wall, usage.ru_utime + usage.ru_stime, usage.ru_maxrss * 1024


def memory(key):
    with open("/proc/meminfo") as info:
        return next((int(line.split()[1]) * 1024 for line in info if line.startswith(key + ":")), 0)


def environment():
    """A Python with orjson, or nothing."""
    folder = Path(tempfile.gettempdir()) / f"proftui-bench-orjson-{os.getuid()}"
    python = folder / "bin" / "python"
    try:
        if not python.exists():
            subprocess.run([sys.executable, "-m", "venv", str(folder)], check=True)
        if subprocess.run([python, "-c", IMPORT], stderr=subprocess.DEVNULL).returncode:
            subprocess.run([python, "-m", "pip", "install", "--quiet", "orjson"], check=True)
    except (OSError, subprocess.CalledProcessError) as error:
        print(f"no orjson: {error}", file=sys.stderr)
        return None
    return str(python)


def generated():
    folder = ROOT / "target" / "whole-process"
    folder.mkdir(parents=True, exist_ok=True)
    for megabytes in (10, 100, 1000):
        path = folder / f"kineto{megabytes}.json"
        if not path.exists():
            arguments = ["--kind", "kineto", "--size", f"{megabytes}M", "--out", str(path)]
            subprocess.run(["cargo", "bench", "-q", "-p", "proftui-benches", "--bench", "generate", "--", *arguments], cwd=ROOT, check=True)
        yield path


def compressed(path):
    """The file's `.gz`, made where there is none."""
    gz = path.with_name(path.name + ".gz")
    if not gz.exists():
        part = gz.with_name(gz.name + ".part")
        with open(path, "rb") as text, gzip.open(part, "wb", compresslevel=6) as out:
            shutil.copyfileobj(text, out, 1 << 20)
        part.rename(gz)
    return gz


def row(path, tool, runs, taken_off=0.0, ratio=""):
    baseline = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss * 1024
    walls = [max(wall - taken_off, 0.0) for wall, _, _ in runs]
    cpu, peak = min(cpu for _, cpu, _ in runs), max(peak for _, _, peak in runs)
    # A process's peak includes the moment between fork and exec, when it has this script's memory.
    peak = f"{peak / 1e6:.1f}" if peak > baseline else f"<= {baseline / 1e6:.1f}"
    print(
        f"| {path.name} | {path.stat().st_size / 1e6:.1f} | {tool} | {min(walls):.3f} | {statistics.median(walls):.3f} "
        f"| {cpu:.3f} | {peak} | {ratio} |",
        flush=True,
    )
    return min(walls)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--runs", type=int, default=3)
    parser.add_argument("--proftui", default=str(ROOT / "target" / "release" / "proftui"), help="the program (default: %(default)s)")
    parser.add_argument("files", nargs="*", type=Path)
    arguments = parser.parse_args()
    if not os.access(arguments.proftui, os.X_OK):
        raise SystemExit(f"no {arguments.proftui}: cargo build --release, or --proftui")
    python = environment()
    started = min(measure([python, "-c", IMPORT])[0] for _ in range(5)) if python else 0.0
    print(f"{os.cpu_count()} processors, load {' '.join(f'{load:.2f}' for load in os.getloadavg())}, ", end="")
    print(f"Python with orjson starts in {started:.3f} s (taken off)")
    print("\n| file | MB | process | wall s, best | median | cpu s | peak MB | proftui / orjson, best |")
    print("| --- | --- | --- | --- | --- | --- | --- | --- |")
    for plain in arguments.files or generated():
        for path in (plain,) if plain.suffix == ".gz" else (plain, compressed(plain)):
            with open(path, "rb") as file:
                while file.read(1 << 20):
                    pass
            text = plain.stat().st_size
            fits = text < LARGE or memory("MemAvailable") >= NEEDED
            ours, theirs = [], []
            for _ in range(max(arguments.runs, 1)):
                ours.append(measure([arguments.proftui, "info", str(path)]))
                if python and fits:
                    theirs.append(measure([python, "-c", LOAD, str(path)]))
            best = row(path, "proftui info", ours)
            if theirs:
                other = min(wall for wall, _, _ in theirs) - started
                row(path, "orjson", theirs, started, f"{best / other:.3f}")
            elif python:
                print(f"| {path.name} | | orjson | skipped: less than {NEEDED / 1e9:.0f} GB of memory free | | | | |")
    print(f"\nload afterwards {' '.join(f'{load:.2f}' for load in os.getloadavg())}")


if __name__ == "__main__":
    main()
