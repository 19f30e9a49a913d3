"""Inference on one batch again and again, without a loader or an optimizer: 30 steps."""
import torch

torch.manual_seed(0)
model = torch.nn.Sequential(torch.nn.Linear(16, 32), torch.nn.ReLU(), torch.nn.Linear(32, 4)).eval()
inputs = torch.randn(8, 16)
with torch.no_grad():
    for step in range(30):
        outputs = model(inputs)
print("sum", outputs.sum().item())
