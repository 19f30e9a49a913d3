"""Ten steps, after each of which a forked child runs a forward and ends by `os._exit`: 10 steps."""
import os

import torch

torch.manual_seed(0)
torch.set_num_threads(1)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
inputs = torch.randn(8, 16)
for step in range(10):
    optimizer.zero_grad()
    loss = model(inputs).pow(2).mean()
    loss.backward()
    optimizer.step()
    child = os.fork()
    if not child:
        with torch.no_grad():
            model(inputs)
        os._exit(0)
    os.waitpid(child, 0)
print("loss", loss.item())
