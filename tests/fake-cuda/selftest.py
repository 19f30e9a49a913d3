"""Proves the fakes: a program, a script and what selftest.so must then have counted, for every generation.

Run by build.py --selftest. A row is: name, script, options of the program, settings of the client, what must stand in
its line (or what stderr must have), exit status.
"""

import contextlib
import io
import os
import pathlib
import signal
import subprocess
import tempfile

import headers
import layouts

LAUNCHES = "--launches 20000 --threads 4 --streams 3"
TWO_GRAPHS = "--graphs 1 --nodes 7 --rounds 2 --new-graph"
LOSS = "dropped 0 loose 0 wrong 0 broken 0"
COUNTED = {"runtime": [5], "driver": [4], "kernels": [10], "copies": [1, 22], "sets": [2], "memory": [49], "syncs": [38]}
# Rows in which something is lost that nobody counts.
UNEVEN = ("broken records", "the flush fails")
# Besides the launches there are two new streams and a wait for the device.
PLAIN = f"flushed 0 runtime 20003 kernels 20000 threads 4 strange 0 unfinished 0 syncs 1 devices 1 contexts 1 streams 3 {LOSS}"

ROWS = [
    ("plain", "", LAUNCHES, "", PLAIN, 0),
    ("delivered by who launches", "delivery launch", LAUNCHES, "", PLAIN, 0),
    ("delivered by flushes", "delivery flush", LAUNCHES, "", PLAIN, 0),
    ("buffers of threads", "thread-buffers on", LAUNCHES, "", PLAIN, 0),
    ("one buffer for all", "thread-buffers off", LAUNCHES, "", PLAIN, 0),
    ("buffers of threads, switched off", "thread-buffers on", LAUNCHES, "SELFTEST_THREADS=0", PLAIN, 0),
    ("hundreds of threads", "thread-buffers on", "--launches 12000 --threads 300", "", f"kernels 12000 {LOSS}", 0),
    ("for another generation", "only 0.0\nanswer * 999\nonly all\nthread-buffers off", LAUNCHES, "", PLAIN, 0),
    ("our clock", "", LAUNCHES, "SELFTEST_CLOCK=1", PLAIN, 0),
    ("clock refused", "answer cuptiActivityRegisterTimestampCallback 27", LAUNCHES, "SELFTEST_CLOCK=1", PLAIN, 0),
    ("the driver's calls", "api driver", LAUNCHES, "", f"runtime 0 driver 20003 kernels 20000 {LOSS}", 0),
    ("both kinds of calls", "api both", LAUNCHES, "", f"runtime 20003 driver 20003 kernels 20000 {LOSS}", 0),
    ("everything else", "", "--copies 100 --sets 50 --allocs 20 --threads 2", "",
     f"runtime 191 kernels 0 copies 100 sets 50 memory 40 syncs 1 overheads 1 {LOSS}", 0),
    ("graphs", "", "--graphs 10 --nodes 7", "", f"runtime 11 kernels 70 nodes 70 {LOSS}", 0),
    ("graphs made while kernels are disabled", "graphs-between lost", TWO_GRAPHS, "SELFTEST_PAUSE=1", f"kernels 7 nodes 7 {LOSS}", 0),
    ("graphs made while kernels are disabled, seen", "graphs-between seen", TWO_GRAPHS, "SELFTEST_PAUSE=1",
     f"kernels 14 nodes 14 {LOSS}", 0),
    ("graphs made while kernels are enabled", "graphs-between lost", TWO_GRAPHS, "", f"kernels 14 nodes 14 {LOSS}", 0),
    ("two devices", "devices 2", LAUNCHES, "", f"kernels 20000 devices 2 contexts 2 streams 3 {LOSS}", 0),
    ("an empty buffer", "empty-buffer", LAUNCHES, "", PLAIN, 0),
    ("no more buffers", "null-buffer drop\nthread-buffers off", LAUNCHES, "SELFTEST_BUFFERS=3", "flushed 0 wrong 0", 0),
    ("no buffer, a crash", "null-buffer crash", LAUNCHES, "SELFTEST_BUFFERS=1", "no buffer was given", -signal.SIGABRT),
    ("never ended", "unfinished 5", LAUNCHES, "", f"kernels 20000 unfinished 5 {LOSS}", 0),
    ("kinds of tomorrow", "unknown-kind 100", LAUNCHES, "", f"kernels 20000 strange 200 {LOSS}", 0),
    ("broken records", "broken-record 20000", LAUNCHES, "", "kernels 20000 broken 1 dropped 0 wrong 0", 0),
    ("lost", "drop 7", LAUNCHES, "", "kernels 19993 dropped 7 loose 0 wrong 0", 0),
    ("kinds refused", "refuse-kind 17 21\nrefuse-kind 38 27", LAUNCHES, "",
     f"enable 21 enable 27 kernels 20000 overheads 0 syncs 0 {LOSS}", 0),
    ("somebody else was first", "other-subscriber nsys", LAUNCHES, "", "subscribe 39", 0),
    ("no call works", "answer * 999", LAUNCHES, "", "subscribe 999", 0),
    ("the flush fails", "answer cuptiActivityFlushAll 999", LAUNCHES, "", "flushed 999", 0),
    ("another version", "version 17", LAUNCHES, "", "version 17 kernels 20000", 0),
    ("after the end", "deliver-after-exit", LAUNCHES, "", f"selftest late|kernels 20000 {LOSS}", 0),
    ("in periods", "period partial\ndelivery flush", "--launches 100 --rounds 3",
     "SELFTEST_PERIOD=20 SELFTEST_AWAIT=303", f"runtime 303 kernels 300 {LOSS}", 0),
    ("two processes", "", f"{LAUNCHES} --fork early", "", PLAIN, 0),
    ("a forked child", "", f"{LAUNCHES} --fork child", "", PLAIN, 0),
    ("a child of its own", "", f"{LAUNCHES} --fork exec", "", PLAIN, 0),
    ("killed", "", f"{LAUNCHES} --end kill", "", "", -signal.SIGKILL),
    ("a slip of the pen", "unfinnished 5", LAUNCHES, "", "what is unfinnished?", -signal.SIGABRT),
]


