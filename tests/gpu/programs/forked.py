"""Steps whose data come from worker processes, which are forked when CUDA is in use.

    python3 forked.py [--device cpu]

Prints JSON: how many additions were launched.
"""

import argparse
import json
import os

import torch
from torch.utils.data import DataLoader, Dataset

STEPS, ADDS, WORKERS = 12, 10, 2


class Numbers(Dataset):
    def __len__(self):
        return STEPS

    def __getitem__(self, index):
        return torch.full((1 << 12,), float(index)) + os.getpid() * 0


def step(n, numbers, batch):
    numbers.copy_(batch[0])
    for _ in range(ADDS):
        numbers.add_(1)
    return float(numbers[0])


def main():
    of = argparse.ArgumentParser()
    of.add_argument("--device", default="cuda")
    options = of.parse_args()
    numbers = torch.zeros(1 << 12, device=options.device)
    last = 0
    for n, batch in enumerate(DataLoader(Numbers(), num_workers=WORKERS, multiprocessing_context="fork")):
        last = step(n, numbers, batch)
    assert last == STEPS - 1 + ADDS, last
    print(json.dumps({"pid": os.getpid(), "adds": STEPS * ADDS, "workers": WORKERS}), flush=True)


if __name__ == "__main__":
    main()
