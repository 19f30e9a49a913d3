"""Captures programs that change their user or root folder, or remove the recorder's folders, and prints what came of each, a row each.

    python3 tests/capture/changes.py BINARY

Needs root. The output and exit status must be those of the bare program, and all else on stderr one line that says what is missing. Exits
with the number of rows that are WRONG.
"""

import glob
import json
import os
import shutil
import subprocess
import sys
import tempfile

BINARY = os.path.abspath(sys.argv[1])

# Steps before and after the change; after it also a new thread, new names, more ranges than a chunk has, and the late import of a framework.
PROGRAM = """
import os, sys, shutil, threading
sys.path += [%r, "/stubs"]

def step(n):
    return n

for n in range(5): step(n)
%s
for n in range(5): step(n)
thread = threading.Thread(target=step, args=(1,))
thread.start(), thread.join()
import torch
for n in range(5): torch.nn.Module()(n), step(n)
p = sys.modules.get("_proftui")
for n in range(5000 if p else 0):
    p.begin(p.name(14, "late %%d" %% (n %% 50)))
    p.end()
print("done", os.getuid())
"""
STUBS = os.path.abspath(os.path.join(os.path.dirname(__file__), "..", "shim", "stubs"))
WORKER = """if os.fork() == 0:
    %s
    for n in range(5): step(n)
    os._exit(0)
os.wait()"""
NOBODY = "os.setgroups([]); os.setgid(65534); os.setuid(65534)"

# Name, the change, what the line must have; None for a change that must not be reported.
TRIALS = [
    ("setuid to nobody", NOBODY, "changed its user (to 65534), and cannot open"),
    ("chroot", "os.chroot(os.getcwd())", "changed its root folder (chroot), and cannot open"),
    ("chroot, then nobody", "os.chroot(os.getcwd()); " + NOBODY, "changed its root folder (chroot), and cannot open"),
    ("worker as nobody", WORKER % NOBODY, "changed its user (to 65534), and cannot open"),
    ("cache removed", "shutil.rmtree(os.environ['PROFTUI_CACHE'], ignore_errors=True)", None),
    ("run folder removed", "shutil.rmtree(os.environ.get('PROFTUI_RUN', '/none'), ignore_errors=True)", "temporary folder was removed"),
]


class Trial:
    """A folder for one program, run bare and captured."""

    def __init__(self, change):
        self.folder = tempfile.mkdtemp()
        os.chmod(self.folder, 0o755)
        os.mkdir(self.path("run"), 0o700)
        with open(self.path("script.py"), "w") as file:
            file.write(PROGRAM % (self.path("stubs"), change))
        shutil.copytree(STUBS, self.path("stubs"))
        self.environment = dict(os.environ, TMPDIR=self.path("run"), PROFTUI_CACHE=self.path("cache"), PYTHONDONTWRITEBYTECODE="1")

    def path(self, name):
        return os.path.join(self.folder, name)

    def run(self, *before):
        done = subprocess.run(
            [*before, sys.executable, "script.py"], cwd=self.folder, env=self.environment,
            stdout=subprocess.PIPE, stderr=subprocess.PIPE, universal_newlines=True, timeout=60,
        )
        return done.returncode, done.stdout, done.stderr

    def holds(self, wanted):
        """Whether the captured run is as the bare one but for our lines, and those as wanted; and words that show it."""
        bare = self.run()
        status, out, err = self.run(BINARY, "capture", "--ops", "off", "--step-on", "__main__:step", "--")
        lines = err.splitlines()
        ours = [line for line in lines if line.startswith("proftui: ")]
        others = "".join(line + "\n" for line in lines if line not in ours)
        found = [line for line in ours if "cannot" in line or "was removed" in line or "Error" in line]
        steps = sum(self.steps(path) for path in glob.glob(self.path("profiler_log/*.json")))
        is_reported = len(found) == 1 and wanted in found[0] if wanted else not found
        is_good = (status, out, others) == bare and is_reported
        other = "" if others == bare[2] else ", also on stderr: %r" % others[-200:]
        return is_good, "status %d of %d, %d steps in the trace%s; %s" % (status, bare[0], steps, other, found or "no report")

    @staticmethod
    def steps(path):
        with open(path) as file:
            trace = json.load(file)
        return sum(event.get("cat") == "ProfileStep" for event in trace["traceEvents"])


def main():
    wrong = 0
    for name, change, wanted in TRIALS:
        trial = Trial(change)
        is_good, words = trial.holds(wanted)
        shutil.rmtree(trial.folder)
        print("%-20s %-5s %s" % (name, "ok" if is_good else "WRONG", words), flush=True)
        wrong += not is_good
    return wrong


if __name__ == "__main__":
    sys.exit(main())