def play(out, library, script, program, client):
    """The exit status and stderr of a program that is captured by selftest.so."""
    with tempfile.TemporaryDirectory() as folder:
        path = pathlib.Path(folder) / "script"
        path.write_text(script)
        own = {
            "LD_LIBRARY_PATH": str(out),
            "CUDA_INJECTION64_PATH": str(out / "selftest.so"),
            "SELFTEST_CUPTI": str(library),
            "FAKE_CUDA_SCRIPT": str(path),
            "FAKE_CUDA_LEDGER": f"{folder}/ledger",
            **dict(setting.split("=") for setting in client.split()),
        }
        result = subprocess.run([out / "program", *program.split()], env={**os.environ, **own}, capture_output=True, text=True)
        ledger = next(pathlib.Path(folder).glob("ledger.*"), None)
        return result.returncode, result.stderr, ledger.read_text().splitlines() if ledger else []


def missing(said, wanted):
    """Which of the wanted pairs, name and figure, were not said. A text that is no pairs must stand there as it is."""
    words = wanted.split()
    pairs = list(zip(words[::2], words[1::2]))
    if all(figure.isdigit() for _, figure in pairs) and len(words) % 2 == 0:
        return [f"{name} {figure}" for name, figure in pairs if f" {name} {figure} " not in said.replace("\n", "  ")]
    return [] if wanted in said else [wanted]


