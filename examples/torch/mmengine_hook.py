"""Trains with mmengine, whose `ProfilerHook` records some iterations, prints a table, and writes a trace."""
import torch
from mmengine.hooks import ProfilerHook
from mmengine.model import BaseModel
from mmengine.runner import Runner
from proftui import ProfilerActivity, profile, schedule

# The hook takes its profiler from here.
torch.profiler.profile, torch.profiler.ProfilerActivity, torch.profiler.schedule = profile, ProfilerActivity, schedule


class Images(torch.utils.data.Dataset):
    def __len__(self):
        return 80

    def __getitem__(self, at):
        return torch.randn(3, 16, 16), at % 4


class Net(BaseModel):
    def __init__(self):
        super().__init__()
        self.layers = torch.nn.Sequential(
            torch.nn.Conv2d(3, 8, 3), torch.nn.ReLU(), torch.nn.Flatten(), torch.nn.Linear(8 * 14 * 14, 4))

    def forward(self, inputs, labels, mode="tensor"):
        out = self.layers(inputs)
        return {"loss": torch.nn.functional.cross_entropy(out, labels)} if mode == "loss" else out


loader = dict(
    batch_size=4,
    sampler=dict(type="DefaultSampler", shuffle=False),
    dataset=Images(),
    collate_fn=dict(type="default_collate"))
training = Runner(
    model=Net(),
    work_dir="work",
    train_dataloader=loader,
    train_cfg=dict(by_epoch=False, max_iters=20),
    optim_wrapper=dict(optimizer=dict(type="SGD", lr=0.01)),
    log_level="WARNING")
hook = ProfilerHook(
    by_epoch=False,
    profile_times=10,
    activity_with_cpu=True,
    activity_with_cuda=torch.cuda.is_available(),
    schedule=dict(wait=1, warmup=1, active=3, repeat=1),
    on_trace_ready=dict(type="log_trace", sort_by="count", row_limit=20),
    record_shapes=True,
    json_trace_path="mmengine.json")
training.register_custom_hooks([hook])
training.train()
