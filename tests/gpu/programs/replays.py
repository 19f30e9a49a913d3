"""Replays CUDA graphs of many kernels: in steps (`--steps`), or on two threads for some seconds, as a server does (`--seconds`).

    python3 replays.py [--device cpu] [--nodes N] [--steps N --replays N | --seconds N]

Prints JSON: the kernels of a graph, and how many of it each step replays. On a CPU there are no graphs.
"""

import argparse
import json
import os
import threading
import time

import torch


def captured(numbers, nodes):
    """A graph of so many kernels, and the stream to replay it on."""
    stream = torch.cuda.Stream()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=stream):
        for _ in range(nodes):
            numbers.mul_(1)
    return graph, stream


def step(n, graph, replays):
    for _ in range(replays):
        graph.replay()
    torch.cuda.synchronize()


def serve(graph, stream, until):
    """Replays the graph for as long; it waits for a round only when the next one is launched, so that work is always in flight."""
    with torch.cuda.stream(stream):
        before = None
        while time.monotonic() < until:
            for _ in range(20):
                graph.replay()
            if before is not None:
                before.synchronize()
            before = torch.cuda.Event()
            before.record()


def main():
    of = argparse.ArgumentParser()
    of.add_argument("--device", default="cuda")
    of.add_argument("--nodes", type=int, default=1000)
    of.add_argument("--steps", type=int, default=6)
    of.add_argument("--replays", type=int, default=50)
    of.add_argument("--seconds", type=float, default=0)
    options = of.parse_args()
    numbers = [torch.ones(1 << 10, device=options.device) for _ in range(2)]
    if options.device == "cuda":
        for of_thread in numbers:
            of_thread.mul_(1)
        torch.cuda.synchronize()
        graphs = [captured(of_thread, options.nodes) for of_thread in numbers]
        if options.seconds:
            until = time.monotonic() + options.seconds
            threads = [threading.Thread(target=serve, args=(*graph, until)) for graph in graphs]
            [thread.start() for thread in threads], [thread.join() for thread in threads]
            torch.cuda.synchronize()
        else:
            for n in range(options.steps):
                step(n, graphs[0][0], options.replays)
    print(json.dumps({"pid": os.getpid(), "nodes": options.nodes, "replays": options.replays}), flush=True)


if __name__ == "__main__":
    main()
