#!/usr/bin/env python3
# ctest label: slow
"""Random tables with mistakes, a kind for each pair of a study and a mistake: `asif check` finds the same errors and warnings, with the same rows and columns, in
the CSV file and in a Parquet file of it, whose columns are of texts or of the types that DuckDB finds.

usage: test_parquet_mistakes.py [SEEDS]: without SEEDS, every kind once, with texts or with types by turns. DuckDB's driver is in ASIF_DRIVERS; without it the
test is skipped."""
import csv
import json
import os
import random
import sys
import tempfile

from test_databases import SOURCE, STUDY, duckdb, quoted, read, run

DIAG = read(STUDY)[:read(STUDY).index("\nlogs:")]
STUDIES = {
    "diag": DIAG + "\nlogs: {episode: episode, time: t, action: action, observation: observation}\n",
    "before": DIAG + "\nlogs: {episode: episode, time: t, action: action, observation: observation, observes: before, initial_observation: monitor}\n",
    "gaps": DIAG + "\nlogs: {episode: episode, time: {column: t, step: 1}, action: action, observation: observation, gaps: refuse, missing: drop_row}\n",
    "people": DIAG + "\nlogs: {subject: person, episode: episode, time: t, action: action, observation: observation, weight: w, missing: drop_row}\n",
    "cuts": DIAG + """
logs:
  episode: episode
  time: t
  action: {column: arm, labels: {0: declare_healthy, 1: declare_diseased, 2: monitor}}
  observation: {column: score, cut: [0.5], labels: [negative, positive]}
  missing_values: [-4]
  missing: not_seen
  columns: {score: {recode: {"<1": 0.3}, range: [-5, 20]}}
""",
    "classes": DIAG.replace("start: [0.5, 0.5]", "start: {by: risk, lo: [.9, .1], hi: [.4, .6]}\n  reset: [.5, .5]", 1) +
    "\nlogs: {episode: episode, time: t, action: action, observation: observation, missing: drop_episode}\n",
}


def table(kind, rng, episodes):
    """Rows without a mistake, as dictionaries."""
    rows = []
    for e in range(1, episodes + 1):
        length, risk, weight = rng.randint(1, 6), rng.choice(["lo", "hi"]), rng.choice(["1", "2", "0.5"])
        for t in range(length):
            last = t + 1 == length
            action = rng.choice(["declare_healthy", "declare_diseased"]) if last else "monitor"
            seen = "" if last and kind != "before" else rng.choice(["negative", "positive"])
            row = {"episode": str(e), "t": str(t), "action": action, "observation": seen}
            if kind == "cuts":
                row = {"episode": str(e), "t": str(t), "arm": {"monitor": "2", "declare_healthy": "0"}.get(action, "1"),
                       "score": "" if last else rng.choice(["-3", "0", "0.49", "0.75", "12", "<1"])}
            if kind == "classes":
                row["risk"] = risk
            if kind == "people":
                row = {"person": "p" + str(1 + e % 3), **row, "w": weight}
            rows.append(row)
    return rows


def anywhere(column, *texts):
    """Texts in some cells of a column; the name of the column depends on the kind of table."""
    def spoil(rows, rng):
        names = {"action": ["action", "arm"], "seen": ["observation", "score"], "extra": ["risk", "w"]}.get(column, [column])
        for row in rng.sample(rows, min(len(rows), rng.randint(1, 3))):
            for name in names:
                if name in row:
                    row[name] = rng.choice(texts)
    return spoil


def repeat(rows, rng):
    for row in rng.sample(rows, 2):
        rows.insert(rng.randrange(len(rows)), dict(row))


def lose(rows, rng):
    for row in rng.sample(rows, 2):
        rows.remove(row)


def go_on(rows, rng):
    row = rng.choice(rows)
    rows.append({**row, "t": str(int(row["t"]) + 7)})


def swap(rows, rng):
    row = rng.choice(rows)
    row["t"], row["episode"] = row["episode"], row["t"]


def late(rows, rng):
    chosen = rng.choice(rows)["episode"]
    for row in rows:
        if row["episode"] == chosen:
            row["t"] = str(int(row["t"]) + 3)


