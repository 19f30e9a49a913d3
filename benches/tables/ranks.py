"""Exports many ranks as Parquet, and answers each query over all of them in DuckDB and Spark: seconds and memory.

    python3 benches/tables/ranks.py BINARY TRACE [--ranks 200] --python PYTHON [--folder FOLDER]

TRACE is JSON of one rank with a header, such as of `cargo bench --bench generate`; each rank is a copy of it that states another rank. BINARY
has the feature `parquet`; PYTHON has what tests/tables/requirements.txt names. Checks that both engines have the same rows.
"""
import argparse
import resource
import subprocess
import sys
import tempfile
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
sys.path[:0] = [str(ROOT / "tests" / "tables"), str(ROOT / "tests" / "support")]
from check import TABLES, plain  # noqa: E402
from engines import Duck, Spark, export, has_java  # noqa: E402

ROW = "%-24s %9s %9s  %s"


def ranks(binary, trace, count, folder):
    """Exports each rank, one after the other, as a job with one process beside each rank would."""
    text = trace.read_text()
    at = text.index('"schemaVersion"')
    size, began = 0, time.monotonic()
    spent = 0.0
    for rank in range(count):
        one = folder / "rank.json"
        one.write_text('%s"distributedInfo": {"rank": %d, "world_size": %d}, %s' % (text[:at], rank, count, text[at:]))
        to = folder / ("rank-%d" % rank)
        before = time.monotonic()
        export(binary, "parquet", to, one, "--name", "rank-%d" % rank)
        spent += time.monotonic() - before
        size += sum(file.stat().st_size for file in to.iterdir())
        one.unlink()
    print(ROW % ("export of all ranks", "%.1f s" % spent, "%d MiB" % (resource.getrusage(resource.RUSAGE_CHILDREN).ru_maxrss // 1024), "%.1f MiB of Parquet" % (size / 2**20)))
    return [folder / ("rank-%d" % rank) for rank in range(count)]


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("trace", type=Path)
    parser.add_argument("--ranks", type=int, default=200)
    parser.add_argument("--python", required=True)
    parser.add_argument("--folder", type=Path)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.inside:
        return subprocess.run([given.python, "-B", __file__, *sys.argv[1:], "--inside"]).returncode
    with tempfile.TemporaryDirectory(dir=given.folder) as scratch:
        print(ROW % ("what", "time", "memory", ""))
        folders = ranks(given.binary, given.trace, given.ranks, Path(scratch))
        names = "kernel operator steps idle collectives ranks".split()
        queries = {name: subprocess.run([given.binary, "export", "--query", name], check=True, stdout=subprocess.PIPE).stdout.decode() for name in names}
        results = {}
        for engine in [Duck] + ([Spark] if has_java() else []):
            began = time.monotonic()
            of = engine()
            of.open(folders, TABLES)
            print(ROW % (engine.__name__ + ": start, files", "%.1f s" % (time.monotonic() - began), "", ""))
            for name, sql in queries.items():
                began = time.monotonic()
                columns, found = of.run(sql)
                took = time.monotonic() - began
                rows = sorted(str([plain(value) for value in row]) for row in found)
                same = results.setdefault(name, rows) == rows
                print(ROW % (engine.__name__ + ": " + name, "%.1f s" % took, "%d MiB" % of.memory(), "%d rows%s" % (len(rows), "" if same else ", NOT those of DuckDB")), flush=True)
                if not same:
                    return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
