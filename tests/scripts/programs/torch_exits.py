"""Calls `sys.exit(3)` after the tenth iteration, within the loop: 10 steps, status 3."""
import sys

import torch

torch.manual_seed(0)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
for step in range(20):
    optimizer.zero_grad()
    loss = model(torch.randn(8, 16)).pow(2).mean()
    loss.backward()
    optimizer.step()
    if step == 9:
        print("loss", loss.item())
        sys.exit(3)
