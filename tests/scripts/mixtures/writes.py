"""Writes a file and waits for the disk in each step, then computes for as long as it pleases a hash of a large block."""
import hashlib
import os
import tempfile

from clock import run

DATA = bytes(4_000_000)


def step():
    file.seek(0)
    file.write(DATA)
    file.flush()
    os.fsync(file.fileno())
    hashlib.sha256(DATA).digest()


with tempfile.TemporaryFile() as file:
    run(step, 40)
