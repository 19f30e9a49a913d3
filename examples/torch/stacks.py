"""Prints operators by the stack of their calls."""
import torch
import torchvision.models as models
from proftui import ProfilerActivity, profile

model = models.resnet18()
inputs = torch.randn(5, 3, 224, 224)
with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        with_stack=True,
        experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True)) as prof:
    model(inputs)

print(prof.key_averages(group_by_stack_n=5).table(sort_by="self_cpu_time_total", row_limit=2))
