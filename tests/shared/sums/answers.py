"""Runs proftui, looks up the rows of its tables, and compares them with expected ones, cell by cell."""

import json
import re
import subprocess
from collections import Counter

# Above 100 % by no more than the rounding of a division.
FULL = 1 + 1e-9
# A ratio may differ by the rounding of a division; times and counts may not differ at all.
CLOSE = 1e-9


def run(proftui, path, part=None):
    """All tables of a trace as `--format json` prints them, by view; `part` counts from the trace's start."""
    found = printed(proftui, path, part, "all")
    # By itself, this view has the columns that need the arguments of kernels.
    return found | printed(proftui, path, part, "device")


def printed(proftui, path, part, view):
    """The tables by view; `part` is a pair of times, or a list of options."""
    options = part if isinstance(part, list) else ["--range", f"{part[0]}ns:{part[1]}ns"] if part else []
    # Without a limit tables that list events one by one are cut to their first rows.
    found = asked(proftui, path, view, "--row-limit", "20000", *options)
    return {table["view"]: table for table in found}


def asked(proftui, path, view, *options):
    """The tables of a view, or of all, in their order."""
    command = [proftui, "summary", "--view", view, "--format", "json", "--no-capture-trace", *options, path]
    done = subprocess.run(command, capture_output=True, stdin=subprocess.DEVNULL, timeout=300)
    if done.returncode != 0:
        raise RuntimeError(f"exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    tables = json.loads(done.stdout)
    return tables if isinstance(tables, list) else [tables]


def info(proftui, path):
    done = subprocess.run(
        [proftui, "info", "--format", "json", path], capture_output=True, stdin=subprocess.DEVNULL, timeout=300
    )
    if done.returncode != 0:
        raise RuntimeError(f"info: exit status {done.returncode}: {done.stderr.decode(errors='replace').strip()}")
    return json.loads(done.stdout)


def rows_of(table, rows=None):
    """The rows as (name, {column: value}, children)."""
    ids = [column["id"] for column in table["columns"]]
    found = []
    for row in table["rows"] if rows is None else rows:
        cells = dict(zip(ids, row["cells"]))
        found.append((plain(row["cells"][0] or ""), cells, rows_of(table, row["children"])))
    return found


def plain(name):
    """A name for comparing: what an output may escape or cut is left out."""
    return re.sub(r"\\u\{[0-9a-fA-F]*\}|[^\x20-\x7e·]", "?", name)


class Tally:
    """Counts compared cells and collects those that differ."""

    def __init__(self):
        self.cells, self.faults = 0, []

    def check(self, where, column, want, got):
        self.cells += 1
        if isinstance(want, float) or want is None:
            # A share of nothing may be 0 or no value.
            same = (want or 0.0) == (got or 0.0) or abs((want or 0.0) - (got or 0.0)) <= CLOSE
        else:
            # No value stands for none: a trace without device work has no device time.
            same = want == (got or 0)
        if not same:
            self.faults.append(f"{where} · {column}: {got}, expected {want}")
        return same

    def table(self, view, expected, answer):
        """Holds a table against {row: {column: value}}; a row without time and calls may be left out."""
        if answer is None:
            self.faults.append(f"{view}: no table")
            return
        columns = {column["id"] for column in answer["columns"]}
        self.rows(view, expected, rows_of(answer), columns)

    def unnamed(self, view, expected, answer, columns):
        """Holds a table against rows of values of some columns, in any order and whatever their titles."""
        found = [[cells.get(column) for column in columns] for _, cells, _ in rows_of(answer)]
        if len(found) != len(expected):
            self.faults.append(f"{view}: {len(found)} rows, expected {len(expected)}")
        key = lambda row: [value or 0 for value in row]
        for want, got in zip(sorted(expected, key=key), sorted(found, key=key)):
            for column, *pair in zip(columns, want, got):
                self.check(f"{view} · {want[0]}", column, *pair)

    def rows(self, where, expected, found, columns):
        left = {}
        for name, row in expected.items():
            left[plain(name)] = row
        seen = Counter()
        for name, cells, below in found:
            # What the producer says about the processors is no sum over events.
            if where == "device" and name.startswith("CPU ("):
                continue
            seen[name] += 1
            row = take(left, name if seen[name] == 1 else f"{name} ({seen[name]})")
            if row is None:
                self.faults.append(f"{where}: unexpected row {name[:60]!r}: {short(cells)}")
                continue
            for column, want in row.items():
                if column == "children":
                    self.children(f"{where} · {name[:60]}", want, below, columns)
                elif column not in columns:
                    self.faults.append(f"{where}: no column {column}")
                else:
                    self.check(f"{where} · {name[:60]}", column, want, cells[column])
        for name, row in left.items():
            if any(value for column, value in row.items() if column not in ("idle", "edges")):
                self.faults.append(f"{where}: row {name[:60]!r} is missing: {short(row)}")

    def children(self, where, expected, found, columns):
        self.rows(where, expected, found, columns)

    def shape(self, tables):
        """What holds for any table: no share above 100 %, no negative time, rows or a note, a heading per column."""
        for view, table in tables.items():
            titles = [column["title"] for column in table["columns"]]
            for name in {name for name in titles if titles.count(name) > 1}:
                self.faults.append(f"{view}: two columns with the heading {name!r}")
            if not table["rows"] and not any(note.strip() for note in table["notes"]):
                self.faults.append(f"{view}: no rows and no note")
            self.values(view, table["columns"], table["rows"])

    def values(self, view, columns, rows):
        for row in rows:
            for column, value in zip(columns, row["cells"]):
                if value is None or column["type"] == "text":
                    continue
                self.cells += 1
                if column["type"] == "ratio" and not 0 <= value <= FULL or column["type"] == "duration" and value < 0:
                    self.faults.append(f"{view} · {str(row['cells'][0])[:60]} · {column['id']}: {value}")
            self.values(view, columns, row["children"])


def take(rows, name):
    """Takes the expected row of this name; a title may go on behind the expected name, as in `GPU 0 · NVIDIA H100`."""
    if name in rows:
        return rows.pop(name)
    for known in rows:
        if known.startswith("GPU ") and matches(name, known):
            return rows.pop(known)
    return None


def matches(name, known):
    """True for the title of a device (or of its stream) that is known by its number."""
    device, _, stream = known.partition(" · ")
    if not (name == device or name.startswith(device + " · ")):
        return False
    if not stream:
        return True
    last = name.split(" · ")[-1]
    return last == stream or last.startswith(f"{stream},")


def short(row):
    return ", ".join(f"{k} {v}" for k, v in row.items() if k != "children" and v is not None)[:120]
