"""Starts the collector of this process's run: a process of proftui that serves the run, and ends when this process has ended."""
import json
import os
import subprocess

from . import binary


def start(options, with_gpu):
    """Starts it; returns its answer: variables to `set` and `unset` in the environment, and `warnings`. Raises `Missing`, `Refused`."""
    words = [binary.path(), "collect", "--pid", str(os.getpid()), "--options", _lines(options)]
    if not with_gpu:
        words.append("--no-gpu")
    try:
        first = subprocess.Popen(words, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL)
    except OSError as error:
        raise binary.Missing("%s: %s" % (words[0], error.strerror))
    # Reads one line, not to the end: the second process that was started keeps the pipe open.
    with first.stdout:
        line = first.stdout.readline()
    first.wait()
    try:
        answer = json.loads(line.decode("utf-8"))
    except ValueError:
        raise binary.Refused("%s does not answer: is it of this version?" % words[0])
    if "error" in answer:
        raise binary.Refused(answer["error"])
    return answer


def _lines(options):
    return "".join("%s=%s\n" % item for item in sorted(options.items()))
