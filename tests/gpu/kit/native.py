"""The programs that are compiled here: with nvcc where it is, with a C compiler, or not at all."""

import os
import shutil
import subprocess

from .setting import PROGRAMS


def _built(setting, name, command):
    path = os.path.join(setting.folder("programs"), name)
    done = subprocess.run([*command, "-o", path], capture_output=True, text=True, timeout=120)
    return (path, None) if done.returncode == 0 else (None, "it cannot be built: " + done.stderr.strip()[-200:])


def driver_program(setting):
    """The program by the driver's API alone, or none and why."""
    compiler = next(filter(None, map(shutil.which, (os.environ.get("CC", "cc"), "gcc", "clang"))), None)
    if not compiler:
        return None, "no C compiler"
    command = [compiler, "-std=c11", "-O1", os.path.join(PROGRAMS, "native.c"), "-ldl"]
    return setting.once("native", lambda: _built(setting, "native", command))


def runtime_program(setting):
    """The program by the runtime's API, or none and why."""
    nvcc = shutil.which("nvcc") or next(filter(os.path.exists, ["/usr/local/cuda/bin/nvcc"]), None)
    if not nvcc:
        return None, "no nvcc"
    command = [nvcc, "-O1", os.path.join(PROGRAMS, "plain.cu")]
    return setting.once("plain", lambda: _built(setting, "plain", command))
