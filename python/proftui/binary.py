"""Finds the program `proftui`, and runs it."""
import os
import shutil
import subprocess
import sys
import sysconfig

VARIABLE = "PROFTUI_BIN"


class Missing(Exception):
    """The program cannot be found or run."""


class Refused(Exception):
    """The program failed; the message is its reason, in one line."""


def path():
    """Path of the program: that in the environment variable `PROFTUI_BIN`, else beside this Python, else on `PATH`. Raises `Missing`."""
    named = os.environ.get(VARIABLE)
    if named:
        return os.path.abspath(named)
    folders = [os.path.dirname(sys.executable or ""), sysconfig.get_path("scripts") or ""]
    try:
        folders.append(sysconfig.get_path("scripts", os.name + "_user"))
    except KeyError:
        # Not all systems have a scheme for the user's own installations.
        pass
    for folder in folders:
        found = folder and shutil.which("proftui", path=folder)
        if found:
            return found
    found = shutil.which("proftui")
    if not found:
        raise Missing("the program proftui was not found beside this Python or on PATH; set its path in %s" % VARIABLE)
    return found


def ask(*words):
    """Runs the program with these arguments; returns its output. Raises `Missing` or `Refused`."""
    try:
        done = subprocess.run(
            [path()] + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        raise Missing("cannot run %s: %s" % (path(), error.strerror))
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[0] if lines else "exit status %d" % done.returncode
        raise Refused(why[len("proftui: ") :] if why.startswith("proftui: ") else why)
    return done.stdout.decode("utf-8", "replace")
