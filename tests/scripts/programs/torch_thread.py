"""Trains on a thread beside the main one, which makes the model: 3 epochs of 8 batches, each followed by 4 batches of validation."""
import threading

import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.1)
train, held_out = (TensorDataset(torch.randn(4 * count, 16), torch.randn(4 * count, 1)) for count in (8, 4))


def fit():
    for epoch in range(3):
        model.train()
        for inputs, targets in DataLoader(train, 4):
            optimizer.zero_grad()
            loss = torch.nn.functional.mse_loss(model(inputs), targets)
            loss.backward()
            optimizer.step()
        model.eval()
        with torch.no_grad():
            losses = [torch.nn.functional.mse_loss(model(inputs), targets).item() for inputs, targets in DataLoader(held_out, 4)]
        print("epoch", epoch, "loss", sum(losses))


thread = threading.Thread(target=fit, name="fit")
thread.start()
thread.join()
