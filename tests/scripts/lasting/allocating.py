"""Trains a recurrent network on sequences of changing length: many small operators, and blocks of memory of many sizes."""
import torch
from meter import run
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net, head = nn.GRUCell(16, 32), nn.Linear(32, 1)
optimizer = torch.optim.Adam([*net.parameters(), *head.parameters()])
lengths = torch.randint(8, 40, (997,)).tolist()


def step():
    lengths.append(lengths.pop(0))
    state, inputs = torch.zeros(8, 32), torch.randn(lengths[0], 8, 16)
    for part in inputs:
        state = net(part, state)
    optimizer.zero_grad()
    head(state).square().mean().backward()
    optimizer.step()


run(step)
