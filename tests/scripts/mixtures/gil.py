"""Computes in Python, as another thread does: each has the interpreter's lock for about half of the time."""
import threading

from clock import run, spin


def compute():
    while not is_over.is_set():
        pass


def step():
    spin(0.02)


is_over = threading.Event()
other = threading.Thread(target=compute)
other.start()
run(step, 60)
is_over.set()
other.join()
