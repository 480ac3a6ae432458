#!/usr/bin/env python3
"""The price of courses over the bare query, in PostgreSQL: the rows of simulated DIAG logs put in order and thrown away; the query of `asif count --sql` with the
tree of its result; and `asif count` of the rows. Processor seconds of the server and of the clients, in turns; ratios by rounds, and their median.

usage: warehouse.py BUILD [ROWS [ROUNDS]] (1000000 and 3 without them). Needs the programs of a PostgreSQL server and its driver, in ASIF_DRIVERS or
BUILD/../drivers. The server is made for this in a temporary folder, with the settings that it has by itself."""
import os
import resource
import subprocess
import sys
import tempfile
import time

BUILD = os.path.abspath(sys.argv[1])
SOURCE = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
ROWS, ROUNDS = (int(sys.argv[i]) if len(sys.argv) > i else usual for i, usual in ((2, 1000000), (3, 3)))
os.environ.setdefault("ASIF", os.path.join(BUILD, "cli", "asif"))
os.environ.setdefault("ASIF_SOURCE", SOURCE)
os.environ.setdefault("ASIF_DRIVERS", os.path.join(os.path.dirname(BUILD), "drivers"))
sys.path.insert(0, os.path.join(SOURCE, "tests", "cli"))

from test_databases import STUDY, Server, quoted, run  # noqa: E402

PESSIMISTS = ["-p", "alpha=0.5", "-p", "beta=-0.75", "-p", "eta=0.001"]


def has_sessions(pid):
    """Whether processes of the server work for clients; their time counts once they have ended."""
    with open(f"/proc/{pid}/task/{pid}/children", encoding="utf-8") as f:
        children = f.read().split()
    for child in children:
        try:
            with open(f"/proc/{child}/cmdline", encoding="utf-8") as f:
                words = f.read()
        except FileNotFoundError:
            continue
        if not words or "postgres: asif " in words or "parallel worker" in words:  # no words: it has ended, and its time is not added yet
            return True
    return False


def processor(server):
    """Of the server, and of our own commands."""
    with open(os.path.join(server.folder, "data", "postmaster.pid"), encoding="utf-8") as f:
        pid = f.readline().strip()
    while has_sessions(pid):
        time.sleep(0.05)
    with open(f"/proc/{pid}/stat", encoding="utf-8") as f:
        stat = f.read().rsplit(")", 1)[1].split()
    ours = resource.getrusage(resource.RUSAGE_CHILDREN)
    return sum(int(ticks) for ticks in stat[11:15]) / os.sysconf("SC_CLK_TCK") + ours.ru_utime + ours.ru_stime


def main():
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        os.chmod(folder, 0o755)
        with Server(folder) as server:
            os.chmod(folder, 0o777)
            table, out, tree = (os.path.join(folder, name) for name in ("table.csv", "courses.csv", "logs.tree"))
            run("simulate", STUDY, *PESSIMISTS, "-n", str(round(ROWS / 9.85)), "--max-steps", "64", "--seed", "1", "-q", "-o", table)
            os.chmod(table, 0o644)
            server.sql("CREATE TABLE visits (episode bigint, t bigint, action text, observation text)")
            server.sql(f"COPY visits FROM {quoted(table)} CSV HEADER")
            server.sql("CREATE TABLE shuffled AS SELECT * FROM visits ORDER BY hashtext(episode || '/' || t)")
            server.sql("VACUUM ANALYZE shuffled")
            sql = run("count", "--sql", "postgresql", "-s", STUDY, "--table", "shuffled").stdout

            def send(query, path):
                with open(path, "w", encoding="utf-8") as f:
                    subprocess.run(["psql", "-h", folder, "-U", "asif", "-q", "-c", f"COPY ({query}) TO STDOUT CSV HEADER", "postgres"], stdout=f, check=True)

            def bare():
                send("SELECT episode, t, action, observation FROM shuffled ORDER BY episode, t", os.devnull)

            def courses():
                send(sql, out)
                run("count", out, "-s", STUDY, "-o", tree, "-q")

            def rows():
                run("count", "--engine", "postgresql", "--uri", f"postgresql:///postgres?host={folder}&user=asif", "--table", "shuffled", "-s", STUDY, "-o", tree, "-q")

            server.sql("ALTER SYSTEM SET autovacuum = off")
            server.sql("SELECT pg_reload_conf()")
            ratios = {"courses": [], "rows": []}
            for _ in range(ROUNDS):
                took = {}
                for name, work in (("bare", bare), ("courses", courses), ("rows", rows)):
                    begun = processor(server)
                    work()
                    took[name] = processor(server) - begun
                    print(f"{name} {took[name]:.2f} s", end=" ", flush=True)
                for name, found in ratios.items():
                    found.append(took[name] / took["bare"])
                print(flush=True)
            for name, found in ratios.items():
                print(f"{name}: median ratio {sorted(found)[len(found) // 2]:.3f}" + (" (at most 1.1)" if name == "courses" else ""))


if __name__ == "__main__":
    main()
