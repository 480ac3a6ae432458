#!/usr/bin/env python3
"""asif count where an engine fails in the middle of a query: the server is killed or shut down, the connection is lost, the disk is full, or the user
interrupts it. Each ends with an exit code and a sentence, and there is no tree, not even a part of one.

Drivers are those in ASIF_DRIVERS (tools/get-drivers build/drivers); without DuckDB's the test is skipped, and so is a part whose driver or server is not
here, or whose file system cannot be made (root only)."""
import os
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from test_databases import ASIF, DRIVERS, STUDY, Server, duckdb, quoted

# Ten rows an episode, in no order.
ROWS = ("SELECT i // 10 AS episode, i % 10 AS t, CASE WHEN i % 10 < 9 THEN 'monitor' ELSE 'declare_healthy' END AS action, CASE WHEN i % 10 = 9 THEN NULL "
        "WHEN hash(i) % 10 < 3 THEN 'positive' ELSE 'negative' END AS observation FROM range({}) AS r(i) ORDER BY hash(i + 1)")


def start(folder, *source):
    return subprocess.Popen([ASIF, "count", *source, "-s", STUDY, "-o", os.path.join(folder, "half.tree"), "-q"], stdout=subprocess.PIPE,
                            stderr=subprocess.PIPE, text=True, cwd=folder)


def ends(what, folder, process, code, *words, within=60):
    """The command ends by itself, as it should, and leaves nothing behind."""
    begun = time.time()
    out, said = process.communicate(timeout=within)
    assert process.returncode == code, f"{what}: exit {process.returncode}, not {code}\n{out}{said}"
    assert not words or any(word in said for word in words), f"{what}: {said}"
    assert "sesame" not in said, f"{what}: the password is told: {said}"
    left = [name for name in os.listdir(folder) if name.startswith("half") or name.startswith(".tmp")]
    assert not left, f"{what}: {left} are left behind"
    print(f"{what}: exit {process.returncode} after {time.time() - begun:.1f} s: {said.strip().splitlines()[0]}")


def interrupted(folder):
    """Ctrl-C while DuckDB puts rows in order, which takes much longer than the moment that we wait."""
    path = os.path.join(folder, "rows.parquet")
    duckdb(f"COPY ({ROWS.format(3000000)}) TO {quoted(path)} (FORMAT parquet)")
    for wait in (0.2, 0.5):
        process = start(folder, path)
        while process.poll() is None:  # until DuckDB is there
            with open(f"/proc/{process.pid}/maps", encoding="utf-8") as maps:
                if "libduckdb" in maps.read():
                    break
            time.sleep(0.01)
        time.sleep(wait)
        process.send_signal(signal.SIGINT)
        ends(f"DuckDB, Ctrl-C after {wait} s", folder, process, -signal.SIGINT, "stopped before the end")
    return path


def full_disk(folder, path):
    """DuckDB has little memory, and a small file system to use in its place."""
    disk = os.path.join(folder, "disk")
    os.mkdir(disk)
    if os.geteuid() != 0 or subprocess.run(["mount", "-t", "tmpfs", "-o", "size=4m", "none", disk], capture_output=True, check=False).returncode != 0:
        print("DuckDB, full disk: no file system can be made")
        return
    try:
        process = start(disk, path, "--memory", "60MB")
        ends("DuckDB, full disk", disk, process, 3, "No space left", "Out of Memory", "write", "temp")
    finally:
        subprocess.run(["umount", disk], check=False)


def bad_file(folder, path):
    """The end of a Parquet file is there, and pages before it are not."""
    bad = os.path.join(folder, "bad.parquet")
    shutil.copy(path, bad)
    with open(bad, "r+b") as f:
        f.seek(os.path.getsize(bad) // 3)
        f.write(bytes(os.path.getsize(bad) // 3))
    ends("DuckDB, a damaged file", folder, start(folder, bad), 3, "bad.parquet")


def postgresql(folder):
    with tempfile.TemporaryDirectory(prefix="pg") as data:
        server = Server(data)
        if not os.path.exists(os.path.join(DRIVERS, "libadbc_driver_postgresql.so")) or not server.programs or (os.geteuid() == 0 and
                                                                                                            not shutil.which("setpriv")):
            print("PostgreSQL: no", "server" if server.programs else "driver")
            return
        os.chmod(data, 0o755)
        uri = f"postgresql://asif:sesame@/postgres?host={data}"
        # a query that waits in the middle of its rows
        slow = ("SELECT g / 10 AS episode, g % 10 AS t, CASE WHEN g % 10 < 9 THEN 'monitor' ELSE 'declare_healthy' END AS action, CASE WHEN g % 10 = 9 THEN "
                "NULL ELSE 'positive' END AS observation, pg_sleep(CASE WHEN g = 500000 THEN 30 ELSE 0 END) AS w FROM generate_series(0, 999999) AS g")
        source = ["--engine", "postgresql", "--uri", uri, "--query", slow]
        lost = ("the connection", "closed", "terminat", "shut", "lost", "could not be read")

        def begin():
            process = start(folder, *source)
            for _ in range(200):
                time.sleep(0.1)
                if server.command("psql", "-h", data, "-U", "asif", "-Atc", "SELECT count(*) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(CASE%' "
                                  "AND wait_event = 'PgSleep' AND pid <> pg_backend_pid()", "postgres").stdout.strip() == "1":
                    return process
            process.kill()
            raise AssertionError("the query never came: " + process.communicate()[1])

        with server:
            process = begin()
            process.send_signal(signal.SIGINT)
            ends("PostgreSQL, Ctrl-C", folder, process, -signal.SIGINT, "stopped before the end", within=20)
            process = begin()
            server.sql("SELECT pg_cancel_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(CASE%' AND pid <> pg_backend_pid()")
            ends("PostgreSQL, a query that somebody cancelled", folder, process, 3, "cancel", within=20)
            process = begin()
            server.sql("SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE query LIKE '%pg_sleep(CASE%' AND pid <> pg_backend_pid()")
            ends("PostgreSQL, a lost connection", folder, process, 3, *lost, within=20)
            process = begin()
            with open(os.path.join(data, "data", "postmaster.pid"), encoding="utf-8") as f:
                parent = f.readline().strip()
            children = subprocess.run(["ps", "-o", "pid=", "--ppid", parent], capture_output=True, text=True, check=True).stdout.split()
            for pid in [parent, *children]:
                try:
                    os.kill(int(pid), signal.SIGKILL)
                except ProcessLookupError:
                    pass
            ends("PostgreSQL, a killed server", folder, process, 3, *lost, within=20)


def main():
    with tempfile.TemporaryDirectory() as folder:
        path = interrupted(folder)
        bad_file(folder, path)
        full_disk(folder, path)
        postgresql(folder)


if __name__ == "__main__":
    main()
    sys.exit(0)
