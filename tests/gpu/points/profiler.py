"""16: a script's own profiler sees captured what it sees alone, and where we see nothing for it, we say so."""

from kit.setting import STEPS_OF_PROGRAM
from kit.table import judged, skipped

from . import conflicts

NUMBER, NAME = 16, "profiler"


def rows(setting):
    for tool in ["torch", "after"] + (["proton"] if setting.has("triton.profiler") else []):
        command = setting.script("conflict.py", tool)
        bare = setting.run("profiler-%s-bare" % tool, command)
        if bare.status != 0 or not bare.report:
            yield skipped("a script with " + tool, "it does not work here without us either: " + bare.why)
            continue
        ran = setting.capture("profiler-%s" % tool, STEPS_OF_PROGRAM, command)
        kernels, why = conflicts.seen(ran)
        yield from judge(tool, bare.report, ran.status, ran.report, kernels, why)


def judge(tool, bare, status, captured, kernels, why):
    """`bare` and `captured`: the program's words; `kernels`: how many we saw, and `why` no more."""
    yield judged("%s: the script ends well" % tool, status == 0 and captured is not None, "status %s" % status)
    theirs = captured["kernels"] if captured else 0
    # PyTorch before 2.15 looks for CUPTI with its first profiler, which was one of the host alone: then we see all kernels in its stead.
    is_right = theirs == bare["kernels"] or tool == "after" and kernels >= 2 * bare["launched"]
    yield judged("%s: what it sees alone" % tool, is_right, "%d kernels, alone %d" % (theirs, bare["kernels"]))
    is_explained = kernels >= bare["launched"] or bool(why)
    yield judged("%s: what we see" % tool, is_explained, "%d kernels of %d%s" % (kernels, bare["launched"], ", for " + why if why else ""))
