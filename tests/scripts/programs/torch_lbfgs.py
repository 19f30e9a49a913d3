"""LBFGS, which calls the closure four times per step: 6 steps."""
import torch

torch.manual_seed(0)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.LBFGS(model.parameters(), lr=0.1, max_iter=4, tolerance_grad=0, tolerance_change=0)
inputs, targets = torch.randn(64, 16), torch.randn(64, 1)


def closure():
    optimizer.zero_grad()
    loss = torch.nn.functional.mse_loss(model(inputs), targets)
    loss.backward()
    return loss


for step in range(6):
    loss = optimizer.step(closure)
print("loss", loss.item())