def differing(said, ledger):
    """What the client counted and what the ledger says, where they differ; and records that are nowhere."""
    kinds = {verb: {} for verb in ("made", "delivered")}
    for verb, kind, number in (line.split() for line in ledger if line.startswith(("made ", "delivered "))):
        kinds[verb][int(kind)] = int(number)
    line = next((line for line in said.splitlines() if line.startswith("selftest version ")), None)
    if not line or not ledger:
        return []
    words = line.split()
    figures = dict(zip(words[1::2], map(int, words[2::2])))
    found = []
    for name, numbers in COUNTED.items():
        delivered = sum(kinds["delivered"].get(number, 0) for number in numbers)
        if figures[name] != delivered:
            found.append(f"{name}: {delivered} delivered")
    # The flush itself leaves one, which nobody flushes.
    nowhere = sum(kinds["made"].values()) - sum(kinds["delivered"].values()) - figures["dropped"]
    if nowhere not in (0, 1):
        found.append(f"{nowhere} made, not delivered, not dropped")
    return found


NVTX_ROWS = [
    ("", "asked 1 pushed 22 popped 22 deepest 2 domain-pushed 2 domain-popped 2 registered 1 started 2 ended 2 marks 2 named 3"),
    ("--threads 3 --clients 2", "asked 2 pushed 62 popped 62 started 2 ended 2"),
    ("--open", "pushed 22 popped 21"),
]


def run_nvtx(out):
    """How many rows of NVTX's client failed."""
    failures = 0
    for program, wanted in NVTX_ROWS:
        tool = {**os.environ, "NVTX_INJECTION64_PATH": str(out / "selftest-nvtx.so")}
        result = subprocess.run([out / "nvtx", *program.split()], env=tool, capture_output=True, text=True)
        wrong = missing(result.stderr, wanted)
        if result.returncode or wrong:
            failures += 1
            print(f"nvtx {program}: status {result.returncode}, wrong {wrong}\n{result.stderr}")
    print(f"nvtx: {len(NVTX_ROWS)} rows")
    return failures


def run_layouts():
    """How many faults of the table of fields layouts.py does not find."""
    text = layouts.TABLE.read_text()
    faults = {"92 correlationId: u32,": "96 correlationId: u32,", "156 graphId: u32,": "156 graphIds: u32,", "since 26": "since 18",
              "4 overheadKind: u32": "4 overheadKind: u64"}
    failures = 0
    for before, after in {"": "", **faults}.items():
        fields = layouts.table(text.replace(before, after, 1))
        with contextlib.redirect_stdout(io.StringIO()):
            wrong = sum(layouts.compare(release, *of, fields) for release, of in layouts.recorded().items())
        if (wrong > 0) != (before in faults):
            failures += 1
            print(f"layouts: {before or 'the table'} as {after or 'it is'}: {wrong} wrong")
    print(f"layouts: {1 + len(faults)} rows")
    return failures


def run(out):
    """The exit status: 1 if any row failed."""
    failures = run_nvtx(out) + run_layouts()
    for name in headers.GENERATIONS:
        (library,) = (out / name).glob("libcupti.so.*")
        (lacking,) = (out / f"{name}-without-cuptiSetThreadIdType").glob("libcupti.so.*")
        (real,) = (out / "real" / name).glob("libcupti.so.*")
        rows = [(library, *row) for row in ROWS]
        usual = 7 if name == "13.0" else 14
        rows.append((library, "graphs by default", "", TWO_GRAPHS, "SELFTEST_PAUSE=1", f"kernels {usual} nodes {usual} {LOSS}", 0))
        rows.append((lacking, "a function is missing", "", LAUNCHES, "", f"missing cuptiSetThreadIdType|kernels 20000 {LOSS}", 0))
        rows.append((real, "NVIDIA's own, without a driver", "", LAUNCHES, "", "selftest subscribe", 0))
        for path, title, script, program, client, wanted, status in rows:
            code, said, ledger = play(out, path, script, program, client)
            wrong = [part for text in wanted.split("|") for part in missing(said, text)]
            if title not in UNEVEN:
                wrong += differing(said, ledger)
            if code != status or wrong:
                failures += 1
                print(f"{name}: {title}: status {code}, wrong {wrong}\n{said}\n" + "\n".join(ledger))
        print(f"{name}: {len(rows)} rows")
    print(f"{failures} failed")
    return min(failures, 1)
