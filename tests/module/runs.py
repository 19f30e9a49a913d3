"""Runs scripts that use the module, in a folder of their own, with the real program; `tests/capture/module.rs` says which."""
import glob
import json
import os
import signal
import subprocess
import sys
import tempfile
import textwrap
import time
import unittest

HERE = os.path.dirname(os.path.abspath(__file__))
MODULE = os.path.join(HERE, "..", "..", "python")
STUBS = os.path.join(HERE, "..", "shim", "stubs")
BINARY = os.environ["PROFTUI_BIN"]
sys.path.insert(0, MODULE)

HEAD = """
import os, sys, time
import proftui
from proftui import *
def work(name="work"):
    with RecordEvent(name):
        time.sleep(0.001)
"""


class Case(unittest.TestCase):
    """A test with a folder for scripts and what they leave."""

    maxDiff = None

    def setUp(self):
        # What hangs is to end.
        signal.alarm(200)
        self.addCleanup(signal.alarm, 0)
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = os.path.realpath(folder.name)
        for name in ("run", "cache", "work"):
            os.mkdir(self.path(name))

    def path(self, *names):
        return os.path.join(self.folder, *names)

    def environment(self, **more):
        known = {"PATH": os.environ.get("PATH", ""), "PYTHONPATH": os.pathsep.join((MODULE, STUBS))}
        known.update(TMPDIR=self.path("run"), XDG_CACHE_HOME=self.path("cache"), PROFTUI_BIN=BINARY)
        known.update(PYTHONDONTWRITEBYTECODE="1", **more)
        return {key: value for key, value in known.items() if value is not None}

    def start(self, script, capture=None, **more):
        """Starts a script; below `proftui capture` with options, where there are any."""
        with open(self.path("work", "train.py"), "w") as file:
            file.write(HEAD + textwrap.dedent(script))
        before = [] if capture is None else [BINARY, "capture"] + capture + ["--"]
        return subprocess.Popen(
            before + [sys.executable, "train.py"],
            cwd=self.path("work"),
            env=self.environment(**more),
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            universal_newlines=True,
            # Under nohup and in the background of a shell signals are ignored, and a child inherits that.
            preexec_fn=heed_signals,
        )

    def run_script(self, script, status=0, said="", **more):
        """What it prints; it ends so and says so."""
        process = self.start(script, **more)
        out, err = process.communicate(timeout=100)
        self.assertEqual((process.returncode, err), (status, said), out)
        return out

    def program(self, *words):
        """What the program prints."""
        done = subprocess.run(
            (BINARY,) + words, cwd=self.path("work"), env=self.environment(), stdout=subprocess.PIPE, check=True
        )
        return done.stdout.decode()

    def info(self, name):
        """What the program knows of a trace."""
        return json.loads(self.program("info", "--format", "json", name))

    def steps(self, name):
        """The numbers of the steps in a trace."""
        tree = self.nodes(name)
        return [int(node.name.split("#")[1]) for node in tree if node.name.startswith("ProfileStep#")]

    def nodes(self, name):
        """The outermost ranges of a trace, as the module reads them."""
        import proftui

        roots = proftui.load_profiler_result(self.path("work", name)).get_data().values()
        return [node for root in roots for node in root.children_node]

    def traces(self):
        return sorted(glob.glob(self.path("work", "profiler_log", "*")))

    def assert_nothing_left(self):
        """Neither a run's folder nor whoever looked after it."""
        until(lambda: not os.listdir(self.path("run")))


def heed_signals():
    """Gives the signals that end a program their default action."""
    for number in (signal.SIGHUP, signal.SIGINT, signal.SIGQUIT, signal.SIGTERM):
        signal.signal(number, signal.SIG_DFL)


def until(is_so):
    """Waits for something that comes soon."""
    end = time.time() + 60
    while not is_so():
        assert time.time() < end, "it does not come"
        time.sleep(0.01)


def collectors(pid):
    """The processes that look after this one's run."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                words = file.read().split(b"\0")
        except OSError:
            continue
        if words[1:4] == [b"collect", b"--pid", b"%d" % pid]:
            found.append(int(path.split("/")[2]))
    return found


def children(pid):
    with open("/proc/%d/task/%d/children" % (pid, pid)) as file:
        return [int(child) for child in file.read().split()]


def kill(pid):
    os.kill(pid, signal.SIGKILL)
