"""Which calls wait for the device (view calls, column Waits), and what no other part has of the view waits.

A call waits by its name (a synchronization, a copy without Async), or as the call of an asynchronous copy
from or to pageable memory that still ran when its copy began (nesting.waits_for_copy).
"""

import re
from collections import defaultdict

from by_call import MARKS, WAITS
from by_device import device_title
from chrome import RUNTIME
from nesting import counted
from parts import is_in, share, title
from spans import clip, union


def calls(trace, part):
    """For each name of calls in the part whether they wait: yes, no, or how many of them."""
    found = defaultdict(list)
    for slices in counted(trace):
        for s in slices:
            if s.category in RUNTIME and is_in(s, part):
                by_name = WAITS.fullmatch(MARKS.sub("", s.name)) is not None
                found[title(s.name)].append(by_name or s.waits_for_copy)
    some = lambda waits: f"{sum(waits)} of {len(waits)}"
    word = lambda waits: "yes" if all(waits) else some(waits) if any(waits) else "no"
    return {name: word(waits) for name, waits in found.items()}


def check(tally, trace, part, work, answers):
    expected, order = calls(trace, part), []
    ids = [column["id"] for column in answers["calls"]["columns"]]
    for line in answers["calls"]["rows"]:
        cells = dict(zip(ids, line["cells"]))
        order.append(cells["waits"] == "no")
        tally.check(f"calls · {cells['name'][:60]}", "waits", expected.get(cells["name"]), cells["waits"])
    tally.check("calls", "those that wait come first", True, order == sorted(order))
    if "waits" in answers:
        streams(tally, part, work, answers["waits"])


def streams(tally, part, work, answer):
    """The longest gap of each stream, and the share of its idle time that waited for the host."""
    ids = [column["id"] for column in answer["columns"]]
    found = [dict(zip(ids, line["cells"])) for line in answer["rows"]]
    by_lane = defaultdict(list)
    for s in work:
        by_lane[s.lane].append(clip(s.start, s.end, part))
    for lane, spans in by_lane.items():
        busy = union(spans)
        gaps = [after[0] - before[1] for before, after in zip(busy, busy[1:]) if after[0] - before[1] > 1]
        device, stream = re.escape(device_title(lane[1])), re.escape(lane[2].removeprefix("stream "))
        this = re.compile(rf"{device}\b.* · stream {stream}(,.*)?")
        rows = [cells for cells in found if this.fullmatch(cells["stream"])]
        if len(rows) != 1:
            tally.faults.append(f"waits: {len(rows)} rows of {device} · stream {stream}")
            continue
        where, cells = f"waits · {rows[0]['stream']}", rows[0]
        tally.check(where, "longest", max(gaps, default=0), cells["longest"])
        tally.check(where, "host_share", share(cells["host"], cells["idle"]), cells["host_share"])
