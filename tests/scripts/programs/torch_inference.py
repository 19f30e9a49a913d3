"""Inference over the 40 batches of a loader, without an optimizer: 40 steps."""
import torch
from torch.utils.data import DataLoader, TensorDataset

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)).eval()
correct = 0
with torch.inference_mode():
    for inputs, targets in DataLoader(TensorDataset(torch.randn(320, 16), torch.randint(4, (320,))), batch_size=8):
        correct += (model(inputs).argmax(1) == targets).sum().item()
print("correct", correct)
