"""The layout visualdl of two ranks with the same events: every row of one rank is there for each of them."""

import gzip
import json
import re
import tempfile
from collections import Counter
from pathlib import Path

import by_visualdl
from answers import asked

INFO = re.compile(r'"distributedInfo"\s*:\s*\{(?:[^{}]|\{[^{}]*\})*\}')

HEADERS = {
    "Workers", "CPU process utilization", "CPU system utilization",
    "GPU", "GPU memory", "GPU compute capability",
}  # fmt: skip


def copies(path, folder):
    """Writes the trace twice, as ranks 0 and 1 of two."""
    data = Path(path).read_bytes()
    text = (gzip.decompress(data) if data[:2] == b"\x1f\x8b" else data).decode(errors="replace")
    for rank in range(2):
        info = f'"distributedInfo": {{"backend": "nccl", "rank": {rank}, "world_size": 2}}'
        out = INFO.sub(lambda _: info, text, count=1)
        if out == text and info not in text:
            is_list = text.lstrip().startswith("[")
            out = f'{{{info}, "traceEvents": {text}}}' if is_list else text.replace("{", f"{{{info}, ", 1)
        Path(folder, f"rank{rank}.json").write_text(out)


def columns(table):
    return [column["id"] for column in table["columns"]]


def rows(table):
    """The rows, less those of what a trace has once: the number of ranks, and what headers state."""
    return [row["cells"] for row in table["rows"] if HEADERS.isdisjoint(map(str, row["cells"]))]


def check_table(tally, table, found):
    """Holds the table of both ranks against that of one."""
    where = f"two ranks · table of {', '.join(columns(table)[:2])}"
    want = Counter(json.dumps([f"rank {rank}", *cells]) for cells in rows(table) for rank in range(2))
    got = Counter(json.dumps(cells) for other in found for cells in rows(other))
    tally.check(where, "rows of each rank", True, got == want)


def check(tally, proftui, path, trace, has_two):
    """Holds the tables of one rank against the sums, and, if `has_two`, those of the trace as two ranks."""
    views = ("overview", "distributed")
    printed = lambda what: [t for view in views for t in asked(proftui, what, view, "--layout", "visualdl")]
    one, rank = printed(path), by_visualdl.Rank(trace)
    if rank.is_known:
        by_visualdl.check(tally, rank, one)
    if has_two:
        with tempfile.TemporaryDirectory() as folder:
            copies(path, folder)
            two = printed(folder)
        for table in one:
            check_table(tally, table, [other for other in two if columns(other) == ["from", *columns(table)]])
