"""Measures what a capture costs a training loop: bare, in each kind of capture and under other profilers, interleaved in one run.

    python3 benches/capture/cost.py BINARY PYTHON [--rounds 9] [--ways bare,closed,...]

PYTHON has torch; VizTracer and py-spy are measured if they are installed beside it. Each run is a process of its own, which has a loop for
each length of a step: with a data loader, one thread of PyTorch, on the CPU; 18 steps to warm up, then the timed ones, which the script
itself times: wall time, and processor time of its process; then four in which it counts the calls of functions of Python and C. The processor time of the whole run is that of all processes, from
the start of Python to the written file. A ratio is to the bare run of the same round. Figures are medians of the rounds, with the least and
the greatest. torch.profiler and VizTracer are started and stopped around the timed steps. Prints tables in Markdown.

The C library keeps freed memory in all runs. Otherwise it gives large blocks back and takes them anew in each step, until the program frees
a block that is larger still, as torch.profiler does: then steps take a third less time. Between two loops the script waits for a second, so
that what `--ops full` writes once a second falls into the steps that warm up.
"""

import argparse
import datetime
import json
import os
import platform
import statistics
import subprocess
import sys
import tempfile

# Has the C library keep freed memory.
KEEPING = {"MALLOC_MMAP_THRESHOLD_": str(1 << 32), "MALLOC_TRIM_THRESHOLD_": str(1 << 36)}
# The length of a step (about, ms); layers, width and batch of the network, and timed steps.
LOOPS = {"0.6": (9, 16, 8, 600), "6": (4, 640, 16, 60), "60": (3, 2048, 32, 6)}
SCRIPT = """
import gc, json, sys, time
import torch
from torch import nn
from torch.utils.data import DataLoader, TensorDataset

WARM_UP, COUNTED = 18, 4
way, loops = sys.argv[1], json.loads(sys.argv[2])
torch.set_num_threads(1)
clocks = time.perf_counter, time.process_time

def begin(name):
    if way == "torch.profiler":
        profile = torch.profiler.profile(activities=[torch.profiler.ProfilerActivity.CPU])
        profile.start()
        return lambda: (profile.stop(), profile.export_chrome_trace(name + ".torch.json"))
    if way == "viztracer":
        from viztracer import VizTracer
        tracer = VizTracer(output_file=name + ".viztracer.json", verbose=0)
        tracer.start()
        return lambda: (tracer.stop(), tracer.save())
    return lambda: None

def measure(name, layers, width, batch, steps):
    torch.manual_seed(0)
    net = nn.Sequential(*[layer for _ in range(layers) for layer in (nn.Linear(width, width), nn.ReLU())])
    optimizer = torch.optim.SGD(net.parameters(), lr=1e-3)
    loader = DataLoader(TensorDataset(torch.randn(batch * 10, width)), batch_size=batch)
    at = calls = 0
    time.sleep(1.1 if found else 0)

    def count(frame, event, argument):
        nonlocal calls
        calls += event in ("call", "c_call")

    while True:
        for (x,) in loader:
            if at == WARM_UP:
                end = begin(name)
                began = [clock() for clock in clocks]
            loss = net(x).square().mean()
            loss.backward()
            optimizer.step()
            optimizer.zero_grad()
            at += 1
            if at == WARM_UP + steps:
                wall, processor = ((clock() - then) / steps for clock, then in zip(clocks, began))
                end()
                sys.setprofile(count)
            if at == WARM_UP + steps + COUNTED:
                sys.setprofile(None)
                return {"wall": wall, "processor": processor, "calls": calls / COUNTED, "loss": float(loss)}

found = {}
for name, loop in loops.items():
    found[name] = measure(name, *loop)
    gc.collect()
print(json.dumps(found))
"""
CAPTURES = {
    "closed": ["--steps", "1000000:1000001"],
    "timer": ["--timer-only"],
    "ranges": ["--ops", "off"],
    "light": ["--ops", "light"],
    "full": ["--ops", "full"],
}
WORDS = {
    "bare": "bare",
    "closed": "capture, schedule closed",
    "timer": "capture `--timer-only`",
    "ranges": "capture `--ops off`",
    "light": "capture (`--ops light`)",
    "full": "capture `--ops full`",
    "torch.profiler": "torch.profiler (CPU)",
    "viztracer": "VizTracer",
    "py-spy": "py-spy record (100 Hz)",
}


def command(way, binary, python, folder):
    """The command that runs the script in this way, up to its arguments."""
    script = [python, os.path.join(folder, "train.py")]
    if way in CAPTURES:
        return [binary, "capture", "--quiet", *CAPTURES[way], "--", *script]
    if way == "py-spy":
        return [os.path.join(os.path.dirname(python), "py-spy"), "record", "--format", "speedscope", "-o", "spy.json", "--", *script]
    return script


