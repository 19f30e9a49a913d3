"""What two minutes show on a machine with a GPU: what it is, what CUPTI answers to a recorder that only asks, and a few captures.

    python3 smoke.py BINARY [PYTHON] [--keep OUT] [--limit SECONDS]

Lines that begin with `!!` are findings. OUT (proftui-smoke) has the logs and CUPTI's raw buffers; OUT.tgz has all of it. PYTHON needs
torch for the last part only. Exit status 0: no finding; 1: findings; 77: there is no GPU here. `--rehearse` tries it without a GPU,
on a CPU and on the fakes that `--fakes` names: only a part that breaks off counts then.
"""

import argparse
import os
import platform
import shutil
import subprocess
import sys
import time

from check import has_device, rows_of
from kit import evidence, native, trace
from kit.setting import NO_DEVICE, Setting
from kit.table import WRONG, judged, skipped
from points import after, between, buffers, edges, profiler, unloadable

LIMIT = 150
KERNELS = 100


def words():
    of = argparse.ArgumentParser()
    of.add_argument("binary")
    of.add_argument("python", nargs="?", default=shutil.which("python3"))
    of.add_argument("--keep", metavar="OUT", default="proftui-smoke")
    of.add_argument("--limit", type=float, default=LIMIT, help="seconds; a part that has begun is ended then")
    of.add_argument("--rehearse", action="store_true")
    of.add_argument("--fakes", metavar="DIR", type=os.path.abspath)
    return of.parse_args()


def first_line(*command):
    try:
        done = subprocess.run(command, capture_output=True, text=True, timeout=20)
    except (OSError, subprocess.TimeoutExpired):
        return "none"
    return (done.stdout.splitlines() or ["none"])[0]


def machine(setting):
    """Facts of the machine, by name."""
    yield "device", first_line("nvidia-smi", "--query-gpu=name,driver_version,memory.total,mig.mode.current", "--format=csv,noheader")
    yield "driver", first_line("cat", "/proc/driver/nvidia/version")
    yield "system", "%s, %s %s, user %d" % (platform.release(), *platform.libc_ver(), os.getuid())
    yield "proftui", first_line(setting.binary, "--version")
    ask = "import torch; print(torch.__version__, torch.version.cuda, torch.cuda.is_available())"
    yield "torch", first_line(setting.python, "-c", ask)
    for path in native.libraries(setting):
        yield "CUPTI", path


class Plain:
    """A program in C without Python and NVTX, which loads no CUPTI itself."""

    NUMBER, NAME = 0, "plain"

    @staticmethod
    def rows(setting):
        program, why = native.driver_program(setting)
        if not program:
            yield skipped("a program in C", why)
            return
        command = [*program, "--kernels", str(KERNELS)]
        bare = setting.run("plain-bare", command)
        ran = setting.capture("plain", ["--nvtx", "off"], command)
        kernels = sum(work.kind == "Kernel" for path in ran.traces for work in trace.read(path).work)
        yield judged("it ends as without", ran.status == bare.status, "%s; bare: %s" % (ran.why, bare.why))
        yield judged("kernels", kernels == KERNELS, "%d of %d" % (kernels, KERNELS))


def marked(row):
    """A row as a line; a finding begins with two marks."""
    mark = "!!" if row.verdict == WRONG else "  "
    verdict = "" if row.verdict in ("", WRONG) else row.verdict + " "
    return ("%s %-62s %s%s" % (mark, row.what, verdict, row.figure)).rstrip()


def parts(setting):
    """Title and point of each part, the least certain first."""
    yield "a recorder that cannot be loaded", unloadable
    yield "CUPTI's answers, from a recorder's own function", buffers
    yield "a captured program in C", Plain
    if setting.has("torch"):
        yield "work in flight at the edges of three cycles", edges
        yield "a graph captured before the cycles, one between two", between
        yield "steps after the cycles", after
        yield "the script's own profiler", profiler


def main():
    options = words()
    if not options.rehearse and not has_device():
        print("no NVIDIA GPU here: nothing was tried")
        return NO_DEVICE
    out = os.path.abspath(options.keep)
    os.makedirs(out, exist_ok=True)
    device = "cpu" if options.rehearse else "cuda"
    setting = Setting(os.path.abspath(options.binary), options.python, out, device, True, options.limit, options.fakes)
    findings, broken = 0, 0
    with open(os.path.join(out, "smoke"), "w") as file:
        def report(text):
            print(text, flush=True)
            file.write(text + "\n")

        start = time.monotonic()
        report("== the machine")
        for name, figure in machine(setting):
            report("   %-8s %s" % (name, figure))
        for title, point in parts(setting):
            report("== %s (at %.0f s)" % (title, time.monotonic() - start))
            for row in rows_of(point, setting):
                report(marked(row))
                findings += row.verdict == WRONG
                broken += row.what == "THE CHECK ITSELF"
        report("== %d findings, %.0f s" % (findings, time.monotonic() - start))
    print("send back: " + evidence.archive(out))
    return int(bool(broken if options.rehearse else findings))


if __name__ == "__main__":
    sys.exit(main())
