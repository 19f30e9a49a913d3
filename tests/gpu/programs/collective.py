"""An all-reduce of one rank, by NCCL; by gloo on a CPU.

    python3 collective.py [--device cpu]
"""

import argparse
import json
import os
import tempfile

import torch
import torch.distributed as dist

STEPS = 6


def step(n, numbers, wait):
    dist.all_reduce(numbers)
    gathered = [torch.empty_like(numbers)]
    dist.all_gather(gathered, numbers)
    wait()


def main():
    of = argparse.ArgumentParser()
    of.add_argument("--device", default="cuda")
    options = of.parse_args()
    is_cuda = options.device == "cuda"
    with tempfile.TemporaryDirectory() as folder:
        store = dist.FileStore(os.path.join(folder, "store"), 1)
        dist.init_process_group("nccl" if is_cuda else "gloo", store=store, rank=0, world_size=1)
        numbers = torch.ones(1 << 20, device=options.device)
        for n in range(STEPS):
            step(n, numbers, torch.cuda.synchronize if is_cuda else lambda: None)
        version = list(torch.cuda.nccl.version()) if is_cuda else []
        dist.destroy_process_group()
    print(json.dumps({"pid": os.getpid(), "steps": STEPS, "nccl": version}), flush=True)


if __name__ == "__main__":
    main()
