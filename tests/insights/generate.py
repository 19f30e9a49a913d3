#!/usr/bin/env python3
"""Writes the labelled traces: `generate.py OUT [--seed N] [--scale X] [--only NAME] [--what-if]`.

OUT/NAME.json or OUT/NAME.json.gz is a trace, OUT/labels.json says what must be found in each. The same seed and scale give the same
bytes. `--what-if` also runs each scenario without its first cause and prints by how much the run is shorter.
"""
import argparse
import json
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent))

from labels import Unfit, label, run_of  # noqa: E402
from scenarios.all import SCENARIOS  # noqa: E402
from sim.ledger import CAUSES  # noqa: E402
from write.kineto import Kineto  # noqa: E402
from write.paddle import Paddle  # noqa: E402


# Causes without which the program can be replayed.
REPLAYED = ("data_loading", "host_python", "cpu_operator", "allocator", "garbage_collection", "compile", "checkpoint", "blocking_sync",
            "blocking_copy")


def generate(out, seed=1, scale=1.0, only=None):
    """Writes all traces (or one) and the labels; returns the labels by name."""
    out = Path(out)
    out.mkdir(parents=True, exist_ok=True)
    labels = {}
    for name, scenario in SCENARIOS.items():
        if only and name != only:
            continue
        machine = scenario.run(seed, scale)
        row = label(scenario, machine)
        writer = Paddle(machine) if scenario.flavour == "paddle" else Kineto(machine)
        path, row["events"] = writer.write(out / (name + ".json"))
        if scenario.top in REPLAYED and row["devices"]:
            row["gain_ns"] = run_ns(machine) - run_ns(scenario.run(seed, scale, scenario.top))
        row["file"], row["seed"], row["scale"] = path.name, seed, scale
        labels[name] = row
    (out / "labels.json").write_text(json.dumps(labels, indent=1) + "\n")
    return labels


def run_ns(machine):
    """The length of the run."""
    start, end = run_of(machine)
    return end - start


def what_if(names, seed, scale):
    """Prints for each scenario with a first cause how much shorter the run is without it, beside what the ledger charges."""
    print("%-34s %-20s %12s %12s %8s" % ("trace", "without", "charged ms", "shorter ms", "ratio"))
    for name in names:
        scenario = SCENARIOS[name]
        if scenario.top not in CAUSES or scenario.top in ("not_recorded", "profiler"):
            continue
        row = label(scenario, scenario.run(seed, scale))
        if row["hosts"] and scenario.top == "cpu_operator":
            continue
        charged = max(rows["causes"].get(scenario.top, 0) for rows in row["devices"] + row["hosts"])
        shorter = run_ns(scenario.run(seed, scale)) - run_ns(scenario.run(seed, scale, scenario.top))
        print("%-34s %-20s %12.3f %12.3f %8.2f" % (name, scenario.top, charged / 1e6, shorter / 1e6, shorter / max(1, charged)))


def main():
    """The command line."""
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("out")
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--scale", type=float, default=1.0)
    parser.add_argument("--only", choices=sorted(SCENARIOS), metavar="NAME")
    parser.add_argument("--what-if", action="store_true")
    options = parser.parse_args()
    try:
        labels = generate(options.out, options.seed, options.scale, options.only)
    except Unfit as error:
        sys.exit("generate.py: %s" % error)
    events = sorted(row["events"] for row in labels.values())
    healthy = sum(row["top"] is None for row in labels.values())
    print("%d traces (%d healthy), %d events, median %d, largest %d" % (len(labels), healthy, sum(events), events[len(events) // 2], events[-1]))
    if options.what_if:
        what_if(list(labels), options.seed, options.scale)


if __name__ == "__main__":
    main()
