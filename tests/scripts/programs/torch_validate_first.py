"""A validation of six batches before the first of two epochs of eight batches: 16 steps."""
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Dropout(0.1), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
training = DataLoader(TensorDataset(torch.randn(64, 16), torch.randn(64, 1)), batch_size=8)
validation = DataLoader(TensorDataset(torch.randn(48, 16), torch.randn(48, 1)), batch_size=8)
model.eval()
with torch.inference_mode():
    total = sum(torch.nn.functional.mse_loss(model(inputs), targets) for inputs, targets in validation)
print("validation loss", total.item())
model.train()
for epoch in range(2):
    for inputs, targets in training:
        optimizer.zero_grad()
        loss = torch.nn.functional.mse_loss(model(inputs), targets)
        loss.backward()
        optimizer.step()
print("loss", loss.item())
