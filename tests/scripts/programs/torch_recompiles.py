"""Modules that are compiled at the beginning, and one after many steps; prints how often the compiler compiled and which guards failed."""
import torch
from torch import nn
from torch._dynamo.utils import counters, guard_failures


class Net(nn.Module):
    def __init__(self, last):
        super().__init__()
        self.first, self.rest = nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 8), last)

    def forward(self, x):
        return self.rest(self.first(x))


torch.manual_seed(0)
torch.set_num_threads(1)
net, inner, late = Net(nn.ReLU()), Net(nn.ReLU()), Net(nn.Tanh())
compiled = torch.compile(net, backend="eager", fullgraph=True)
optimizer = torch.optim.SGD([*net.parameters(), *inner.parameters(), *late.parameters()], lr=0.01)


@torch.compile(backend="eager")
def loss_of(x):
    return inner(x).square().mean()


@torch.compile(backend="eager")
def late_loss_of(x):
    return late(x).square().mean()


for step in range(70):
    x = torch.randn(4, 8)
    loss = compiled(x).square().mean() + loss_of(x)
    if step >= 25:
        loss = loss + late_loss_of(x)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

print(float(loss), counters["stats"]["unique_graphs"], {code.co_name: len(found) for code, found in guard_failures.items()})
