"""Prints an inference's operators by time: one row per operator, then one per operator and shapes of its inputs."""
import torch
import torchvision.models as models
from proftui import ProfilerActivity, profile, record_function

model = models.resnet18()
inputs = torch.randn(5, 3, 224, 224)

with profile(activities=[ProfilerActivity.CPU], record_shapes=True) as prof:
    with record_function("model_inference"):
        model(inputs)

print(prof.key_averages().table(sort_by="cpu_time_total", row_limit=10))
print(prof.key_averages(group_by_input_shape=True).table(sort_by="cpu_time_total", row_limit=10))