def run(way, options):
    """The figures of one run, by the length of a step, and the processor time of the whole run; a text instead if it failed."""
    with tempfile.TemporaryDirectory() as folder:
        with open(os.path.join(folder, "train.py"), "w") as file:
            file.write(SCRIPT)
        words = command(way, options.binary, options.python, folder) + [way, json.dumps(LOOPS)]
        out, errors = os.path.join(folder, "out"), os.path.join(folder, "errors")
        try:
            with open(out, "w") as output, open(errors, "w") as said:
                child = subprocess.Popen(words, cwd=folder, env=dict(os.environ, TMPDIR=folder, **KEEPING), stdout=output, stderr=said)
            _, status, used = os.wait4(child.pid, 0)
            child.returncode = status
        except OSError as error:
            return str(error)
        with open(out) as output, open(errors) as said:
            found = [line for line in output if line.startswith("{")]
            if status or not found:
                return (said.read().strip() or "status %d" % status).splitlines()[-1][:120]
        return dict(json.loads(found[-1]), whole=used.ru_utime + used.ru_stime)


def figure(numbers, form):
    """Median, least and greatest."""
    return " ".join((form % statistics.median(numbers), "(%s–%s)" % (form % min(numbers), form % max(numbers))))


def row(way, runs, bare, loop):
    """The row of one way in the table of a loop, from its runs and the bare ones of the same rounds."""
    failed = [one for one in runs if isinstance(one, str)]
    if failed:
        return "| %s | cannot run: %s | | | | |" % (WORDS[way], failed[0])
    pairs = [(one[loop], other[loop]) for one, other in zip(runs, bare)]
    cells = [figure([one["wall"] * 1e3 for one, _ in pairs], "%.2f")]
    cells += [figure([one[key] / other[key] for one, other in pairs], "%.2f") for key in ("wall", "processor")]
    cells.append(figure([(one["processor"] - other["processor"]) * 1e6 for one, other in pairs], "%+.0f"))
    # The other profilers have ended by then.
    cells.append("%+.0f" % statistics.median(one["calls"] - other["calls"] for one, other in pairs) if way in CAPTURES else "")
    return "| %s | %s |" % (WORDS[way], " | ".join(cells))


def versions(options):
    """The lines above the tables: what was measured, and where."""
    asked = "import torch, importlib.metadata as m; print(torch.__version__, *[n + ' ' + m.version(n) for n in ('viztracer', 'py-spy')])"
    found = subprocess.run([options.python, "-c", asked], stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True).stdout.strip()
    models = [line.split(": ")[1].strip() for line in open("/proc/cpuinfo") if line.startswith("model name")]
    yield "%s; %s with %d processors; Linux %s; load at the beginning %.1f" % (
        datetime.date.today(), models[0] if models else platform.machine(), os.cpu_count(), platform.release(), os.getloadavg()[0])
    yield "torch %s; %s" % (found, subprocess.run([options.binary, "--version"], stdout=subprocess.PIPE, text=True).stdout.strip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("binary", type=os.path.abspath)
    parser.add_argument("python")
    parser.add_argument("--rounds", type=int, default=9)
    parser.add_argument("--ways", default=",".join(WORDS))
    options = parser.parse_args()
    ways = options.ways.split(",")
    if "bare" not in ways or not set(ways) <= set(WORDS):
        parser.error("--ways needs bare, to which the others are compared, and has any of " + ", ".join(WORDS))
    print("\n".join(versions(options)))
    runs = {way: [] for way in ways}
    for number in range(options.rounds):
        for way in ways:
            runs[way].append(run(way, options))
        print("round %d of %d, load %.1f" % (number + 1, options.rounds, os.getloadavg()[0]), file=sys.stderr)
    for loop in LOOPS:
        print("\n| step of %s ms | wall per step, ms | wall, × bare | processor, × bare | more processor per step, µs | more calls per step |" % loop)
        print("| --- | --- | --- | --- | --- | --- |")
        for way in ways:
            print(row(way, runs[way], runs["bare"], loop))
        losses = {one[loop]["loss"] for way in ways for one in runs[way] if isinstance(one, dict)}
        print("\nThe loss is the same to the last digit in all runs: %s" % ("yes" if len(losses) == 1 else "no"))
    print("\n| all three loops | processor time of the whole run, s |")
    print("| --- | --- |")
    for way in ways:
        whole = [one["whole"] for one in runs[way] if isinstance(one, dict)]
        print("| %s | %s |" % (WORDS[way], figure(whole, "%.1f") if whole else "cannot run"))
    print("\nload at the end %.1f" % os.getloadavg()[0])


if __name__ == "__main__":
    main()
