"""The whole of DeepLink's guide as one script: seven profilers, one after the other, each with options of its own."""
import torch
import torchvision.models as models
from proftui import ProfilerActivity, profile, record_function, schedule

CPU = [ProfilerActivity.CPU]
ALL = [ProfilerActivity.CPU, ProfilerActivity.CUDA]
device = "cuda" if torch.cuda.is_available() else "cpu"
model = models.resnet18().to(device)
inputs = torch.randn(5, 3, 224, 224).to(device)

# Operators by time, then by the shapes of their inputs.
with profile(activities=CPU, record_shapes=True) as prof:
    with record_function("model_inference"):
        model(inputs)
print(prof.key_averages().table(sort_by="cpu_time_total", row_limit=10))
print(prof.key_averages(group_by_input_shape=True).table(sort_by="cpu_time_total", row_limit=10))

# With the GPU, where there is one.
with profile(activities=ALL, record_shapes=True) as prof:
    with record_function("model_inference"):
        model(inputs)
print(prof.key_averages().table(sort_by="cuda_time_total" if device == "cuda" else "cpu_time_total", row_limit=20))

# Memory.
with profile(activities=CPU, profile_memory=True, record_shapes=True) as prof:
    model(inputs)
print(prof.key_averages().table(sort_by="cpu_memory_usage", row_limit=10))

# A trace for viewers.
with profile(activities=ALL) as prof:
    model(inputs)
prof.export_chrome_trace("trace.json")

# Stacks.
with profile(
        activities=ALL,
        with_stack=True,
        experimental_config=torch._C._profiler._ExperimentalConfig(verbose=True)) as prof:
    model(inputs)
print(prof.key_averages(group_by_stack_n=5).table(sort_by="self_cpu_time_total", row_limit=2))


# A long job, of which some steps are recorded.
def trace_handler(p):
    print(p.key_averages().table(sort_by="self_cpu_time_total", row_limit=10))
    p.export_chrome_trace("trace_" + str(p.step_num) + ".json")


with profile(activities=ALL, schedule=schedule(wait=1, warmup=1, active=2), on_trace_ready=trace_handler) as p:
    for idx in range(8):
        model(inputs)
        p.step()
