"""Exports traces as tables, and runs each query over them in DuckDB and Spark.

    python3 tests/tables/check.py BINARY --python PYTHON [--shared FOLDER]

BINARY has the feature `parquet`; PYTHON has what requirements.txt names. The traces: demo traces, and some of FOLDER. For each trace:

- each query gives the same rows in DuckDB over Parquet, in DuckDB over Arrow, and in Spark over Parquet;
- the rows are those of proftui's own tables: `proftui summary --view NAME --format csv --csv-raw`;
- polars finds the same numbers of rows and sums in the Arrow and the Parquet file of each table.

Prints a row per trace; status 1 if anything differs.
"""
import argparse
import csv
import io
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
ROOT = HERE.parent.parent
sys.path[:0] = [str(HERE), str(HERE.parent / "support")]
import skip  # noqa: E402
from engines import Duck, DuckOnArrow, Spark, export, has_java, polars_sums  # noqa: E402

TABLES = "workers devices lanes slices links steps idle collectives counters allocations quality".split()
DEMOS = ("synthetic-gpu.json.gz", "torch-transformer-gpu.paddle_trace.json.gz", "paddle-lenet-cpu.paddle_trace.json.gz", "torch-cnn-cpu.pt.trace.json.gz")
SHARED = (
    "tracelens/tests/traces/h100/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "tracelens/tests/traces/mi300/Qwen_Qwen1.5-0.5B-Chat__1016005.json.gz",
    "kineto/resnet50_num_workers_0/worker0.1623143089861.pt.trace.json.gz",
    "formats/ascend/level1_rank0_trace_view.json.gz",
    "tracelens/tests/traces/inference/vllm_decode_full",
    "hta/tests/data/trace_diff/control",
)
# Each query with the view whose table it computes, and the columns of both that are compared. A text in a column of names has
# in the view only one row for several traces' names that are shown alike.
OWN = {
    "kernel": ("kernel", "name calls total share min p50 p99 max".split()),
    "operator": ("operator", "name calls own own_share own_runtime own_waiting device_own device_share total min p50 p99 max".split()),
    "steps": ("steps", "number time dataloader forward backward optimization other device_busy device_idle computation overlap communication device_other".split()),
    "idle": ("idle", "device cause time idle_share part_share gaps longest".split()),
    "collectives": ("distributed", "device communication hidden exposed hidden_share".split()),
}


def plain(value):
    """A value as all engines have it: numbers as floats of ten digits, what is missing as None."""
    if value is None or value == "":
        return None
    try:
        return float("%.10g" % float(value))
    except ValueError:
        return value


def rows(names, found, columns):
    """The rows with these columns, sorted, since rows with equal keys may come in any order."""
    missing = [column for column in columns if column not in names]
    wanted = [names.index(column) if column in names else None for column in columns]
    if len(missing) == len(columns):
        raise SystemExit("no column of %s" % columns)
    kept = [tuple(None if at is None else plain(row[at]) for at in wanted) for row in found]
    return sorted(kept, key=lambda row: [str(value) for value in row])


def is_same(own, queried):
    """True if a row of a view and one of a query are the same. A view leaves a cell empty where a trace without devices or calls has 0."""
    return all(one == other or one is None and other == 0 for one, other in zip(own, queried))


def summary(binary, view, trace):
    """The table of a view, without the rows below its rows."""
    command = [binary, "summary", "--merged", "--view", view, "--format", "csv", "--csv-raw", str(trace)]
    text = subprocess.run(command, check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL).stdout.decode()
    names, *found = list(csv.reader(io.StringIO(text, newline="")))
    return names, [row for row in found if row[0] == "0"]


def check(binary, trace, engines, queries, scratch):
    """What differs for one trace, as texts; and the number of rows compared."""
    folder = Path(tempfile.mkdtemp(dir=scratch))
    export(binary, "parquet", folder, trace)
    export(binary, "arrow", folder, trace)
    wrong, count = [], 0
    for table in TABLES:
        arrow, parquet = polars_sums(folder, table)
        if arrow != parquet:
            wrong.append("polars: %s: %s in Arrow, %s in Parquet" % (table, arrow, parquet))
    for engine in engines:
        engine.open([folder], TABLES)
    for name, sql in queries.items():
        first = None
        for engine in engines:
            names, found = engine.run(sql)
            all_rows = rows(list(names), found, list(names))
            count += len(found)
            if first is None:
                first = all_rows
            elif all_rows != first:
                wrong.append("%s: %s differs from DuckDB" % (name, type(engine).__name__))
            if name in OWN:
                view, columns = OWN[name]
                own = rows(*summary(binary, view, trace), columns)
                queried = rows(list(names), found, columns)
                odd = [pair for pair in zip(own, queried) if not is_same(*pair)]
                if odd or len(own) != len(queried):
                    wrong.append("%s: %s has %d rows, the view %d; such as %s" % (name, type(engine).__name__, len(queried), len(own), odd[:1]))
    return wrong, count


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("binary")
    parser.add_argument("--python", required=True)
    parser.add_argument("--shared", type=Path)
    parser.add_argument("--inside", action="store_true", help=argparse.SUPPRESS)
    given = parser.parse_args()
    if not given.inside:
        return subprocess.run([given.python, "-B", __file__, *sys.argv[1:], "--inside"]).returncode
    traces = [ROOT / "demo-traces" / name for name in DEMOS]
    if given.shared:
        traces += [given.shared / name for name in SHARED]
    else:
        skip.excused("tables of real traces in DuckDB and Spark", "no ../shared", "a checkout beside the collection")
    engines = [Duck(), DuckOnArrow()]
    if has_java():
        engines.append(Spark())
    else:
        skip.lacks_tool("tables in Spark", "no java", "a Java runtime of version 17 or later")
    names = "kernel operator steps idle collectives ranks".split()
    queries = {name: subprocess.run([given.binary, "export", "--query", name], check=True, stdout=subprocess.PIPE).stdout.decode() for name in names}
    failed = False
    with tempfile.TemporaryDirectory() as scratch:
        for trace in traces:
            wrong, count = check(given.binary, trace, engines, queries, scratch)
            print("%-5s %6d rows  %s" % ("WRONG" if wrong else "ok", count, trace.name), flush=True)
            for text in wrong:
                print("      " + text)
            failed = failed or bool(wrong)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
