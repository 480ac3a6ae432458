#!/usr/bin/env python3
"""The beads task (Lu, Yi and Zhang 2019), 104 people with many decisions each: the exact task, and halves by a trait and by lot.

    tests/long/beads.py [BUILD] [--halves N] [--seed N]

The task is told with a seen part (condition and draws) and a hidden one (the urn), and solved at the 1,386 beliefs that can be reached. Its
log-likelihood must be that of backward induction without asif, its maximum that of `study-all.yaml`, which tells it by hand as states
that are seen, and its posterior must have the maximum inside. The time of the posterior is printed.

The halves by the trait must not be reported as different, and of 30 halves by lot at most 8 may be, at 10 % (some 3 are expected). Fits are
maxima of the posterior (`--method map`), whose differences `asif compare` judges against the spread between people. The data are
looked for beside the oracle (ASIF_ORACLE, by default ../shared/oracle): data/people/beads."""
import argparse
import csv
import json
import math
import os
import random
import statistics
import subprocess
import sys
import tempfile
import time

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ORACLE = os.environ.get("ASIF_ORACLE") or os.path.join(SOURCE, "..", "shared", "oracle")
DATA = os.path.join(ORACLE, "..", "data", "people", "beads")
LEVEL = 0.1


# LAST: what happens after 20 draws. Either the prize is lost with the 21st, as in study-all.yaml, or there is none.
TASK = """\
asif: 1
title: Beads, six conditions at once
states: {seen: {evidence: [6, 8], cost: [0, 0.1, 0.4], draws: 0 to 20}, hidden: {urn: [blue, pink]}}
actions: [draw, say_blue, say_pink]
observations: [b, p]
environment:
  start: {evidence: uniform, cost: uniform, draws: 0, urn: uniform}
  transitions: {draw: {draws: +1}, any: terminal}
  LAST
  emissions: {evidence=6/blue: [0.6, 0.4], evidence=6/pink: [0.4, 0.6], evidence=8/blue: [0.8, 0.2], evidence=8/pink: [0.2, 0.8]}
agent:
  discount: 0.999
  utility:
    draw: {draws=20: 0, any: look}
    say_blue: {blue: 10 - price * cost * draws, pink: 0}
    say_pink: {pink: 10 - price * cost * draws, blue: 0}
  parameters:
    price: {learn: "normal(1, 1)", standard: 1}
    look: {learn: "normal(0, 1)", standard: 0.1}
    alpha: learn
    beta: inf
    eta: ETA
"""
LOST, NONE = "terminal: draws=20", "available: {draw: draws < 20}"


