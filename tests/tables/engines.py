"""The engines that read exported tables: each makes tables of files, and runs SQL over them."""
import os
import subprocess
from pathlib import Path


class Duck:
    """DuckDB over Parquet files."""

    def __init__(self):
        import duckdb

        self.connection = duckdb.connect()

    def open(self, folders, tables):
        for table in tables:
            files = [str(folder / (table + ".parquet")) for folder in folders]
            self.connection.execute("create or replace view %s as select * from read_parquet(%s)" % (table, files))

    def run(self, sql):
        result = self.connection.execute(sql)
        names = [column[0] for column in result.description]
        return names, result.fetchall()


    def memory(self):
        """The largest memory of the engine's process so far, MiB."""
        return peak("self")


class DuckOnArrow(Duck):
    """DuckDB over Arrow's files, by way of pyarrow."""

    def open(self, folders, tables):
        from pyarrow import dataset

        self.kept = {}
        for table in tables:
            files = [str(folder / (table + ".arrow")) for folder in folders]
            self.kept[table] = dataset.dataset(files, format="ipc")
            self.connection.register(table, self.kept[table])


class Spark:
    """Spark, in this process, over Parquet files."""

    def __init__(self):
        from pyspark.sql import SparkSession

        # The work is small: few partitions, and the memory of a small machine.
        options = {
            "spark.sql.shuffle.partitions": "4",
            "spark.driver.memory": "4g",
            "spark.ui.enabled": "false",
            "spark.driver.bindAddress": "127.0.0.1",
            "spark.driver.host": "127.0.0.1",
            "spark.sql.parquet.enableVectorizedReader": "true",
        }
        builder = SparkSession.builder.master("local[2]").appName("tables")
        for key, value in options.items():
            builder = builder.config(key, value)
        self.session = builder.getOrCreate()
        self.session.sparkContext.setLogLevel("ERROR")

    def open(self, folders, tables):
        for table in tables:
            files = [str(folder / (table + ".parquet")) for folder in folders]
            self.session.read.parquet(*files).createOrReplaceTempView(table)

    def run(self, sql):
        found = self.session.sql(sql)
        return found.columns, [tuple(row) for row in found.collect()]

    def memory(self):
        """The largest memory of the engine's process so far, MiB."""
        return peak(self.session.sparkContext._gateway.proc.pid)


def peak(process):
    """The largest memory of a process so far, MiB."""
    with open("/proc/%s/status" % process) as file:
        (line,) = [line for line in file if line.startswith("VmHWM:")]
    return int(line.split()[1]) // 1024


def polars_sums(folder, table):
    """The sum of each column of numbers of a table, by polars, from its Arrow file and from its Parquet file."""
    import polars

    sums = []
    for frame in (polars.read_ipc(folder / (table + ".arrow")), polars.read_parquet(folder / (table + ".parquet"))):
        numbers = frame.select(polars.selectors.numeric().cast(polars.Float64).sum())
        sums.append((frame.height, numbers.row(0) if frame.width and numbers.width else ()))
    return sums


def has_java():
    """True if a Java runtime is installed."""
    try:
        return subprocess.run(["java", "-version"], stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL, env=os.environ).returncode == 0
    except OSError:
        return False


def export(binary, form, folder, trace, *words):
    """Exports a trace as tables into a new folder."""
    command = [binary, "export", "--format", form, "-o", folder, *words, trace]
    done = subprocess.run(list(map(str, command)), stdout=subprocess.PIPE, stderr=subprocess.PIPE)
    if done.returncode:
        raise SystemExit("%s: %s" % (trace, done.stderr.decode("utf-8", "replace").strip()))
    return Path(folder)
