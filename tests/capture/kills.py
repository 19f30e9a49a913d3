"""Kills captured programs, and captures, at random moments, and looks at what is left.

    python3 tests/capture/kills.py BINARY [COUNT]

Each program writes down when it ends a step. A trace must load, say why it is not whole, and extend to within a second of
the moment of the kill.
"""

import glob
import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time

BINARY, COUNT = os.path.abspath(sys.argv[1]), int(sys.argv[2]) if len(sys.argv) > 2 else 50
SCRIPT = """
import os, time
print(os.getpid(), flush=True)
def step(n):
    time.sleep(0.002)
    with open('steps', 'w') as file: file.write('%d %d' % (n, time.time_ns()))
n = 0
while not os.path.exists('enough'):
    step(n)
    n += 1
"""


def info(path):
    out = subprocess.run([BINARY, "info", "--format", "json", path], capture_output=True, text=True)
    return json.loads(out.stdout) if out.returncode == 0 else None


def last_end(path):
    """When the last range of a trace ends, ns since 1970; what was cut does not count."""
    with open(path) as file:
        events = json.load(file)["traceEvents"]
    ends = [e["ts"] * 1000 + e["dur"] * 1000 for e in events if e.get("ph") == "X" and "cut" not in e["args"]]
    return max(ends, default=0)


def run(victim, cycles):
    with tempfile.TemporaryDirectory() as folder:
        env = dict(os.environ, TMPDIR=folder, XDG_CACHE_HOME=os.path.join(folder, "cache"))
        env.pop("PYTHONPATH", None)
        command = [BINARY, "capture", *cycles, "--step-on", "__main__:step", "--", sys.executable, "-c", SCRIPT]
        script = os.path.join(folder, "train.py")
        with open(script, "w") as file:
            file.write(SCRIPT)
        command[-2:] = [script]
        capture = subprocess.Popen(command, cwd=folder, env=env, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
        pid = int(capture.stdout.readline())
        time.sleep(random.uniform(0.05, 1.0))
        killed = time.time_ns()
        os.kill(pid if victim == "program" else capture.pid, signal.SIGKILL)
        capture.wait()
        if victim == "capture":
            open(os.path.join(folder, "enough"), "w").close()
            while True:
                out = subprocess.run([BINARY, "recover"], cwd=folder, env=env, capture_output=True, text=True)
                if "is still running" not in out.stderr:
                    break
                time.sleep(0.02)
        steps = os.path.exists(os.path.join(folder, "steps"))
        traces = sorted(glob.glob(os.path.join(folder, "profiler_log", "*")))
        infos = [info(path) for path in traces]
        if any(found is None for found in infos):
            return "a trace does not load: " + subprocess.run(
                [BINARY, "info", traces[infos.index(None)]], capture_output=True, text=True).stderr.strip()
        if glob.glob(os.path.join(folder, "proftui-run-*")):
            return "the run's folder is left"
        if not steps:
            return None
        if not traces:
            return "no trace"
        if victim == "program" and not cycles and "W_INCOMPLETE" not in infos[-1]["quality"]:
            return "the cause is not stated"
        ends = [last_end(path) for path in traces]
        if killed - max(ends) > 1e9:
            return "%.3f s before the kill are missing" % ((killed - max(ends)) / 1e9)
        return None


failed = 0
for victim in ("program", "capture"):
    for cycles in ([], ["--record", "20", "--ready", "1"]):
        faults = [fault for fault in (run(victim, cycles) for _ in range(COUNT // 2)) if fault]
        failed += len(faults)
        print("%-8s killed, %-7s: %d times, %d wrong%s" % (
            victim, "cycles" if cycles else "one run", COUNT // 2, len(faults), ": " + "; ".join(sorted(set(faults))) if faults else ""))
sys.exit(failed > 0)
