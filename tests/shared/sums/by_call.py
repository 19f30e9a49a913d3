"""The sums of a part over the calls of a runtime or driver: by name, below it by the operator or range that makes them, below that by line.

A call inside another call has a row of its own, but its time is in the share of the outer call only.
"""

import re
from bisect import bisect_right
from collections import defaultdict

from chrome import HOST, OPERATORS, RUNTIME
from nesting import around, counted
from parts import begins, is_in, share, spread, time_in, title
from spans import clip, covered

RANGES = {
    "UserDefined", "PythonUserDefined", "Communication", "Dataloader", "Forward", "Backward", "Optimization",
}  # fmt: skip
# Version and default stream behind a name, as in `cudaMemcpy_ptds_v7000`.
MARKS = re.compile(r"(_(ptsz|ptds|spt|v\d+))+$")
# A call that returns when the device is done: a synchronization, or a copy from or to the host without `Async`.
WAITS = re.compile(
    r"(cuda|cu|hip|musa|mu)\w*Synchronize"
    r"|(cuda|hip|musa)Memcpy(2D|3D|ToSymbol|FromSymbol|2?D?ToArray|2?D?FromArray|WithStream|Param2D)?"
    r"|(cu|mu|hip)Memcpy(HtoD|DtoH|HtoA|AtoH|2D|2DUnaligned|3D)?"
)
FRAME = re.compile(r"([^<].*)\(\d+\): ", re.DOTALL)
LIBRARY = re.compile(
    r"(_proftui_shim|apex|deepspeed|functorch|lightning|megatron/core|numpy|paddle|proftui|pytorch_lightning|torch|torch_npu"
    r"|torchvision|tqdm|transformer_engine|triton|asyncio|collections|concurrent|ctypes|importlib|json|logging|multiprocessing)/"
    r"|.*/(site-packages|dist-packages|_proftui_shim|torch/nn)/|.*/lib/python"
    r"|(_weakrefset|abc|bdb|contextlib|copy|copyreg|enum|functools|inspect|os|queue|random|runpy|selectors|sitecustomize|socket"
    r"|threading|typing|warnings|weakref)\.py$|.*/sitecustomize\.py$",
    re.DOTALL,
)


def calls(trace, part):
    functions = {lane[:3]: by_start(slices) for lane, slices in trace.lanes.items() if lane[0] == HOST and lane[3]}
    sums, launched = {}, defaultdict(list)
    for s in trace.slices():
        if s.launch:
            launched[id(s.launch)].append(s)
    for slices in counted(trace):
        for s in slices:
            if s.category in RUNTIME and is_in(s, part):
                is_native = s.lane[0] == HOST and not s.lane[3]
                stack = list(around(found(functions[s.lane[:3]], s.start))) if is_native and s.lane[:3] in functions else []
                row = {"children": sums}
                for name in (title(s.name), maker(s, stack), line(stack)):
                    row = row["children"].setdefault(name, {"slices": [], "bytes": None, "children": {}})
                    row["slices"].append(s)
                    for work in launched[id(s)] if begins(s, part) else ():
                        if work.bytes is not None:
                            row["bytes"] = (row["bytes"] or 0) + work.bytes
    finish(sums, part)
    return sums


def finish(rows, part):
    """Replaces the slices of each row by their sums."""
    for row in rows.values():
        slices = row.pop("slices")
        outer = [s for s in slices if not any(one.category in RUNTIME for one in around(s.parent))]
        row["calls"] = sum(begins(s, part) for s in slices)
        row["total"] = sum(time_in(s, part) for s in slices if not is_in_same(s))
        row["share"] = share(covered(clip(s.start, s.end, part.run) for s in outer), part.run[1] - part.run[0])
        row.update(spread(slices, part))
        # No line is known for any of the calls.
        if list(row["children"]) == ["(no line)"]:
            row["children"] = {}
        finish(row["children"], part)


def is_in_same(s):
    return any(one.category in RUNTIME and one.name == s.name for one in around(s.parent))


def maker(s, stack):
    for wanted in (OPERATORS, RANGES):
        for one in [*around(s.parent), *stack]:
            if one.category in wanted:
                return title(one.name)
    return "(no operator)"


def line(stack):
    library = None
    for s in stack:
        frame = FRAME.match(s.name) if s.category == "PythonFunction" else None
        if frame and not LIBRARY.match(frame[1]):
            return s.name
        if frame and library is None:
            library = s.name
    return library or "(no line)"


def by_start(slices):
    return [s.start for s in slices], slices


def found(functions, time):
    """The innermost slice of a sorted lane that contains the time."""
    starts, slices = functions
    at = bisect_right(starts, time)
    return next((s for s in around(slices[at - 1]) if s.end > time), None) if at else None
