"""Computes on one processor that three other processes use, too: it is ready without a processor for about three quarters."""
import os
import subprocess
import sys

from clock import run, spin


def step():
    spin(0.01)


os.sched_setaffinity(0, {min(os.sched_getaffinity(0))})
others = [subprocess.Popen([sys.executable, "-I", "-S", "-c", "while True: pass"]) for _ in range(3)]
run(step, 60)
for other in others:
    other.kill()
    other.wait()
