"""A kernel in Triton. Needs a device; the kernel's code must stand in a file."""

import torch
import triton
import triton.language as tl

COUNT, BLOCK = 1 << 20, 1024


@triton.jit
def add_one_in_triton(target, count, block: tl.constexpr):
    at = tl.program_id(0) * block + tl.arange(0, block)
    numbers = tl.load(target + at, mask=at < count)
    tl.store(target + at, numbers + 1, mask=at < count)


def make(device):
    numbers = torch.zeros(COUNT, device=device)
    if device == "cpu":
        # Nothing compiles it there.
        return lambda: numbers.add_(1)
    return lambda: add_one_in_triton[(COUNT // BLOCK,)](numbers, COUNT, block=BLOCK)
