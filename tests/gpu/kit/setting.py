"""Where and how programs run: bare or captured, each in a folder of its own with a time limit. All options of
`proftui capture` that the points use stand here."""

import glob
import json
import os
import shutil
import signal
import subprocess
import time
from collections import namedtuple
from concurrent.futures import ThreadPoolExecutor

PROGRAMS = os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "programs")
NO_DEVICE = 77

STEPS_OF_PROGRAM = ["--step-on", "__main__:step"]
NEVER = ["--steps", "1000000:1000001"]
TIMER_ONLY = ["--timer-only"]
NODES, GRAPHS = ["--cuda-graph", "node"], ["--cuda-graph", "graph"]
MEMORY, NO_SYNC = ["--profile-memory"], ["--no-sync"]
FOR_GPUS = ["--gpu", "--require-gpu", "--cupti", "--no-sync", "--cuda-graph", "--profile-memory"]


def between(start, end):
    return ["--steps", "%d:%d" % (start, end)]


def cycles(closed, ready, record, repeat):
    return ["--closed", str(closed), "--ready", str(ready), "--record", str(record), "--repeat", str(repeat)]


def cupti(path):
    return ["--cupti", path]


def memory(size):
    return ["--gpu-memory-limit", size]


def window(wait, length):
    return ["--window", "%s+%s" % (wait, length)]


class Ran(namedtuple("Ran", "folder status out said seconds traces")):
    """A program that has ended: its status, what it printed, the traces that there are of it."""

    @property
    def report(self):
        """The report that the program printed: the last line that is JSON; None without one."""
        return last_json(self.out)

    @property
    def why(self):
        """How it ended, with the line that explains it best."""
        lines = [line.strip() for line in self.said.splitlines() if line.strip()]
        about = [line for line in lines if "GPU:" in line] or (lines[-1:] if self.status != 0 else [])
        return "status %s%s" % (self.status, ", " + about[0][:160] if about else "")


class NoTime(Exception):
    """The time for all points is used up."""


def last_json(text):
    for line in reversed(text.splitlines()):
        try:
            found = json.loads(line)
        except ValueError:
            continue
        if isinstance(found, dict):
            return found
    return None


def _end(child):
    """Ends a program that has a session of its own: a capture sends on what it is sent, to what it runs."""
    for number in (signal.SIGTERM, signal.SIGKILL):
        try:
            os.killpg(child.pid, number)
            child.wait(5)
        except (subprocess.TimeoutExpired, ProcessLookupError):
            continue


class Setting:
    def __init__(self, binary, python, out, device="cuda", is_quick=False, limit=480, fakes=None):
        self.binary, self.python, self.out, self.device, self.is_quick = binary, python, out, device, is_quick
        self.fakes = fakes
        self.until = time.monotonic() + limit
        self.kept = {}

    def once(self, key, make):
        """What several points need is made once."""
        if key not in self.kept:
            self.kept[key] = make()
        return self.kept[key]

    def folder(self, name):
        path = os.path.join(self.out, name)
        os.makedirs(os.path.join(path, "run"), exist_ok=True)
        return path

    def script(self, name, *words):
        """The command of one of our Python programs."""
        return [self.python, os.path.join(PROGRAMS, name), *words, "--device", self.device]

    def run(self, name, command, env=None, limit=120, user=None):
        """Runs a command to its end, in a folder of this name."""
        left = self.until - time.monotonic()
        if left < 5:
            raise NoTime
        folder = self.folder(name)
        # Of an earlier check that is resumed.
        shutil.rmtree(os.path.join(folder, "profiler_log"), ignore_errors=True)
        if user is not None:
            os.chown(folder, user, user), os.chown(os.path.join(folder, "run"), user, user)
        folders = dict(TMPDIR=os.path.join(folder, "run"), XDG_CACHE_HOME=os.path.join(folder if user else self.out, "cache"))
        # Kernels that were compiled once are, for all runs.
        shared = dict(TRITON_CACHE_DIR=os.path.join(self.out, "triton"), TORCHINDUCTOR_CACHE_DIR=os.path.join(self.out, "inductor"))
        full = {**os.environ, **folders, **shared, **(env or {})}
        start = time.monotonic()
        with open(os.path.join(folder, "command"), "w") as file:
            file.write(" ".join(command) + "\n")
        more = {} if user is None else {"user": user, "group": user, "extra_groups": []}
        with open(os.path.join(folder, "out"), "w+") as out, open(os.path.join(folder, "said"), "w+") as said:
            child = subprocess.Popen(command, cwd=folder, env=full, stdout=out, stderr=said, start_new_session=True, **more)
            try:
                status = child.wait(min(limit, left))
            except subprocess.TimeoutExpired:
                status = "none: over its time limit"
                _end(child)
                if left < limit:
                    raise NoTime from None
            out.seek(0), said.seek(0)
            seconds, texts = time.monotonic() - start, (out.read(), said.read())
        # Of one process in the order of its cycles, whose files may be finished in another one.
        traces = sorted(glob.glob(os.path.join(folder, "profiler_log", "*.json")))
        return Ran(folder, status, *texts, seconds, traces)

    def capture(self, name, options, command, **more):
        return self.run(name, self.captured(options, command), **more)

    def fair(self, ran, command, env=None):
        """The run; where it failed and the bare program fails, too, none, and why."""
        if ran.status == 0:
            return ran, None
        bare = self.run(os.path.basename(ran.folder) + "-bare", command, env=env)
        return (ran, None) if bare.status == 0 else (None, "it does not work here without us either: " + bare.why)

    def captured(self, options, command):
        return [self.binary, "capture", *self.known(options), "--", *command]

    def known(self, options):
        """Options without those that this binary does not have, and their values: `lacks` lists them."""
        found, is_left_out = [], False
        for word in options:
            is_left_out = word in self.lacks() if word.startswith("--") else is_left_out
            found += [] if is_left_out else [word]
        return found

    def lacks(self):
        """Options for GPUs that this binary does not have."""
        return self.once("lacks", lambda: [name for name in FOR_GPUS if name not in self.ask("capture", "--help")[1]])

    def ask(self, *words):
        """What our own program says, as text."""
        done = subprocess.run([self.binary, *words], capture_output=True, text=True, timeout=60)
        return done.returncode, done.stdout + done.stderr

    def info(self, trace):
        status, text = self.ask("info", "--format", "json", trace)
        return json.loads(text) if status == 0 else None

    def has(self, module):
        """Whether Python has a package."""
        ask = "import importlib.util as u, sys; sys.exit(u.find_spec(%r) is None)" % module
        return self.once("has " + module, lambda: subprocess.call([self.python, "-c", ask], stderr=subprocess.DEVNULL) == 0)


def together(*makes):
    """Makes all of it at once, where the clock does not matter."""
    with ThreadPoolExecutor(max_workers=min(6, os.cpu_count() or 1)) as pool:
        waiting = [pool.submit(make) for make in makes]
        return [one.result() for one in waiting]
