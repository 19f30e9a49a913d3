"""2: a capture shows what torch.profiler shows of the same training: as many kernels, copies, fills and launches; and each
piece of work has its call, each call its thread, most calls a range."""

from kit import looks
from kit.table import judged, shown

from . import training

NUMBER, NAME = 2, "counts"


def rows(setting):
    for model, ((torch, theirs), (ours, trace)) in training.both(setting).items():
        is_good = torch.status == 0 and ours.status == 0 and theirs is not None and trace is not None
        yield judged("%s trains alone and captured" % model, is_good, "torch: %s; ours: %s" % (torch.why, ours.why))
        if theirs is None or trace is None:
            continue
        yield from compared(model, theirs, trace)
        yield from linked(model, trace)
        yield from threads(model, ours.report, trace)
        yield same_by_info(model, setting.info(ours.traces[0]), trace)
        losses = [ran.report and ran.report["models"][model]["loss"] for ran in (torch, ours)]
        yield shown("%s: the loss alone and captured" % model, "%s, %s" % tuple(losses))


def compared(model, theirs, ours):
    """Rows that hold two traces against each other."""
    expected, found = looks.counts(theirs), looks.counts(ours)
    for kind, count in expected.items():
        is_good = found[kind] == count and (count > 0 or kind not in ("Kernel", "launches"))
        yield judged("%s: %s as torch.profiler" % (model, kind), is_good, "%d, torch %d" % (found[kind], count))
    names = looks.calls_by_name(theirs), looks.calls_by_name(ours)
    yield judged("%s: launching calls by name" % model, names[0] == names[1], _difference(*names))
    grids = looks.shapes(theirs), looks.shapes(ours)
    yield judged("%s: kernels by grid, block, registers" % model, grids[0] == grids[1], _difference(*grids))
    sizes = looks.sizes(theirs), looks.sizes(ours)
    yield judged("%s: copies and fills by bytes" % model, sizes[0] == sizes[1], _difference(*sizes))


def _difference(theirs, ours):
    apart = (theirs - ours) + (ours - theirs)
    worst = ", ".join("%s: %d, torch %d" % (key, ours[key], theirs[key]) for key, _ in apart.most_common(3))
    return worst or "%d sorts, all alike" % len(theirs)


def linked(model, trace):
    """Rows about the way from work to what asked for it."""
    orphans, work = looks.orphans(trace), len(trace.work)
    yield judged("%s: work without a call" % model, work > 0 and not orphans, "%d of %d" % (len(orphans), work))
    anywhere, calls = looks.in_ranges(trace, is_of_own_thread=False)
    yield judged("%s: launches within a range of some thread" % model, calls > 0 and anywhere >= 0.99 * calls, _share(anywhere, calls))
    own, _ = looks.in_ranges(trace, is_of_own_thread=True)
    figure = _share(own, calls)
    # Phases are ranges of the main thread; only where operators are recorded has the autograd's thread any.
    if any(of.kind == "Operator" for of in trace.ranges):
        yield judged("%s: within one of their own thread" % model, own >= 0.99 * calls, figure)
    else:
        yield shown("%s: within one of their own thread" % model, figure + ", no operators are recorded")
    lost = looks.fact(trace, "lost") + looks.fact(trace, "gpu.lost") + looks.fact(trace, "gpu.dropped")
    yield judged("%s: lost or dropped" % model, lost == 0, str(lost))


def _share(part, whole):
    return "%.2f %% of %d" % (100 * part / whole if whole else 0, whole)


def threads(model, reported, trace):
    """Calls are on the threads by whose numbers the system knows them."""
    found, program = looks.threads(trace), reported or {"main": 0, "autograd": [], "threads": []}
    callers = {program["main"], *program["autograd"]}
    is_good = bool(found) and callers <= found and found <= set(program["threads"]) | callers
    figure = "calls of %s; main and autograd are %s" % (sorted(found), sorted(callers))
    yield judged("%s: threads are the system's" % model, is_good, figure)


def same_by_info(model, info, trace):
    """The product's own reader counts as ours does."""
    found = info["categories"] if info else {}
    theirs = [found.get(kind, 0) for kind in ("Kernel", "Memcpy", "Memset")]
    ours = [sum(work.kind == kind for work in trace.work) for kind in ("Kernel", "Memcpy", "Memset")]
    damage = [name for name, note in (info or {"quality": {}})["quality"].items() if note["damage"]]
    return judged("%s: proftui info counts the same" % model, info is not None and theirs == ours and not damage,
                  "%s, here %s%s" % (theirs, ours, ", damage: %s" % damage if damage else ""))
