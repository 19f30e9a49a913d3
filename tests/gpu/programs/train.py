"""Trains, and says what it did: the program of most points.

    python3 train.py --model resnet,transformer,small,large [--device cpu] [--steps N] [--profile A:B --trace FILE] ...

The models are trained one after the other. Each step ends with the device idle, so that its work lies within it. The last
line printed is JSON: the process, its threads, the steps of each model and their median, memory over time, the last loss.
"""

import argparse
import json
import os
import statistics
import threading
import time

import torch
from torch.profiler import ProfilerActivity, profile, record_function, schedule

import nets


def words():
    of = argparse.ArgumentParser()
    of.add_argument("--model", default="resnet")
    of.add_argument("--device", default="cuda")
    of.add_argument("--steps", type=int, default=12, help="of each model")
    of.add_argument("--profile", metavar="A:B", help="record the steps from A up to B with torch.profiler; all: all of them")
    of.add_argument("--activities", default="cpu,cuda")
    of.add_argument("--trace", metavar="FILE", help="where torch.profiler's trace goes")
    of.add_argument("--sleep", type=float, default=0, help="seconds, after each step")
    return of.parse_args()


OPTIONS = words()
THREADS = set()


def wait():
    if OPTIONS.device == "cuda":
        torch.cuda.synchronize()


def memory():
    """Of the process, and free on the device: bytes."""
    with open("/proc/self/statm") as file:
        own = int(file.read().split()[1]) * os.sysconf("SC_PAGE_SIZE")
    return [own, torch.cuda.mem_get_info()[0] if OPTIONS.device == "cuda" else 0]


def step(n, net, optimizer, batch):
    with record_function("to the device"):
        batch = [part.to(OPTIONS.device, non_blocking=True) for part in batch]
    optimizer.zero_grad()
    loss = net(batch)
    loss.register_hook(lambda gradient: THREADS.add(threading.get_native_id()))
    loss.backward()
    optimizer.step()
    with record_function("read the loss"):
        value = loss.item()
    wait()
    return value


def recorder():
    """torch.profiler as asked for, or nothing."""
    if not OPTIONS.profile:
        return None
    activities = [ProfilerActivity.CPU if name == "cpu" else ProfilerActivity.CUDA for name in OPTIONS.activities.split(",")]
    if OPTIONS.device == "cpu":
        activities = [ProfilerActivity.CPU]
    if OPTIONS.profile == "all":
        return profile(activities=activities)
    start, end = map(int, OPTIONS.profile.split(":"))
    save = (lambda done: done.export_chrome_trace(OPTIONS.trace)) if OPTIONS.trace else None
    return profile(activities=activities, on_trace_ready=save,
                   schedule=schedule(wait=start - 1, warmup=1, active=end - start, repeat=1))


def train(name):
    torch.manual_seed(0)
    net = nets.make(name, OPTIONS.device).to(OPTIONS.device)
    optimizer = torch.optim.AdamW(net.parameters(), 1e-4) if name in ("resnet", "transformer") else torch.optim.SGD(net.parameters(), 1e-3)
    batch = net.batch(OPTIONS.device)
    if OPTIONS.device == "cuda":
        batch = [part.pin_memory() for part in batch]
    times, losses, sizes, recording = [], [], [], recorder()
    if recording:
        recording.start()
    for n in range(OPTIONS.steps):
        start = time.perf_counter()
        losses.append(step(n, net, optimizer, batch))
        times.append(time.perf_counter() - start)
        time.sleep(OPTIONS.sleep)
        if recording and OPTIONS.profile != "all":
            recording.step()
        if n % 10 == 0:
            sizes.append(memory())
    if recording:
        recording.stop()
    median = statistics.median(times[len(times) // 5:])
    return {"median": median, "loss": losses[-1], "memory": sizes, "times": [round(time, 7) for time in times]}


def main():
    # The same kernels in every run.
    torch.backends.cudnn.deterministic = True
    torch.set_float32_matmul_precision("high")
    if OPTIONS.device == "cpu":
        torch.set_num_threads(1)
    done = {name: train(name) for name in OPTIONS.model.split(",")}
    reported = {"pid": os.getpid(), "main": threading.get_native_id(), "autograd": sorted(THREADS),
            "threads": sorted(map(int, os.listdir("/proc/self/task"))), "steps": OPTIONS.steps, "models": done}
    print(json.dumps(reported), flush=True)


if __name__ == "__main__":
    main()
