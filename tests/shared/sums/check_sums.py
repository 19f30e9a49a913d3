"""Holds proftui's summaries against sums in Python, for the whole of each trace and for random parts of it, five when not said.

    check_sums.py [--parts N] [--table] [--verbose] PROFTUI TRACE...

Prints a line per trace, its first cells that differ, and at the end those of each further part (`more`) and
`N cells of K traces, M differ`; exits 1 when M > 0. Beside the sums, it holds every table of `--view all` to what
any table must be: no share above 100 %, no negative time, no two columns with one heading, rows or a note. With
--table it prints main sums of each trace with device work as a Markdown table, proftui's before the expected ones.
"""

import argparse
import multiprocessing
import os
import random
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
from answers import Tally, info, rows_of, run  # noqa: E402
from by_host import THREAD_COLUMNS  # noqa: E402
from by_name import NO_OPERATOR  # noqa: E402
from chrome import DEVICE_WORK, read  # noqa: E402
from more import LABELS, More  # noqa: E402
from nesting import resolve  # noqa: E402
from by_step import phases_of_steps  # noqa: E402
from parts import Part, run_of  # noqa: E402
from tables import tables  # noqa: E402

SHOWN = 12
# The cells that are shown of each further part of a trace.
OF_LABEL = 3
KINDS = ("computation", "communication", "memory")
HEADINGS = ("part", "busy, ms", "idle, ms", "edges, ms", *(f"only {kind}, %" for kind in KINDS), "with an operator, %")


def parts(trace, extent, count, name):
    """Random parts, as times from the extent's start: long, short, inside one slice, beyond the end. Five are of all these
    kinds; of fewer, the trace's name says which."""
    dice = random.Random(name)
    length = extent[1] - extent[0]
    if length < 2:
        return []
    work = [s for s in trace.slices() if s.category in DEVICE_WORK] or list(trace.slices())
    inner = [s for s in work if s.end - s.start >= 4 and extent[0] <= s.start and s.end <= extent[1]]
    found = []
    first = sum(name.encode()) if count < 5 else 0
    for number in range(first, first + count):
        kind = number % 5
        if kind == 2:
            size = max(length // 200, 1)
            start = dice.randrange(max(length - size, 1))
            found.append((start, start + size))
        elif kind == 3 and inner:
            s = dice.choice(inner)
            quarter = (s.end - s.start) // 4
            found.append((s.start - extent[0] + quarter, s.end - extent[0] - quarter))
        elif kind == 4:
            found.append((dice.randrange(length), length + dice.randrange(1, length)))
        else:
            one, other = dice.randrange(length), dice.randrange(length)
            found.append((min(one, other), max(one, other) + 1))
    return found


def check(job):
    proftui, path, count = job
    tally, lines, further = Tally(), [], {label: Tally() for label in LABELS}
    try:
        trace = read(path)
        resolve(trace)
        extent = trace.extent()
        tally.check("info", "span_ns", list(extent), info(proftui, path)["span_ns"])
        run_of_trace = run_of(trace, [step for step, _ in phases_of_steps(trace)])
        more = More(proftui, path, trace, extent, run_of_trace)
        further = more.tallies
        for part in [None, *parts(trace, extent, count, Path(path).name)]:
            before = len(tally.faults)
            answers = run(proftui, path, part)
            tally.shape(answers)
            asked = part and (extent[0] + part[0], extent[0] + part[1])
            expected = tables(trace, Part(extent, asked, run_of_trace))
            for view, rows in expected.items():
                if view == "host":
                    tally.unnamed(view, rows, answers[view], THREAD_COLUMNS)
                else:
                    tally.table(view, rows, answers.get(view))
            where = "whole" if part is None else f"{part[0]}:{part[1]} ns"
            tally.faults[before:] = [f"{where}: {fault}" for fault in tally.faults[before:]]
            if expected["device"] or lines:
                lines.append(line(where, expected, answers))
            more.of(Part(extent, asked, run_of_trace), where, answers, "range" if part else "whole")
        more.further()
    except Exception as error:  # A trace that cannot be compared counts as one that differs.
        tally.faults.append(f"{type(error).__name__}: {error}")
    of_labels = {label: (one.cells, one.faults) for label, one in further.items()}
    return path, tally.cells, tally.faults, lines, of_labels


def line(where, expected, answers):
    """A row of the table: each of our sums of the part, and the expected one."""
    found = {view: rows_of(answers[view]) for view in ("device", "busy", "kinds", "operator") if view in answers}

    def both(view, column, row=None):
        want = sum(cells[column] or 0 for name, cells in expected[view].items() if row in (None, name))
        got = sum(cells.get(column) or 0 for name, cells, _ in found.get(view, []) if row in (None, name))
        return got, want

    times = [both("device", "busy_all"), both("busy", "idle"), both("busy", "edges")]
    shares = [both("kinds", "share", kind) for kind in KINDS]
    without = both("operator", "device_share", NO_OPERATOR)
    shares.append(tuple(max(1 - share, 0) for share in without))
    cells = [f"{got / 1e6:.6f} {want / 1e6:.6f}" for got, want in times]
    cells += [f"{got * 100:.2f} {want * 100:.2f}" for got, want in shares]
    return [where, *cells]


def print_table(path, lines):
    print(f"\n{path}\n")
    for cells in (HEADINGS, ["---"] * len(HEADINGS), *lines):
        print("| " + " | ".join(cells) + " |")
    print(flush=True)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("proftui")
    parser.add_argument("--parts", type=int, default=5)
    parser.add_argument("--table", action="store_true", help="print the main sums of traces with device work")
    parser.add_argument("--verbose", action="store_true", help="print all cells that differ")
    parser.add_argument("traces", nargs="+")
    args = parser.parse_args()
    jobs = [(args.proftui, path, args.parts) for path in args.traces]
    # The largest first, so that no process waits for the last one.
    jobs.sort(key=lambda job: -os.path.getsize(job[1]))
    cells = differ = 0
    sums = {label: [0, 0] for label in LABELS}
    with multiprocessing.Pool() as pool:
        for path, of_trace, faults, lines, further in pool.imap_unordered(check, jobs, chunksize=1):
            shown = list(faults if args.verbose else faults[:SHOWN])
            for label, (number, found) in further.items():
                sums[label][0] += number
                sums[label][1] += len(found)
                shown += [f"{label} · {fault}" for fault in (found if args.verbose else found[:OF_LABEL])]
            all_cells = of_trace + sum(number for number, _ in further.values())
            all_faults = len(faults) + sum(len(found) for _, found in further.values())
            cells += all_cells
            differ += all_faults
            print(f"{all_faults:6} of {all_cells:8} differ  {path}", flush=True)
            for fault in shown:
                print(f"        {fault}")
            if args.table and lines:
                print_table(path, lines)
    for label, (number, found) in sums.items():
        print(f"{label}: {number} cells, {found} differ")
    print(f"{cells} cells of {len(jobs)} traces, {differ} differ")
    return differ > 0


if __name__ == "__main__":
    sys.exit(main())
