"""Lists the folders of an interpreter's packages that contain CUPTI.

Imports nothing of the recorder: `proftui doctor` and `--require-gpu` run this file alone, to find what a program would find.
"""
import os
import sys


def folders():
    roots = [os.path.join(entry, "nvidia") for entry in sys.path if entry]
    parts = [os.path.join(root, part, "lib") for root in roots for part in _names(root)]
    # A conda environment may have a CUDA toolkit of its own.
    parts.append(os.path.join(sys.prefix, "lib"))
    return [os.path.abspath(part) for part in parts if any(name.startswith("libcupti.so") for name in _names(part))]


def _names(folder):
    try:
        return sorted(os.listdir(folder))
    except OSError:
        return []
