"""Trains a small encoder of a transformer, with a data loader and AdamW: some 4,000 operators a step."""
import itertools

import torch
from meter import run
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.TransformerEncoder(nn.TransformerEncoderLayer(32, 4, 64, batch_first=True), 4)
optimizer = torch.optim.AdamW(net.parameters())
loader = DataLoader(TensorDataset(torch.randn(64, 12, 32)), batch_size=8)
batches = itertools.chain.from_iterable(iter(lambda: loader, None))


def step():
    (tokens,) = next(batches)
    optimizer.zero_grad()
    net(tokens).square().mean().backward()
    optimizer.step()


run(step)
