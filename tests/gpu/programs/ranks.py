"""Two ranks on one device: each trains by itself and finds the other by torch.distributed, without NCCL, which wants a device a rank.

    python3 ranks.py [--device cpu]

Prints JSON: how many additions each rank launched.
"""

import argparse
import json
import os
import subprocess
import sys
import tempfile

import torch
import torch.distributed as group

RANKS, STEPS, ADDS = 2, 12, 10


def step(n, numbers, shared):
    for _ in range(ADDS):
        numbers.add_(1)
    shared.fill_(float(numbers[0]))
    group.all_reduce(shared)


def train(device, rank, meeting):
    group.init_process_group("gloo", init_method="file://" + meeting, rank=rank, world_size=RANKS)
    numbers, shared = torch.zeros(1 << 12, device=device), torch.zeros(1)
    for n in range(STEPS):
        step(n, numbers, shared)
    assert float(shared[0]) == RANKS * STEPS * ADDS, shared
    group.barrier()
    group.destroy_process_group()


def main():
    of = argparse.ArgumentParser()
    of.add_argument("--device", default="cuda")
    of.add_argument("--meeting", help="the file by which the ranks find each other")
    options = of.parse_args()
    if options.meeting:
        train(options.device, int(os.environ["RANK"]), options.meeting)
        return 0
    with tempfile.TemporaryDirectory() as folder:
        command = [sys.executable, os.path.abspath(__file__), "--device", options.device, "--meeting", os.path.join(folder, "meeting")]
        alike = {"WORLD_SIZE": str(RANKS), "LOCAL_WORLD_SIZE": str(RANKS), "GLOO_SOCKET_IFNAME": os.environ.get("GLOO_SOCKET_IFNAME", "lo")}
        children = [subprocess.Popen(command, env={**os.environ, **alike, "RANK": str(rank), "LOCAL_RANK": str(rank)}) for rank in range(RANKS)]
        statuses = [child.wait() for child in children]
    print(json.dumps({"pid": os.getpid(), "ranks": RANKS, "adds": STEPS * ADDS, "statuses": statuses}), flush=True)
    return int(any(statuses))


if __name__ == "__main__":
    sys.exit(main())
