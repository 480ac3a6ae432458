#!/usr/bin/env python3
"""The beads task: does more than price, worth of a look and randomness help to predict people who have not been seen?

    tests/long/beads_folds.py ASIF FOLDER [--folds 5] [--studies none,look,eta,both,optimism] [--workers 1] [--threads 1]

A population of each study is fitted to the people outside a fold (`asif people`) and gives the log-probability of what those in the
fold did (`asif people --given`, column log_likelihood). This is what `asif evaluate --people` does in one go; here every fit stays
in FOLDER, so that the same command goes on after an interruption. Differences are paired over people. Studies: `none` has price and
alpha, `look` the worth of a look in addition, `eta` a taste for surprise instead of it, and `both` has both.
`optimism` has price, alpha and optimism between candidate worlds, on a lattice.

The data are looked for as by tests/long/beads.py."""
import argparse
import csv
import itertools
import math
import os
import random
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

import beads

PLAIN = "".join(line for line in beads.TASK.splitlines(keepends=True) if not line.startswith("population:"))
LOOK = next(line for line in PLAIN.splitlines(keepends=True) if line.startswith("    look: {learn"))
SURPRISE = PLAIN.replace(beads.NO_SURPRISE, "    eta: learn\n")
WORLDS = "".join(line for line in beads.WORLDS.splitlines(keepends=True) if not line.startswith("population:"))
STUDIES = {"none": PLAIN.replace(LOOK, "    look: 0\n"), "look": PLAIN, "eta": SURPRISE.replace(LOOK, "    look: 0\n"), "both": SURPRISE,
           "optimism": WORLDS.replace(LOOK, "    look: 0\n").replace("    eta: learn\n", "    eta: 0\n")}
PAIRS = [("none", "look"), ("none", "eta"), ("none", "optimism"), ("look", "both"), ("eta", "both")]


def divide(people, folds, seed=1):
    """The fold of each person."""
    order = sorted(people, key=int)
    random.Random(seed).shuffle(order)
    return {person: k % folds for k, person in enumerate(order)}


def run(o, *arguments):
    done = subprocess.run([o.asif, "people", *arguments, "-q", "--threads", str(o.threads)], capture_output=True, text=True)
    if done.returncode:
        raise SystemExit(f"asif people {' '.join(arguments)}: exit {done.returncode}\n{done.stdout}{done.stderr}")
    return done.stdout


def predict(o, study, fold):
    """Log-probabilities of the people of a fold."""
    name = os.path.join(o.folder, f"{study}-{fold}")
    text = os.path.join(o.folder, study + ".yaml")
    if not os.path.exists(name + ".said"):
        said = run(o, text, os.path.join(o.folder, f"rest-{fold}.csv"), "-o", name, "--force")
        with open(name + ".said", "w", encoding="utf-8") as file:
            file.write(said)
        print(f"{study}, fold {fold}: fitted", flush=True)
    if not os.path.exists(name + ".csv"):
        run(o, text, os.path.join(o.folder, f"fold-{fold}.csv"), "--given", name, "--predictive", "-o", name + ".part.csv")
        os.rename(name + ".part.csv", name + ".csv")
    with open(name + ".csv", encoding="utf-8") as file:
        return {row["unit"]: (float(row["log_likelihood"]), float(row["decisions"]), row["served"] == "yes") for row in csv.DictReader(file)}


def compare(a, b):
    """The mean difference per decision, and its standard error over people, as asif evaluate has them."""
    n, decisions = len(a), sum(value[1] for value in a.values())
    mean = sum(b[u][0] - a[u][0] for u in a) / decisions
    error = math.sqrt(sum((b[u][0] - a[u][0] - mean * a[u][1]) ** 2 for u in a) * n / (n - 1)) / decisions
    return mean, error, sum(b[u][0] > a[u][0] for u in a)


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("asif", type=os.path.abspath)
    parse.add_argument("folder", type=os.path.abspath)
    parse.add_argument("--studies", default="look,both,eta,none")
    for name, default in (("folds", 5), ("workers", 1), ("threads", 1)):
        parse.add_argument("--" + name, type=int, default=default)
    o = parse.parse_args()
    if not os.path.isdir(beads.DATA):
        print("skipped: there is no", beads.DATA)
        sys.exit(77)
    os.makedirs(o.folder, exist_ok=True)
    rows, studies = beads.read_decisions(), o.studies.split(",")
    fold = divide({row["subject"] for row in rows}, o.folds)
    for k in range(o.folds):
        beads.write_rows(os.path.join(o.folder, f"rest-{k}.csv"), [row for row in rows if fold[row["subject"]] != k])
        beads.write_rows(os.path.join(o.folder, f"fold-{k}.csv"), [row for row in rows if fold[row["subject"]] == k])
    for study in studies:
        with open(os.path.join(o.folder, study + ".yaml"), "w", encoding="utf-8") as file:
            file.write(STUDIES[study])
    jobs = list(itertools.product(studies, range(o.folds)))
    with ThreadPoolExecutor(o.workers) as pool:
        told = dict(zip(jobs, pool.map(lambda job: predict(o, *job), jobs)))
    found = {study: {u: v for k in range(o.folds) for u, v in told[study, k].items()} for study in studies}
    for study, by in found.items():
        total, decisions = sum(v[0] for v in by.values()), sum(v[1] for v in by.values())
        print(f"{study}: {total:.1f} nats, {total / decisions:.5f} a decision; inaccurate for {sum(not v[2] for v in by.values())} people")
    for a, b in PAIRS:
        if a in found and b in found:
            mean, error, ahead = compare(found[a], found[b])
            print(f"{b} less {a}: {mean:+.5f} +- {error:.5f} nats a decision, paired; {ahead} of {len(fold)} people are predicted better")


if __name__ == "__main__":
    main()