MISTAKES = {
    "unknown label of an action": anywhere("action", "monitr", "declare", "7"), "capital letters": anywhere("action", "Monitor", "DECLARE_HEALTHY"),
    "unknown label of a result": anywhere("seen", "posit", "none", "unclear"), "blanks within a label": anywhere("seen", "posi tive", "a  b"),
    "missing action": anywhere("action", "", "NA"), "missing result": anywhere("seen", "", ".", "n/a"), "missing episode": anywhere("episode", ""),
    "missing time": anywhere("t", "", "NaN"), "time that is a text": anywhere("t", "baseline", "m06"), "time that is no step": anywhere("t", "0.5", "1.25"),
    "time below 0": anywhere("t", "-1", "-2"), "huge time": anywhere("t", "1000000", "99"), "number out of range": anywhere("seen", "99", "-77"),
    "class or weight that is none": anywhere("extra", "high", "two"), "class or weight below 0": anywhere("extra", "-1"),
    "missing class or weight": anywhere("extra", ""), "words of another language": anywhere("seen", "négatif", "陽性"),
    "repeated rows": repeat, "lost rows": lose, "rows after the end": go_on, "columns that change places": swap, "a late beginning": late,
}


def kinds(seed):
    """Name, study and rows of a table of each kind, with one or more mistakes."""
    for k, study in enumerate(STUDIES):
        for m, (name, spoil) in enumerate(MISTAKES.items()):
            rng = random.Random(1000000 * seed + 1000 * k + m)
            rows = table(study, rng, rng.randint(4, 12))
            spoil(rows, rng)
            if rng.random() < .4:
                rng.choice([f for f in MISTAKES.values() if f is not swap and f is not late and f is not go_on])(rows, rng)
            if rng.random() < .5:
                rng.shuffle(rows)
            yield f"{study}, {name}, seed {seed}", study, rows


def found(study, path):
    """Errors and warnings without the name of the file and the lines, which only a CSV file has."""
    answer = json.loads(run("check", study, path, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "--json", code=None).stdout)
    problems = [{key: value for key, value in p.items() if key not in ("file", "line")} for p in answer["problems"] if p["severity"] != "note"]
    return [p for p in problems if p.get("row") or p["severity"] == "error" or p.get("column")]


def compare(folder, seed, both):
    """How many tables were compared, and how many have problems."""
    made, copies = [], []
    for study, text in STUDIES.items():
        with open(os.path.join(folder, study + ".yaml"), "w", encoding="utf-8") as f:
            f.write(text)
    for i, (name, study, rows) in enumerate(kinds(seed)):
        path = os.path.join(folder, f"{i}.csv")
        with open(path, "w", newline="", encoding="utf-8") as f:
            out = csv.DictWriter(f, list(rows[0]))
            out.writeheader()
            out.writerows(rows)
        for ending, flags in (("texts", ", all_varchar=true"), ("types", ", sample_size=-1")):
            copies.append(f"COPY (SELECT * FROM read_csv({quoted(path)}, header=true, nullstr=''{flags})) TO {quoted(path[:-3] + ending + '.parquet')} "
                          "(FORMAT parquet)")
        made.append((name, os.path.join(folder, study + ".yaml"), path))
    for i in range(0, len(copies), 50):
        duckdb("; ".join([*copies[i:i + 50], "SELECT 1 AS done"]))
    wrong = with_problems = 0
    for i, (name, study, path) in enumerate(made):
        want = found(study, path)
        with_problems += want != []
        for ending in ("texts", "types") if both else (("texts", "types")[i % 2],):
            got = found(study, path[:-3] + ending + ".parquet")
            if got != want:
                wrong += 1
                print(f"{name}: {ending}: {path}\n  CSV:     {[p for p in want if p not in got]}\n  Parquet: {[p for p in got if p not in want]}")
    assert wrong == 0, f"{wrong} tables have other problems as Parquet"
    return len(made), with_problems


def main():
    both = len(sys.argv) > 1
    for seed in range(int(sys.argv[1]) if both else 1):
        with tempfile.TemporaryDirectory() as folder:
            tables, bad = compare(folder, seed, both)
        assert tables >= 100 and bad >= tables / 2, (tables, bad)
        print(f"seed {seed}: {tables} kinds of tables, {bad} with errors or warnings: the same from CSV and from Parquet")


if __name__ == "__main__":
    main()
