"""18: CUDA_VISIBLE_DEVICES: by number, by the device's own name, and no device at all: the program and the kernels are as without."""

import re
import shutil
import subprocess

from kit import native, trace
from kit.table import judged, skipped

NUMBER, NAME = 18, "visible"
KERNELS = 50
NONE = "no device"


def rows(setting):
    program, why = native.driver_program(setting)
    if not program:
        yield skipped("CUDA_VISIBLE_DEVICES", why)
        return
    command = [*program, "--kernels", str(KERNELS)]
    for title, value in values():
        env = {"CUDA_VISIBLE_DEVICES": value}
        name = "visible-" + title.replace(" ", "-")
        bare = setting.run(name + "-bare", command, env=env)
        ran = setting.capture(name, [], command, env=env)
        kernels = sum(work.kind == "Kernel" for path in ran.traces for work in trace.read(path).work)
        yield judge(title, title == NONE, bare.status, ran.status, kernels)


def values():
    yield "by number", "0"
    ask = shutil.which("nvidia-smi")
    found = re.search(r"GPU-[0-9a-f-]+", subprocess.run([ask, "-L"], capture_output=True, text=True).stdout) if ask else None
    if found:
        yield "by name", found.group()
    yield NONE, "-1"


def judge(title, may_fail, bare, status, kernels):
    expected = KERNELS if bare == 0 else 0
    return judged("CUDA_VISIBLE_DEVICES %s" % title, status == bare and kernels == expected and (bare == 0 or may_fail),
                  "status %s, bare %s; %d kernels of %d" % (status, bare, kernels, expected))
