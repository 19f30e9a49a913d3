"""A CUDA graph of a known number of kernels, drawn before the first step and replayed in each.

    python3 graphs.py [--device cpu] [--steps N]

On a CPU the kernels are run without a graph.
"""

import argparse
import json
import os

import torch

NODES, REPLAYS = 20, 5


def work(numbers):
    for _ in range(NODES):
        numbers.add_(1)


def drawn(numbers):
    """What replays the work."""
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        work(numbers)
    torch.cuda.current_stream().wait_stream(side)
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph):
        work(numbers)
    torch.cuda.synchronize()
    return graph.replay


def step(n, replay, wait):
    for _ in range(REPLAYS):
        replay()
    wait()


def main():
    of = argparse.ArgumentParser()
    of.add_argument("--device", default="cuda")
    of.add_argument("--steps", type=int, default=8)
    options = of.parse_args()
    numbers = torch.zeros(1 << 16, device=options.device)
    is_cuda = options.device == "cuda"
    replay = drawn(numbers) if is_cuda else lambda: work(numbers)
    wait = torch.cuda.synchronize if is_cuda else lambda: None
    numbers.zero_()
    for n in range(options.steps):
        step(n, replay, wait)
    found = int(numbers[0])
    assert found == options.steps * REPLAYS * NODES, found
    print(json.dumps({"pid": os.getpid(), "steps": options.steps, "nodes": NODES, "replays": REPLAYS}), flush=True)


if __name__ == "__main__":
    main()
