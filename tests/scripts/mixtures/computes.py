"""Computes in each step, and never waits."""
from clock import run, spin


def step():
    spin(0.02)


run(step, 60)
