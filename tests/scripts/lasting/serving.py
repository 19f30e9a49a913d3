"""Answers requests in a pool of two threads, with a model of many small layers, without gradients."""
from concurrent.futures import ThreadPoolExecutor

import torch
from meter import run
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(*[layer for _ in range(20) for layer in (nn.Linear(32, 32), nn.GELU())]).eval()
pool = ThreadPoolExecutor(2)
inputs = torch.randn(4, 32)


def answer(part):
    with torch.inference_mode():
        return net(part).sum().item()


def step():
    # The requests are in other threads; a batch of them is a step.
    list(pool.map(answer, [inputs, inputs]))


run(step)
