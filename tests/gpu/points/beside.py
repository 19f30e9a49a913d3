"""10: what is beside: how busy the device was by its driver's own count, NCCL with its ranges."""

import re

from kit import trace
from kit.setting import STEPS_OF_PROGRAM, between, cycles
from kit.table import judged, shown, skipped

NUMBER, NAME = 10, "beside"
NVML = re.compile(r"^proftui\.gpu\.\d+\.")


def rows(setting):
    yield from nvml(setting)
    yield from collective(setting)


def nvml(setting):
    """Over a second at least: the driver counts in periods of some tenths."""
    words = ["--model", "large", "--steps", "60", "--sleep", "0.03"]
    ran = setting.capture("beside-nvml", STEPS_OF_PROGRAM + between(5, 55), setting.script("train.py", *words))
    if not ran.traces:
        yield judged("a trace", False, ran.why)
        return
    facts = {key: value for key, value in trace.read(ran.traces[0]).facts.items() if NVML.match(key)}
    yield judged("how busy the device is", bool(facts), ", ".join("%s %s" % (key[12:], value) for key, value in sorted(facts.items())))


def collective(setting):
    command = setting.script("collective.py")
    ran, why = setting.fair(setting.capture("beside-nccl", STEPS_OF_PROGRAM + cycles(1, 1, 3, 1), command), command)
    if not ran:
        yield skipped("NCCL, one rank", why)
        return
    yield judged("NCCL, one rank: it ends well", ran.status == 0 and len(ran.traces) == 1, ran.why)
    if not ran.traces:
        return
    found = trace.read(ran.traces[0])
    names = sorted({of.name for of in found.ranges if of.name.startswith("nccl")})
    yield judged("NCCL: its ranges", bool(names), ", ".join(names) or "none")
    kernels = sorted({work.name for work in found.work if work.name.startswith("nccl")})
    yield shown("NCCL: its kernels", ", ".join(kernels)[:90] or "none: one rank needs none")
