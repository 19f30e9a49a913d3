"""What is kept of a check: which points are done, with their rows, and one archive of all that was written."""

import json
import os
import tarfile

from .table import Row, is_whole

DONE = "done"
# Of no use to whoever reads the archive, or large.
LEFT_OUT = {"cache", "triton", "inductor", "run"}
# A single file may be so large, bytes.
LARGEST = 64 << 20


def remember(out, point, rows):
    """Writes down that a point is done; one that was broken off for want of time is not."""
    if is_whole(rows):
        with open(os.path.join(out, DONE), "a") as file:
            file.write(json.dumps({"point": point.NUMBER, "rows": rows}) + "\n")


def done(out):
    """The rows of points that are done, by number."""
    path, found = os.path.join(out, DONE), {}
    if os.path.exists(path):
        with open(path) as file:
            for line in file:
                entry = json.loads(line)
                found[entry["point"]] = [Row(*row) for row in entry["rows"]]
    return found


def archive(out):
    """Packs the folder into OUT.tgz, which it names."""
    def wanted(member):
        parts = member.name.split("/")
        is_left_out = not LEFT_OUT.isdisjoint(parts[1:]) or member.size > LARGEST
        return member if (member.isfile() or member.isdir()) and not is_left_out else None

    path = out.rstrip("/") + ".tgz"
    with tarfile.open(path, "w:gz") as file:
        file.add(out, os.path.basename(out.rstrip("/")), filter=wanted)
    return path
