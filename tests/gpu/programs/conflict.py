"""A script with a profiler of its own, beside which it is captured.

    python3 conflict.py torch|after|proton [--device cpu]

Prints JSON: how many kernels its own profiler saw. `after`: that of PyTorch, after one of the host alone.
"""

import argparse
import json
import os

import torch

STEPS, KERNELS = 8, 10


def step(n, numbers, wait):
    for _ in range(KERNELS):
        numbers.add_(1)
    wait()


def by_torch(device, train):
    from torch.profiler import ProfilerActivity, profile

    activities = [ProfilerActivity.CPU] + [ProfilerActivity.CUDA] * (device == "cuda")
    with profile(activities=activities) as recording:
        train()
    kinds = [str(event.device_type) for event in recording.events()]
    return sum("CUDA" in kind for kind in kinds), len(kinds)


def after_one_of_the_host(device, train):
    from torch.profiler import ProfilerActivity, profile

    with profile(activities=[ProfilerActivity.CPU]):
        pass
    return by_torch(device, train)


def by_proton(device, train):
    from triton import profiler

    profiler.start("proton")
    train()
    profiler.finalize()
    with open("proton.hatchet") as file:
        found = json.load(file)
    counts, rest = 0, [found] if isinstance(found, dict) else list(found)
    while rest:
        node = rest.pop()
        counts += int(node.get("metrics", {}).get("count", 0)) if not node.get("children") else 0
        rest.extend(node.get("children", []))
    return counts, counts


def main():
    of = argparse.ArgumentParser()
    of.add_argument("tool", choices=["torch", "after", "proton"])
    of.add_argument("--device", default="cuda")
    options = of.parse_args()
    numbers = torch.zeros(1 << 16, device=options.device)
    wait = torch.cuda.synchronize if options.device == "cuda" else lambda: None

    def train():
        for n in range(STEPS):
            step(n, numbers, wait)

    train()
    kernels, events = {"torch": by_torch, "after": after_one_of_the_host, "proton": by_proton}[options.tool](options.device, train)
    reported = {"pid": os.getpid(), "kernels": kernels, "events": events, "launched": STEPS * KERNELS}
    print(json.dumps(reported), flush=True)


if __name__ == "__main__":
    main()
