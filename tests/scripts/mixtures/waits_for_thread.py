"""Waits for a thread that computes without the interpreter's lock: waits, while another thread of the process has a processor."""
import hashlib
from concurrent.futures import ThreadPoolExecutor

from clock import run, spin

DATA = bytes(20_000_000)


def step():
    pool.submit(lambda: hashlib.sha256(DATA).digest()).result()
    spin(0.005)


with ThreadPoolExecutor(1) as pool:
    run(step, 40)
