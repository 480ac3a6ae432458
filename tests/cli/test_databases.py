#!/usr/bin/env python3
"""asif count through real engines: Parquet files by DuckDB, and tables of DuckDB, SQLite and PostgreSQL, give the tree of the CSV file, byte for byte; and
what they cannot do is answered in words.

Drivers are those in ASIF_DRIVERS (tools/get-drivers build/drivers); what is not there is left out, and without DuckDB's the test is skipped. A PostgreSQL
server is started where its programs are installed."""
import csv
import glob
import hashlib
import json
import os
import random
import re
import shutil
import sqlite3
import subprocess
import sys
import tempfile

ASIF, SOURCE, DRIVERS = (os.environ.get(name) for name in ("ASIF", "ASIF_SOURCE", "ASIF_DRIVERS"))
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
if not DRIVERS or not os.path.exists(os.path.join(DRIVERS, "libduckdb.so")):
    print("DuckDB's driver is not here (tools/get-drivers build/drivers, then configure again)")
    sys.exit(77)
STUDY = os.path.join(SOURCE, "examples", "diag", "study.yaml")
COHORT = os.path.join(os.environ.get("ASIF_ORACLE", ""), "..", "dementia", "cohort_small.csv")
ADNI = os.path.join(SOURCE, "examples", "dementia", "adni.yaml")


def run(*arguments, code=0, **options):
    done = subprocess.run([ASIF, *arguments], capture_output=True, text=True, **options)
    assert code is None and done.returncode < 2 or done.returncode == code, f"asif {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def count(tree, study, *source):
    run("count", *source, "-s", study, "-o", tree, "-q")
    with open(tree, "rb") as f:
        return f.read()


def duckdb(sql, *uri):
    """Have DuckDB carry out a statement, whose result is no log. Given by its path, it is asked as it is, without an order of rows."""
    run("count", "--engine", os.path.join(DRIVERS, "libduckdb.so"), *uri, "--query", sql, code=2)


def quoted(path):
    return "'" + path.replace("'", "''") + "'"


def diagnosis(folder):
    """Logs of 400 people in random order, as a CSV file."""
    path = os.path.join(folder, "it's.csv")
    text = run("simulate", STUDY, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "-n", "400", "--max-steps", "12", "--seed", "1", "-q", "-o",
               "-").stdout
    header, *rows = csv.reader(text.splitlines())
    random.Random(1).shuffle(rows)
    with open(path, "w", newline="") as f:
        csv.writer(f).writerows([header, *rows])
    return path


def parquet(folder, study, path):
    """One file, several files by a pattern, and a table of DuckDB's own."""
    want, tree = count(os.path.join(folder, "csv.tree"), study, path), os.path.join(folder, "other.tree")
    one, base = os.path.join(folder, "it's.parquet"), os.path.join(folder, "base.duckdb")
    read = f"read_csv({quoted(path)}, nullstr='', sample_size=-1)"
    duckdb(f"COPY (SELECT * FROM {read}) TO {quoted(one)} (FORMAT parquet)")
    assert count(tree, study, one) == want, "one Parquet file"
    total = sum(1 for _ in open(path)) - 1
    for k in range(2):
        part = os.path.join(folder, f"part-{k}.parquet")
        duckdb(f"COPY (SELECT * FROM {read} LIMIT {total // 2 if k == 0 else total} OFFSET {0 if k == 0 else total // 2}) TO {quoted(part)} "
               "(FORMAT parquet)")
    assert count(tree, study, os.path.join(folder, "part-*.parquet")) == want, "a pattern of Parquet files"
    assert count(tree, study, one, "--memory", "500MB") == want, "with little memory"
    duckdb(f"ATTACH {quoted(base)} AS base; CREATE TABLE base.visits AS SELECT * FROM {read}; SELECT 1 AS done")
    assert count(tree, study, "--engine", "duckdb", "--uri", base, "--table", "visits") == want, "a table of DuckDB"
    assert count(tree, study, "--engine", "duckdb", "--uri", base, "--table", "main.visits") == want, "a table of a schema"
    assert count(tree, study, "--engine", "duckdb", "--uri", base, "--query", "SELECT * FROM visits") == want, "a query"
    print(f"DuckDB: one file, two files, a table and a query give the same {len(want):,} bytes")
    return want


