"""Reinforcement learning: five rounds of 20 decisions without gradients, each followed by four steps of the optimizer: 20 steps."""
import torch

torch.manual_seed(0)
policy = torch.nn.Sequential(torch.nn.Linear(4, 16), torch.nn.Tanh(), torch.nn.Linear(16, 4))
optimizer = torch.optim.Adam(policy.parameters(), lr=0.01)
for iteration in range(5):
    seen = [torch.randn(1, 4)]
    with torch.no_grad():
        for decision in range(20):
            seen.append(seen[-1] + 0.1 * policy(seen[-1]))
    states = torch.cat(seen)
    for epoch in range(4):
        optimizer.zero_grad()
        loss = policy(states).pow(2).mean()
        loss.backward()
        optimizer.step()
print("loss", loss.item())
