"""Looks closely at one step of a job in which another profiler records later steps."""
import torch
import torchvision.models as models
from proftui import ProfilerActivity, profile, schedule

CPU = [ProfilerActivity.CPU]
model = models.resnet18()
inputs = torch.randn(2, 3, 224, 224)


def show(p):
    print(p.key_averages().table(sort_by="count", row_limit=20))


with profile(activities=CPU, schedule=schedule(wait=3, warmup=1, active=2, repeat=1), on_trace_ready=show) as p:
    for step in range(8):
        if step == 1:
            # The outer profiler does not record this step.
            with profile(activities=CPU, record_shapes=True) as closer:
                model(inputs)
            print(closer.key_averages(group_by_input_shape=True).table(sort_by="count", row_limit=20))
        else:
            model(inputs)
        p.step()