def sqlite(folder, study, path, want):
    if not os.path.exists(os.path.join(DRIVERS, "libadbc_driver_sqlite.so")):
        print("SQLite: no driver")
        return
    base = os.path.join(folder, "base.db")
    with open(path, newline="") as f:
        header, *rows = csv.reader(f)
    connection = sqlite3.connect(base)
    connection.execute(f"CREATE TABLE visits ({', '.join(header)})")
    connection.executemany(f"INSERT INTO visits VALUES ({', '.join('?' * len(header))})", [[c or None for c in row] for row in rows])
    connection.commit()
    connection.close()
    assert count(os.path.join(folder, "other.tree"), study, "--engine", "sqlite", "--uri", base, "--table", "visits") == want
    print("SQLite: the same bytes")


def read(*path):
    with open(os.path.join(*path), encoding="utf-8") as f:
        return f.read()


def fits(folder, path):
    """fit, check and learn-world read what count reads; a fit has the same numbers, and records the engine, its version and the query, without a password."""
    sources = {"csv": [path], "parquet": [os.path.join(folder, "it's.parquet")]}
    if os.path.exists(os.path.join(DRIVERS, "libadbc_driver_sqlite.so")):
        sources["sqlite"] = ["--engine", "sqlite", "--uri", f"file:{os.path.join(folder, 'base.db')}?password=sesame", "--table", "visits"]
    made, judged = {}, {}
    for name, source in sources.items():
        out = os.path.join(folder, "fit-" + name)
        run("fit", STUDY, *source, "-o", out, "-q", "--resolution", "20", "--method", "map", "--no-sensitivity", "--no-answers")
        made[name] = read(out, "fit.json")
        judged[name] = json.loads(run("check", STUDY, *source, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "--json").stdout)["log_likelihood"]
        origin = json.loads(read(out, "run.json"))
        assert "sesame" not in read(out, "run.json"), "a password is in run.json"
        if name == "csv":
            assert "engine" not in origin["logs"] and origin["logs"]["sha256"], origin["logs"]
        else:
            assert origin["logs"]["engine"] == ("duckdb" if name == "parquet" else "sqlite") and "SELECT" in origin["logs"]["query"], origin["logs"]
            assert re.match(r"v?[0-9]+\.[0-9]+", origin["logs"]["version"]), origin["logs"]
            with open(os.path.join(out, "logs.tree"), "rb") as f:
                assert origin["logs"]["counts_sha256"] == hashlib.sha256(f.read()).hexdigest()
    assert len(set(made.values())) == 1 and len(set(judged.values())) == 1, "fits differ by where the logs are"
    for command, *flags in (["predict", "--prior", "--draws", "20"], ["evaluate", "--folds", "2", "--resolution", "20"]):
        answers = [json.loads(run(command, STUDY, *source, *flags, "--json", "-q", code=None).stdout) for source in sources.values()]
        for answer in answers:
            answer.pop("logs", None)
        assert all(answer == answers[0] for answer in answers), f"{command} differs by where the logs are"
    for command in ("fit", "learn-world", "people"):
        answer = run(command, STUDY, *(["-o", os.path.join(folder, "none")] if command == "fit" else []), code=2).stderr
        assert "needs logs" in answer, answer
    print(f"fit, check, predict and evaluate: the same from {', '.join(sources)}")


class Server:
    """A PostgreSQL server of its own, that listens in a folder."""

    def __init__(self, folder):
        self.folder, self.user = folder, "postgres"
        programs = sorted(glob.glob("/usr/lib/postgresql/*/bin")) + [os.path.dirname(shutil.which("initdb") or "")]
        self.programs = next((p for p in programs if p and os.path.exists(os.path.join(p, "initdb"))), None)

    def command(self, program, *arguments):
        command = [os.path.join(self.programs, program), *arguments]
        if os.geteuid() == 0:  # the server refuses to run as root
            command = ["setpriv", "--reuid", self.user, "--regid", self.user, "--clear-groups", *command]
        return subprocess.run(command, capture_output=True, text=True, check=False)

    def __enter__(self):
        if os.geteuid() == 0:
            shutil.chown(self.folder, self.user)
        data = os.path.join(self.folder, "data")
        made = self.command("initdb", "-D", data, "-A", "trust", "-U", "asif")
        assert made.returncode == 0, made.stderr
        started = self.command("pg_ctl", "-D", data, "-w", "-o", f"-k {self.folder} -c listen_addresses=", "-l", os.path.join(self.folder, "log"), "start")
        assert started.returncode == 0, started.stderr
        return self

    def __exit__(self, *_):
        self.command("pg_ctl", "-D", os.path.join(self.folder, "data"), "-m", "immediate", "stop")

    def sql(self, text):
        done = self.command("psql", "-h", self.folder, "-U", "asif", "-v", "ON_ERROR_STOP=1", "-q", "-c", text, "postgres")
        assert done.returncode == 0, done.stderr


