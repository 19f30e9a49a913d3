"""17: a kernel that never ends does not hold the program's end: it ends as without a capture, some seconds later at most."""

from kit import native, trace
from kit.table import judged, shown, skipped

NUMBER, NAME = 17, "stuck"
KERNELS = 100
# What waiting for the device may take at the end, seconds: the capture's own limit is 5.
WAIT = 20


def rows(setting):
    program, why = native.driver_program(setting)
    if not program:
        yield skipped("a kernel that never ends", why)
        return
    command = [*program, "--kernels", str(KERNELS), "--stuck"]
    bare = setting.run("stuck-bare", command, limit=30)
    if bare.status != 0:
        yield skipped("a kernel that never ends", "it does not end here without us either: " + bare.why)
        return
    ran = setting.capture("stuck", [], command, limit=60)
    kernels = sum(work.kind == "Kernel" for path in ran.traces for work in trace.read(path).work)
    yield from judge(bare.status, bare.seconds, ran.status, ran.seconds, kernels)
    yield shown("what is said of it", next((line for line in ran.said.splitlines() if "--gpu-wait" in line), "nothing")[:160])


def judge(bare_status, bare_seconds, status, seconds, kernels):
    yield judged("it ends as without a capture", status == bare_status, "status %s, bare %s" % (status, bare_status))
    yield judged("it ends in time", seconds <= bare_seconds + WAIT, "%.1f s, bare %.1f s" % (seconds, bare_seconds))
    yield judged("kernels before it", KERNELS <= kernels <= KERNELS + 1, "%d of %d" % (kernels, KERNELS))
