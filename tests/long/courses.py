#!/usr/bin/env python3
"""Every kind of table of tests/cli/test_courses.py with about 2,000,000 shuffled rows: the tree from CSV, from Parquet by DuckDB, from tables of SQLite and
PostgreSQL, and from courses by DuckDB, PostgreSQL and a local Spark.

usage: courses.py BUILD [EPISODES [KIND]], by a Python that has pyspark; Java is needed, and the drivers in BUILD/../drivers. KIND is a part of the name of
one kind."""
import csv
import os
import shutil
import sqlite3
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
EPISODES, KIND = int(sys.argv[2]) if len(sys.argv) > 2 else 450000, sys.argv[3] if len(sys.argv) > 3 else ""
os.environ.setdefault("ASIF", os.path.join(BUILD, "cli", "asif"))
os.environ.setdefault("ASIF_SOURCE", SOURCE)
os.environ.setdefault("ASIF_DRIVERS", os.path.join(os.path.dirname(BUILD), "drivers"))
os.environ.setdefault("ASIF_ORACLE", os.path.join(SOURCE, "..", "shared", "oracle"))
sys.path.insert(0, os.path.join(SOURCE, "tests", "cli"))

from pyspark.sql import SparkSession  # noqa: E402
from test_courses import cases, from_duckdb, from_postgresql, same  # noqa: E402
from test_databases import Server, count, duckdb, quoted, run  # noqa: E402


def from_spark(spark, folder, study, path, flags, of_query):
    out = os.path.join(folder, "spark")
    shutil.rmtree(out, ignore_errors=True)
    spark.read.option("header", True).csv(path).createOrReplaceTempView("visits")
    spark.sql(run("count", "--sql", "spark", "-s", study, *flags, *of_query, "--table", "visits").stdout).write.parquet(out)
    return os.path.join(out, "*.parquet")


def rows_of(folder, path, server):
    """Where else the rows are: the arguments of count that name them."""
    parquet, base = os.path.join(folder, "rows.parquet"), os.path.join(folder, "rows.db")
    duckdb(f"COPY (SELECT * FROM read_csv({quoted(path)}, nullstr='', sample_size=-1)) TO {quoted(parquet)} (FORMAT parquet)")
    if os.path.exists(base):
        os.remove(base)
    with open(path, newline="") as f, sqlite3.connect(base) as connection:
        rows = csv.reader(f)
        header = next(rows)
        connection.execute("CREATE TABLE visits (" + ", ".join(f'"{name}"' for name in header) + ")")
        connection.executemany(f"INSERT INTO visits VALUES ({', '.join('?' * len(header))})", ([c or None for c in row] for row in rows))
    connection.close()
    return [("rows, Parquet", [parquet]), ("rows, SQLite", ["--engine", "sqlite", "--uri", base, "--table", "visits"]),
            ("rows, PostgreSQL", ["--engine", "postgresql", "--uri", f"postgresql:///postgres?host={server.folder}&user=asif", "--table", "visits"])]


def main():
    # gzip is part of Java; Snappy needs a library that does not open on every system
    options = {"spark.ui.enabled": False, "spark.driver.memory": "2g", "spark.sql.parquet.compression.codec": "gzip"}
    spark = SparkSession.builder.master("local[2]").config(map=options).getOrCreate()
    spark.sparkContext.setLogLevel("ERROR")
    wrong = 0
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(prefix="pg") as data:
        os.chmod(data, 0o755)
        with Server(data) as server:
            os.chmod(data, 0o777)
            for name, study, path, flags, of_query in cases(folder, EPISODES):
                if KIND not in name:
                    continue
                tree, begun = os.path.join(folder, "other.tree"), time.time()
                rows = sum(1 for _ in open(path)) - 1
                want = same(count(tree, study, path, *flags))
                made = [(where, [courses]) for where, courses in from_duckdb(folder, study, path, flags, of_query)]
                made.append(("PostgreSQL", [from_postgresql(server, study, path, flags, of_query)]))
                made.append(("Spark", [from_spark(spark, folder, study, path, flags, of_query)]))
                made += rows_of(folder, path, server)
                for where, source in made:
                    got = same(count(tree, study, *source, *flags))
                    wrong += got != want
                    if got != want:
                        print(f"WRONG: {name}: {where} gives another tree")
                print(f"{name}: {rows:,} rows, {len(want):,} bytes of tree, {len(made)} other ways ({time.time() - begun:.0f} s)", flush=True)
    spark.stop()
    sys.exit(wrong > 0)


if __name__ == "__main__":
    main()
