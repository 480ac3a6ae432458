#!/usr/bin/env python3
# ctest label: slow
"""asif people --permutations: coefficients with covariates by lot, on the table of the fit. That such a fit is what a fit from
scratch gives is tested in sample.covariates, against a regression."""
import csv
import json
import os
import random
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
if not ASIF or not os.path.exists(ASIF):
    print("ASIF (path of the command) is not set")
    sys.exit(77)
PEOPLE, CHOICES, LOTS = 24, 25, 10
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


def write_study(folder, name, population=""):
    path = os.path.join(folder, name)
    with open(path, "w", encoding="utf-8") as file:
        file.write(STUDY + population)
    return path


def write_logs(folder):
    """People of group x rarely take a, those of group y mostly do; everybody has a lucky number that says nothing."""
    rng, path = random.Random(3), os.path.join(folder, "logs.csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        out = csv.writer(file)
        out.writerow(["subject", "group", "lucky", "episode", "t", "state", "action"])
        for p in range(PEOPLE):
            share = rng.betavariate(4, 12) if p % 2 else rng.betavariate(12, 4)
            for k in range(CHOICES):
                out.writerow([f"p{p:02}", "xy"[p % 2], 0.37 * (p * 7 % PEOPLE), f"{p}.{k}", 0, "s", "a" if rng.random() < share else "b"])
    return path


with tempfile.TemporaryDirectory() as folder:
    logs = write_logs(folder)
    study = write_study(folder, "study.yaml", "population: {gain: ~ group + lucky}\n")
    plain = json.loads(run("people", study, logs, "--json", "-q").stdout)
    kept = os.path.join(folder, "people")
    said = " ".join(run("people", study, logs, "--permutations", LOTS, "-q", "--threads", 1, "-o", kept).stdout.split())
    assert "COVARIATES BY LOT" in said and "In 10 fits, people got each other's covariates by lot." in said, said
    text = run("people", study, logs, "--permutations", LOTS, "--json", "-q", "--threads", 2).stdout
    with open(os.path.join(kept, "population.json"), encoding="utf-8") as file:
        assert text == file.read(), "threads"
    told = json.loads(text)
    lots = told.pop("permutations")
    assert told == plain, "permutations change the fit itself"
    assert lots["fits"] + lots["refused"] == LOTS and lots["fits"] >= LOTS - 2, lots
    group, lucky = lots["coefficients"]["coef_gain_group_y"], lots["coefficients"]["coef_gain_lucky"]
    own = told["population"]["coef_gain_group_y"]
    # Of 2.7 million divisions in halves, that into the groups is the most extreme; a number that says nothing is in the middle.
    assert own["q95"] < 0 and group["as_far"] == 0, (own, group)
    assert 1 <= lucky["as_far"] <= LOTS, lucky
    # 5 or more of 10 happen once in 600 times at 10 %
    assert group["without_0"] < 5 and lucky["without_0"] < 5, lots
    no = run("people", write_study(folder, "none.yaml"), logs, "--permutations", 2, "-q", code=2).stderr
    assert "there are no covariates that could be permuted" in no, no
    no = run("people", study, logs, "--permutations", 2, "--sample", 10, "-q", code=2).stderr
    assert "fitted to all decision-makers" in no, no
    assert "--given fits none" in run("people", study, logs, "--permutations", 2, "--given", kept, code=2).stderr
    assert "name its folder by --given" in run("people", study, logs, "--predictive", code=2).stderr
print("covariates by lot say nothing, and people's own do")
