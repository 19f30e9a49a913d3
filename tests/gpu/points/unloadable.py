"""11: what the driver does with a recorder that it cannot load: every CUDA program must run as without one."""

import os
import subprocess

from kit import native
from kit.table import judged, skipped

NUMBER, NAME = 11, "unloadable"
# By name: the source of a library, or none for a file that is none.
SOURCES = {"without the function": "int nothing;", "that returns 0": "int InitializeInjection(void) { return 0; }"}


def rows(setting):
    program, why = native.driver_program(setting)
    if not program:
        yield skipped("a recorder that cannot be loaded", why)
        return
    command = [*program, "--kernels", "5"]
    bare = setting.run("unloadable-bare", command, env={"CUDA_INJECTION64_PATH": "none"})
    yield judged("without a recorder", bare.status == 0, bare.why)
    for title, path in recorders(setting.folder("unloadable")):
        ran = setting.run("unloadable-" + title.replace(" ", "-"), command, env={"CUDA_INJECTION64_PATH": path}, limit=20)
        yield judged("a recorder %s: the program runs" % title, is_alike(bare, ran), ran.why)


def is_alike(bare, ran):
    own = [ran.report and {key: value for key, value in ran.report.items() if key != "pid"} for ran in (bare, ran)]
    return ran.status == bare.status and own[0] == own[1]


def recorders(folder):
    """Names and paths."""
    text = os.path.join(folder, "text.so")
    with open(text, "w") as file:
        file.write("not a library\n")
    yield "that is not there", os.path.join(folder, "absent.so")
    yield "that is no library", text
    for title, source in SOURCES.items():
        path = os.path.join(folder, title.replace(" ", "-") + ".so")
        command = [native.COMPILER, "-shared", "-fPIC", "-x", "c", "-o", path, "-"]
        subprocess.run(command, input=source, text=True, check=True, timeout=60)
        yield title, path
