"""Counts JAX's traces of GPUs and TPUs by itself, and holds what proftui prints of them against the counts.

A FOLDER may be a file, too; without any, the cases of `jax_traces.py` are made for two seeds. The files of a
folder `plugins/profile/TIME` are the hosts of one trace, any other file is a trace.

    python3 tests/generate/check_jax.py BINARY [FOLDER...]

It follows XLA's lanes, not proftui's code: work are the lanes `Stream #`, else `XLA Ops` and `Sparse Core
Ops` but for operations around others. Both ends of an event are rounded to ns. Exits 1 if a value differs.
"""

import gzip
import json
import re
import subprocess
import sys
import tempfile
from collections import Counter, defaultdict
from concurrent.futures import ThreadPoolExecutor
from decimal import Decimal
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))
import jax_traces  # noqa: E402

COMPARED = {
    "device": ["streams", "kernels", "copies", "busy", "busy_all"], "steps": ["time", "device_busy"],
    "kernel": ["calls", "total"], "memcpy": ["calls", "total", "bytes"], "calls": ["calls", "total"],
    "launches": ["calls", "work", "call_time", "work_time"], "distributed": ["communication", "exposed"],
}  # fmt: skip
CLASSES = (Path(__file__).parents[2] / "assets/kernel-classes.toml").read_text()
# Lists of quoted texts; comments begin lines.
LISTS = {
    key: re.findall('"([^"]*)"', re.sub(r"(?m)^ *#.*", "", texts))
    for key, texts in re.findall(r"(?ms)^(\w+) = \[(.*?)\]$", CLASSES)
}
# Calls of CUDA's runtime, its driver and HIP, and those that launch nothing, though work may have their id.
CALL, NO_LAUNCH = "(cuda|cu|hip)[A-Z]", "StreamWaitEvent|EventRecord|EventQuery|Synchronize"


