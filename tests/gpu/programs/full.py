"""Works on a device whose memory is nearly full, as servers of models do.

    python3 full.py [--device cpu] [--leave MIB]

Takes the device's memory but for so many MiB, then launches additions. Prints JSON: their number, and the MiB that were free before and
after them.
"""

import argparse
import json
import os

import torch

STEPS, ADDS, MIB = 12, 10, 1 << 20


def free():
    return torch.cuda.mem_get_info()[0] // MIB


def step(n, numbers, wait):
    for _ in range(ADDS):
        numbers.add_(1)
    wait()


def main():
    of = argparse.ArgumentParser()
    of.add_argument("--device", default="cuda")
    of.add_argument("--leave", type=int, default=512)
    options = of.parse_args()
    is_cuda = options.device == "cuda"
    numbers = torch.zeros(1 << 12, device=options.device)
    # What the first kernels need is there before.
    numbers.add_(1)
    taken, left = [], [0, 0]
    if is_cuda:
        torch.cuda.synchronize()
        while free() - options.leave >= 64:
            taken.append(torch.empty(min(free() - options.leave, 4096) * MIB, dtype=torch.uint8, device="cuda"))
        left[0] = free()
    wait = torch.cuda.synchronize if is_cuda else lambda: None
    for n in range(STEPS):
        step(n, numbers, wait)
    if is_cuda:
        left[1] = free()
    assert float(numbers[0]) == STEPS * ADDS + 1, numbers[0]
    print(json.dumps({"pid": os.getpid(), "adds": STEPS * ADDS + 1, "free": left}), flush=True)


if __name__ == "__main__":
    main()
