"""Compiles nothing, and takes some time for it."""

import time


def compile(src, target=None):
    time.sleep(0.03)
