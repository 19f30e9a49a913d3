"""Records two steps now and then in a job of many steps, with a table and a trace each time."""
import torch
import torchvision.models as models
from proftui import ProfilerActivity, profile, schedule

model = models.resnet18()
inputs = torch.randn(5, 3, 224, 224)


def trace_handler(p):
    output = p.key_averages().table(sort_by="self_cpu_time_total", row_limit=10)
    print(output)
    p.export_chrome_trace("trace_" + str(p.step_num) + ".json")


with profile(
        activities=[ProfilerActivity.CPU, ProfilerActivity.CUDA],
        schedule=schedule(wait=1, warmup=1, active=2),
        on_trace_ready=trace_handler) as p:
    for idx in range(8):
        model(inputs)
        p.step()
