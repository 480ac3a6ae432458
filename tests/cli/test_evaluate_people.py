#!/usr/bin/env python3
# ctest label: slow
"""asif evaluate --people: log-likelihoods of people whom a population has not seen, against integrals. Everybody chooses between
two actions in one state, so that likelihoods are those of a logistic regression; the population's draws are those of `asif people`
for the people of the other folds."""
import csv
import glob
import json
import math
import os
import random
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
if not ASIF or not os.path.exists(ASIF):
    print("ASIF (path of the command) is not set")
    sys.exit(77)
PEOPLE, FOLDS, CHOICES = 18, 3, 25
PRIOR = 2.0
STUDY = """asif: 1
states: [s]
actions: [a, b]
environment: {start: [1]}
agent:
  planner: maximum-entropy
  discount: 0
  utility: {a: gain, b: 0}
  parameters: {gain: {learn: "normal(0, 2)", standard: 1}, alpha: 1}
"""


def run(*arguments, code=0):
    done = subprocess.run([ASIF, *map(str, arguments)], capture_output=True, text=True, check=False)
    assert done.returncode == code, f"asif {' '.join(map(str, arguments))}: exit {done.returncode}\n{done.stdout}{done.stderr}"
    return done


def write(folder, name, people, extra=None):
    path = os.path.join(folder, name)
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["subject", "group", "episode", "t", "state", "action"])
        for person, (taken, group) in people.items():
            for k in range(CHOICES):
                out.writerow([f"p{person:02}", group, f"{person}.{k}", 0, "s", "a" if k < taken else "b"])
    return path


def log_likelihood(gain, taken):
    """Of a person who took `a` so many times."""
    return taken * -math.log1p(math.exp(-gain)) + (CHOICES - taken) * -math.log1p(math.exp(gain))


def predictive(draws, taken):
    """The mean over draws of the integral of the likelihood over the population."""
    sum_ = 0
    for mean, sd in draws:
        points = [mean + sd * (k - 100) / 15 for k in range(201)]
        sum_ += sum(math.exp(log_likelihood(x, taken) - ((x - mean) / sd) ** 2 / 2) for x in points) / 15 / math.sqrt(2 * math.pi)
    return math.log(sum_ / len(draws))


def read_draws(folder):
    draws = []
    for path in sorted(glob.glob(os.path.join(folder, "chain-*.csv"))):
        with open(path) as file:
            for row in csv.DictReader(line for line in file if not line.startswith("#")):
                draws.append((float(row["mean_gain"]), float(row["sd_gain"])))
    return draws


def one_agent(people):
    """The maximum of the posterior if all are one agent, by bisection of the slope."""
    taken, all_ = sum(t for t, _ in people), CHOICES * len(people)
    low, high = -20.0, 20.0
    for _ in range(100):
        middle = (low + high) / 2
        slope = taken - all_ / (1 + math.exp(-middle)) - middle / PRIOR**2
        low, high = (middle, high) if slope > 0 else (low, middle)
    return low


def standard_error(values):
    mean = sum(values) / len(values)
    return math.sqrt(sum((v - mean) ** 2 for v in values) * len(values) / (len(values) - 1))


