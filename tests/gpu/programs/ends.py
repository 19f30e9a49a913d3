"""Ends in one of the ways in which programs end, while it is recorded.

    python3 ends.py HOW [--device cpu] [--seconds S]      HOW: return, sys.exit, exception, SIGTERM, SIGKILL, os._exit

Until then it makes steps of some milliseconds, of as many kernels each; `steps` in its folder says how many were done, and
when: one line each, nanoseconds since 1970.
"""

import argparse
import os
import signal
import sys
import time

import torch

KERNELS = 10


def step(n, numbers, wait):
    for _ in range(KERNELS):
        numbers.add_(1)
    wait()
    time.sleep(0.005)


def end(how):
    if how == "sys.exit":
        sys.exit(7)
    if how == "exception":
        raise RuntimeError("the program's own")
    if how.startswith("SIG"):
        os.kill(os.getpid(), getattr(signal, how))
        time.sleep(60)
    if how == "os._exit":
        os._exit(9)


def main():
    of = argparse.ArgumentParser()
    of.add_argument("how", choices=["return", "sys.exit", "exception", "SIGTERM", "SIGKILL", "os._exit"])
    of.add_argument("--device", default="cuda")
    of.add_argument("--seconds", type=float, default=4)
    options = of.parse_args()
    numbers = torch.zeros(1 << 16, device=options.device)
    wait = torch.cuda.synchronize if options.device == "cuda" else lambda: None
    until, n = time.time() + options.seconds, 0
    with open("steps", "w", buffering=1) as done:
        while time.time() < until:
            step(n, numbers, wait)
            done.write("%d\n" % time.time_ns())
            n += 1
    end(options.how)


if __name__ == "__main__":
    main()
