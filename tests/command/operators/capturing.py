"""Runs a script under capture and hands over what is left of it: traces, tables, and the files of a framework's own profiler."""
import glob
import json
import os
import subprocess

# The files of a framework's profiler are gone once they are read: the script keeps them by another name.
_KEEP = """
import os
def rename(old, new, rename=os.rename):
    if ".partial" in old:
        os.link(old, "kept." + os.path.basename(new))
    rename(old, new)
os.rename = rename
"""
WINDOW = ("--closed", "2", "--ready", "1", "--record", "4", "--repeat", "1")


class Captured:
    """One run in a folder of its own, with `--ops` and more options."""

    def __init__(self, proftui, python, folder, script, *options):
        os.mkdir(folder)
        self._proftui, self._folder = proftui, folder
        command = [proftui, "capture", "--quiet", *WINDOW, *options, "--", python, "-B"]
        self.output = run(command, folder, _KEEP + script)

    def side_files(self, ending):
        """What the framework's profiler wrote."""
        return glob.glob(os.path.join(self._folder, "kept.*." + ending))

    def rows(self, *options):
        """Rows of a table of the only trace: dictionaries by the columns' ids."""
        traces = glob.glob(os.path.join(self._folder, "profiler_log", "*.json"))
        assert len(traces) == 1, traces
        done = subprocess.run([self._proftui, "summary", "--format", "json", *options, *traces], stdout=subprocess.PIPE, check=True)
        return list(rows(json.loads(done.stdout)))


def run(command, folder, script):
    """What a script prints."""
    path = os.path.join(folder, "train.py")
    with open(path, "w") as file:
        file.write(script)
    variables = {key: value for key, value in os.environ.items() if not key.startswith(("PROFTUI", "PYTHON"))}
    done = subprocess.run(command + [path], cwd=folder, env=variables, stdout=subprocess.PIPE, text=True, timeout=300, check=True)
    return done.stdout


def rows(table):
    """Rows of a table as the program prints it, those of tables in it, too."""
    if isinstance(table, list):
        for part in table:
            yield from rows(part)
    elif "columns" in table:
        ids = [column["id"] for column in table["columns"]]
        yield from flat(ids, table["rows"])
    else:
        for part in table.values():
            if isinstance(part, (list, dict)):
                yield from rows(part)


def flat(ids, rows):
    for row in rows:
        yield dict(zip(ids, row["cells"]))
        yield from flat(ids, row["children"])


def print_comparison(what, one, other, is_near=lambda one, other: one == other):
    """Prints how many rows of two mappings are equal, or near, and which are not; returns whether all are."""
    names = sorted(set(one) | set(other))
    differing = [name for name in names if name not in one or name not in other or not is_near(one[name], other[name])]
    print("%-44s rows %4d  equal %4d" % (what, len(names), len(names) - len(differing)))
    for name in differing:
        print("    %-60s %12s %12s" % (name, one.get(name, "-"), other.get(name, "-")))
    return not differing


def within_a_hundredth(one, other):
    return abs(one - other) <= 0.01 * max(abs(one), abs(other))
