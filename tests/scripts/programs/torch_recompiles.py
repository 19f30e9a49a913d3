"""Functions that are compiled after many steps, one of them in a step that a capture records; prints whether the compiler then
found PyTorch's own call of modules, and which guards failed later."""
import torch
from torch import nn


class Net(nn.Module):
    def __init__(self, last):
        super().__init__()
        self.first, self.rest = nn.Linear(8, 8), nn.Sequential(nn.Linear(8, 8), last)

    def forward(self, x):
        return self.rest(self.first(x))


torch.manual_seed(0)
torch.set_num_threads(1)
net, early, late = Net(nn.ReLU()), Net(nn.ReLU()), Net(nn.Tanh())
optimizer = torch.optim.SGD([*net.parameters(), *early.parameters(), *late.parameters()], lr=0.01)


def early_loss(x):
    return early(x).square().mean()


def late_loss(x):
    return late(x).square().mean()


def compiled(function):
    from torch._dynamo.variables import nn_module

    print(nn.Module.__call__ is nn_module.unpatched_nn_module_call)
    return torch.compile(function, backend="eager")


for step in range(70):
    if step == 25:
        early_loss = compiled(early_loss)
    if step == 46:
        late_loss = compiled(late_loss)
    x = torch.randn(4, 8)
    loss = net(x).square().mean()
    if step >= 25:
        loss = loss + early_loss(x)
    if step >= 46:
        loss = loss + late_loss(x)
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()

from torch._dynamo.utils import counters, guard_failures  # noqa: E402

print(loss.item(), counters["stats"]["unique_graphs"], {code.co_name: len(found) for code, found in guard_failures.items()})
