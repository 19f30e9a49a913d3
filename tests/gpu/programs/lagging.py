"""Steps for which nobody waits, so that the device lags behind: work is in flight wherever a cycle begins or ends.

    python3 lagging.py [--device cpu] [--steps N]

Each step launches ADDS additions, one kernel that takes a while, and a CUDA graph that was captured before the first step; from step SECOND
on another graph, too, which is captured just before. From step QUIET on the device is idle before each step. Prints JSON: what a step
launches, and how long launching took. On a CPU there are no graphs.
"""

import argparse
import json
import os
import time

import torch

ADDS, NODES, SECOND, QUIET = 50, 20, 6, 20
# Of the device's clock: about a millisecond.
LONG = 2_000_000


def captured(numbers):
    """A graph of NODES kernels."""
    torch.cuda.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        for _ in range(NODES):
            numbers.mul_(1)
    return graph


def step(n, numbers, graphs):
    for _ in range(ADDS):
        numbers.add_(1)
    if numbers.is_cuda:
        torch.cuda._sleep(LONG)
    for graph in graphs:
        graph.replay()


def main():
    of = argparse.ArgumentParser()
    of.add_argument("--device", default="cuda")
    of.add_argument("--steps", type=int, default=120)
    options = of.parse_args()
    is_cuda = options.device == "cuda"
    numbers = torch.zeros(1 << 16, device=options.device)
    numbers.add_(1).mul_(1)
    graphs, times = [captured(numbers)] if is_cuda else [], []
    for n in range(options.steps):
        if n == SECOND and is_cuda:
            graphs.append(captured(numbers))
        if n >= QUIET and is_cuda:
            torch.cuda.synchronize()
        start = time.perf_counter()
        step(n, numbers, graphs)
        times.append(time.perf_counter() - start)
    if is_cuda:
        torch.cuda.synchronize()
    found = float(numbers[0])
    assert found == options.steps * ADDS + 1, found
    said = {"pid": os.getpid(), "adds": ADDS, "nodes": NODES, "second": SECOND, "quiet": QUIET, "times": times}
    print(json.dumps(said), flush=True)


if __name__ == "__main__":
    main()
