"""Training as people write it, of which the demo traces are made: a loader with workers, pinned memory, AdamW, a range of its own.

    python3 ordinary.py resnet|transformer [--device cpu] [--steps N]

The data is random: no data set is involved.
"""

import argparse

import torch
from torch.profiler import record_function
from torch.utils.data import DataLoader, Dataset

import nets


class Random(Dataset):
    """The parts of one batch, over and over, each time with other numbers."""

    def __init__(self, batch, steps):
        self.batch, self.steps = batch, steps

    def __getitem__(self, index):
        part = [whole[index % len(whole)] for whole in self.batch]
        return [one + torch.randn_like(one) if one.is_floating_point() else one for one in part]

    def __len__(self):
        return len(self.batch[0]) * self.steps


def main():
    of = argparse.ArgumentParser()
    of.add_argument("model", choices=["resnet", "transformer"])
    of.add_argument("--device", default="cuda")
    of.add_argument("--steps", type=int, default=16)
    options = of.parse_args()
    torch.manual_seed(0)
    net = nets.make(options.model, options.device).to(options.device)
    optimizer = torch.optim.AdamW(net.parameters(), 1e-4)
    batch = net.batch(options.device)
    is_cuda = options.device == "cuda"
    loader = DataLoader(Random(batch, options.steps), batch_size=len(batch[0]), num_workers=2, pin_memory=is_cuda)
    for n, parts in enumerate(loader):
        with record_function("to the device"):
            parts = [part.to(options.device, non_blocking=True) for part in parts]
        loss = net(parts)
        optimizer.zero_grad()
        loss.backward()
        optimizer.step()
        if n % 2 == 0:
            with record_function("report"):
                print("step %d, loss %.4f" % (n, loss.item()), flush=True)


if __name__ == "__main__":
    main()
