"""8: however a program ends while it is recorded: its status is its own, nothing crashes, and what was on the device is there;
of one that is killed, all but the last moment."""

import os

from kit import trace
from kit.setting import STEPS_OF_PROGRAM, together
from kit.table import judged

NUMBER, NAME = 8, "ends"
KERNELS = 10
# How each ends, with its status; those that nobody can prepare for lose what the device had not handed over.
ENDS = {"return": 0, "sys.exit": 7, "exception": 1, "SIGTERM": -15, "SIGKILL": -9, "os._exit": 9}
UNPREPARED = ("SIGTERM", "SIGKILL", "os._exit")
# How much of the end they may lose, seconds.
LOSS = 1.5


def rows(setting):
    seconds = "3" if setting.is_quick else "4"

    def one(how):
        return setting.capture("ends-" + how.replace(".", "-"), STEPS_OF_PROGRAM, setting.script("ends.py", how, "--seconds", seconds))

    for how, ran in zip(ENDS, together(*(lambda how=how: one(how) for how in ENDS))):
        yield judged("%s: status, one trace" % how, ran.status == ENDS[how] and len(ran.traces) == 1,
                     "%s, %d traces; %s" % (ran.status, len(ran.traces), ran.why))
        path = os.path.join(ran.folder, "steps")
        if ran.traces and os.path.exists(path):
            with open(path) as file:
                yield kept(how, [int(line) for line in file], trace.read(ran.traces[0]))


def kept(how, steps, found):
    """`steps`: when each was done. How many kernels there must be: those of all steps that ended early enough."""
    loss = LOSS * 1e9 if how in UNPREPARED else 0
    expected = KERNELS * sum(time <= steps[-1] - loss for time in steps) if steps else 0
    # The first kernel fills the numbers.
    kernels = sum(work.kind == "Kernel" for work in found.work)
    is_good = expected > 0 and expected <= kernels <= KERNELS * len(steps) + KERNELS + 1
    return judged("%s: kernels" % how, is_good, "%d of %d" % (kernels, KERNELS * len(steps)))
