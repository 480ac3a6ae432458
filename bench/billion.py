#!/usr/bin/env python3
"""`asif count --memory 2GB` of 10^9 rows of optimistic DIAG logs in Parquet: rows a second, processor and wall seconds, the most memory, and the bytes on disk that
DuckDB used besides. The table is a file for each copy of a million simulated episodes, whose rows are shuffled and whose names are new. Therefore the counts are those
of one copy times the number of copies: the tree is compared with that of courses whose counts are so multiplied, but for the first rows, which courses do not know.

usage: billion.py BUILD [ROWS [FOLDER]]. FOLDER is where the table is made, 7 bytes a row, and where DuckDB puts what memory does not hold. Drivers are those in
ASIF_DRIVERS or BUILD/../drivers."""
import os
import subprocess
import sys
import tempfile
import threading
import time

BUILD = os.path.abspath(sys.argv[1])
SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS, FOLDER = int(sys.argv[2]) if len(sys.argv) > 2 else 10 ** 9, sys.argv[3] if len(sys.argv) > 3 else None
EPISODES = 1000000
os.environ.setdefault("ASIF", os.path.join(BUILD, "cli", "asif"))
os.environ.setdefault("ASIF_SOURCE", SOURCE)
os.environ.setdefault("ASIF_DRIVERS", os.path.join(os.path.dirname(BUILD), "drivers"))
sys.path.insert(0, os.path.join(SOURCE, "tests", "cli"))

from test_courses import same  # noqa: E402
from test_databases import STUDY, duckdb, quoted, run  # noqa: E402


def read_tree(path):
    with open(path, "rb") as f:
        return same(f.read())


def free(folder):
    found = os.statvfs(folder)
    return found.f_bavail * found.f_frsize


def make_table(folder, table):
    """Return the query of one copy, and the number of copies."""
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


def counted(folder, table, tree):
    """Count the table while somebody watches the disk."""
    before, least, ended = free(folder), [free(folder)], threading.Event()

    def watch():
        while not ended.wait(1):
            least[0] = min(least[0], free(folder))

    watching = threading.Thread(target=watch)
    watching.start()
    begun = time.time()
    process = subprocess.Popen([os.environ["ASIF"], "count", os.path.join(table, "*.parquet"), "-s", STUDY, "--memory", "2GB", "-q", "-o", tree], cwd=folder, stdout=subprocess.DEVNULL)
    _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    ended.set()
    watching.join()
    if process.returncode != 0:
        sys.exit(f"asif count: exit {process.returncode}")
    return usage.ru_utime + usage.ru_stime, time.time() - begun, usage.ru_maxrss / 1e3, before - least[0]


def main():
    with tempfile.TemporaryDirectory(dir=FOLDER) as folder:
        table, tree, courses = (os.path.join(folder, name) for name in ("table", "logs.tree", "courses.csv"))
        os.mkdir(table)
        one, rows, copies = make_table(folder, table)
        size = sum(os.path.getsize(os.path.join(table, name)) for name in os.listdir(table))
        print(f"{copies:,} copies of {rows:,} rows: {copies * rows:,} rows, {size / 1e9:.1f} GB of Parquet", flush=True)
        seconds, wall, megabytes, disk = counted(folder, table, tree)
        print(f"processor {seconds:.0f} s, wall {wall:.0f} s, {copies * rows / wall:,.0f} rows a second, {megabytes:,.0f} MB of memory, {disk / 1e9:.1f} GB of disk", flush=True)
        query = run("count", "--sql", "duckdb", "-s", STUDY, "--table", "one").stdout
        duckdb(f"COPY ({query.replace('FROM one ', f'FROM read_parquet({quoted(one)}) ').replace('SELECT count(*) AS', f'SELECT {copies} * count(*) AS')}) TO {quoted(courses)} (HEADER)")
        other = os.path.join(folder, "other.tree")
        run("count", courses, "-s", STUDY, "-o", other, "-q")
        equal = read_tree(tree) == read_tree(other)
        print("the tree is that of one copy, as often" if equal else "WRONG: the tree is not that of one copy, as often")
    sys.exit(not equal)


if __name__ == "__main__":
    main()
