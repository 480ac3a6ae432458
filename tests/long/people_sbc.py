#!/usr/bin/env python3
"""Simulation-based calibration of `asif people`: populations are drawn from their prior, people from each population, logs of DIAG
from each person, and the population is fitted again. Ranks of the true numbers among the draws have to be uniform (chi-square at
1 % divided by the numbers), at most 5 % of the fits may be refused, and 90 % intervals of people have to cover in 88 to 92 %.

    tests/long/people_sbc.py ASIF FOLDER [--replicates 100] [--people 100] [--episodes 10] [--first 0] [--workers 2] [--uncorrelated]

The same command goes on from what is in FOLDER. Each replicate takes a quarter of a minute."""
import argparse
import csv
import glob
import json
import math
import os
import random
import shutil
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor

DIAG = os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "..", "examples", "diag", "study.yaml")
NAMES = ["log_alpha", "optimism", "eta"]
CENTRE, SCALE = [-0.7, 0.5, 0.0], [0.5, 0.5, 2.0]  # of the priors in the study below
LEAST = 0.05  # the least spread, in standard deviations of the prior
LKJ = 2
BINS = 10


def write_study(path):
    with open(DIAG, encoding="utf-8") as file:
        text = file.read()
    for old, new in (("alpha: learn ", f"alpha: learn ~ lognormal({CENTRE[0]}, {SCALE[0]}) "),
                     ("beta:  learn ", f"optimism: learn ~ normal({CENTRE[1]}, {SCALE[1]}) "),
                     ("eta:   learn", f"eta: learn ~ normal({CENTRE[2]}, {SCALE[2]})"),
                     ("resolution: 100", "resolution: 20")):
        assert old in text
        text = text.replace(old, new)
    with open(path, "w", encoding="utf-8") as file:
        file.write(text)


def draw_correlation(rng, d):
    """The Cholesky factor of a correlation matrix from LKJ(2), by partial correlations."""
    factor = [[0.0] * d for _ in range(d)]
    for i in range(d):
        rest = 1.0
        for j in range(i):
            b = LKJ + (d - 2 - j) / 2
            c = 2 * rng.betavariate(b, b) - 1
            factor[i][j] = c * math.sqrt(rest)
            rest *= 1 - c * c
        factor[i][i] = math.sqrt(rest)
    return factor


def draw_population(rng, correlated):
    """Its mean, its sds without the least spread, the factor of their correlations, and all numbers as they are reported."""
    d = len(NAMES)
    mean = [rng.gauss(CENTRE[i], SCALE[i]) for i in range(d)]
    own = [abs(rng.gauss(0, SCALE[i])) for i in range(d)]
    factor = draw_correlation(rng, d) if correlated else [[float(i == j) for j in range(d)] for i in range(d)]
    sd = [math.hypot(own[i], LEAST * SCALE[i]) for i in range(d)]
    numbers = {f"mean_{n}": mean[i] for i, n in enumerate(NAMES)} | {f"sd_{n}": sd[i] for i, n in enumerate(NAMES)}
    for i in range(d if correlated else 0):
        for j in range(i):
            c = sum(factor[i][k] * factor[j][k] for k in range(d))
            numbers[f"cor_{NAMES[j]}_{NAMES[i]}"] = c * own[i] * own[j] / (sd[i] * sd[j])
    return mean, own, factor, numbers


def draw_person(rng, mean, own, factor):
    d = len(NAMES)
    z = [rng.gauss(0, 1) for _ in range(d)]
    return [mean[i] + own[i] * sum(factor[i][k] * z[k] for k in range(d)) + LEAST * SCALE[i] * rng.gauss(0, 1) for i in range(d)]


def simulate(asif, study, theta, episodes, seed):
    alpha, optimism, eta = math.exp(theta[0]), theta[1], theta[2]
    text = subprocess.run([asif, "simulate", study, "-p", f"alpha={alpha!r}", "-p", f"optimism={optimism!r}", "-p", f"eta={eta!r}", "-n",
                           str(episodes), "--seed", str(seed), "--threads", "1", "--max-steps", "40", "-q", "-o", "-"],
                          capture_output=True, text=True, check=True).stdout
    return csv.DictReader(text.splitlines())


def quantiles_of(row, name):
    return float(row[f"{name}_q05"]), float(row[f"{name}_q95"])


