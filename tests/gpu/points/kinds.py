"""7: work of all sorts: what compilers make, streams with priorities and names, memory from a pool, copies of pinned and pageable
memory, managed memory; by torch, by the driver's API alone, and by a program that nvcc built."""

from kit import looks, native, trace
from kit.setting import MEMORY, STEPS_OF_PROGRAM, between, together
from kit.table import judged, shown, skipped

NUMBER, NAME = 7, "kinds"
FIRST, LAST = 4, 7
STEPS = LAST - FIRST
POOL = {"PYTORCH_CUDA_ALLOC_CONF": "backend:cudaMallocAsync", "PYTORCH_ALLOC_CONF": "backend:cudaMallocAsync"}
ROUNDS, NODES = 3, 10
NATIVE = ["--kernels", "20", "--small", "5", "--graphs", "2", "--nodes", str(NODES), "--pageable", "3", "--pinned", "4",
          "--device", "2", "--sets", "3", "--pools", "2", "--managed", "2", "--rounds", str(ROUNDS)]


def rows(setting):
    kinds = ["streams", "pool", "copies"] + (["triton", "compile"] if setting.has("triton") else [])

    def by_torch(kind):
        options = STEPS_OF_PROGRAM + between(FIRST, LAST) + (MEMORY if kind == "pool" else [])
        return setting.capture("kinds-" + kind, options, setting.script("kinds.py", kind), env=POOL if kind == "pool" else None)

    ran = together(*(lambda kind=kind: by_torch(kind) for kind in kinds))
    for kind, of in zip(kinds, ran):
        of, why = setting.fair(of, setting.script("kinds.py", kind), POOL if kind == "pool" else None)
        if not of:
            yield skipped(kind, why)
            continue
        yield judged(kind, of.status == 0 and len(of.traces) == 1, of.why)
        if of.traces and of.report:
            found = trace.read(of.traces[0])
            yield judged("%s: work without a call" % kind, bool(found.work) and not looks.orphans(found),
                         "%d of %d" % (len(looks.orphans(found)), len(found.work)))
            yield from LOOKS[kind](found, of.report)
    if "triton" not in kinds:
        yield skipped("triton, compile", "Triton is not installed")
    yield from by_program(setting, "driver", native.driver_program(setting), NATIVE)
    yield from of_unified(setting, native.driver_program(setting))
    yield from by_program(setting, "runtime", native.runtime_program(setting), ["--rounds", str(ROUNDS)])


def of_streams(found, program):
    streams = {work.stream: work.args.get("priority") for work in found.work if work.kind == "Kernel"}
    yield judged("streams: two of two priorities", len(streams) == 2 and len(set(streams.values())) == 2 and None not in streams.values(),
                 ", ".join("stream %s: priority %s" % pair for pair in sorted(streams.items(), key=str)))


def of_pool(found, program):
    yield shown("pool: torch's allocator", program["allocator"])
    kernels = looks.counts(found)["Kernel"]
    yield judged("pool: kernels", kernels == 8 * STEPS, "%d of %d" % (kernels, 8 * STEPS))
    yield shown("pool: memory events", str(len(found.memory)))


def of_copies(found, program):
    of = [work for work in found.work if work.kind == "Memcpy"]
    yield judged("copies: five a step", len(of) == 5 * STEPS, "%d of %d" % (len(of), 5 * STEPS))
    is_whole = bool(of) and all(int(work.args.get("bytes", 0)) == program["bytes"] for work in of)
    yield judged("copies: bytes", is_whole, str(sorted({work.args.get("bytes") for work in of})))
    ways = sorted({"%s to %s" % (work.args.get("from"), work.args.get("to")) for work in of})
    yield judged("copies: pinned and pageable, both ways, on the device", len(ways) == 5, ", ".join(ways))


def of_triton(found, program):
    names = [work.name for work in found.work if "add_one_in_triton" in work.name]
    yield judged("triton: its kernels by name", len(names) == STEPS, "%d of %d" % (len(names), STEPS))
    calls = sorted({call.name for work, call in looks.launches(found) if call and "add_one_in_triton" in work.name})
    yield judged("triton: launched by", len(calls) > 0, ", ".join(calls))


def of_compile(found, program):
    names = sorted({work.name for work in found.work if work.name.startswith("triton_")})
    yield judged("compile: kernels that Inductor made", bool(names), ", ".join(names[:3]))


