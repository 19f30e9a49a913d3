"""Measures the cost of a recorded operator: by a capture, and by the framework's own profiler, in one run.

    python3 benches/capture/operators.py BINARY PYTHON [ROUNDS]

PYTHON has torch or paddle; both are measured if it has both. A run has thirty steps of about ten thousand operators each, of which ten
in the middle are recorded. The cost per operator is the additional time of a recorded step divided by its number of events. The pause is
the time between the last recorded step and the next one, less the time between other steps. All times but the pause are processor
times of the one thread; figures are medians of steps, then of rounds.
"""
import os
import statistics
import subprocess
import sys
import tempfile

BINARY, PYTHON = os.path.abspath(sys.argv[1]), sys.argv[2]
ROUNDS = int(sys.argv[3]) if len(sys.argv) > 3 else 5

FRAME = """
import statistics, sys, time
{head}
own, times, walls, gaps, last, events = None, [], [], [], None, 0
def step():
    for _ in range(200):
        once()
for at in range(30):
    if sys.argv[1] == "own" and at == 10:
        own = start()
    if sys.argv[1] == "own" and at == 20:
        events = stop(own)
    now = time.perf_counter()
    if last is not None:
        gaps.append(now - last)
    begun = time.thread_time()
    step()
    times.append(time.thread_time() - begun)
    last = time.perf_counter()
    walls.append(last - now)
inside, outside = statistics.median(times[11:19]), statistics.median(times[2:10] + times[22:])
pause = gaps[19] + walls[19] - statistics.median(gaps) - statistics.median(walls[11:19])
print(inside - outside, pause, events / 10, outside)
"""
HEADS = {
    "torch": """
import torch
from torch.profiler import profile, ProfilerActivity
torch.set_num_threads(1)
net = torch.nn.Sequential(torch.nn.Linear(16, 16), torch.nn.ReLU(), torch.nn.Linear(16, 1))
x = torch.randn(4, 16)
def once():
    net(x).sum().backward()
def start():
    own = profile(activities=[ProfilerActivity.CPU])
    own.start()
    return own
def stop(own):
    # The pause is the time of stopping; counting the events is not timed.
    global last
    begun = time.perf_counter()
    own.stop()
    pause = time.perf_counter() - begun
    events = len(own.profiler.kineto_results.events())
    last = time.perf_counter() - pause
    return events
""",
    "paddle": """
import paddle
from paddle.profiler import Profiler, ProfilerTarget
net = paddle.nn.Sequential(paddle.nn.Linear(16, 16), paddle.nn.ReLU(), paddle.nn.Linear(16, 1))
x = paddle.ones([4, 16])
def once():
    net(x).sum().backward()
def start():
    own = Profiler(targets=[ProfilerTarget.CPU], on_trace_ready=lambda own: None)
    own.start()
    return own
def count(node):
    return 1 + sum(map(count, node.children_node))
def stop(own):
    global last
    begun = time.perf_counter()
    own.stop()
    pause = time.perf_counter() - begun
    events = sum(map(count, own.profiler_result.get_data().values()))
    last = time.perf_counter() - pause
    return events
""",
}


def run(framework, way, folder):
    """Returns the additional time of a recorded step (s), the pause (s), the events per step (0 if unknown), and the time of another step (s)."""
    script = os.path.join(folder, "train.py")
    with open(script, "w") as file:
        file.write(FRAME.format(head=HEADS[framework]))
    command = [PYTHON, script, way]
    if way not in ("bare", "own"):
        # The first step after the recorded ones includes the end of the recording.
        options = ["--quiet", "--ops", way, "--gpu", "off", "--steps", "10:20", "--step-on", "__main__:step"]
        command = [BINARY, "capture", *options, "--"] + command
    env = dict(os.environ, TMPDIR=folder)
    out = subprocess.run(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, check=True)
    return [float(word) for word in out.stdout.split()[-4:]]


def measure(framework):
    found = {}
    for _ in range(ROUNDS):
        for way in ("own", "light", "full", "bare"):
            with tempfile.TemporaryDirectory() as folder:
                found.setdefault(way, []).append(run(framework, way, folder))
    middle = {way: [statistics.median(one) for one in zip(*runs)] for way, runs in found.items()}
    events = middle["own"][2]
    print("%s: %d events a step of %.1f ms" % (framework, events, middle["bare"][3] * 1e3))
    for way, (cost, pause, _, _) in middle.items():
        ratio = cost / middle["own"][0]
        print("  %-6s %6.0f ns an event, %4.2f of its own; pause %5.0f ms" % (way, cost / events * 1e9, ratio, pause * 1e3))


for name in HEADS:
    if subprocess.run([PYTHON, "-c", "import " + name], stderr=subprocess.DEVNULL).returncode:
        print("%s: skipped, not there" % name)
    else:
        measure(name)
