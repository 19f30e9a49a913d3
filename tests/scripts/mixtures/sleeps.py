"""Sleeps for 30 ms and computes for 10 ms in each step: waits for three quarters."""
import time

from clock import run, spin


def step():
    time.sleep(0.03)
    spin(0.01)


run(step, 40)