def write_logs(path):
    with open(path, "w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file)
        writer.writerow(["subject", "episode", "t", "evidence", "cost", "draws", "action", "observation"])
        for evidence in (6, 8):
            for name, cost in (("0", "0"), ("01", "0.1"), ("04", "0.4")):
                with open(os.path.join(DATA, f"beads-evidence{evidence}-cost{name}.csv"), encoding="utf-8") as table:
                    for row in csv.DictReader(table):
                        if row["kept"] == "yes":
                            writer.writerow([row["subject"], f"{row['subject']}.{evidence}.{name}.{row['episode']}", row["t"], evidence, cost,
                                             row["t"], row["action"], row["observation"]])


def fitted(asif, study, logs, folder, *more):
    done = subprocess.run([asif, "fit", study, logs, "-o", folder, "--no-answers", "--no-sensitivity", "-q", "--force", *more],
                          capture_output=True, timeout=1800)
    assert done.returncode in (0, 1), done.stderr.decode()
    with open(os.path.join(folder, "fit.json"), encoding="utf-8") as file:
        return json.load(file)


def exact_task(asif, folder):
    """The exact task; returns what is wrong."""
    logs, wrong, studies = os.path.join(folder, "beads.csv"), [], {}
    write_logs(logs)
    for name, last, eta in (("lost", LOST, "0"), ("none", NONE, "0"), ("eta", NONE, "learn")):
        studies[name] = os.path.join(folder, name + ".yaml")
        with open(studies[name], "w", encoding="utf-8") as file:
            file.write(TASK.replace("LAST", last).replace("ETA", eta))

    def likelihood(name, price, look, alpha):
        done = subprocess.run([asif, "check", studies[name], logs, "-p", f"price={price!r}", "-p", f"look={look!r}", "-p", f"alpha={alpha!r}",
                               "--no-forecast", "--json"], capture_output=True, timeout=600)
        told = json.loads(done.stdout)
        assert told["study"]["solver"]["beliefs"] == "reachable" and told["study"]["solver"]["nodes"] == 1386, told["study"]["solver"]
        return told["log_likelihood"]

    def near(what, found, wanted, room):
        print(f"{what}: {found:.6f}, wanted {wanted} within {room}", flush=True)
        if not abs(found - wanted) <= room:
            wrong.append(what)

    near("log-likelihood where the 21st draw loses the prize", likelihood("lost", 0.620, 0.5107, 0.5085), -76696.2678, 1e-4)
    by_hand = fitted(asif, os.path.join(DATA, "study-all.yaml"), os.path.join(DATA, "beads-counts.csv"), os.path.join(folder, "hand"),
                     "--method", "map")["maximum"]["values"]
    near("log-likelihood without a 21st draw, at the maximum of study-all.yaml",
         likelihood("none", by_hand["price"], by_hand["look"], math.exp(by_hand["log_alpha"])), -75549.39, 0.01)
    found = fitted(asif, studies["lost"], logs, os.path.join(folder, "lost"), "--method", "map")["maximum"]["values"]
    for name, value in by_hand.items():
        near("maximum, " + name, found[name], value, 1e-3)
    for study, method in (("none", "auto"), ("none", "nuts"), ("eta", "auto")):
        begun, used = time.time(), os.times()
        fit = fitted(asif, studies[study], logs, os.path.join(folder, study), "--method", method)
        now = os.times()
        print(f"posterior of {', '.join(fit['maximum']['values'])} by {fit['method']}: {time.time() - begun:.0f} s, "
              f"{now.children_user - used.children_user:.0f} s of processor time", flush=True)
        for name in ("price", "look"):
            row = fit["parameters"][name]
            if not row["q05"] < fit["maximum"]["values"][name] < row["q95"]:
                wrong.append(f"{name} by {method}: the maximum is not in the interval")
    return wrong


def fit_and_compare(asif, table, folder):
    """Differences of all numbers, high against low."""
    fit = subprocess.run([asif, "fit", os.path.join(DATA, "study-all.yaml"), table, "--by", "aq", "-o", folder, "--method", "map",
                          "--starts", "1", "--force", "--no-sensitivity", "-q"], capture_output=True, timeout=600)
    assert fit.returncode in (0, 1), fit.stderr.decode()
    done = subprocess.run([asif, "compare", folder, "--first", "low", "--episodes", "2", "--json"], capture_output=True, timeout=600)
    assert done.returncode in (0, 1), done.stderr.decode()
    answer = json.loads(done.stdout)
    assert all(group["judged_by"] == "subjects" and group["subjects"] == 52 for group in answer["groups"]), answer["groups"]
    return {row["name"]: next(cell["difference"] for cell in row["groups"] if cell["group"] == "high") for row in answer["parameters"]}


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default=os.path.join(SOURCE, "build", "release"))
    parser.add_argument("--halves", type=int, default=30)
    parser.add_argument("--seed", type=int, default=1)
    args = parser.parse_args()
    asif = os.path.join(args.build, "cli", "asif")
    if not os.path.isdir(DATA):
        print("skipped: there is no", DATA)
        sys.exit(77)
    with open(os.path.join(DATA, "beads-counts.csv"), encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    people = sorted({row["subject"] for row in rows}, key=int)
    trait = {row["subject"]: row["aq"] for row in rows}
    generator = random.Random(args.seed)
    found = []
    with tempfile.TemporaryDirectory() as folder:
        wrong = exact_task(asif, folder)
        for k in range(args.halves + 1):
            half = ["low", "high"] * (len(people) // 2)
            generator.shuffle(half)
            group = dict(zip(people, half)) if k else trait
            table = os.path.join(folder, "halves.csv")
            with open(table, "w", encoding="utf-8", newline="") as file:
                writer = csv.DictWriter(file, rows[0].keys())
                writer.writeheader()
                writer.writerows({**row, "aq": group[row["subject"]]} for row in rows)
            found.append(fit_and_compare(asif, table, os.path.join(folder, "fits")))
            print("by lot" if k else "by AQ ", " ".join(f"{name} {d['q50']:+.3f} ({d['q05']:+.3f} to {d['q95']:+.3f}), tail {d['tail']:.3f};"
                                                       for name, d in found[-1].items()), flush=True)
    told = {"any, after Holm's adjustment": sum(any(d["tail"] <= LEVEL / 2 for d in run.values()) for run in found[1:]),
            "by the word of the command (2 %)": sum(any(d["differs"] for d in run.values()) for run in found[1:])}
    for name in found[0]:
        told[f"{name}, 90 % interval without 0"] = sum(run[name]["q05"] > 0 or run[name]["q95"] < 0 for run in found[1:])
        print(f"{name}: standard error by AQ {found[0][name]['error']:.4f}; differences by lot have a standard deviation of "
              f"{statistics.stdev(run[name]['q50'] for run in found[1:]):.4f}")
    for what, count in told.items():
        print(f"reported as different, {what}: {count} of {args.halves}")
    by_trait = any(d["tail"] <= LEVEL / 2 for d in found[0].values())
    print("halves by AQ:", "different" if by_trait else "not different")
    print("the exact task:", ", ".join(wrong) or "as it should be")
    sys.exit(bool(wrong) or by_trait or max(told.values()) > 8 * args.halves / 30)


if __name__ == "__main__":
    main()
