"""Trains a network of one layer: as many steps of a fraction of a millisecond as wanted."""
import torch
from meter import run

torch.set_num_threads(1)
net = torch.nn.Linear(4, 1)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01)
inputs = torch.ones(2, 4)


def step():
    net(inputs).sum().backward()
    optimizer.step()


run(step)
