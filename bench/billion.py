#!/usr/bin/env python3
"""`asif count --memory 2GB` of 10^9 rows of optimistic DIAG logs in Parquet: rows a second, processor and wall seconds, the most memory, and the bytes on disk that
DuckDB used besides. The table is a file for each copy of a million simulated episodes, whose rows are shuffled and whose names are new. Therefore the counts are those
of one copy times the number of copies: the tree is compared with that of courses whose counts are so multiplied, but for the first rows, which courses do not know.

usage: billion.py BUILD [ROWS [FOLDER]]. FOLDER is where the table is made, 7 bytes a row, and where DuckDB puts what memory does not hold. Drivers are those in
ASIF_DRIVERS or BUILD/../drivers."""
import os
import sys
import tempfile
import threading
import time

BUILD = os.path.abspath(sys.argv[1])
SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS = int(sys.argv[2]) if len(sys.argv) > 2 else 10 ** 9
FOLDER = os.path.abspath(sys.argv[3]) if len(sys.argv) > 3 else None
EPISODES = 1000000
os.environ.setdefault("ASIF", os.path.join(BUILD, "cli", "asif"))
os.environ.setdefault("ASIF_SOURCE", SOURCE)
os.environ.setdefault("ASIF_DRIVERS", os.path.join(os.path.dirname(BUILD), "drivers"))
sys.path.insert(0, os.path.join(SOURCE, "tests", "cli"))

from growth import run as measured  # noqa: E402
from test_courses import same  # noqa: E402
from test_databases import STUDY, duckdb, quoted, run  # noqa: E402


def read_tree(path):
    with open(path, "rb") as f:
        return same(f.read())


def free(folder):
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def make_table(folder, table):
    """Returns the file of one copy, how many rows it has, and how many copies there are."""
    logs, one = os.path.join(folder, "one.csv"), os.path.join(folder, "one.parquet")
    run("simulate", STUDY, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001", "-n", str(EPISODES), "--max-steps", "64", "--seed", "9", "-q", "-o", logs)
    with open(logs, encoding="utf-8") as f:
        rows = sum(1 for _ in f) - 1
    copies = -(-ROWS // rows)
    columns = "{'episode': 'BIGINT', 't': 'BIGINT', 'action': 'VARCHAR', 'observation': 'VARCHAR'}"
    duckdb(f"COPY (SELECT * FROM read_csv({quoted(logs)}, header=true, nullstr='', columns={columns}) ORDER BY hash(1000 * episode + t)) TO {quoted(one)}")
    os.remove(logs)
    for i in range(copies):
        duckdb(f"COPY (SELECT * REPLACE ({copies} * episode + {i} AS episode) FROM read_parquet({quoted(one)})) TO {quoted(os.path.join(table, f'{i:04}.parquet'))}")
    return one, rows, copies


def least_free(folder, ended, least):
    while not ended.wait(1):
        least.append(min(least.pop(), free(folder)))


def counted(folder, table, tree):
    """Seconds of the processor and of the clock, megabytes of memory, and bytes of disk that counting the table takes."""
    before, ended = free(folder), threading.Event()
    least = [before]
    watching = threading.Thread(target=least_free, args=(folder, ended, least))
    watching.start()
    begun = time.time()
    os.chdir(folder)  # DuckDB puts its files here
    code, seconds, megabytes = measured(os.environ["ASIF"], "count", os.path.join(table, "*.parquet"), "-s", STUDY, "--memory", "2GB", "-q", "-o", tree)
    wall = time.time() - begun
    os.chdir(SOURCE)
    ended.set()
    watching.join()
    if code != 0:
        sys.exit(f"asif count: exit {code}")
    return seconds, wall, megabytes, before - least[0]


def main():
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        table, tree, courses = (os.path.join(folder, name) for name in ("table", "logs.tree", "courses.csv"))
        os.mkdir(table)
        one, rows, copies = make_table(folder, table)
        size = sum(os.path.getsize(os.path.join(table, name)) for name in os.listdir(table))
        print(f"{copies:,} copies of {rows:,} rows: {copies * rows:,} rows, {size / 1e9:.1f} GB of Parquet", flush=True)
        seconds, wall, megabytes, disk = counted(folder, table, tree)
        print(f"processor {seconds:.0f} s, wall {wall:.0f} s, {copies * rows / wall:,.0f} rows a second, {megabytes:,.0f} MB of memory, {disk / 1e9:.1f} GB of disk", flush=True)
        query = run("count", "--sql", "duckdb", "-s", STUDY, "--query", f"SELECT * FROM read_parquet({quoted(one)})").stdout
        often = query.replace("SELECT count(*) AS", f"SELECT {copies} * count(*) AS")
        duckdb(f"COPY ({often}) TO {quoted(courses)} (HEADER)")
        other = os.path.join(folder, "other.tree")
        run("count", courses, "-s", STUDY, "-o", other, "-q")
        equal = read_tree(tree) == read_tree(other)
        print("the tree is that of one copy, as often" if equal else "WRONG: the tree is not that of one copy, as often")
    sys.exit(not equal)


if __name__ == "__main__":
    main()
