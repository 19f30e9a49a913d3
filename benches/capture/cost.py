"""Measures how much slower a program runs in a capture: the same training loop bare and in every kind of capture, in one run.

    python3 benches/capture/cost.py BINARY PYTHON [ROUNDS]

PYTHON has torch. There are two loops: small operations (a step of a fraction of a millisecond), and a step of about ten
milliseconds. The figure of a run is the median of its steps; the figure of a kind of capture is the least over the rounds. Ratios are
to the bare loop.
"""

import os
import statistics
import subprocess
import sys
import tempfile

BINARY, PYTHON = os.path.abspath(sys.argv[1]), sys.argv[2]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5
SCRIPT = """
import statistics, sys, time
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset
torch.manual_seed(0)
torch.set_num_threads(1)
width, batch, steps = {"small": (16, 8, 3000), "step": (700, 256, 150)}[sys.argv[1]]
net = nn.Sequential(*[layer for _ in range(5) for layer in (nn.Linear(width, width), nn.ReLU())])
optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
data = DataLoader(TensorDataset(torch.randn(batch * steps // 10, width)), batch_size=batch)
times, last = [], time.perf_counter()
for _ in range(10):
    for (x,) in data:
        loss = net(x).square().mean()
        loss.backward()
        optimizer.step()
        optimizer.zero_grad()
        now = time.perf_counter()
        times.append(now - last)
        last = now
print(statistics.median(times[steps // 10:]), float(loss))
"""
WAYS = {
    "bare": None,
    "closed": ["--steps", "1000000:1000001"],
    "timer only": ["--timer-only"],
    "ranges": ["--ops", "off"],
    "light": [],
    "full": ["--ops", "full"],
}


def run(way, loop, folder):
    script = os.path.join(folder, "train.py")
    with open(script, "w") as file:
        file.write(SCRIPT)
    command = [PYTHON, script, loop]
    if WAYS[way] is not None:
        command = [BINARY, "capture", *WAYS[way], "--"] + command
    env = dict(os.environ, TMPDIR=folder)
    out = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    median, loss = out.stdout.split()
    return float(median), loss


for loop in ("small", "step"):
    medians, losses = {way: [] for way in WAYS}, set()
    for _ in range(ROUNDS):
        for way in WAYS:
            with tempfile.TemporaryDirectory() as folder:
                median, loss = run(way, loop, folder)
            medians[way].append(median)
            losses.add(loss)
    bare = min(medians["bare"])
    for way, found in medians.items():
        least, spread = min(found), statistics.median(found) / min(found)
        print("%-6s %-11s %9.1f us a step  %.3fx  +%.1f us  (median of runs %.3fx its least)" % (
            loop, way, least * 1e6, least / bare, (least - bare) * 1e6, spread))
    print("%-6s the loss is the same to the last digit in all runs: %s" % (loop, len(losses) == 1))
