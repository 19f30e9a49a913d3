"""Reports the folders of Python packages that contain CUPTI to the agent, which loads CUPTI when the program calls CUDA.

Only lists folders; imports nothing from them.
"""
import os
import sys

from _proftui import libraries


def report():
    """Reports the folders, if GPUs are recorded."""
    if os.environ.get("CUDA_INJECTION64_PATH"):
        libraries(os.pathsep.join(_folders()))


def _folders():
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
