"""12: CUPTI's answers to a recorder that only asks (`programs/probe.c`): each call, both orders of exit handlers, whole buffers, the
memory of the device that CUPTI takes. Some of its buffers are kept, for the recorder's tests to replay."""

import os
import shutil

from kit import native, probe
from kit.table import judged, shown, skipped

NUMBER, NAME = 12, "buffers"
KERNELS, GRAPHS, NODES, ROUNDS = 3000, 5, 10, 2
MANY = "--kernels %d --pageable 3 --sets 3 --graphs %d --nodes %d --rounds %d --sleep 600" % (KERNELS, GRAPHS, NODES, ROUNDS)
# A little of everything: what is kept in the repository must be small.
FEW = "--kernels 10 --small 2 --pageable 2 --pinned 2 --device 2 --sets 2 --pools 1 --managed 1 --graphs 1 --nodes 3"
FEW_KERNELS = 10 + 2 + 1 + 3
# How the probe is run otherwise: a title, its environment, whether it must work. Where CUPTI's own exit handlers run first, it may crash.
WAYS = [
    ("exit handler before CUPTI", {"PROBE_EARLY": "1"}, False),
    ("device buffers in host memory", {"PROBE_ATTRIBUTES": "8=1"}, True),
    ("at most 3 device buffers", {"PROBE_ATTRIBUTES": "2=3"}, True),
]


def rows(setting):
    library, why = native.probe(setting)
    program, why = native.driver_program(setting) if library else (None, why)
    found = native.libraries(setting) if program else []
    if not found:
        yield skipped("the probe", why or "no CUPTI was found")
        return
    command = [*program, *MANY.split()]

    def probed(name, command=command, **env):
        shutil.rmtree(os.path.join(setting.out, "probe-" + name), ignore_errors=True)
        folder = setting.folder("probe-" + name)
        env = {"CUDA_INJECTION64_PATH": library, "PROBE_OUT": os.path.join(folder, "probe"), **env}
        ran = setting.run("probe-" + name, command, env=env, limit=40)
        return ran, probe.read(folder)

    ran, log = without = probed("without")
    for number, path in enumerate(found):
        ran, log = probed("first-%d" % number, PROBE_CUPTI=path)
        if probe.is_taken(log.lines):
            break
        yield shown("refused: " + path, "; ".join(probe.refusals(log.lines)))
    yield shown("CUPTI", path)
    with open(os.path.join(ran.folder, "answers"), "w") as file:
        file.write("\n".join(probe.answers(log.lines)) + "\n")
    yield from of_way("as proftui", without, ran, log, True)
    for number, (title, env, must_work) in enumerate(WAYS):
        yield from of_way(title, without, *probed("way-%d" % number, PROBE_CUPTI=path, **env), must_work)
    ran, log = probed("few", [*program, *FEW.split()], PROBE_CUPTI=path)
    kernels = probe.last(log.lines).get("kinds", {}).get(probe.KERNEL, 0)
    yield judged("a little of everything: kernels", kernels == FEW_KERNELS, "%d of %d" % (kernels, FEW_KERNELS))
    yield kept(setting.out, log.files)


def of_way(title, without, ran, log, must_work):
    found = [judged("%s: it ends as without" % title, ran.status == without[0].status, ran.why)]
    found += probe.rows(title, log.lines, ROUNDS * (KERNELS + GRAPHS * NODES))
    yield from found if must_work else [shown(row.what, ("%s: %s" % (row.verdict, row.figure)).lower()) for row in found[:3]]
    yield taken(title, probe.free(without[1].lines), probe.free(log.lines))


def taken(title, without, free):
    """How much less of the device's memory is free than without CUPTI."""
    if without is None or free is None:
        return skipped("%s: memory of the device" % title, "the driver does not say")
    return shown("%s: memory of the device" % title, "%.1f MiB" % ((without - free) / (1 << 20)))


def kept(out, files):
    """The buffers, where whoever gets the archive looks for them."""
    folder = os.path.join(out, "fixtures")
    shutil.rmtree(folder, ignore_errors=True)
    os.makedirs(folder)
    for path in files:
        shutil.copy(path, folder)
    size = sum(map(os.path.getsize, files))
    # More than the file's own head.
    return judged("raw buffers are kept", size > 24, "%d files, %d bytes in fixtures" % (len(files), size))
