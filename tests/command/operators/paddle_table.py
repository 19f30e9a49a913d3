#!/usr/bin/env python3
"""Whether the operators of a captured Paddle script are those that Paddle's own profiler finds.

    paddle_table.py PROFTUI PYTHON

Calls and times are compared within one run: our tables against what Paddle's profiler found there. Calls are
compared with those of the same script with `paddle.profiler` around the same steps, and those of light capture with those of full.
Exit status 1 where something differs.
"""
import json
import os
import sys
import tempfile

from capturing import Captured, print_comparison, run, within_a_hundredth

TRAIN = """
import paddle
paddle.seed(1)
net = paddle.nn.Sequential(paddle.nn.Linear(64, 128), paddle.nn.ReLU(), paddle.nn.Linear(128, 10))
optimizer = paddle.optimizer.Adam(parameters=net.parameters())
# Paddle's loader runs ahead on a thread of its own: how much of it falls into a window is never the same.
data = [(paddle.randn([64, 64]), paddle.randint(0, 10, [64])) for _ in range(10)]
def train(stepped=lambda: None):
    for inputs, labels in data:
        with paddle.profiler.RecordEvent("mine"):
            loss = paddle.nn.functional.cross_entropy(net(inputs), labels)
        loss.backward()
        optimizer.step()
        stepped()
        optimizer.clear_grad()
"""
# What operators are in Paddle's words: calls and nanoseconds by name.
COUNT = """
import collections, json
def count(result):
    calls, times = collections.Counter(), collections.Counter()
    def visit(node):
        if node.type.name == "Operator":
            calls[node.name] += 1
            times[node.name] += node.end_ns - node.start_ns
        for child in node.children_node:
            visit(child)
    for root in result.get_data().values():
        visit(root)
    print(json.dumps([calls, times]))
"""
PROFILED = TRAIN + COUNT + """
from paddle.profiler import Profiler, ProfilerTarget, make_scheduler
plan = make_scheduler(closed=2, ready=1, record=4, repeat=1)
with Profiler(targets=[ProfilerTarget.CPU], scheduler=plan, on_trace_ready=lambda p: count(p.profiler_result)) as p:
    train(p.step)
"""
# Paddle writes kinds that its own reader refuses, so what it found is counted where it found it.
CAPTURED = TRAIN + COUNT + """
from _proftui_shim.operators_paddle import _Host
def save(self, result, save=_Host._save):
    count(result)
    save(self, result)
_Host._save = save
train()
"""


def main():
    proftui, python = sys.argv[1:]
    proftui = os.path.abspath(proftui)
    with tempfile.TemporaryDirectory() as folder:

        def own(script):
            return json.loads(run([python, "-B"], folder, script).splitlines()[-1])

        full = Captured(proftui, python, os.path.join(folder, "full"), CAPTURED, "--ops", "full", "--record-shapes")
        light = Captured(proftui, python, os.path.join(folder, "light"), CAPTURED, "--ops", "light")
        calls, times = json.loads(full.output)

        def column(captured, key):
            rows = captured.rows("--layout", "paddle", "--view", "operator", "--no-op-detail")
            # One that only holds the others has no numbers.
            return {row["name"]: row[key] for row in rows if row[key] is not None}

        counts = column(full, "calls")
        results = [
            print_comparison("calls: the script's profiler, full", own(PROFILED)[0], counts),
            print_comparison("calls: what Paddle found, full", calls, counts),
            print_comparison("calls: full, light", counts, column(light, "calls")),
            print_comparison("time: what Paddle found, full", times, column(full, "cpu_total"), within_a_hundredth),
        ]
    return not all(results)


if __name__ == "__main__":
    sys.exit(main())
