"""Damages traces of GPUs, and holds what proftui says of them against what it says of the undamaged ones.

    python3 tests/insights/damage.py BINARY [--traces FOLDER] [--only TEXT]

The traces are runs of the simulated machine and of `synthetic_gpu.py` with 5,000 kernels and more each, and
real ones below FOLDER. A cell is a trace, a kind of damage, and a rate: so many of the kernels, copies and
memsets (for `fast` of the copies) are damaged, at least one:

    long    a kernel runs over 50 later ones, or 1000 times as long, or until the last work has ended
    zero    its duration is negative
    early   it begins 20 to 500 us before its launch
    far     it begins hours or days earlier or later
    twice   its event is there twice
    again   a copy of its event is there, too, while its stream runs work that was launched later
    fast    a copy moves 1000 times the bytes, or a gigabyte in 1 ns
    swap    for less than 1 ms, a stream's times are 2 ms too small

A cell differs if a share is 2 percentage points from the undamaged trace's, or if fewer events are counted as
damaged (by warnings of the kind damage, or W_OUTLIER) than are. Shares: each device's work and causes of idle
time, of its time in the run; findings (one that is not shown may have 5 %); Util %; kernels; copies (for
rates, percent instead of points); kinds of work at the same time.

Only what differs from sound work is damaged. A kernel lengthened into a gap or over others of its graph, a
copy twice as fast, work moved within a gap, nodes of a graph in another order, or two alike in a file of whole
us may be right, and in a stream of few pieces of work nobody knows what is usual. As the times of damaged work
are lost, it has at most 1 % of the time of all work, and of the time and bytes of copies of one name. Exits 1
if a cell differs.
"""

import gzip
import json
import random
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

sys.path[:0] = [str(Path(__file__).parent), str(Path(__file__).parents[1] / "generate")]
import synthetic_gpu  # noqa: E402
from scenarios.all import SCENARIOS  # noqa: E402
from write.kineto import Kineto  # noqa: E402

RUNS = """plain_training_cuda loader_inline_cuda small_operators_cuda dependent_launches copies_of_some_bytes
    scalar_in_each_layer_rocm overlapped_copies_cuda reduced_beside_backward_cuda two_devices_alternate
    graph_with_branches serving_for_long""".split()
REAL = """hta/**/df_index_resolver.json.gz hta/**/rank-0.Apr*.gz hta/**/control.json.gz hta/**/test.json.gz
    kineto/**/worker0.pt.trace.json.gz param/**/resnet_kineto.json.gz tracelens/**/Qwen*16005.json.gz
    tracelens/**/profile_trace_rank_0.json.gz""".split()
KINDS = "long zero early far twice again fast swap".split()
# Rates; allowed points; least kernels of a run; how many later ones are outlasted; least work of a stream.
RATES, POINTS, KERNELS, OUTLASTED, LEAST = (0.0001, 0.001, 0.01), 2, 5000, 50, 100
DEVICE = {"kernel", "gpu_memcpy", "gpu_memset", "Kernel", "Memcpy", "Memset"}
HOST = {"cuda_runtime", "cuda_driver", "Runtime"}
US, MS, HOUR = 10**3, 10**6, 3600 * 10**9
VIEWS = {"device": ["utilization"], "kernel": ["share"], "memcpy": ["share", "rate"], "kinds": ["share"]}


class Work:
    """A kernel, copy or memset, and the text of its event."""

    def __init__(self, number, text, event):
        self.number, self.text, self.name = number, text, event["name"]
        self.start, self.length = times(event)
        self.end, self.is_kernel = self.start + self.length, "ernel" in event["cat"]
        self.correlation, self.bytes = event["args"].get("correlation"), int(event["args"].get("bytes", 0))
        # What is lost of each limit if the event is damaged.
        of_copies = {self.name: self.length, (self.name, "bytes"): self.bytes}
        self.lost = Counter({"all": self.length, **({} if self.is_kernel else of_copies)})

    def but(self, **values):
        """The event's text with other values; times are in ns."""
        text = self.text
        for key, value in values.items():
            number = value if key == "bytes" else f"{Decimal(value) / 1000:f}"
            text = re.sub(rf'("{key}": ?)[-\d.]+', rf"\g<1>{number}", text, count=1)
        return text


