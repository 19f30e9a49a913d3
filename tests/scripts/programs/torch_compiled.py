"""A compiled model, by the backend given as argument: 12 steps."""
import sys

import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
compiled = torch.compile(model, backend=sys.argv[1])
for step in range(12):
    optimizer.zero_grad()
    loss = compiled(torch.randn(8, 16)).pow(2).mean()
    loss.backward()
    optimizer.step()
print("loss", loss.item())
