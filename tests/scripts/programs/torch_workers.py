"""Two epochs of ten batches from a DataLoader with two worker processes: 20 steps."""
import torch
from torch.utils.data import DataLoader, Dataset


class Numbers(Dataset):
    def __len__(self):
        return 80

    def __getitem__(self, index):
        return torch.full((16,), index / 80), torch.tensor([index / 80])


if __name__ == "__main__":
    torch.manual_seed(0)
    model = torch.nn.Linear(16, 1)
    optimizer = torch.optim.SGD(model.parameters(), lr=0.01)
    loader = DataLoader(Numbers(), batch_size=8, shuffle=True, num_workers=2)
    for epoch in range(2):
        for inputs, targets in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(inputs), targets)
            loss.backward()
            optimizer.step()
    print("loss", loss.item())
