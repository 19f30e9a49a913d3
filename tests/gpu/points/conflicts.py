"""9: others who want the device's records: the script's own profiler, NVIDIA's tools around us, a second copy of CUPTI. The program
must go on as it is, its own profiler sees all that was launched beside it, and where we see nothing, we say so."""

import os
import shutil

from kit import native, trace
from kit.setting import NO_SYNC, STEPS_OF_PROGRAM, cupti, together
from kit.table import judged, shown, skipped

NUMBER, NAME = 9, "conflicts"


def rows(setting):
    tools = ["torch"] + (["proton"] if setting.has("triton.profiler") else [])

    def beside(tool):
        return setting.capture("conflict-" + tool, STEPS_OF_PROGRAM, setting.script("conflict.py", tool))

    for tool, ran in zip(tools, together(*(lambda tool=tool: beside(tool) for tool in tools))):
        ran, why = setting.fair(ran, setting.script("conflict.py", tool))
        if ran:
            yield from own_profiler(tool, ran)
        else:
            yield skipped("a script with " + tool, why)
    if "proton" not in tools:
        yield skipped("a script with proton", "Triton is not installed")
    yield from second_copy(setting)
    yield from under_tools(setting)


def seen(ran):
    """Kernels in a run's traces, and why there are none as we say it."""
    traces = [trace.read(path) for path in ran.traces]
    kernels = sum(work.kind == "Kernel" for found in traces for work in found.work)
    reasons = {found.facts.get("proftui.gpu.reason") or found.facts.get("proftui.gpu.why") for found in traces} - {None}
    words = [line.strip() for line in ran.said.splitlines() if "proftui: GPU:" in line]
    return kernels, ", ".join(sorted(reasons)) or "; ".join(words)[:160]


def explained(ran):
    kernels, why = seen(ran)
    return kernels > 0 or bool(why), "we saw %d kernels%s" % (kernels, ", for " + why if why else "")


def own_profiler(tool, ran):
    yield judged("a script with %s: it ends well" % tool, ran.status == 0 and ran.report is not None, ran.why)
    if ran.report:
        is_explained, words = explained(ran)
        seen_by_it, launched = ran.report["kernels"], ran.report["launched"]
        yield judged("a script with %s: its own profiler" % tool, seen_by_it >= launched, "saw %d kernels of %d" % (seen_by_it, launched))
        yield judged("a script with %s: who sees kernels" % tool, is_explained, words)


def second_copy(setting):
    """A copy under another path, beside the one that torch brings along."""
    found = native.libraries(setting)
    if not found:
        yield skipped("two copies of CUPTI", "none was found to be copied")
        return
    copy = shutil.copy(os.path.realpath(found[0]), os.path.join(setting.folder("conflict-copy"), os.path.basename(found[0])))
    ran = setting.capture("conflict-copy", STEPS_OF_PROGRAM + cupti(copy), setting.script("train.py", "--model", "small"))
    yield judged("two copies of CUPTI: it ends well", ran.status == 0, ran.why)
    yield judged("two copies of CUPTI: who sees kernels", *explained(ran))


def under_tools(setting):
    program, why = native.driver_program(setting)
    if not program:
        yield skipped("under ncu, nsys; --no-sync", why)
        return
    words = [*program, "--kernels", "20"]
    around = {"ncu": ["ncu", "--clock-control", "none", "--target-processes", "all"],
              "nsys": ["nsys", "profile", "--trace", "cuda", "--output", "report"]}
    for tool, command in around.items():
        if not shutil.which(tool):
            yield skipped("under " + tool, "it is not there")
            continue
        bare = setting.run("conflict-bare-" + tool, command + words)
        if bare.status != 0:
            yield skipped("under " + tool, "it does not work here without us either: " + bare.why)
            continue
        ran = setting.run("conflict-" + tool, command + setting.captured([], words))
        yield judged("under %s: it ends well" % tool, ran.status == 0 and ran.report is not None, ran.why)
        yield judged("under %s: who sees kernels" % tool, *explained(ran))
    ran = setting.capture("conflict-no-sync", NO_SYNC, words)
    yield shown("--no-sync", "status %s, we saw %d kernels" % (ran.status, seen(ran)[0]))
