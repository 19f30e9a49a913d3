"""Files with the memory of a device over time, in the formats of PyTorch's `export_memory_timeline`.

A trace does not say what a tensor is for, so that all memory is in PyTorch's category of unknown memory.
"""
import gzip
import json

from . import binary, output
from .names import TracerMemEventType

# PyTorch's numbers of what happens to memory: it was there before, it is allocated, it is released.
_THERE, _CREATED, _GONE = 1, 2, 4
# PyTorch's number of the category of unknown memory, which is the last one; a row of sizes begins with a zero.
_UNKNOWN = 7
_PAGE = """<html>
<head><meta charset="utf-8" /><title>Memory Timeline</title></head>
<body><p>%s: %.3f MiB at most, %.3f ms</p>
<svg viewBox="0 0 1000 400" width="1000" height="400"><polyline fill="none" stroke="grey" points="%s" /></svg>
</body>
</html>
"""


def write_timeline(result, path, device):
    """Writes the timeline of a device: `.html`, `.raw.json.gz`, `.json.gz` or else plain JSON, by the path's end. Raises `Refused`."""
    path = str(path)
    records = [record for root in result.get_data().values() if root is not None for record in _records(root)]
    device = str(device) if device else ("cuda:0" if any("gpu" in record.place for record in records) else "cpu")
    place = "Place(%s)" % device.replace("cuda", "gpu")
    actions = _actions(sorted((one for one in records if one.place == place), key=lambda one: one.timestamp_ns))
    if path.endswith(".html"):
        data = _page(device, *_sizes(actions))
    elif path.endswith("raw.json.gz"):
        data = gzip.compress(json.dumps(actions).encode())
    else:
        data = json.dumps(_sizes(actions))
        data = gzip.compress(data.encode()) if path.endswith(".gz") else data
    try:
        output.write(path, data)
    except OSError as error:
        raise binary.Refused("cannot write %s: %s" % (path, error.strerror))


def _records(root):
    nodes = [root]
    while nodes:
        node = nodes.pop()
        nodes += node.children_node
        # Of the allocator alone, as PyTorch's: not what CUDA itself allocates, nor what the allocator takes from the system.
        yield from (record for record in node.mem_node if not record.memory_kind and record.type < TracerMemEventType.ReservedAllocate)


def _actions(records):
    """What happens: time (ns, -1 for what was there before), number of the action, bytes, number of the category."""
    there, actions, open_bytes = [], [], {}
    for record in records:
        if record.increase_bytes >= 0:
            open_bytes[record.addr] = record.increase_bytes
            actions.append((record.timestamp_ns, _CREATED, record.increase_bytes, _UNKNOWN))
        else:
            if open_bytes.pop(record.addr, None) is None:
                there.append((-1, _THERE, -record.increase_bytes, _UNKNOWN))
            actions.append((record.timestamp_ns, _GONE, record.increase_bytes, _UNKNOWN))
    return there + actions


def _sizes(actions):
    """Times (µs), and for each the bytes of all categories."""
    first = next((time // 1000 for time, *_ in actions if time >= 0), 0)
    times, sizes, held = [], [], 0
    for time, _, size, category in actions:
        held += size
        time = first if time < 0 else time // 1000
        if not times or times[-1] != time:
            times.append(time)
            sizes.append([0] * (_UNKNOWN + 2))
        sizes[-1][category + 1] = held
    return times, sizes


def _page(device, times, sizes):
    held = [sum(row) for row in sizes]
    most, length = max(held, default=0), (times[-1] - times[0] if times else 0)
    points = []
    for time, size in zip(times, held):
        x, y = 1000.0 * (time - times[0]) / (length or 1), 400 - 400.0 * size / (most or 1)
        # The size before holds until this time.
        points += ["%.2f,%s" % (x, points[-1].split(",")[1])] if points else []
        points.append("%.2f,%.2f" % (x, y))
    return _PAGE % (device, most / 1024.0 ** 2, length / 1000.0, " ".join(points))
