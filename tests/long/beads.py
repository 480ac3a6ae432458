#!/usr/bin/env python3
"""Groups of people with many decisions each: 104 people of the beads task (Lu, Yi and Zhang 2019), in halves by a trait and by lot.

    tests/long/beads.py [BUILD] [--halves N] [--seed N]

The halves by the trait must not be reported as different, and of 30 halves by lot at most 8 may be, at 10 % (some 3 are expected). Fits are
maxima of the posterior (`--method map`), whose differences `asif compare` judges against the spread between people. The data are
looked for beside the oracle (ASIF_ORACLE, by default ../shared/oracle): data/people/beads."""
import argparse
import csv
import json
import os
import random
import statistics
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
ORACLE = os.environ.get("ASIF_ORACLE") or os.path.join(SOURCE, "..", "shared", "oracle")
DATA = os.path.join(ORACLE, "..", "data", "people", "beads")
LEVEL = 0.1


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
    sys.exit(by_trait or max(told.values()) > 8 * args.halves / 30)


if __name__ == "__main__":
    main()
