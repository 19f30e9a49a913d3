"""Captures programs on a machine with a GPU and looks whether what was captured is so. README.md says what each point means.

    python3 check.py BINARY [PYTHON] [--only 2,5] [--quick] [--keep OUT [--resume]] [--limit SECONDS]

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
from kit import evidence
from kit.setting import NO_DEVICE, NoTime, Setting
from kit.table import NO_TIME, WRONG, Row, line, outcome, skipped

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
    of.add_argument("--without", default="", help="all points but these")
    of.add_argument("--quick", action="store_true", help="in about three minutes")
    of.add_argument("--keep", metavar="OUT", help="where everything is written, and stays")
    of.add_argument("--resume", action="store_true", help="go on with what is in OUT: points that are done there are not tried again")
    of.add_argument("--limit", type=float, help="seconds, for all")
    of.add_argument("--rehearse", action="store_true", help="on a CPU, to see that the check itself works")
    of.add_argument("--fakes", metavar="DIR", type=os.path.abspath, help="what tests/fake-cuda/build.py made: native.c runs on it")
    options = of.parse_args()
    if options.resume and not options.keep:
        of.error("--resume goes on with what is in OUT: name it by --keep")
    return options


def numbers(text):
    return {int(number) for number in text.split(",") if number}


def has_device():
    """Whether the driver has a device. In a process of its own: a driver that was started stays in one."""
    return subprocess.run([sys.executable, "-c", DEVICE], capture_output=True, timeout=120).returncode == 0


def rows_of(point, setting):
    """A point's rows, and one more where it breaks off."""
    try:
        yield from point.rows(setting)
    except NoTime:
        yield skipped("the rest", NO_TIME)
    except Exception as fault:
        with open(os.path.join(setting.out, "faults"), "a") as file:
            file.write(traceback.format_exc())
        yield Row("THE CHECK ITSELF", "%s: %s" % (type(fault).__name__, fault), WRONG)


def run(setting, wanted, is_resumed=False):
    """Prints rows as they come, and at last what came of each point. `wanted`: points by number. Those points, each with its rows."""
    earlier = evidence.done(setting.out) if is_resumed else {}
    found = []
    with open(os.path.join(setting.out, "table"), "w") as table:
        def report(text):
            print(text, flush=True)
            table.write(text + "\n")
            table.flush()

        for point in points.ALL:
            if point.NUMBER not in wanted:
                continue
            start, rows = time.monotonic(), []
            for row in earlier.get(point.NUMBER) or rows_of(point, setting):
                rows.append(row)
                report(line(point, row))
            if point.NUMBER not in earlier:
                evidence.remember(setting.out, point, rows)
                report("%-2d %-10s took %.0f s" % (point.NUMBER, point.NAME, time.monotonic() - start))
            found.append((point, rows))
        for point, rows in sorted(found, key=lambda pair: pair[0].NUMBER):
            report("%-2d %-10s %-18s %s" % (point.NUMBER, point.NAME, *outcome(rows)))
    return found


def main():
    options = words()
    if not options.rehearse and not has_device():
        print("no NVIDIA GPU here: nothing was checked")
        return NO_DEVICE
    out = os.path.abspath(options.keep) if options.keep else tempfile.mkdtemp(prefix="proftui-gpu-")
    if not options.resume and os.path.exists(os.path.join(out, evidence.DONE)):
        os.remove(os.path.join(out, evidence.DONE))
    os.makedirs(out, exist_ok=True)
    limit = options.limit or (QUICK_LIMIT if options.quick else LIMIT)
    device = "cpu" if options.rehearse else "cuda"
    setting = Setting(os.path.abspath(options.binary), options.python, out, device, options.quick, limit, options.fakes)
    if not setting.has("torch"):
        print("%s has no torch: name one that has" % options.python)
        return 2
    wanted = (numbers(options.only) or {point.NUMBER for point in points.ALL}) - numbers(options.without)
    found = run(setting, wanted, options.resume)
    rows = [row for _, of in found for row in of]
    wrong, skips = [row for row in rows if row.verdict == WRONG], sum(row.verdict.startswith("skipped") for row in rows)
    broken = [row for row in wrong if row.what == "THE CHECK ITSELF"]
    print("%d wrong, %d skipped%s" % (len(wrong), skips, "; all that ran is in " + out if options.keep or wrong else ""))
    if options.keep or (wrong and not options.rehearse):
        print("send back: " + evidence.archive(out))
    elif not wrong:
        shutil.rmtree(out, ignore_errors=True)
    return int(bool(broken if options.rehearse else wrong))


if __name__ == "__main__":
    sys.exit(main())
