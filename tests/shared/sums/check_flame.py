"""Holds proftui's flames against a walk in Python, in every weight, by each kind of frames and from both ends.

    check_flame.py [--parts N] PROFTUI TRACE...

Compares all frames of the whole of each trace and of random parts of it: total, self, calls. Prints a line per trace and the first
frames that differ, and at the end `N frames of K traces, M differ`; exits 1 when M > 0 or no trace was read.
"""

import argparse
import json
import multiprocessing
import os
import subprocess
import sys
from itertools import product
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from answers import plain  # noqa: E402
from check_sums import parts  # noqa: E402
from chrome import read  # noqa: E402
from flames import STACKINGS, WEIGHTS, Walk, flame  # noqa: E402
from nesting import resolve  # noqa: E402
from parts import Part  # noqa: E402

SHOWN = 6


def printed(proftui, path, part, options):
    command = [proftui, "summary", "--view", "flame", "--format", "json", "--no-capture-trace", *options, path]
    if part:
        command += ["--range", f"{part[0]}ns:{part[1]}ns"]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    found = {}
    add_rows(json.loads(done.stdout)["rows"], (), found)
    return found


def add_rows(rows, around, found):
    for row in rows:
        name, total, own, _, calls = row["cells"]
        path = (*around, plain(name))
        add(found, path, (total, own, calls))
        add_rows(row["children"], path, found)


def add(found, path, values):
    # Names that differ only in what `plain` leaves out are one.
    found[path] = [a + b for a, b in zip(found.get(path, (0, 0, 0)), values)]


def check(job):
    proftui, path, count = job
    frames, faults = 0, []
    try:
        sys.setrecursionlimit(10_000)
        trace = read(path)
        resolve(trace)
        extent = trace.extent()
        for stacking in STACKINGS:
            walk = Walk(trace, stacking)
            # Parts are cut in the same way whatever the frames are.
            of_stacking = parts(trace, extent, count, Path(path).name) if stacking == "stack" else []
            for part in [None, *of_stacking]:
                asked = part and (extent[0] + part[0], extent[0] + part[1])
                sums = walk.sums(Part(extent, asked))
                for weight, bottom_up in product(WEIGHTS, (False, True)):
                    want = {}
                    for names, values in flame(sums, weight, bottom_up).items():
                        add(want, tuple(map(plain, names)), values)
                    options = ["--frames", stacking, "--weight", weight, *(["--bottom-up"] if bottom_up else [])]
                    got = printed(proftui, path, part, options)
                    frames += len(want)
                    where = "whole" if part is None else f"{part[0]}:{part[1]} ns"
                    for names in want.keys() | got.keys():
                        if want.get(names) != got.get(names):
                            values = f"{got.get(names)}, expected {want.get(names)}"
                            faults.append(f"{where} {' '.join(options)} {' > '.join(names)}: {values}")
    except Exception as error:  # A trace that cannot be compared counts as one that differs.
        faults.append(f"{type(error).__name__}: {error}")
    return path, frames, faults


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proftui")
    parser.add_argument("--parts", type=int, default=1)
    parser.add_argument("traces", nargs="+")
    args = parser.parse_args()
    jobs = sorted(((args.proftui, path, args.parts) for path in args.traces), key=lambda job: -os.path.getsize(job[1]))
    frames = differ = 0
    with multiprocessing.Pool() as pool:
        for path, of_trace, faults in pool.imap_unordered(check, jobs, chunksize=1):
            frames += of_trace
            differ += len(faults)
            print(f"{len(faults):6} of {of_trace:8} differ  {path}", flush=True)
            for fault in faults[:SHOWN]:
                print(f"        {fault}")
    print(f"{frames} frames of {len(jobs)} traces, {differ} differ")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
