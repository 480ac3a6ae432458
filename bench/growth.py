#!/usr/bin/env python3
"""The growth of the cost of `asif count` with the number of rows: processor seconds and the most memory, from a CSV file whose rows are in order, from a shuffled
one, and from shuffled rows in Parquet by DuckDB. The logs are simulated pessimistic DIAG logs (10 rows an episode). Prints a table in Markdown.

usage: growth.py BUILD [LARGEST [LARGEST_CSV [FOLDER]]], in powers of ten (7 and 7 without them). FOLDER is where tables are made: 28 bytes a row of CSV, 7 of
Parquet. Drivers are those in ASIF_DRIVERS or BUILD/../drivers."""
import os
import subprocess
import sys
import tempfile

ROWS_AN_EPISODE = 9.85
TIMES = 3  # the median of so many


def run(asif, *arguments):
    """Processor seconds and megabytes of a command."""
    with open(os.devnull, "w", encoding="utf-8") as nothing:
        process = subprocess.Popen([asif, *arguments], stdout=nothing, stderr=nothing)
        _, status, usage = os.wait4(process.pid, 0)
    process.returncode = os.waitstatus_to_exitcode(status)
    return process.returncode, usage.ru_utime + usage.ru_stime, usage.ru_maxrss / 1e3


def measure(asif, study, path):
    found = []
    for _ in range(TIMES):
        code, seconds, megabytes = run(asif, "count", path, "-s", study, "--memory", "2GB", "-q")
        if code != 0:
            sys.exit(f"{path}: exit {code}")
        found.append((seconds, megabytes))
    return sorted(found)[TIMES // 2]


def quoted(path):
    return "'" + path.replace("'", "''") + "'"


def main():
    build = os.path.abspath(sys.argv[1])
    largest, largest_csv = (int(sys.argv[i]) if len(sys.argv) > i else 7 for i in (2, 3))
    os.environ.setdefault("ASIF_DRIVERS", os.path.join(os.path.dirname(build), "drivers"))
    asif, study = os.path.join(build, "cli", "asif"), os.path.join(os.path.dirname(os.path.dirname(os.path.abspath(__file__))), "examples", "diag", "study.yaml")
    driver = os.path.join(os.environ["ASIF_DRIVERS"], "libduckdb.so")
    print("| rows | CSV in order | shuffled CSV | shuffled Parquet |\n|---|---|---|---|")
    with tempfile.TemporaryDirectory(dir=sys.argv[4] if len(sys.argv) > 4 else None) as folder:
        for power in range(4, largest + 1):
            ordered, shuffled, parquet = (os.path.join(folder, name) for name in ("ordered.csv", "shuffled.csv", "shuffled.parquet"))
            episodes = round(10 ** power / ROWS_AN_EPISODE)
            run(asif, "simulate", study, "-p", "alpha=0.5", "-p", "beta=-0.75", "-p", "eta=0.001", "-n", str(episodes), "--seed", str(power), "-q", "-o", ordered)
            rows = (f"SELECT * FROM read_csv({quoted(ordered)}, header=true, nullstr='', columns={{'episode': 'BIGINT', 't': 'BIGINT', 'action': 'VARCHAR', "
                    "'observation': 'VARCHAR'}) ORDER BY hash(1000 * episode + t)")
            csv = power <= largest_csv
            for path, form in [(parquet, "parquet")] + [(shuffled, "csv, header")] * csv:
                run(asif, "count", "--engine", driver, "--query", f"COPY ({rows}) TO {quoted(path)} (FORMAT {form})")
            cells = [measure(asif, study, path) for path in [ordered, shuffled] * csv + [parquet]]
            words = ["not measured"] * (3 - len(cells)) + [f"{seconds:.2f} s, {megabytes:,.0f} MB" for seconds, megabytes in cells]
            print(f"| {10 ** power:,} | {' | '.join(words)} |", flush=True)
            for path in (ordered, shuffled, parquet):
                if os.path.exists(path):
                    os.remove(path)


if __name__ == "__main__":
    main()
