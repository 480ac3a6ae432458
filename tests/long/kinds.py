#!/usr/bin/env python3
"""Two kinds of people told from one by `asif people` with `kinds: 2`: 20 sets of logs of each, of 40 people with 20 episodes of DIAG.
Two kinds: log alpha is log 0.25 for half of the people, and log 1.5 for the others. One kind: log alpha is normal over people, with
the mean and the standard deviation that the two kinds have together. At least 17 of the first have to be found to be two kinds, and
at most 2 of the second.

    tests/long/kinds.py ASIF [SETS]"""
import csv
import json
import math
import os
import random
import subprocess
import sys
import tempfile

DIAG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "diag", "study.yaml")
KNOWN = ["-p", "beta=inf", "-p", "eta=0"]
KINDS = [math.log(0.25), math.log(1.5)]
PEOPLE, EPISODES = 40, 20


def write_logs(asif, path, kinds, seed):
    random.seed(f"{kinds} {seed}")
    mean, sd = sum(KINDS) / 2, (KINDS[1] - KINDS[0]) / 2
    with open(path, "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(["subject", "episode", "t", "action", "observation"])
        for person in range(PEOPLE):
            log_alpha = KINDS[person % 2] if kinds == 2 else random.gauss(mean, sd)
            text = subprocess.run([asif, "simulate", DIAG, "-p", f"alpha={math.exp(log_alpha)}", *KNOWN, "-n", str(EPISODES), "--seed",
                                   str(random.getrandbits(30)), "-q", "-o", "-"], capture_output=True, text=True, check=True).stdout
            for row in csv.DictReader(text.splitlines()):
                out.writerow([f"p{person}", EPISODES * person + int(row["episode"]), row["t"], row["action"], row["observation"]])


def main():
    asif, sets = sys.argv[1], int(sys.argv[2]) if len(sys.argv) > 2 else 20
    found = {1: 0, 2: 0}
    with tempfile.TemporaryDirectory() as folder:
        study, logs = os.path.join(folder, "study.yaml"), os.path.join(folder, "logs.csv")
        with open(DIAG) as file, open(study, "w") as to:
            to.write(file.read() + "\npopulation: {kinds: 2}\n")
        for kinds in found:
            for seed in range(sets):
                write_logs(asif, logs, kinds, seed)
                done = subprocess.run([asif, "people", study, logs, *KNOWN, "--points", "1024", "-q", "--json"], capture_output=True,
                                      text=True)
                result = json.loads(done.stdout)
                bic = [number["bic"] for number in result.get("kinds_compared", [])]
                found[kinds] += result["usable"] and result["kinds"] == 2
                print(f"{kinds} simulated, set {seed}: found {result['kinds'] if result['usable'] else 'nothing'}, BIC {bic}", flush=True)
    print(f"two kinds found in {found[2]} of {sets} with two, and in {found[1]} of {sets} with one")
    sys.exit(0 if found[2] >= 0.85 * sets and found[1] <= 0.1 * sets else 1)


main()
