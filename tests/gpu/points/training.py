"""The same training twice: recorded by torch.profiler alone, and by a capture. Several points look at these traces."""

import os

from kit import trace
from kit.setting import STEPS_OF_PROGRAM, between, together

MODELS = ("resnet", "transformer")
FIRST, LAST, STEPS = 5, 9, 11


def by_torch(setting, model):
    words = ["--model", model, "--steps", str(STEPS), "--profile", "%d:%d" % (FIRST, LAST), "--trace", "torch.json"]
    return setting.run("train-%s-torch" % model, setting.script("train.py", *words))


def by_capture(setting, model):
    command = setting.script("train.py", "--model", model, "--steps", str(STEPS))
    return setting.capture("train-%s-proftui" % model, STEPS_OF_PROGRAM + between(FIRST, LAST), command)


def both(setting):
    """For each model what torch.profiler said and what a capture did: the runs and their traces, or none."""
    return setting.once("training", lambda: _both(setting))


def _both(setting):
    makes = [lambda model=model, how=how: how(setting, model) for model in MODELS for how in (by_torch, by_capture)]
    ran = together(*makes)
    found = {}
    for at, model in enumerate(MODELS):
        torch, ours = ran[2 * at], ran[2 * at + 1]
        path = os.path.join(torch.folder, "torch.json")
        theirs = trace.read(path) if os.path.exists(path) else None
        found[model] = (torch, theirs), (ours, trace.read(ours.traces[0]) if ours.traces else None)
    return found