def postgresql(study, path, want):
    with tempfile.TemporaryDirectory(prefix="pg") as folder:
        server = Server(folder)
        driver = os.path.exists(os.path.join(DRIVERS, "libadbc_driver_postgresql.so"))
        if not driver or not server.programs or (os.geteuid() == 0 and not shutil.which("setpriv")):
            print("PostgreSQL: no", "server" if driver else "driver")
            return
        os.chmod(folder, 0o755)
        with open(path, newline="") as f:
            header = next(csv.reader(f))
        with server:
            table = os.path.join(folder, "table.csv")
            shutil.copy(path, table)
            os.chmod(table, 0o644)
            server.sql("CREATE TABLE visits (" + ", ".join(f'"{name}" text' for name in header) + ")")
            server.sql(f"\\copy visits FROM {quoted(table)} CSV HEADER")
            uri = f"postgresql:///postgres?host={folder}&user=asif"
            tree = os.path.join(folder, "other.tree")
            assert count(tree, study, "--engine", "postgresql", "--uri", uri, "--table", "visits") == want
            assert count(tree, study, "--engine", "postgresql", "--uri", uri, "--table", "public.visits") == want
            said = run("count", "--engine", "postgresql", "--uri", uri, "--table", "visitz", code=3).stderr
            assert 'relation "visitz" does not exist' in said, said
        print("PostgreSQL: the same bytes")
        gone = run("count", "--engine", "postgresql", "--uri", f"postgresql://asif:sesame@localhost:1/{os.path.basename(folder)}", "--table", "visits",
                   code=3).stderr
        assert "the database cannot be opened" in gone and "sesame" not in gone, gone


def refusals(folder):
    one = os.path.join(folder, "it's.parquet")
    for arguments, code, words in [
        (["--engine", "duckdb"], 2, "--engine needs to know what to read"),
        (["--table", "visits"], 2, "--table needs --engine"),
        (["--engine", "duckdb", "--table", "a", "--query", "b"], 2, "give one of them"),
        (["--engine", "duckdb", "--table", "a", one], 2, "is a file"),
        (["--engine", "oracle", "--table", "a"], 2, "there is no driver called `oracle`"),
        (["--engine", "./driver.so", "--table", "a"], 2, "driver.so"),
        ([one, "--memory", "much"], 2, "is not a size"),
        ([os.path.join(folder, "none*.parquet")], 3, "No files found"),
        ([], 2, "asif count needs logs"),
    ]:
        said = run("count", *arguments, code=code).stderr
        assert words in said, (arguments, said)
    # an extension that is not installed is not fetched
    said = run("count", "--engine", "duckdb", "--query", "SELECT * FROM 's3://nowhere/visits.parquet'", code=3).stderr
    assert "httpfs" in said, said
    said = run("count", one, code=2, env={**os.environ, "ASIF_DRIVERS": folder}).stderr
    assert "the driver for duckdb (libduckdb.so) is not installed" in said and "hint: install" in said, said
    # a Parquet file under another name
    other = os.path.join(folder, "visits.csv")
    shutil.copy(one, other)
    said = run("count", other, code=2).stderr
    assert "is a Parquet file" in said, said
    # a misspelt label has its rows, with their numbers in the table, and no line
    duckdb(f"COPY (SELECT * REPLACE (CASE WHEN t = 3 THEN 'monitr' ELSE action END AS action) FROM {quoted(one)}) TO {quoted(one + '.wrong.parquet')}")
    said = run("count", one + ".wrong.parquet", "-s", STUDY, code=2).stderr
    assert "wrong.parquet: there is no action" in said and "(in " in said and "there is no action `monitr`" in said and "did you mean `monitor`" in said, said


def main():
    with tempfile.TemporaryDirectory() as folder:
        logs = diagnosis(folder)
        want = parquet(folder, STUDY, logs)
        sqlite(folder, STUDY, logs, want)
        postgresql(STUDY, logs, want)
        fits(folder, logs)
        refusals(folder)
    if os.path.exists(COHORT):
        with tempfile.TemporaryDirectory() as folder:
            study = os.path.join(folder, "study.yaml")
            run("learn-world", ADNI, COHORT, "--starts", "2", "-o", study, "-q")
            want = parquet(folder, study, COHORT)
            run("learn-world", ADNI, os.path.join(folder, "it's.parquet"), "--starts", "2", "-o", os.path.join(folder, "again.yaml"), "-q")
            assert read(folder, "again.yaml") == read(study), "a world learnt from Parquet differs"
            sqlite(folder, study, COHORT, want)
            postgresql(study, COHORT, want)


if __name__ == "__main__":
    main()
