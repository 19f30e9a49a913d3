"""Records the host alone, then the GPU too, then the host with shapes: each profiler has what it asks for."""
import torch
import torchvision.models as models
from proftui import ProfilerActivity, profile

device = "cuda" if torch.cuda.is_available() else "cpu"
model = models.resnet18().to(device)
inputs = torch.randn(5, 3, 224, 224).to(device)
for activities, record_shapes in (
        ([ProfilerActivity.CPU], False),
        ([ProfilerActivity.CPU, ProfilerActivity.CUDA], False),
        ([ProfilerActivity.CPU], True)):
    with profile(activities=activities, record_shapes=record_shapes) as prof:
        model(inputs)
    rows = prof.key_averages(group_by_input_shape=record_shapes)
    print(rows.table(sort_by="cpu_time_total", row_limit=20))
    print(rows.total_average().key, len([event for event in prof.events() if event.name == "aten::conv2d"]))
