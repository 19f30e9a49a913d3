"""Writes demo-traces/memory-snapshot.pickle.gz: a synthetic memory snapshot in the form of torch.cuda.memory._dump_snapshot.

A training run of a small model: parameters from before the history, four steps with activations that the backward pass
frees, the optimizer's state in the first step, losses that a list keeps, and an allocation that fails at the end. It uses
no clock and no random numbers, so the file is the same each time.
"""

import gzip
import pickle
from pathlib import Path

MIB = 1 << 20
START = 1_700_000_000_000_000
OUT = Path(__file__).parents[2] / "demo-traces/memory-snapshot.pickle.gz"


def frames(*lines):
    return [{"name": name, "filename": file, "line": line} for file, line, name in lines]


MAIN = ("/home/me/train.py", 61, "<module>")
STEP = ("/home/me/train.py", 44, "train_step")
BUILD = frames(("/opt/venv/lib/python3.11/site-packages/torch/nn/modules/module.py", 1160, "to"), ("/home/me/model.py", 17, "build"), MAIN)
OPTIMIZER = frames(("/opt/venv/lib/python3.11/site-packages/torch/optim/adamw.py", 98, "_init_group"), ("/home/me/train.py", 47, "train_step"), MAIN)
LOSS = frames(("/home/me/train.py", 52, "log_loss"), STEP, MAIN)
BATCH = frames(("/home/me/train.py", 40, "train_step"), MAIN)


def layer(number):
    return frames(
        ("/opt/venv/lib/python3.11/site-packages/torch/nn/functional.py", 2293, "linear"),
        ("/home/me/model.py", 28 + 3 * (number % 3), "forward"),
        STEP,
        MAIN,
    )


class Allocator:
    """An allocator that maps a segment for each block and never gives one back."""

    def __init__(self):
        self.now, self.next = START, 0x7F0000000000
        self.events, self.segments, self.free = [], [], {}

    def event(self, action, size, stack, **more):
        self.now += 37
        self.events.append(
            {"action": action, **more, "size": size, "stream": 0, "time_us": self.now, "compile_context": "N/A", "user_metadata": "", "frames": stack}
        )

    def segment(self, size, stack, recorded=True):
        address, self.next = self.next, self.next + size
        block = {"address": address, "size": size, "requested_size": size, "state": "inactive", "frames": []}
        self.segments.append(
            {"device": 0, "address": address, "total_size": size, "allocated_size": 0, "active_size": 0, "requested_size": 0, "stream": 0,
             "segment_type": "large", "segment_pool_id": (0, 0), "is_expandable": False, "frames": stack, "blocks": [block]}
        )  # fmt: skip
        if recorded:
            self.event("segment_alloc", size, stack, addr=address)
        return block

    def take(self, size, stack, recorded=True):
        """A block of the size, which is rounded up to 512 bytes."""
        rounded = -(-size // 512) * 512
        free = self.free.setdefault(rounded, [])
        block = free.pop() if free else self.segment(rounded, stack, recorded)
        block.update(requested_size=size, state="active_allocated", frames=stack)
        if recorded:
            self.event("alloc", size, stack, addr=block["address"])
        return block

    def give(self, block, stack):
        self.event("free_requested", block["requested_size"], stack, addr=block["address"])
        self.event("free_completed", block["requested_size"], [], addr=block["address"])
        block.update(state="inactive", requested_size=0, frames=[])
        self.free[block["size"]].append(block)


def run():
    allocator = Allocator()
    for number in range(6):
        allocator.take((8 + 4 * number) * MIB - 100, BUILD, recorded=False)
    losses = []
    for step in range(4):
        batch = allocator.take(24 * MIB, BATCH)
        activations = [allocator.take((48 - 6 * number) * MIB, layer(number)) for number in range(6)]
        losses.append(allocator.take(6 * MIB, LOSS))
        for number, activation in reversed(list(enumerate(activations))):
            gradient = allocator.take((8 + 4 * number) * MIB, layer(number))
            allocator.give(activation, layer(number))
            allocator.give(gradient, layer(number))
        if step == 0:
            for number in range(12):
                allocator.take((8 + 4 * (number // 2)) * MIB, OPTIMIZER)
        allocator.give(batch, BATCH)
        allocator.now += 11_000
    allocator.event("oom", 4096 * MIB, BATCH, device_free=1210 * MIB)
    allocator.event("snapshot", 0, [], addr=0)
    for segment in allocator.segments:
        used = [block for block in segment["blocks"] if block["state"] == "active_allocated"]
        segment["allocated_size"] = segment["active_size"] = sum(block["size"] for block in used)
        segment["requested_size"] = sum(block["requested_size"] for block in used)
    return {
        "segments": allocator.segments,
        "device_traces": [allocator.events],
        "allocator_settings": {"PYTORCH_CUDA_ALLOC_CONF": "", "max_split_size": -1, "expandable_segments": False},
        "external_annotations": [],
    }


if __name__ == "__main__":
    OUT.write_bytes(gzip.compress(pickle.dumps(run(), protocol=4), 9, mtime=0))
