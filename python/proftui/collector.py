"""Starts the collector: a proftui process that supervises this process's run, and ends when this process has ended."""
import json
import os
import subprocess

from . import binary


def start(options):
    """Starts the collector; returns its answer: environment variables to `set` and `unset`, and `warnings`; and the same in `gpu`, of what GPUs
    need. Raises `Missing`, `Refused`."""
    words = [binary.path(), "collect", "--pid", str(os.getpid()), "--options", _lines(options)]
    try:
        first = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise binary.Missing("cannot run %s: %s" % (words[0], error.strerror))
    # Reads one line and not up to the end of the pipe: the collector may keep the pipe open.
    with first.stdout:
        line = first.stdout.readline()
    first.wait()
    try:
        answer = json.loads(line.decode("utf-8"))
    except ValueError:
        raise binary.Refused("%s gave no valid answer: check that the program and the Python package have the same version" % words[0])
    if "error" in answer:
        raise binary.Refused(answer["error"])
    return answer


def _lines(options):
    return "".join("%s=%s\n" % item for item in sorted(options.items()))
