#!/usr/bin/env python3
"""Whether the table of a captured PyTorch script is that of PyTorch's own profiler.

    torch_table.py PROFTUI PYTHON

Calls are compared with those of the same script with `torch.profiler` around the same steps; those of light capture with those of
full. Times of two runs differ, so they are compared within one: our table against sums over the file that PyTorch's profiler left
there. Exit status 1 where something differs.
"""
import collections
import json
import os
import sys
import tempfile

from capturing import Captured, print_comparison, run, within_a_hundredth

TRAIN = """
import torch
torch.manual_seed(1)
net = torch.nn.Sequential(torch.nn.Linear(64, 128), torch.nn.ReLU(), torch.nn.Linear(128, 10))
optimizer = torch.optim.Adam(net.parameters(), lr=0.1)
data = torch.utils.data.TensorDataset(torch.randn(640, 64), torch.randint(0, 10, (640,)))
def train(stepped=lambda: None):
    for inputs, labels in torch.utils.data.DataLoader(data, batch_size=64):
        with torch.autograd.profiler.record_function("mine"):
            loss = torch.nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        stepped()
        optimizer.zero_grad()
"""
# Steps end where ours do: when the optimizer has stepped.
PROFILED = TRAIN + """
import json
from torch.profiler import ProfilerActivity, profile, schedule
def show(p):
    rows = p.key_averages()
    by_shape = p.key_averages(group_by_input_shape=True)
    print(json.dumps([
        {row.key: row.count for row in rows},
        {row.key: row.self_cpu_memory_usage for row in rows},
        {row.key + str(row.input_shapes or ""): row.count for row in by_shape},
    ]))
with profile(activities=[ProfilerActivity.CPU], schedule=schedule(wait=2, warmup=1, active=4, repeat=1), record_shapes=True,
             profile_memory=True, on_trace_ready=show) as p:
    train(p.step)
"""
# Where a table stands for a step as a whole.
STEP = "ProfilerStep*"
# The range that the script names.
MINE = "mine"


def sums(path):
    """Calls, total and self times, ns, by name, from the file of PyTorch's profiler."""
    with open(path, "rb") as file:
        events = json.loads(file.read().decode("utf-8", "replace"))["traceEvents"]
    by_thread = collections.defaultdict(list)
    for event in events:
        if event.get("cat") in ("cpu_op", "user_annotation"):
            start = round(event["ts"] * 1000)
            by_thread[event["tid"]].append((start, -round(event["dur"] * 1000), event["name"]))
    calls, totals, selfs = collections.Counter(), collections.Counter(), collections.Counter()
    for ranges in by_thread.values():
        around = []
        for start, negative, name in sorted(ranges, key=lambda one: one[:2]):
            while around and around[-1][0] <= start:
                around.pop()
            length = -negative
            calls[name] += 1
            totals[name] += length
            selfs[name] += length
            if around:
                selfs[around[-1][1]] -= length
            around.append((start + length, name))
    return calls, totals, selfs


def column(rows, key):
    return {row["name"] + row.get("input_shapes", ""): row[key] for row in rows if row["name"] != STEP}


def operators(captured):
    rows = captured.rows("--layout", "paddle", "--view", "operator", "--no-op-detail")
    return {row["name"]: row["calls"] for row in rows}


def without_steps(rows):
    return {name: value for name, value in rows.items() if not name.startswith(("ProfilerStep", "[memory]"))}


def main():
    proftui, python = sys.argv[1:]
    proftui = os.path.abspath(proftui)
    with tempfile.TemporaryDirectory() as folder:
        own, memory, by_shape = map(without_steps, json.loads(run([python, "-B"], folder, PROFILED).splitlines()[-1]))
        asked = ("--record-shapes", "--profile-memory")
        full = Captured(proftui, python, os.path.join(folder, "full"), TRAIN + "train()", "--ops", "full", *asked)
        light = Captured(proftui, python, os.path.join(folder, "light"), TRAIN + "train()", "--ops", "light")
        (side,) = full.side_files("kineto.json")
        calls, totals, selfs = sums(side)
        rows = full.rows("--layout", "torch")
        counts = column(rows, "count")
        shaped = column(full.rows("--layout", "torch", "--group-by-input-shape"), "count")
        # PyTorch's profiler, on for us, is not shown what the script names.
        seen = [row for row in rows if row["name"] != MINE]
        results = [
            print_comparison("calls: the script's profiler, full", own, counts),
            print_comparison("calls by shapes: the script's profiler, full", by_shape, shaped),
            print_comparison("self memory: the script's profiler, full", memory, column(rows, "self_cpu_memory_usage")),
            print_comparison("calls: the file of PyTorch, full", calls, column(seen, "count")),
            print_comparison("calls: full, light", counts, column(light.rows("--layout", "torch"), "count")),
            print_comparison("calls of operators, not of ranges: full, light", *(operators(one) for one in (full, light))),
            print_comparison("total time: the file of PyTorch, full", totals, column(seen, "cpu_time_total"), within_a_hundredth),
            print_comparison("self time: the file of PyTorch, full", selfs, column(seen, "self_cpu_time_total"), within_a_hundredth),
        ]
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
