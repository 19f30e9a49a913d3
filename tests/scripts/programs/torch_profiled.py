"""Profiles itself by torch.profiler, whose `step` ends each of 12 iterations: 12 steps."""
import torch
from torch.profiler import ProfilerActivity, profile

torch.manual_seed(0)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
with profile(activities=[ProfilerActivity.CPU]) as profiler:
    for step in range(12):
        optimizer.zero_grad()
        loss = model(torch.randn(8, 16)).pow(2).mean()
        loss.backward()
        optimizer.step()
        profiler.step()
print("loss", loss.item())
for row in sorted(profiler.key_averages(), key=lambda row: row.key):
    print(row.key, row.count)