class Trace:
    """A file, cut into the texts of its events, with the work of each stream in order."""

    def __init__(self, path):
        self.name, data = path.name.split(".json")[0].split(".pt")[0][:26], path.read_bytes()
        text = gzip.decompress(data).decode() if path.suffix == ".gz" else data.decode()
        at = re.search(r'(^|"traceEvents":)\s*\[', text).end()
        self.head, self.events, launches, lanes = text[:at], [], {}, defaultdict(list)
        decode, blank = json.JSONDecoder(parse_float=Decimal).raw_decode, re.compile(r"[\s,]*")
        while text[(start := blank.match(text, at).end())] != "]":
            event, at = decode(text, start)
            if event.get("cat") in DEVICE and event.get("ph") == "X":
                lanes[event["pid"], event["tid"]].append(Work(len(self.events), text[start:at], event))
            elif event.get("cat") in HOST and "correlation" in event.get("args", {}):
                launches.setdefault(event["args"]["correlation"], (times(event)[0], event["name"]))
            self.events.append(text[start:at])
        self.tail, self.works, self.limits = text[start:], [], Counter()
        for lane in lanes.values():
            lane.sort(key=lambda work: (work.start, work.end))
            inside = lane[len(lane) // 50 + 1 : -OUTLASTED - 10] if len(lane) >= LEAST else []
            self.works += [work for work in inside if work.length]
            for at, work in enumerate(lane):
                work.lane, work.at = lane, at
                work.launched, launch = launches.get(work.correlation, (None, "Graph"))
                # A stream runs it as it was launched; nodes of a graph may have other streams.
                work.is_alone = "Graph" not in launch
                self.limits.update({key: value / 100 for key, value in work.lost.items()})
        self.is_fine = any(work.start % US for lane in lanes.values() for work in lane)
        self.end = max(work.end for lane in lanes.values() for work in lane)


def times(event):
    """The start and the length of an event, ns."""
    return [round(Decimal(str(event.get(key, 0))) * 1000) for key in ("ts", "dur")]


def altered(kind, trace, dice, work):
    """The text instead of that of an event; nothing if the event is not fit for this kind of damage."""
    other, many = work.lane[work.at + OUTLASTED], 1000 * work.bytes
    if kind == "long":
        ends = [later.end for later in work.lane[work.at :] if later.correlation != work.correlation]
        length = dice.choice((0, 1000 * work.length, trace.end - work.start))
        end = max(work.end, *ends[:OUTLASTED], work.start + length) + 100 * US
        return work.is_kernel and len(ends) >= OUTLASTED and work.but(dur=end - work.start)
    if kind == "early":
        return work.launched and work.but(ts=work.launched - dice.randrange(20 * US, 500 * US))
    if kind == "far":
        return work.but(ts=work.start + dice.choice((-1, 1)) * dice.randrange(HOUR, 400 * HOUR))
    if kind == "again":
        copy = work.but(ts=other.start + other.length // 2)
        return work.is_alone and other.is_alone and f"{work.text},{copy}"
    if kind == "fast":
        return work.but(bytes=many) if many > 100_000 * (work.length + US) else work.but(bytes=10**9, dur=1)
    if kind == "twice":
        return (work.is_alone or trace.is_fine) and f"{work.text},{work.text}"
    return work.but(dur=-work.length)


def swapped(work, most):
    """The texts of a part of a stream whose clock is behind; none if nothing would show it."""
    part = [other for other in work.lane[work.at :][:200] if other.start < work.start + MS][:most]
    # All of it then begins before at least as many others that were launched earlier.
    passed = [other for other in work.lane[: work.at] if other.start > part[-1].start - 2 * MS]
    is_fit = len(passed) >= len(part) and all(other.is_alone for other in part + passed)
    return {other: other.but(ts=other.start - 2 * MS) for other in part} if is_fit else {}


def damage(trace, kind, rate):
    """The texts of the damaged events, by number."""
    dice, left, edits = random.Random(f"{trace.name} {kind} {rate}"), trace.limits.copy(), {}
    works = [work for work in trace.works if kind != "fast" or "Memcpy" in work.name and work.bytes]
    for work in dice.sample(works, len(works)):
        near = work.lane[max(0, work.at - 400) : work.at + 200] if kind == "swap" else [work]
        most = max(1, round(rate * len(works))) - len(edits)
        if most and edits.keys().isdisjoint(near):
            texts = swapped(work, most) if kind == "swap" else {work: altered(kind, trace, dice, work)}
            lost = sum((other.lost for other in texts), Counter())
            if all(texts.values()) and not lost - left:
                left.subtract(lost)
                edits.update(texts)
    return {work.number: text for work, text in edits.items()}


def measure(binary, path):
    """The shares of a trace, in percent, and how often each warning of damage stands."""

    def ask(*args):
        done = subprocess.run([binary, *args, path, "--format", "json"], capture_output=True, check=True)
        return json.loads(done.stdout)

    shares, answer = {}, ask("insights", "--all")
    for device in answer["devices"]:
        parts = {"busy": device["work_ns"], **{cause["cause"]: cause["ns"] for cause in device["causes"]}}
        whole, name = max(1, device["span_ns"]), device["name"].split(" · ")[0]
        shares.update({("insights", key, name): 100 * ns / whole for key, ns in parts.items()})
    shares.update({("finding", "", found["id"]): 100 * found["share"] for found in answer["findings"]})
    for view, columns in VIEWS.items():
        table = ask("summary", "--row-limit", "-1", "--view", view)
        ids = [column["id"] for column in table["columns"]]
        for row in (dict(zip(ids, row["cells"])) for row in table["rows"]):
            shares.update({(view, key, row[ids[0]]): 100 * (row[key] or 0) for key in columns})
    quality = ask("info")["quality"].items()
    return shares, Counter({key: of["n"] for key, of in quality if of["damage"] or key == "W_OUTLIER"})


def compare(before, after):
    """The largest difference of a share, in points, and of which."""

    def difference(key):
        hidden = min(5, before.get(key, 0) + after.get(key, 0)) if key[0] == "finding" else 0
        old, new = before.get(key, hidden), after.get(key, hidden)
        return abs(new - old) * (100 / old if key[1] == "rate" and old else 1)

    return max((difference(key), key) for key in before.keys() | after.keys())


def cell(binary, trace, clean, folder, kind, rate, edits):
    """The line of a cell and whether it differs."""
    path, events = folder / f"{kind}{rate}.json", enumerate(trace.events)
    path.write_text(trace.head + ",\n".join(edits.get(*event) for event in events) + trace.tail)
    shares, warnings = measure(binary, path)
    points, key = compare(clean[0], shares)
    path.unlink()
    # Work that is far begins early, too: it counts once.
    new = {code: n for code, n in (warnings - clean[1]).items() if kind != "far" or code != "W_EARLY"}
    codes, counted = " ".join(f"{code} {n}" for code, n in new.items()), sum(new.values())
    differs = points > POINTS or counted < len(edits)
    return f"{trace.name:26} {kind:5} {100 * rate:4g} %  {points:9.2f} {' '.join(key)[:36]:36} \
{counted:4}/{len(edits):<4} {codes:26} {'DIFFERS' if differs else 'ok'}", differs


def generated(folder):
    """Writes the traces of the generators; yields their paths."""
    for name in RUNS:
        works = [work for device in SCENARIOS[name].run(1, 1).devices for work in device.works]
        scale = max(1, 1.1 * KERNELS / sum(work.kind == "kernel" for work in works))
        yield Kineto(SCENARIOS[name].run(1, scale)).write(folder / f"{name}.json")[0]
    synthetic_gpu.STEPS, recorder = 42, synthetic_gpu.Recorder()
    synthetic_gpu.train(recorder)
    path, events = folder / "synthetic-gpu.json", [*synthetic_gpu.metadata(recorder), *recorder.events]
    path.write_text("[%s]" % ",\n".join(map(synthetic_gpu.encode, events)))
    yield path


def main(binary, *rest):
    options, found = {"--traces": "", "--only": "", **dict(zip(rest[::2], rest[1::2]))}, []
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor(2) as pool:
        real = [path for name in REAL for path in sorted(Path(options["--traces"] or made).glob(name))]
        for path in [*generated(Path(made)), *real]:
            kinds = [kind for kind in KINDS if options["--only"] in f"{path.name} {kind}"]
            trace, clean = (Trace(path), measure(binary, path)) if kinds else (None, None)
            cells = [(kind, rate, damage(trace, kind, rate)) for kind in kinds for rate in RATES]
            jobs = [pool.submit(cell, binary, trace, clean, Path(made), *of) for of in cells if of[2]]
            for line, differs in (job.result() for job in jobs):
                print(line, flush=True)
                found.append(differs)
    print(f"{len(found)} cells, {sum(found)} differ")
    return any(found) or not found


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
