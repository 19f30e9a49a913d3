"""The program `proftui`: where it is, and how it is asked something."""
import os
import shutil
import subprocess
import sys
import sysconfig

VARIABLE = "PROFTUI_BIN"


class Missing(Exception):
    """There is no such program."""


class Refused(Exception):
    """The program did not do it: why, in one line."""


def path():
    """Where the program is: named by the variable, beside this Python, on the path."""
    named = os.environ.get(VARIABLE)
    if named:
        return os.path.abspath(named)
    folders = [os.path.dirname(sys.executable or ""), sysconfig.get_path("scripts") or ""]
    try:
        folders.append(sysconfig.get_path("scripts", os.name + "_user"))
    except KeyError:
        # Not all systems have a folder of the user's own.
        pass
    for folder in folders:
        found = folder and shutil.which("proftui", path=folder)
        if found:
            return found
    found = shutil.which("proftui")
    if not found:
        raise Missing("the program proftui is neither beside this Python nor on the path; %s names it" % VARIABLE)
    return found


def ask(*words):
    """What the program prints."""
    try:
        done = subprocess.run(
            [path()] + list(words), stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
    except OSError as error:
        raise Missing("%s: %s" % (path(), error.strerror))
    if done.returncode:
        lines = done.stderr.decode("utf-8", "replace").strip().splitlines()
        why = lines[0] if lines else "exit status %d" % done.returncode
        raise Refused(why[len("proftui: ") :] if why.startswith("proftui: ") else why)
    return done.stdout.decode("utf-8", "replace")
