"""Work of other kinds, each in steps of its own program.

    python3 kinds.py compile|triton|streams|pool|copies [--device cpu] [--steps N]

compile: a function by torch.compile. triton: a kernel written in Triton. streams: one of high and one of low priority.
pool: memory from cudaMallocAsync, if PYTORCH_CUDA_ALLOC_CONF says so (torch looks at it before this runs). copies: pinned and
pageable memory, to the device and back, and on it.
"""

import argparse
import json
import os

import torch

BYTES = 4 << 20


def compiled(device):
    numbers = torch.randn(256, 256, device=device)
    run = torch.compile(lambda x: torch.relu(x * 2 + 1).sum(1).sin())
    return lambda: run(numbers)


def triton(device):
    import triton_kernel

    return triton_kernel.make(device)


def streams(device):
    numbers = [torch.zeros(1 << 20, device=device) for _ in range(2)]
    if device == "cpu":
        return lambda: [part.add_(1) for part in numbers]
    lowest, highest = torch.cuda.Stream.priority_range()
    of = [torch.cuda.Stream(priority=priority) for priority in (lowest, highest)]
    torch.cuda.synchronize()

    def both():
        for stream, part in zip(of, numbers):
            with torch.cuda.stream(stream), torch.profiler.record_function("on a stream of priority %d" % stream.priority):
                part.add_(1)

    return both


def pool(device):
    def take():
        for size in range(1, 9):
            torch.empty(size << 20, device=device).fill_(1)

    return take


def copies(device):
    plain = torch.zeros(BYTES, dtype=torch.uint8)
    pinned = plain.pin_memory() if device == "cuda" else plain.clone()
    there, other = torch.zeros_like(plain, device=device), torch.zeros_like(plain, device=device)

    def copy():
        there.copy_(plain)
        there.copy_(pinned, non_blocking=True)
        plain.copy_(there)
        pinned.copy_(there, non_blocking=True)
        other.copy_(there)

    return copy


KINDS = {"compile": compiled, "triton": triton, "streams": streams, "pool": pool, "copies": copies}


def step(n, work, wait):
    work()
    wait()


def main():
    of = argparse.ArgumentParser()
    of.add_argument("kind", choices=KINDS)
    of.add_argument("--device", default="cuda")
    of.add_argument("--steps", type=int, default=8)
    options = of.parse_args()
    work = KINDS[options.kind](options.device)
    wait = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    for n in range(options.steps):
        step(n, work, wait)
    backend = torch.cuda.get_allocator_backend() if options.device == "cuda" else "none"
    print(json.dumps({"pid": os.getpid(), "steps": options.steps, "bytes": BYTES, "allocator": backend}), flush=True)


if __name__ == "__main__":
    main()
