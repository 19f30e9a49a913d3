"""Tries what goes wrong around a capture, and prints what came of it, a row each.

    python3 tests/capture/trials.py BINARY

The tests have the same by the row; this shows it. Needs the right to mount for the first row.
"""

import glob
import json
import os
import subprocess
import sys
import tempfile
import time

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "support"))
import skip  # noqa: E402

BINARY, PYTHON = os.path.abspath(sys.argv[1]), sys.executable
RANGES = "import _proftui as p\nt = p.name(14, 'range')\nfor _ in range(1000000): p.begin(t); p.end()\n"
STEPS = "def step(n): pass\nfor n in range(5): step(n)\n"
STORM = "import os\n%s\nfor _ in range(300):\n    if os.fork() == 0: os._exit(0)\nfor _ in range(300): os.wait()\n" % STEPS
DAEMON = STEPS + """
import os, time
if os.fork() == 0:
    os.setsid(); time.sleep(1); open('late', 'w').write('fine'); os._exit(0)
"""


class Trial:
    """A folder, and captures in it."""

    def __init__(self):
        self.folder = tempfile.mkdtemp()
        os.mkdir(self.path("run"))
        self.environment = dict(os.environ, TMPDIR=self.path("run"), XDG_CACHE_HOME=self.path("cache"))

    def path(self, name):
        return os.path.join(self.folder, name)

    def capture(self, script, *options):
        with open(self.path("script.py"), "w") as file:
            file.write(script)
        command = [BINARY, "capture", "--step-on", "__main__:step", *options, "--", PYTHON, "script.py", "secret=canary"]
        with open(self.path("said"), "w") as said:
            status = subprocess.call(command, cwd=self.folder, env=self.environment, stderr=said, stdout=said)
        return status, open(self.path("said")).read()

    def traces(self):
        return sorted(glob.glob(self.path("profiler_log/*")))

    def ranges(self):
        """Events of all traces, and ranges that were lost by what they say."""
        kept = lost = 0
        for path in self.traces():
            trace = json.load(open(path))
            kept += sum(event.get("ph") == "X" for event in trace["traceEvents"])
            lost += int(trace["ExtraInfo"].get("proftui.lost", 0))
        return kept, lost


def row(name, is_good, words):
    print("%-22s %-5s %s" % (name, "ok" if is_good else "WRONG", words), flush=True)
    return not is_good


def main():
    wrong = 0
    trial = Trial()
    disk = trial.path("disk")
    os.mkdir(disk)
    if subprocess.call(["mount", "-t", "tmpfs", "-o", "size=3m,mode=700", "none", disk], stderr=subprocess.DEVNULL) == 0:
        status, said = trial.capture(RANGES, "--spool", disk)
        subprocess.call(["umount", disk])
        kept, lost = trial.ranges()
        words = "status %d, %d kept + %d lost = %d" % (status, kept, lost, kept + lost)
        wrong += row("spool of 3 MB", status == 0 and kept + lost == 1000000 and lost > 0, words)
    else:
        skip.excused("spool of 3 MB", "nothing can be mounted here", "run as root")

    trial = Trial()
    open(trial.path("profiler_log"), "w").close()
    status, said = trial.capture("open('started', 'w')")
    words = "status %d, started: %s, %s" % (status, os.path.exists(trial.path("started")), said.strip())
    wrong += row("no folder for traces", status == 1 and not os.path.exists(trial.path("started")), words)

    trial = Trial()
    for _ in range(3):
        trial.capture(STEPS)
    wrong += row("traces are there", len(trial.traces()) == 3, "%d traces of 3 runs" % len(trial.traces()))

    trial = Trial()
    trial.environment["DB_PASSWORD"] = "canary"
    status, said = trial.capture("import shutil, os\nshutil.copytree(os.environ['PROFTUI_RUN'], 'seen')\n" + STEPS)
    seen = [os.path.join(at, name) for at, _, names in os.walk(trial.folder) for name in names if name != "script.py"]
    found = [path for path in seen if b"canary" in open(path, "rb").read()]
    wrong += row("canary", status == 0 and not found, "in %d of %d files" % (len(found), len(seen)))

    trial = Trial()
    status, said = trial.capture(STORM)
    left = os.listdir(trial.path("run"))
    words = "status %d, %d traces, %d run folders left" % (status, len(trial.traces()), len(left))
    wrong += row("300 forks", status == 0 and len(trial.traces()) == 1 and not left, words)

    trial = Trial()
    start = time.time()
    status, said = trial.capture(DAEMON)
    took = time.time() - start
    is_late = os.path.exists(trial.path("late"))
    time.sleep(1.5)
    is_fine = os.path.exists(trial.path("late"))
    words = "status %d after %.1f s, not waited for: %s, went on: %s" % (status, took, not is_late, is_fine)
    wrong += row("a daemon", status == 0 and not is_late and is_fine, words)
    return wrong


if __name__ == "__main__":
    sys.exit(main())
