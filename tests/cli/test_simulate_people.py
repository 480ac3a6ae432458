#!/usr/bin/env python3
"""asif simulate --people: each person is the agent that its parameters say, parameters have the priors' distribution, what a
person does depends on the seed and the person's number only, and refusals."""
import csv
import io
import json
import math
import os
import statistics
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
PRIORS = {"alpha: learn ": "alpha: learn ~ lognormal(-0.7, 0.5) ", "beta:  learn ": "optimism: learn ~ normal(0.5, 0.5) ",
          "eta:   learn": "eta: learn ~ normal(0, 2)", "resolution: 100": "resolution: 20"}
EPISODES = 4


def run(*arguments, code=0):
    done = subprocess.run([ASIF, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, f"asif {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def table(text):
    return list(csv.DictReader(io.StringIO(text)))


def test_people(study, folder):
    logs, parameters = os.path.join(folder, "logs.csv"), os.path.join(folder, "parameters.csv")
    done = run("simulate", study, "--people", 3, "-n", EPISODES, "--seed", 5, "-o", logs, "--parameters", parameters, "--json")
    with open(logs) as file, open(parameters) as other:
        rows, people = table(file.read()), table(other.read())
    assert list(rows[0]) == ["subject", "episode", "t", "action", "observation"]
    assert list(people[0]) == ["subject", "log_alpha", "optimism", "eta"]
    assert json.loads(done.stdout) == {"file": logs, "people": 3, "episodes": 3 * EPISODES, "cut": 0, "decisions": len(rows), "seed": 5}
    for k, person in enumerate(people):
        own = [row for row in rows if row["subject"] == person["subject"]]
        assert person["subject"] == str(k + 1)
        assert sorted({int(row["episode"]) for row in own}) == list(range(k * EPISODES + 1, (k + 1) * EPISODES + 1))
    # Person 1 is one agent with these parameters; person 2 is the next episodes of one with theirs.
    for k, person in enumerate(people[:2]):
        values = [f"alpha={math.exp(float(person['log_alpha']))!r}", f"optimism={person['optimism']}", f"eta={person['eta']}"]
        alone = table(run("simulate", study, *(x for v in values for x in ("-p", v)), "-n", (k + 1) * EPISODES, "--seed", 5, "-o",
                          "-").stdout)
        alone = [row for row in alone if int(row["episode"]) > k * EPISODES]
        mine = [{name: row[name] for name in alone[0]} for row in rows if row["subject"] == str(k + 1)]
        assert mine == alone, person
    few = run("simulate", study, "--people", 2, "-n", EPISODES, "--seed", 5, "-o", "-", "--threads", 2).stdout
    with open(logs) as file:
        assert file.read().startswith(few)


def test_cut(study, folder):
    logs = os.path.join(folder, "cut.csv")
    done = run("simulate", study, "--people", 3, "-n", EPISODES, "--max-steps", 5, "--seed", 5, "-o", logs)
    with open(logs) as file:
        last = {row["episode"]: row["action"] for row in table(file.read())}
    cut = sum(action == "monitor" for action in last.values())
    assert 0 < cut < len(last)
    assert f"note: {cut} of {len(last)} episodes were cut before their end (--max-steps)\n  hint: the priors allow" in done.stderr


def test_distribution(study, folder):
    parameters = os.path.join(folder, "parameters.csv")
    run("simulate", study, "--people", 2000, "-n", 1, "--max-steps", 1, "-p", "eta=0", "-o", os.devnull, "--parameters", parameters, "-q")
    with open(parameters) as file:
        people = table(file.read())
    assert list(people[0]) == ["subject", "log_alpha", "optimism"], "eta was given"
    for name, mean, sd in (("log_alpha", -0.7, 0.5), ("optimism", 0.5, 0.5)):
        values = sorted(float(person[name]) for person in people)
        normal = statistics.NormalDist(mean, sd)
        worst = max(abs((i + 0.5) / len(values) - normal.cdf(v)) for i, v in enumerate(values))
        assert worst < 1.95 / math.sqrt(len(values)), f"{name}: Kolmogorov's distance {worst} (1 in 1000 at random)"
    both = [[float(person[name]) for person in people] for name in ("log_alpha", "optimism")]
    assert abs(statistics.correlation(*both)) < 0.08, "parameters are independent of each other"


def test_refusals(study, folder):
    logs = os.path.join(folder, "x.csv")
    for arguments, words in (
            (["--people", 3, "-o", logs], "-n N"),
            (["-n", 3, "-o", logs, "--parameters", logs + "2"], "--people N"),
            (["--people", 3, "-n", 3, "-o", logs, "--parameters", logs], "a file of its own"),
            (["--people", 3, "-n", 3, "-o", logs, "--parameters", "-"], "a file of its own"),
            (["--people", 3, "-n", 3, "-o", logs, "-p", "alpha=1", "-p", "optimism=0", "-p", "eta=0"], "nothing is to be estimated")):
        said = run("simulate", study, *arguments, code=2).stderr
        assert words in said, (arguments, said)
        assert not os.path.exists(logs)


with tempfile.TemporaryDirectory() as folder:
    study = os.path.join(folder, "study.yaml")
    with open(DIAG, encoding="utf-8") as file:
        text = file.read()
    for old, new in PRIORS.items():
        assert old in text
        text = text.replace(old, new)
    with open(study, "w", encoding="utf-8") as file:
        file.write(text)
    test_people(study, folder)
    test_cut(study, folder)
    test_distribution(study, folder)
    test_refusals(study, folder)
print("people are simulated as their parameters say")