def replicate(o, study, number):
    kept = os.path.join(o.folder, f"{number}.json")
    if os.path.exists(kept):
        with open(kept, encoding="utf-8") as file:
            return json.load(file)
    rng = random.Random(f"population {number}")
    mean, own, factor, truth = draw_population(rng, not o.uncorrelated)
    people = [draw_person(rng, mean, own, factor) for _ in range(o.people)]
    logs, out = os.path.join(o.folder, f"{number}.csv"), os.path.join(o.folder, f"{number}.fit")
    with open(logs, "w", newline="", encoding="utf-8") as file:
        rows = csv.writer(file)
        rows.writerow(["subject", "episode", "t", "action", "observation"])
        for p, theta in enumerate(people):
            for row in simulate(o.asif, study, theta, o.episodes, rng.getrandbits(30)):
                rows.writerow([f"p{p}", o.episodes * p + int(row["episode"]), row["t"], row["action"], row["observation"]])
    done = subprocess.run([o.asif, "people", study, logs, "-o", out, "--force", "--map", "subject=subject", "--seed", str(number),
                           "--threads", "1", "-q", "--json", *(["--uncorrelated"] if o.uncorrelated else [])], capture_output=True,
                          text=True)
    result = {"usable": done.returncode == 0, "ranks": {}, "covered": 0, "truth": truth}
    if done.returncode not in (0, 1):
        sys.exit(f"replicate {number}: {done.stderr}")
    if result["usable"]:
        fitted = json.loads(done.stdout)["population"]
        result["fitted"] = {name: (fitted[name]["mean"], fitted[name]["sd"]) for name in truth}
        draws = []
        for chain in sorted(glob.glob(os.path.join(out, "chain-*.csv"))):
            with open(chain, encoding="utf-8") as file:
                draws += list(csv.DictReader(line for line in file if not line.startswith("#")))
        for name, value in truth.items():
            result["ranks"][name] = sum(float(draw[name]) < value for draw in draws) / len(draws)
        with open(os.path.join(out, "units.csv"), encoding="utf-8") as file:
            for row in csv.DictReader(file):
                for name, value in zip(NAMES, people[int(row["unit"][1:])]):
                    low, high = quantiles_of(row, name)
                    result["covered"] += low <= value <= high
    shutil.rmtree(out, ignore_errors=True)
    os.remove(logs)
    with open(kept, "w", encoding="utf-8") as file:
        json.dump(result, file)
    return result


def chi_square_tail(x, degrees):
    """P(chi-square > x), by the series of the incomplete gamma function."""
    a, z = degrees / 2, x / 2
    term = total = 1 / a
    n = a
    while term > 1e-15 * total:
        n += 1
        term *= z / n
        total += term
    return max(0.0, 1 - total * math.exp(a * math.log(z) - z - math.lgamma(a))) if z > 0 else 1.0


def main():
    parse = argparse.ArgumentParser()
    parse.add_argument("asif", type=os.path.abspath)
    parse.add_argument("folder", type=os.path.abspath)
    for name, default in (("replicates", 100), ("people", 100), ("episodes", 10), ("first", 0), ("workers", 2)):
        parse.add_argument(f"--{name}", type=int, default=default)
    parse.add_argument("--uncorrelated", action="store_true")
    o = parse.parse_args()
    os.makedirs(o.folder, exist_ok=True)
    study = os.path.join(o.folder, "study.yaml")
    write_study(study)
    with ThreadPoolExecutor(o.workers) as pool:
        results = list(pool.map(lambda number: replicate(o, study, number), range(o.first, o.first + o.replicates)))
    good = [r for r in results if r["usable"]]
    limit, passed = 0.01 / len(results[0]["truth"]), True
    for name in results[0]["truth"]:
        counts = [0] * BINS
        for r in good:
            counts[min(int(r["ranks"][name] * BINS), BINS - 1)] += 1
        expected = len(good) / BINS
        p = chi_square_tail(sum((c - expected) ** 2 / expected for c in counts), BINS - 1)
        z = [(r["fitted"][name][0] - r["truth"][name]) / r["fitted"][name][1] for r in good]
        passed = passed and p > limit
        print(f"{name:24} ranks {' '.join(f'{c:3}' for c in counts)}  p {p:.4f}  mean z {sum(z) / len(z):6.2f}  rms z "
              f"{math.sqrt(sum(v * v for v in z) / len(z)):.2f}")
    covered = sum(r["covered"] for r in good) / (len(good) * o.people * len(NAMES))
    print(f"90 % intervals of people cover in {100 * covered:.1f} %; {len(results) - len(good)} of {len(results)} refused")
    passed = passed and 0.88 <= covered <= 0.92 and len(results) - len(good) <= 0.05 * len(results)
    print("passed" if passed else "failed")
    sys.exit(0 if passed else 1)


if __name__ == "__main__":
    main()
