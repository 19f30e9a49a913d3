"""Gradients of 24 batches each are accumulated, over 72 batches: 3 steps."""
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
data = TensorDataset(torch.randn(288, 16), torch.randn(288, 1))
for number, (inputs, targets) in enumerate(DataLoader(data, batch_size=4), 1):
    loss = torch.nn.functional.mse_loss(model(inputs), targets) / 24
    loss.backward()
    if number % 24 == 0:
        optimizer.step()
        optimizer.zero_grad()
print("loss", loss.item())
