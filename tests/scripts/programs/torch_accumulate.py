"""Gradients of four batches each are accumulated, over 48 batches: 12 steps."""
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Linear(16, 1)
optimizer = torch.optim.AdamW(model.parameters(), lr=0.01)
criterion = torch.nn.MSELoss()
data = TensorDataset(torch.randn(192, 16), torch.randn(192, 1))
for number, (inputs, targets) in enumerate(DataLoader(data, batch_size=4), 1):
    loss = criterion(model(inputs), targets) / 4
    loss.backward()
    if number % 4 == 0:
        optimizer.step()
        optimizer.zero_grad()
print("loss", loss.item())
