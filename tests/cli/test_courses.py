#!/usr/bin/env python3
# ctest label: slow
"""asif count --sql prints a query that makes courses in a database; count reads its result into the tree of the rows, byte for byte but for the numbers of
rows. Random tables of every kind are counted from their CSV file, and from courses by DuckDB and PostgreSQL, from Parquet and CSV files.

Drivers are those in ASIF_DRIVERS; without DuckDB's the test is skipped. tests/long/courses.py has larger tables, and Spark."""
import csv
import os
import random
import struct
import sys
import tempfile

from test_databases import ASIF, COHORT, ADNI, DRIVERS, SOURCE, STUDY, Server, count, duckdb, quoted, read, run

POLICY = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0"]


def same(tree):
    """A tree without what courses do not know: rows and those left out, whether rows were sorted, and the first row of each node."""
    size = 19 if struct.unpack_from("<I", tree, 12)[0] == 2 else 17
    head = list(struct.unpack_from(f"<{size}Q", tree, 16))
    nodes, levels, at = head[4], head[5], 16 + 8 * size
    head[0] &= ~4
    head[11] = head[12] = 0
    first = at + 8 * (levels + 1)
    return struct.pack(f"<{size}Q", *head) + tree[at:first] + tree[first + 8 * nodes:-32]


def write(folder, name, text):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8", newline="") as f:
        f.write(text)
    return path


def table(folder, name, header, rows, seed):
    path = os.path.join(folder, name)
    random.Random(seed).shuffle(rows)
    with open(path, "w", newline="") as f:
        csv.writer(f).writerows([header, *rows])
    return path


def simulated(study, episodes, *flags):
    """The header and the episodes of simulated logs."""
    text = run("simulate", study, *flags, "-n", str(episodes), "--max-steps", "12", "--seed", "1", "-q", "-o", "-").stdout
    header, *rows = csv.reader(text.splitlines())
    found = {}
    for row in rows:
        found.setdefault(row[0], []).append(row)
    return header, list(found.values())


def diag(logs):
    return read(STUDY)[:read(STUDY).index("\nlogs:")] + "\nlogs: " + logs + "\n"


