"""Makes paddle-lenet-cpu.paddle_trace.json.gz: LeNet trained for a few steps on the CPU, recorded by paddle.profiler.

    pip install paddlepaddle==3.3.1
    python3 paddle_lenet.py [OUTPUT]

The images are random: no data set is fetched. The worker's name is given, for Paddle would put the host's there.
"""

import gzip
import json
import sys
import tempfile
from pathlib import Path

import numpy as np
import paddle
from paddle import nn, profiler
from paddle.io import DataLoader, Dataset

OUTPUT = Path(__file__).parents[1] / "paddle-lenet-cpu.paddle_trace.json.gz"
BATCH, CLOSED, READY, RECORD = 32, 1, 1, 4


class Digits(Dataset):
    def __getitem__(self, index):
        random = np.random.default_rng(index)
        return random.standard_normal((1, 28, 28)).astype("float32"), index % 10

    def __len__(self):
        return BATCH * (CLOSED + READY + RECORD)


class LeNet(nn.Layer):
    def __init__(self):
        super().__init__()
        self.features = nn.Sequential(
            nn.Conv2D(1, 6, 3, padding=1), nn.ReLU(), nn.MaxPool2D(2, 2),
            nn.Conv2D(6, 16, 5), nn.ReLU(), nn.MaxPool2D(2, 2))
        self.classifier = nn.Sequential(nn.Linear(400, 120), nn.Linear(120, 84), nn.Linear(84, 10))

    def forward(self, images):
        return self.classifier(paddle.flatten(self.features(images), 1))


def train(folder):
    """Trains and returns the one trace that the schedule makes."""
    paddle.seed(0)
    model, loss_of = LeNet(), nn.CrossEntropyLoss()
    optimizer = paddle.optimizer.Adam(1e-3, parameters=model.parameters())
    with profiler.Profiler(
            targets=[profiler.ProfilerTarget.CPU],
            scheduler=profiler.make_scheduler(closed=CLOSED, ready=READY, record=RECORD, repeat=1),
            on_trace_ready=profiler.export_chrome_tracing(folder, "lenet"),
            record_shapes=True, profile_memory=True) as recording:
        for images, labels in DataLoader(Digits(), batch_size=BATCH):
            with profiler.RecordEvent("normalize"):
                images = (images - images.mean()) / images.std()
            with profiler.RecordEvent("forward pass"):
                loss = loss_of(model(images), labels)
            loss.backward()
            optimizer.step()
            optimizer.clear_grad()
            with profiler.RecordEvent("read the loss"):
                loss.item()
            recording.step(num_samples=BATCH)
    return next(Path(folder).glob("*.paddle_trace.json"))


def main():
    output = Path(sys.argv[1]) if len(sys.argv) > 1 else OUTPUT
    with tempfile.TemporaryDirectory() as folder:
        text = train(folder).read_text()
    output.write_bytes(gzip.compress(text.encode(), 9, mtime=0))
    print(f"{output.name}: {len(json.loads(text)['traceEvents']) - 1} events, {output.stat().st_size} bytes, Paddle {paddle.__version__}")


if __name__ == "__main__":
    main()
