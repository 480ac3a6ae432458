#!/usr/bin/env python3
"""Episodes that a database has counted, with a weight each, give the people that the whole logs give, byte for byte: the SQL is that of
docs/howto/people.md, run by SQLite."""
import csv
import os
import re
import sqlite3
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
PAGE = os.path.join(SOURCE, "docs", "howto", "people.md")
FIXED = ["-p", "beta=1.25", "-p", "eta=0"]


def run(*arguments):
    done = subprocess.run([ASIF, *arguments], capture_output=True, text=True)
    assert done.returncode == 0, f"asif {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done.stdout


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


def count(logs, out):
    """Returns the numbers of rows before and after."""
    [sql] = re.findall(r"```sql\n(.*?)```", read(PAGE), re.S)
    with open(logs, newline="", encoding="utf-8") as file:
        rows = [list(row.values()) for row in csv.DictReader(file)]
    with sqlite3.connect(":memory:") as database:
        database.execute("CREATE TABLE logs (subject TEXT, episode INTEGER, t INTEGER, action TEXT, observation TEXT)")
        database.executemany("INSERT INTO logs VALUES (?, ?, ?, ?, ?)", rows)
        answer = database.execute(sql)
        names, counted = [column[0] for column in answer.description], answer.fetchall()
    with open(out, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows([names, *counted])
    return len(rows), len(counted)


def main():
    with tempfile.TemporaryDirectory() as folder:
        logs, counted = os.path.join(folder, "logs.csv"), os.path.join(folder, "counted.csv")
        run("simulate", DIAG, *FIXED, "--people", "12", "-n", "25", "--max-steps", "6", "--seed", "2", "-q", "-o", logs)
        before, after = count(logs, counted)
        assert after < 0.8 * before, (before, after)
        fit = ["--resolution", "12", "--tol", "1e-7", *FIXED, "-q"]
        run("people", DIAG, logs, "-o", os.path.join(folder, "whole"), *fit)
        run("people", DIAG, counted, "-o", os.path.join(folder, "counts"), "--map", "weight=weight", *fit)
        assert read(folder, "whole", "units.csv") == read(folder, "counts", "units.csv")
        population = [re.search(r'"population": \{.*', read(folder, name, "population.json"), re.S)[0] for name in ("whole", "counts")]
        assert population[0] == population[1]


if __name__ == "__main__":
    main()
