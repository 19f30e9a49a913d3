"""Captures programs on a machine with a GPU and looks whether what was captured is so. README.md says what each point means.

    python3 check.py BINARY [PYTHON] [--only 2,5] [--quick] [--keep OUT] [--limit SECONDS]

PYTHON has torch. Exit status 0: nothing is wrong; 1: something is; 77: there is no GPU here. `--rehearse` runs everything on a CPU,
to see that the check itself works: rows are wrong then, only a point that breaks off counts.
"""

import argparse
import os
import shutil
import subprocess
import sys
import tempfile
import time
import traceback

import points
from kit.setting import NO_DEVICE, NoTime, Setting
from kit.table import WRONG, Row, line, skipped

LIMIT, QUICK_LIMIT = 480, 180
DEVICE = """
import ctypes, sys
driver, count = ctypes.CDLL("libcuda.so.1"), ctypes.c_int()
sys.exit(driver.cuInit(0) or driver.cuDeviceGetCount(ctypes.byref(count)) or count.value == 0)
"""


def words():
    of = argparse.ArgumentParser()
    of.add_argument("binary")
    of.add_argument("python", nargs="?", default=shutil.which("python3"))
    of.add_argument("--only", default="", help="points by their numbers: 2,5")
    of.add_argument("--quick", action="store_true", help="in about three minutes")
    of.add_argument("--keep", metavar="OUT", help="where everything is written, and stays")
    of.add_argument("--limit", type=float, help="seconds, for all")
    of.add_argument("--rehearse", action="store_true", help="on a CPU, to see that the check itself works")
    of.add_argument("--fakes", metavar="DIR", type=os.path.abspath, help="what tests/fake-cuda/build.py made: native.c runs on it")
    return of.parse_args()


def has_device():
    """Whether the driver has a device. In a process of its own: a driver that was started stays in one."""
    return subprocess.run([sys.executable, "-c", DEVICE], capture_output=True, timeout=120).returncode == 0


def rows_of(point, setting):
    """A point's rows, and one more where it breaks off."""
    try:
        yield from point.rows(setting)
    except NoTime:
        yield skipped("the rest", "no time is left")
    except Exception as fault:
        with open(os.path.join(setting.out, "faults"), "a") as file:
            file.write(traceback.format_exc())
        yield Row("THE CHECK ITSELF", "%s: %s" % (type(fault).__name__, fault), WRONG)


def run(setting, wanted):
    """Prints rows as they come; those that are wrong, and how many were skipped."""
    wrong, skips = [], 0
    with open(os.path.join(setting.out, "table"), "w") as table:
        for point in points.ALL:
            if wanted and point.NUMBER not in wanted:
                continue
            start = time.monotonic()
            for row in rows_of(point, setting):
                print(line(point, row), flush=True)
                table.write(line(point, row) + "\n")
                table.flush()
                wrong += [row] if row.verdict == WRONG else []
                skips += row.verdict.startswith("skipped")
            print("%-2d %-9s took %.0f s" % (point.NUMBER, point.NAME, time.monotonic() - start), flush=True)
    return wrong, skips


def main():
    options = words()
    if not options.rehearse and not has_device():
        print("no NVIDIA GPU here: nothing was checked")
        return NO_DEVICE
    out = os.path.abspath(options.keep) if options.keep else tempfile.mkdtemp(prefix="proftui-gpu-")
    os.makedirs(out, exist_ok=True)
    limit = options.limit or (QUICK_LIMIT if options.quick else LIMIT)
    device = "cpu" if options.rehearse else "cuda"
    setting = Setting(os.path.abspath(options.binary), options.python, out, device, options.quick, limit, options.fakes)
    if not setting.has("torch"):
        print("%s has no torch: name one that has" % options.python)
        return 2
    wrong, skips = run(setting, {int(number) for number in options.only.split(",") if number})
    broken = [row for row in wrong if row.what == "THE CHECK ITSELF"]
    print("%d wrong, %d skipped%s" % (len(wrong), skips, "; all that ran is in " + out if options.keep or wrong else ""))
    if not options.keep and not wrong:
        shutil.rmtree(out, ignore_errors=True)
    return int(bool(broken if options.rehearse else wrong))


if __name__ == "__main__":
    sys.exit(main())
