"""Reads what another process sends every 20 ms, and computes for 10 ms with each: waits for about a half."""
import subprocess
import sys

from clock import run, spin

SEND = "import sys, time\nwhile True: sys.stdout.write('x' * 1000), sys.stdout.flush(), time.sleep(0.02)"


def step():
    sender.stdout.read(1000)
    spin(0.01)


sender = subprocess.Popen([sys.executable, "-I", "-S", "-c", SEND], stdout=subprocess.PIPE)
step()
run(step, 60)
sender.kill()
sender.wait()