class Event:
    def __init__(self, event):
        start, length = (round(Decimal(event[key]) * 10**6) for key in ("ts", "dur"))
        self.start, self.end = ((ps + 500) // 1000 for ps in (start, start + length))
        self.length, self.name, self.args = self.end - self.start, event["name"], event.get("args", {})
        # Without a correlation an event is its own one, which no other has.
        self.correlation = self.args.get("correlation_id", self)
        is_copy, is_memset = self.name.startswith(("Memcpy", "copy-start")), self.name.startswith("Memset")
        self.kind = "Memcpy" if is_copy else "Memset" if is_memset else "Kernel"
        details = self.args.get("memcpy_details", "") + self.args.get("Memset_details", "")
        stated = re.search(r"\b(?:size|num_bytes):(\d+)", details)
        self.bytes = int(stated[1]) if stated else 0

    def communicates(self):
        name = self.name.lower()
        is_listed = any(part in name for part in LISTS["communication"])
        is_sending = re.match(r"((send|recv)(-done)?|async-collective[^.]*)(\.|$)", self.name)
        return is_sending or is_listed and not name.startswith(tuple(LISTS["generated"]))


def read(path):
    """The lanes of a file: names of process and thread, and the events in order."""
    data = path.read_bytes()
    document = json.loads(gzip.decompress(data) if path.suffix == ".gz" else data, parse_float=Decimal)
    names, lanes = {}, defaultdict(list)
    for event in document["traceEvents"]:
        if event.get("ph") == "M" and "name" in event["args"]:
            names[event["pid"], event.get("tid")] = event["args"]["name"]
        elif event.get("ph") == "X":
            lanes[event["pid"], event["tid"]].append(Event(event))
    for (pid, tid), events in lanes.items():
        events.sort(key=lambda event: (event.start, -event.end))
        yield names.get((pid, None), ""), names.get((pid, tid), ""), events


def covered(events, part=(0, float("inf"))):
    """The time of a part in which at least one of the events runs."""
    time, until = 0, part[0]
    for start, end in sorted((event.start, min(event.end, part[1])) for event in events):
        time += max(end - max(start, until), 0)
        until = max(until, end)
    return time


def nesting(events):
    """A lane's events around no others that take time, and how many begin in another and end after it."""
    outer, opened, overlaps = set(), [], 0
    for event in (event for event in events if event.length):
        while opened and opened[-1].end <= event.start:
            opened.pop()
        if opened and event.end <= opened[-1].end:
            outer.add(opened[-1])
        overlaps += bool(opened) and event.end > opened[-1].end
        opened.append(event)
    return [event for event in events if event not in outer], overlaps


class Host:
    """What one file has: the work of each device by lane, steps, calls and other events."""

    def __init__(self, path):
        lanes = list(read(path))
        self.events = [event for lane in lanes for event in lane[2]]
        self.overlaps = sum(nesting(lane[2])[1] for lane in lanes)
        self.devices, self.steps = defaultdict(dict), {}
        streams = {process for process, thread, _ in lanes if thread.startswith("Stream #")}
        for process, thread, events in (lane for lane in lanes if lane[0].startswith("/device:")):
            device = process.removeprefix("/device:").replace(":", " ")
            if thread.startswith("Stream #"):
                self.devices[device][thread] = events
            elif thread in ("XLA Ops", "Sparse Core Ops") and process not in streams:
                self.devices[device][thread] = nesting(events)[0]
            # Steps of the same name on several devices are one.
            for event in events if thread == "Steps" else []:
                start, end = self.steps.get(event.name, (event.start, event.end))
                self.steps[event.name] = min(start, event.start), max(end, event.end)
        on_host = [event for lane in lanes if not lane[0].startswith("/device:") for event in lane[2]]
        marks = [event for event in on_host if "step_num" in event.args]
        # The host's steps, as long as on the devices.
        self.own = {event.args["step_num"]: (event.start, event.end) for event in marks}
        self.steps = {key: self.steps.get(key, span) for key, span in self.own.items()} or self.steps
        self.work = [event for lanes in self.devices.values() for lane in lanes.values() for event in lane]
        self.calls = [event for event in on_host if re.match(CALL, event.name)]
        self.launches = {call.correlation: call for call in self.calls if not re.search(NO_LAUNCH, call.name)}

    def run(self):
        """From the first step to the end of the last, or of the work launched in steps; all time without steps.

        Work without a known launch counts if it begins there; all later work counts where no launch is known.
        """
        if not self.steps:
            return 0, float("inf")
        # A step is as long as on the devices; the host's mark of it is of the run, too.
        spans = [*self.steps.values(), *self.own.values()]
        start, end = min(start for start, _ in spans), max(end for _, end in spans)
        calls = ((event, self.launches.get(event.correlation, event)) for event in self.work)
        if not any(event.correlation in self.launches for event in self.work):
            return start, max([end, *(event.end for event in self.work if event.start >= start)])
        inside = (event.end for event, call in calls if start <= call.start < end)
        return start, max(end, max(inside, default=end))


def count(paths):
    """The counts of a trace: {view: {row: {column: value}}}."""
    tables = {view: defaultdict(Counter) for view in (*COMPARED, "begin", "info")}
    for path in paths:
        host, name = Host(path), path.name.split(".trace.json")[0]
        before = f"{name} · " if len(paths) > 1 else ""
        for device, lanes in host.devices.items():
            add_device(tables, before + device, len(lanes), sum(lanes.values(), []), host.run())
        for number, (start, end) in host.steps.items():
            busy = covered(host.work, (start, end))
            tables["steps"][f"{before}step {number}"].update(time=end - start, device_busy=busy)
            tables["begin"][number] = {"ns": min(tables["begin"][number].get("ns", start), start)}
        links = [(event, host.launches.get(event.correlation)) for event in host.work]
        for event, launch in links:
            view = "kernel" if event.kind == "Kernel" else "memcpy"
            tables[view][event.name].update(calls=1, total=event.length, bytes=event.bytes)
            tables["info"]["all"].update({"found" if launch else "orphan": 1, event.kind: 1})
            if launch:
                tables["launches"][launch.name].update(work=1, work_time=event.length)
        for call in {launch for _, launch in links if launch}:
            tables["launches"][call.name].update(calls=1, call_time=call.length)
        for call in host.calls:
            tables["calls"][call.name].update(calls=1, total=call.length)
        sizes = {"slices": len(host.events), "steps": len(host.steps), "devices": len(host.devices)}
        none = dict.fromkeys(("dropped", "damage", "found", "orphan", "Kernel", "Memcpy", "Memset"), 0)
        tables["info"]["all"].update(**sizes, **none, workers=1, overlaps=host.overlaps)
    return tables


def add_device(tables, name, lanes, work, run):
    work = [event for event in work if event.start < run[1] and event.end > run[0]]
    kernels = [event for event in work if event.kind == "Kernel"]
    row = {"streams": lanes, "kernels": len(kernels), "copies": len(work) - len(kernels)}
    tables["device"][name].update(**row, busy=covered(kernels), busy_all=covered(work))
    sending = covered(event for event in kernels if event.communicates())
    if sending:
        exposed = covered(kernels) - covered(event for event in kernels if not event.communicates())
        tables["distributed"][name].update(communication=sending, exposed=exposed)


def printed(binary, path, steps):
    """What proftui prints, in the form of `count`."""

    def run(*args):
        command = [binary, *args, "--format", "json", path]
        return json.loads(subprocess.run(command, capture_output=True, check=True).stdout)

    tables = {"begin": {}}
    for view in COMPARED:
        table = run("summary", "--merged", "--row-limit", "-1", "--view", view)
        ids = [column["id"] for column in table["columns"]]
        tables[view] = {row["cells"][0]: dict(zip(ids, row["cells"])) for row in table["rows"]}
    known = {str(row["number"]) for row in tables["steps"].values()}
    for step in known.intersection(steps):
        table = run("summary", "--merged", "--view", "device", "--steps", step)
        tables["begin"][step] = {"ns": table["scope"]["start"]}
    info = run("info")
    row = {**info, **info["links"], **info["categories"], "workers": len(info["workers"])}
    row["damage"] = sum(found["n"] for found in info["quality"].values() if found["damage"])
    row["overlaps"] = info["quality"].get("W_OVERLAP", {}).get("n")
    tables["info"] = {"all": {**row, "devices": len(tables["device"])}}
    return tables


def compare(binary, path, files):
    """The number of compared values of a trace, and those that differ."""
    wanted = count(files)
    found, compared, faults = printed(binary, path, wanted["begin"]), 0, []
    for view, row in ((view, row) for view in wanted for row in {**wanted[view], **found[view]}):
        want, got = wanted[view].get(row, {}), found[view].get(row, {})
        for column in COMPARED.get(view, want):
            compared += 1
            values = want.get(column) or 0, got.get(column) or 0
            if values[0] != values[1]:
                faults.append("%s: %s · %s · %s: wanted %s, got %s" % (path, view, row[:60], column, *values))
    return compared, faults


def traces(folders):
    """The traces in folders: the path to give to proftui, and its files."""
    found = defaultdict(list)
    for folder in map(Path, folders):
        for file in sorted(folder.rglob("*.trace.json*")) if folder.is_dir() else [folder]:
            found[file.parent if file.parent.parent.name == "profile" else file].append(file)
    return found.items()


def main(binary, *folders):
    with tempfile.TemporaryDirectory() as made, ThreadPoolExecutor() as pool:
        for seed in (1, 2) if not folders else ():
            jax_traces.write(made, seed)
        jobs = [pool.submit(compare, binary, str(path), files) for path, files in traces(folders or [made])]
        results = [job.result() for job in jobs]
    faults = [fault for _, of_trace in results for fault in of_trace]
    compared = sum(of_trace for of_trace, _ in results)
    print(f"{compared} values of {len(results)} traces, {len(faults)} differ", *faults[:20], sep="\n")
    return bool(faults)


if __name__ == "__main__":
    sys.exit(main(*sys.argv[1:]))
