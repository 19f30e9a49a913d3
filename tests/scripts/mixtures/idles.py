"""Waits for a timer in each step, and computes nothing."""
import select

from clock import run


def step():
    select.select([], [], [], 0.02)


run(step, 60)