def predicted(folder, study, people, name):
    """Log-probabilities of people under the population of the other folds, by `asif people --given --predictive`."""
    names, found = list(people), {}
    for k in range(FOLDS):
        held = names[k * PEOPLE // FOLDS:(k + 1) * PEOPLE // FOLDS]
        population = os.path.join(folder, f"{name}-{k}")
        if not os.path.exists(population):
            run("people", study, write(folder, "rest.csv", {p: people[p] for p in names if p not in held}), "-o", population, "-q")
        said = run("people", study, write(folder, "held.csv", {p: people[p] for p in held}), "--given", population, "--predictive", "-o", "-",
                   "-q").stdout
        found.update({row["unit"]: float(row["log_likelihood"]) for row in csv.DictReader(said.splitlines())})
    return [found[f"p{p:02}"] for p in names]


def test_against_integrals(folder, study, people):
    logs = write(folder, "logs.csv", people)
    told = json.loads(run("evaluate", study, logs, "--people", "--folds", FOLDS, "--fold-order", "file", "--json", "-q").stdout)
    found = next(m for m in told["models"] if m["name"] == "study")
    by_person, by_one = [], []
    names = list(people)
    for k in range(FOLDS):
        held = names[k * PEOPLE // FOLDS:(k + 1) * PEOPLE // FOLDS]
        rest = {name: people[name] for name in names if name not in held}
        population = os.path.join(folder, f"rest-{k}")
        run("people", study, write(folder, f"rest-{k}.csv", rest), "-o", population, "-q")
        draws = read_draws(population)
        gain = one_agent(list(rest.values()))
        by_person += [predictive(draws, people[name][0]) for name in held]
        by_one += [log_likelihood(gain, people[name][0]) for name in held]
    decisions = PEOPLE * CHOICES
    p = found["people"]
    assert p["refused_folds"] == 0 and p["inaccurate"] == 0, p
    assert abs(p["log_likelihood"] - sum(by_person)) < 0.02 * PEOPLE, (p, sum(by_person))
    assert abs(p["nats_per_decision"] * decisions - p["log_likelihood"]) < 1e-9 * decisions
    assert abs(found["held_out"]["log_likelihood"] - sum(by_one)) < 1e-4, (found["held_out"], sum(by_one))
    difference = [a - b for a, b in zip(by_person, by_one)]
    assert abs(p["better_than_one_agent"] * decisions - sum(difference)) < 0.02 * PEOPLE, p
    assert abs(p["better_than_one_agent_se"] * decisions / standard_error(difference) - 1) < 0.02, (p, standard_error(difference))
    return p


def test_people_who_differ(folder, study):
    rng = random.Random(1)
    people = {k: (sum(rng.random() < (0.15, 0.85)[k % 2] for _ in range(CHOICES)), "xy"[k % 2]) for k in range(1, PEOPLE + 1)}
    p = test_against_integrals(folder, study, people)
    assert p["better_than_one_agent"] > 4 * p["better_than_one_agent_se"], p
    logs = os.path.join(folder, "logs.csv")
    said = run("evaluate", study, logs, "--people", "--folds", 3, "-q").stdout
    assert "PEOPLE WHO DIFFER" in said and "predicted better than by one agent for all" in " ".join(said.split()), said
    assert "PEOPLE WHO DIFFER" not in run("evaluate", study, logs, "--folds", 3, "-q").stdout
    by_group = os.path.join(folder, "by-group.yaml")
    with open(by_group, "w") as file:
        file.write(STUDY + "population: {gain: ~ factor(group)}\n")
    told = json.loads(run("evaluate", study, by_group, logs, "--people", "--folds", FOLDS, "--fold-order", "file", "--json", "-q").stdout)
    plain, better = (next(m for m in told["models"] if m["name"] == name)["people"] for name in ("study", "by-group"))
    assert better["log_likelihood"] > plain["log_likelihood"] + 5, "who is known to belong to a group is predicted better"
    # the same by hand, fold by fold
    difference = [b - a for a, b in zip(predicted(folder, study, people, "rest"), predicted(folder, by_group, people, "group"))]
    decisions = PEOPLE * CHOICES
    assert abs(better["better_than_first"] * decisions - sum(difference)) < 1e-6, (better, sum(difference))
    assert abs(better["better_than_first_se"] * decisions / standard_error(difference) - 1) < 1e-6, (better, standard_error(difference))
    assert "better_than_first" not in plain, plain
    said = " ".join(run("evaluate", study, by_group, logs, "--people", "--folds", 3, "-q").stdout.split())
    assert "Differences from the population of study in nats per decision, paired over people" in said, said


def test_equal_people(folder, study):
    rng = random.Random(2)
    people = {k: (sum(rng.random() < 0.6 for _ in range(CHOICES)), "x") for k in range(1, PEOPLE + 1)}
    p = test_against_integrals(folder, study, people)
    assert p["better_than_one_agent"] < 2 * p["better_than_one_agent_se"], p


with tempfile.TemporaryDirectory() as folder:
    study = os.path.join(folder, "study.yaml")
    with open(study, "w") as file:
        file.write(STUDY)
    test_people_who_differ(folder, study)
    for name in glob.glob(os.path.join(folder, "rest-?")):
        os.rename(name, name + "-before")
    test_equal_people(folder, study)
print("people whom a population has not seen are predicted as integrals say")
