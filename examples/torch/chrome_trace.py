"""Writes a trace for viewers; the model runs on a GPU if there is one."""
import torch
import torchvision.models as models
from proftui import ProfilerActivity, profile

device = "cuda" if torch.cuda.is_available() else "cpu"
model = models.resnet18().to(device)
inputs = torch.randn(5, 3, 224, 224).to(device)
with profile(activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA]) as prof:
    model(inputs)

prof.export_chrome_trace("trace.json")
