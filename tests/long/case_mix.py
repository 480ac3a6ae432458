#!/usr/bin/env python3
"""Two groups of the same agent that meet different cases: `asif compare` finds a difference of what they do, and none once
both are given the same cases, in at least 95 of 100 seeds; nor do their parameters differ.

    tests/long/case_mix.py [BUILD] [--seeds N] [--first SEED] [--blind N]

With --blind N (default 5) the same logs are fitted, for N seeds, by a study that knows of no start classes: then the case mix
reads as a difference between the agents."""
import argparse
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
from concurrent.futures import ThreadPoolExecutor

STUDY = """\
asif: 1
title: Diagnosis by risk
states:       [healthy, diseased]
actions:      [declare_healthy, declare_diseased, monitor]
observations: [negative, positive]
environment:
  start: %s
  reset: [0.65, 0.35]
  emissions: [[0.7, 0.3], [0.3, 0.7]]
  ends: [declare_healthy, declare_diseased]
agent:
  discount: 0.95
  worlds: {around: environment, emissions: +-0.1}
  utility:
    declare_healthy:  {healthy: 10, diseased: -36}
    declare_diseased: {healthy: -36, diseased: 10}
    monitor: -1
  parameters: {alpha: learn, optimism: learn, eta: 0}
solver: {resolution: 40, tol: 1e-9}
"""
CLASSES = STUDY % "{by: risk, low: [0.8, 0.2], high: [0.5, 0.5]}"
BLIND = STUDY % "[0.65, 0.35]"  # what the two groups meet on average
AGENT = ["-p", "alpha=0.5", "-p", "optimism=0.8"]
MIX = {"a": {"low": 240, "high": 60}, "b": {"low": 60, "high": 240}}
FIT = ["--method", "metropolis", "--no-sensitivity", "--chains", "2", "--warmup", "300", "--draws", "1500"]
COMPARE = ["--draws", "400", "--episodes", "600"]


def asif(command, *args):
    done = subprocess.run([command, *map(str, args)], capture_output=True, timeout=600)
    # 1: not to be trusted; short chains sometimes are not.
    if done.returncode not in (0, 1):
        raise RuntimeError(done.stdout.decode() + done.stderr.decode())
    return done.stdout.decode()


def write(path, text):
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)
    return path


def simulate(command, folder, seed, mix=MIX, agents=None):
    """A table of all groups: column `arm` for the group, `risk` for the class. `agents`: of each group, if they differ."""
    study = write(os.path.join(folder, "classes.yaml"), CLASSES)
    rows = [["episode", "t", "action", "observation", "risk", "arm"]]
    for i, (arm, cases) in enumerate(mix.items()):
        for k, (risk, count) in enumerate(cases.items()):
            agent = agents[arm] if agents else AGENT
            text = asif(command, "simulate", study, *agent, "--start", risk, "-n", count, "--seed",
                        100 * seed + 10 * i + k, "-q", "-o", "-")
            for row in list(csv.reader(io.StringIO(text)))[1:]:
                rows.append([f"{arm}-{risk}-{row[0]}", *row[1:], risk, arm])
    path = os.path.join(folder, "logs.csv")
    with open(path, "w", newline="", encoding="utf-8") as file:
        csv.writer(file).writerows(rows)
    return path


def contrasts(command, folder, logs, study, seed, fit=FIT, compare=COMPARE):
    path = write(os.path.join(folder, "study.yaml"), study)
    out = os.path.join(folder, "blind" if study is BLIND else "by-arm")
    asif(command, "fit", path, logs, "--by", "arm", "-o", out, "--seed", seed, "-q", *fit)
    return json.loads(asif(command, "compare", out, *compare, "--json"))


def differences(table):
    """Name and difference of group b to group a, row by row."""
    return {row.get("parameter", row["name"]): row["groups"][1]["difference"] for row in table}


def found(table):
    """Names of what differs by the rule of the command, and by a probability of .99 without any adjustment."""
    by_rule = [name for name, d in differences(table).items() if d["differs"]]
    alone = [name for name, d in differences(table).items() if not 0.01 < d["larger"] < 0.99]
    # A number that is 0 in every draw is no difference.
    alone = [name for name in alone if differences(table)[name]["q50"] != 0]
    return by_rule, alone


def tables(answer):
    behaviour = answer["behaviour"]
    return {"own cases": behaviour["own_cases"], "same cases": behaviour["same_cases"], "parameters": answer["parameters"]}


def one(command, seed, fit=FIT, compare=COMPARE):
    with tempfile.TemporaryDirectory() as folder:
        logs = simulate(command, folder, seed)
        answer = contrasts(command, folder, logs, CLASSES, seed, fit, compare)
        return {name: found(table) for name, table in tables(answer).items()}


def blind(command, seed):
    with tempfile.TemporaryDirectory() as folder:
        answer = contrasts(command, folder, simulate(command, folder, seed), BLIND, seed)
        return differences(answer["parameters"])


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default="build/release")
    parser.add_argument("--seeds", type=int, default=100)
    parser.add_argument("--first", type=int, default=1)
    parser.add_argument("--blind", type=int, default=5)
    args = parser.parse_args()
    command = os.environ.get("ASIF") or os.path.join(args.build, "cli", "asif")
    seeds = range(args.first, args.first + args.seeds)
    with ThreadPoolExecutor(2) as pool:
        results = dict(zip(seeds, pool.map(lambda seed: one(command, seed), seeds)))
    for seed, result in results.items():
        said = [f"{name}: {', '.join(alone)}{' (by the rule: ' + ', '.join(rule) + ')' if rule else ''}"
                for name, (rule, alone) in result.items() if alone and name != "own cases"]
        if said or not result["own cases"][0]:
            print(f"seed {seed}: own cases {'differ' if result['own cases'][0] else 'DO NOT DIFFER'}; {'; '.join(said)}")
    print(f"{'':22} by the rule   at .99 each, of {len(results)}")
    for name in ("own cases", "same cases", "parameters"):
        print(f"differ, {name:14} {sum(bool(r[name][0]) for r in results.values()):11} "
              f"{sum(bool(r[name][1]) for r in results.values()):13}")
    good = sum(bool(r["own cases"][0]) and not r["same cases"][0] and not r["parameters"][0] for r in results.values())
    print(f"naive finds, adjusted and parameters do not: {good} of {len(results)}")
    for seed in seeds[:args.blind]:
        for name, d in blind(command, seed).items():
            print(f"without start classes, seed {seed}: {name:10} b - a = {d['q50']:6.2f} ({d['q05']:.2f} to {d['q95']:.2f}), "
                  f"b larger with probability {d['larger']:.4f}{' differs' if d['differs'] else ''}")
    return 0 if good >= 0.95 * len(results) else 1


if __name__ == "__main__":
    sys.exit(main())
