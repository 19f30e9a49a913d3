"""Three epochs of eight batches, each followed by a validation of four batches: 24 steps."""
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.Dropout(0.1), torch.nn.Linear(32, 1))
criterion = torch.nn.MSELoss()
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
training = DataLoader(TensorDataset(torch.randn(64, 16), torch.randn(64, 1)), batch_size=8)
validation = DataLoader(TensorDataset(torch.randn(32, 16), torch.randn(32, 1)), batch_size=8)
for epoch in range(3):
    model.train()
    for inputs, targets in training:
        optimizer.zero_grad()
        criterion(model(inputs), targets).backward()
        optimizer.step()
    model.eval()
    with torch.no_grad():
        total = sum(criterion(model(inputs), targets) for inputs, targets in validation)
    print("epoch", epoch, "validation loss", total.item())