LOOKS = {"streams": of_streams, "pool": of_pool, "copies": of_copies, "triton": of_triton, "compile": of_compile}


def by_program(setting, name, built, words):
    """Rows of a program that reports what it did: everything is recorded, so everything must be there."""
    program, why = built
    if not program:
        yield skipped("%s program" % name, why)
        return
    ran = setting.capture("kinds-" + name, MEMORY, [*program, *words])
    yield judged("%s program" % name, ran.status == 0 and len(ran.traces) == 1, ran.why)
    if ran.traces and ran.report:
        yield from held_to(name, ran.report, trace.read(ran.traces[0]))


def of_unified(setting, built):
    """Rows of managed memory, with its page faults: whatever CUPTI reports of it, everything else is there as without."""
    program, why = built
    if not program:
        yield skipped("unified memory", why)
        return
    ran = setting.capture("kinds-unified", ["--unified-memory", "faults"], [*program, *NATIVE, "--touch"])
    yield judged("unified memory", ran.status == 0 and len(ran.traces) == 1, ran.why)
    if ran.traces and ran.report:
        yield from migrated(ran.report, trace.read(ran.traces[0]))


def migrated(program, found):
    kernels, answers = looks.counts(found)["Kernel"], found.facts.get("proftui.gpu.cupti_kinds", "")
    yield judged("unified memory: kernels", kernels == program["kernels"], "%d of %d" % (kernels, program["kernels"]))
    yield shown("unified memory: CUPTI's answers", ", ".join(word for word in answers.split(", ") if "Unified" in word or "kind 25" in word))
    names = sorted({event.name for event in found.unified})
    counts = ["%d %s" % (sum(event.name == name for event in found.unified), name) for name in names]
    if not answers.endswith("kind 25: 0"):
        yield judged("unified memory: none where it is refused", not found.unified, ", ".join(counts) or "none")
        return
    # The host writes the memory first, a kernel then touches it.
    to_device = sum(int(event.args.get("bytes", 0)) for event in found.unified if event.name == "Migration HtoD")
    yield judged("unified memory: moves to the device", to_device > 0, "%d bytes; %s" % (to_device, ", ".join(counts) or "no event"))
    is_good = all(event.start <= event.end and event.args.get("address") for event in found.unified)
    yield judged("unified memory: times and addresses", is_good, "%d events" % len(found.unified))


def held_to(name, program, found):
    of = looks.counts(found)
    for kind, key in (("Kernel", "kernels"), ("Memset", "sets")):
        yield judged("%s: %s" % (name, key), of[kind] == program[key], "%d of %d" % (of[kind], program[key]))
    # The driver may move managed memory by copies of its own.
    copies = [work for work in found.work if work.kind == "Memcpy" and "nified" not in str(work.args.get("copy kind", ""))]
    yield judged("%s: copies" % name, len(copies) == program["copies"], "%d of %d" % (len(copies), program["copies"]))
    pinned = sum("inned" in str(work.args.get("from")) for work in copies)
    yield judged("%s: copies from pinned memory" % name, pinned == program["pinned"], "%d of %d" % (pinned, program["pinned"]))
    early, orphans = looks.early(found), looks.orphans(found)
    is_good = bool(found.work) and not orphans and not early
    yield judged("%s: without a call, before it" % name, is_good, "%d, %d" % (len(orphans), len(early)))
    priorities = {work.stream: work.args.get("priority") for work in found.work}
    yield judged("%s: streams and their priorities" % name, len(set(priorities.values())) >= 2, str(priorities))
    if name == "driver":
        titles = " ".join(found.lanes)
        is_named = all(text in titles for text in ("normal work", "urgent work", "the only thread"))
        yield judged("driver: names by NVTX", is_named, ", ".join(found.lanes)[:120])
    taken, given = (sum(event.get("cat") == cat for event in found.memory) for cat in ("Allocate", "Free"))
    yield shown("%s: memory taken and given back" % name, "%d and %d times" % (taken, given))
    pools = ["%s: %s, %s used" % tuple(event["args"].get("pool " + key) for key in ("operation", "size", "used"))
             for event in found.memory if "pool operation" in event["args"]]
    yield shown("%s: memory pools" % name, "; ".join(pools) or "none")
