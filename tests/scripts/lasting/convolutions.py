"""Trains a small network of convolutions: some 450 operators a step."""
import torch
from meter import run
from torch import nn

torch.manual_seed(0)
torch.set_num_threads(1)
net = nn.Sequential(*[layer for _ in range(4) for layer in (nn.LazyConv2d(16, 3, padding=1), nn.LazyBatchNorm2d(), nn.ReLU())])
net = nn.Sequential(net, nn.AdaptiveAvgPool2d(1), nn.Flatten(), nn.Linear(16, 10))
images, labels = torch.randn(8, 3, 16, 16), torch.randint(0, 10, (8,))
net(images)
optimizer = torch.optim.SGD(net.parameters(), lr=0.01, momentum=0.9)


def step():
    optimizer.zero_grad()
    nn.functional.cross_entropy(net(images), labels).backward()
    optimizer.step()


run(step)
