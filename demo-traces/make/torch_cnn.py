"""Makes torch-cnn-cpu.pt.trace.json.gz: a small network trained for a few steps on the CPU, recorded by torch.profiler.

    pip install torch==2.15.0 numpy
    python3 torch_cnn.py [OUTPUT]

The images are random: no data set is fetched. The host's name and the directories in front of Python files
are taken out of the trace.
"""

import gzip
import json
import re
import sys
import tempfile
from pathlib import Path

import torch
from torch import nn
from torch.profiler import ProfilerActivity, profile, record_function, schedule
from torch.utils.data import DataLoader, Dataset

OUTPUT = Path(__file__).parents[1] / "torch-cnn-cpu.pt.trace.json.gz"
BATCH, WAIT, WARMUP, ACTIVE = 16, 1, 1, 4


class Images(Dataset):
    def __getitem__(self, index):
        return torch.randn(3, 32, 32), index % 10

    def __len__(self):
        return BATCH * (WAIT + WARMUP + ACTIVE)


class Block(nn.Module):
    def __init__(self, before, after):
        super().__init__()
        self.body = nn.Sequential(
            nn.Conv2d(before, after, 3, padding=1, bias=False), nn.BatchNorm2d(after), nn.ReLU(),
            nn.Conv2d(after, after, 3, padding=1, bias=False), nn.BatchNorm2d(after))
        self.shortcut = nn.Conv2d(before, after, 1)
        self.pool = nn.MaxPool2d(2)

    def forward(self, images):
        return self.pool(torch.relu(self.body(images) + self.shortcut(images)))


def train(path):
    torch.manual_seed(0)
    torch.set_num_threads(2)
    model = nn.Sequential(Block(3, 16), Block(16, 32), nn.Flatten(), nn.Linear(32 * 8 * 8, 10))
    optimizer = torch.optim.AdamW(model.parameters())
    with profile(
            activities=[ProfilerActivity.CPU],
            schedule=schedule(wait=WAIT, warmup=WARMUP, active=ACTIVE, repeat=1),
            on_trace_ready=lambda recording: recording.export_chrome_trace(path),
            record_shapes=True, with_stack=True, profile_memory=True) as recording:
        for images, labels in DataLoader(Images(), batch_size=BATCH):
            with record_function("normalize"):
                images = (images - images.mean()) / images.std()
            loss = nn.functional.cross_entropy(model(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            with record_function("read the loss"):
                loss.item()
            recording.step()


def scrub(text):
    """Takes out what tells of the machine: the host's name and absolute directories."""
    text = re.sub(r'("host_name": )"[^"]*"', r'\1"host"', text)
    text = re.sub(r'("traceName": )"[^"]*"', r'\1"torch-cnn-cpu.pt.trace.json"', text)
    text = re.sub(r'/[^\s"]*/site-packages/', "site-packages/", text)
    text = re.sub(r'/[^\s"]*/(?=torch_cnn\.py)', "", text)
    return re.sub(r'/[^\s"]*/(?=python3\.\d+/)', "", text)


def main():
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "trace.json"
        train(str(path))
        text = scrub(path.read_text())
    output.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{output.name}: {len(json.loads(text)['traceEvents'])} events, {output.stat().st_size} bytes, PyTorch {torch.__version__}")


if __name__ == "__main__":
    main()