def cases(folder, episodes):
    """Each kind of table: name, study, table, flags of both count commands, flags of the query."""
    header, known = simulated(STUDY, episodes, *POLICY)
    rng = random.Random(2)
    rows = [row for episode in known for row in episode]
    yield "DIAG", STUDY, table(folder, "diag.csv", header, rows, 1), [], []

    rows = [[row[0], f"20{20 + i // 4:02}-{1 + i % 4 * 3:02}-{rng.randint(1, 28):02}", *row[2:]] for episode in known for i, row in enumerate(episode)]
    yield "dates", STUDY, table(folder, "dates.csv", header, rows, 2), [], ["--ranked"]

    rows = []
    for episode in known:
        seen = [rng.choice(["positive", "negative", ""])] + [row[3] for row in episode]
        rows += [[*row[:3], seen[i]] for i, row in enumerate(episode)]
    study = write(folder, "before.yaml", diag("{episode: episode, time: t, action: action, observation: observation, observes: before, "
                                              "initial_observation: monitor}"))
    yield "observes: before", study, table(folder, "before.csv", header, rows, 3), [], []

    rows = []
    for episode in known:
        weight, who = rng.choice(["1", "0.25", "3", "0"]), f"p{rng.randint(1, episodes // 3)}"
        rows += [[who, *row, weight, "north" if int(who[1:]) % 2 else "south"] for row in episode]
    header = ["person", *header, "w", "region"]
    study = write(folder, "weights.yaml", diag("{subject: person, episode: episode, time: t, action: action, observation: observation, weight: w, "
                                               "groups: {up: region = north}}"))
    weights = table(folder, "weights.csv", header, rows, 4)
    yield "weights", study, weights, [], []
    yield "by a column", study, weights, ["--by", "region"], []
    yield "by a group", study, weights, ["--by", "up"], []

    rows = [[*row[:4], rng_risk] for episode in known for rng_risk in [rng.choice(["lo", "hi"])] for row in episode]
    study = write(folder, "starts.yaml", read(STUDY).replace("start: [0.5, 0.5]", "start: {by: risk, lo: [.9, .1], hi: [.4, .6]}\n  reset: [.5, .5]", 1))
    yield "start classes", study, table(folder, "starts.csv", [*header[1:5], "risk"], rows, 5), [], []

    actions = {"declare_healthy": "0", "declare_diseased": "1", "monitor": "2"}
    scores = {"negative": ["-3", "0", "0.49", "<1", "0.25"], "positive": ["0.5", "0.75", "12", "1e1"], "": ["", "-4", "NA", "99"]}
    rows = []
    for episode in known:
        for i, row in enumerate(episode):
            lost = i + 1 < len(episode) and rng.random() < .05
            action = "" if rng.random() < .01 else actions[row[2]]
            rows.append([row[0], row[1], action, rng.choice(scores["" if lost else row[3]]), "x" if rng.random() < .98 else ""])
    for missing in ("drop_row", "drop_episode"):
        study = write(folder, f"messy-{missing}.yaml", diag(f"""
  episode: episode
  time: t
  action: {{column: arm, labels: {{0: declare_healthy, 1: declare_diseased, 2: monitor}}}}
  observation: {{column: score, cut: [0.5], labels: [negative, positive]}}
  missing_values: [-4]
  missing: {missing}
  require: [site]
  columns: {{score: {{recode: {{"<1": 0.3}}, range: [-5, 20], outside: missing}}}}"""))
        yield f"cuts, recodes, ranges and {missing}", study, table(folder, "messy.csv", ["episode", "t", "arm", "score", "site"], rows, 6), [], []

    study = os.path.join(SOURCE, "examples", "planners", "model-based-mdp.yaml")
    header, known = simulated(study, episodes // 2)
    yield "seen states", study, table(folder, "mdp.csv", header, [row for episode in known for row in episode], 7), [], []

    if os.path.exists(COHORT):
        study = os.path.join(folder, "learnt.yaml")
        run("learn-world", ADNI, COHORT, "--starts", "2", "-o", study, "-q")
        header, *rows = csv.reader(read(COHORT).splitlines())
        who, people = header.index("RID"), 1 + max(int(row[header.index("RID")]) for row in rows)
        rows = [[*row[:who], str(int(row[who]) + k * people), *row[who + 1:], str(1 + int(row[who]) % 4 / 4)]
                for k in range(1 + 4 * episodes // len(rows)) for row in rows]
        dementia = table(folder, "dementia.csv", [*header, "w"], rows, 8)
        yield "dementia", study, dementia, ["--map", "weight=w"], []
        yield "dementia by group", study, dementia, ["--map", "weight=w", "--by", "carrier"], []


def from_duckdb(folder, study, path, flags, of_query):
    """The trees from courses by DuckDB as Parquet and as CSV."""
    maps = [word for word in flags if not word.startswith("--by")] if "--by" not in flags else flags
    sql = run("count", "--sql", "duckdb", "-s", study, *maps, *of_query, "--query", f"SELECT * FROM read_csv({quoted(path)}, nullstr='', sample_size=-1)").stdout
    for ending, form in (("parquet", "(FORMAT parquet)"), ("csv", "(HEADER)")):
        out = os.path.join(folder, "courses." + ending)
        duckdb(f"COPY ({sql}) TO {quoted(out)} {form}")
        yield f"DuckDB, {ending}", out


def from_postgresql(server, study, path, flags, of_query):
    """The courses of a table of texts in PostgreSQL, as a CSV file."""
    with open(path, newline="") as f:
        header = next(csv.reader(f))
    there, out = os.path.join(server.folder, "table.csv"), os.path.join(server.folder, "courses.csv")
    with open(path, "rb") as source, open(there, "wb") as to:
        to.write(source.read())
    os.chmod(there, 0o644)
    server.sql("DROP TABLE IF EXISTS visits")
    server.sql("CREATE TABLE visits (" + ", ".join(f'"{name}" {"date" if name == "t" and "--ranked" in of_query else "text"}' for name in header) + ")")
    server.sql(f"\\copy visits FROM {quoted(there)} CSV HEADER")
    sql = run("count", "--sql", "postgresql", "-s", study, *flags, *of_query, "--table", "visits").stdout
    server.sql(f"COPY ({sql}) TO {quoted(out)} CSV HEADER")
    return out


def refusals(folder):
    """What courses cannot have is named, and courses of another study are not read."""
    lost = write(folder, "lost.yaml", diag("{episode: e, time: t, action: a, observation: {column: x, missing: unrecorded}}"))
    for study, flags, words in [
        (STUDY, ["--sql", "oracle"], "there is no query for `oracle`"),
        (STUDY, ["--sql", "duckdb", "--where", "a=b"], "--sql prints a query and reads no logs"),
        (STUDY, ["--sql", "duckdb", "--longest", "100000"], "--longest 960 is the most"),
        (STUDY, ["--ranked", "--table", "a"], "--ranked needs --sql"),
        (lost, ["--sql", "spark"], "cannot have `missing: unrecorded`"),
    ]:
        said = run("count", *flags, "-s", study, code=2).stderr
        assert words in said, (flags, said)
    path = write(folder, "wrong.csv", "episode,t,action,observation\n1,0,monitor,positive\n1,0,monitor,positive\n2,70,monitor,\n3,0,monitr,\n4,0,monitor,pos\n")
    for _, courses in from_duckdb(folder, STUDY, path, [], []):
        said = run("count", courses, "-s", STUDY, code=2).stderr
        for words in ("a time is missing or repeats", "a cell of the action has no label", "a cell of the observation or the state has no label"):
            assert words in said, said
        said = run("count", courses, "-s", os.path.join(folder, "starts.yaml"), code=2).stderr
        assert "made with another study" in said, said
        said = run("count", courses, code=2).stderr
        assert "only with the study" in said, said


def main():
    with tempfile.TemporaryDirectory() as folder, tempfile.TemporaryDirectory(prefix="pg") as data:
        server = Server(data)
        os.chmod(data, 0o755)
        started = server.programs and server.__enter__()
        tried = 0
        try:
            if started:
                os.chmod(data, 0o777)
            for name, study, path, flags, of_query in cases(folder, 300):
                tree = os.path.join(folder, "other.tree")
                want = same(count(tree, study, path, *flags))
                made = list(from_duckdb(folder, study, path, flags, of_query))
                if started:
                    made.append(("PostgreSQL", from_postgresql(server, study, path, flags, of_query)))
                for where, courses in made:
                    assert same(count(tree, study, courses, *flags)) == want, f"{name}: courses by {where} give another tree"
                    tried += 1
                print(f"{name}: {len(want):,} bytes from {', '.join(where for where, _ in made)}")
        finally:
            if started:
                server.__exit__()
        assert tried >= 20
        refusals(folder)


if __name__ == "__main__":
    main()
