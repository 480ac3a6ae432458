#!/usr/bin/env python3
"""Draws by `asif fit --method ridge` against a quadrature of the posterior density itself.

    tests/long/ridge.py [BUILD] [--designs N] [--points N] [--seed N] [--only NAME]

The oracle's three sets of logs (the non-adaptive one has two maxima), and N random problems of two states (10). The quadrature has at least
90,000 points, on a grid along the principal axes of the posterior in (log alpha, optimism, eta/alpha), bent as the draws are. With every second plane of it left
out in any direction, it must say the same. Where the fit trusts its draws, means must be within .03 standard deviations, standard deviations within 3 %, and
5 and 95 % points within .06 standard deviations. The three sets must be trusted, and at least 8 in 10 of the random problems."""
import argparse
import csv
import json
import math
import os
import random
import resource
import subprocess
import sys
import tempfile

SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
sys.path.insert(0, os.path.join(SOURCE, "tests", "oracle"))
os.environ.setdefault("ASIF_SOURCE", SOURCE)
ORACLE = os.environ.setdefault("ASIF_ORACLE", os.path.join(SOURCE, "..", "shared", "oracle"))
MEAN, SD, END = 0.03, 0.03, 0.06
DEGREE = 5
SPECS = [("alpha", 0.0, False), ("optimism", 0.0, False), ("eta", 0.0, False)]
NAMES = ("log_alpha", "optimism", "eta")

PROBLEM = """asif: 1
title: Random problem
states: [healthy, diseased]
actions: [declare_healthy, declare_diseased, monitor]
observations: [negative, positive]
environment:
  start: [{start:.3f}, {rest:.3f}]
  transitions: {{monitor: identity, any: reset}}
  emissions: [[{a:.3f}, {na:.3f}], [{nb:.3f}, {b:.3f}]]
  ends: [declare_healthy, declare_diseased]
agent:
  planner: bounded-rational
  discount: {discount:.3f}
  worlds:
    - emissions: [[{low:.3f}, {nlow:.3f}], [{nlow:.3f}, {low:.3f}]]
    - emissions: [[{a:.3f}, {na:.3f}], [{nb:.3f}, {b:.3f}]]
    - emissions: [[{high:.3f}, {nhigh:.3f}], [{nhigh:.3f}, {high:.3f}]]
  utility:
    declare_healthy: {{healthy: correct, diseased: wrong}}
    declare_diseased: {{healthy: wrong, diseased: correct}}
    monitor: cost
  parameters: {{correct: {correct:.2f}, wrong: {wrong:.2f}, cost: -1, 
    alpha: "learn ~ lognormal(-0.7765, 1.5)", optimism: "learn ~ normal(0, 1)", eta: "learn ~ normal(0, 46)"}}
"""


def random_problem(asif, folder, k, seed):
    """A study, and the logs of an agent in it."""
    r = random.Random(1000 * seed + k)
    a, b, start = r.uniform(0.65, 0.85), r.uniform(0.65, 0.85), r.uniform(0.35, 0.65)
    low, high = r.uniform(0.55, 0.65), r.uniform(0.8, 0.9)
    values = dict(start=start, rest=1 - start, a=a, na=1 - a, b=b, nb=1 - b, low=low, nlow=1 - low, high=high, nhigh=1 - high,
                  discount=r.uniform(0.9, 0.97), correct=r.uniform(5, 15), wrong=r.uniform(-45, -20))
    for name in ("start", "a", "b", "low", "high"):
        values[name] = round(values[name], 3)
    values.update(rest=1 - values["start"], na=1 - values["a"], nb=1 - values["b"], nlow=1 - values["low"], nhigh=1 - values["high"])
    study, logs = os.path.join(folder, "random-%d.yaml" % k), os.path.join(folder, "random-%d.csv" % k)
    with open(study, "w", encoding="utf-8") as file:
        file.write(PROBLEM.format(**values))
    agent = {"alpha": math.exp(r.gauss(-0.7, 0.5)), "optimism": r.gauss(0.3, 0.5), "eta": r.gauss(0, 8)}
    given = [word for name, value in agent.items() for word in ("-p", "%s=%.4g" % (name, value))]
    subprocess.run([asif, "simulate", study, *given, "-n", str(r.choice((300, 600, 1000))), "--seed", str(k + 1), "-o", logs], check=True,
                   capture_output=True)
    return study, logs


def draws_of(folder):
    """Columns of all chains."""
    rows = []
    for name in sorted(os.listdir(folder)):
        if name.startswith("chain-"):
            with open(os.path.join(folder, name), encoding="utf-8") as file:
                lines = [line for line in file if not line.startswith("#")]
            rows += [[float(row[n]) for n in NAMES] for row in csv.DictReader(lines)]
    return np.array(rows)


def log_prior(x):
    """The default priors of the diagnosis task, which the random problems state."""
    return -0.5 * (((x[:, 0] + 0.7765) / 1.5) ** 2 + x[:, 1] ** 2 + (x[:, 2] / 46) ** 2)


def straight(x, centre):
    return np.column_stack([x[:, 0], x[:, 1], x[:, 2] * np.exp(centre - x[:, 0])])


def quadrature(study, logs, draws, points):
    """Points and weights of a grid, and how much weight lies on its faces. Its axes are the principal ones of the draws, straightened: the
    minor coordinates are counted from polynomials in the major one, which leaves volumes as they are."""
    target, centre = Target(study, logs, SPECS), draws[:, 0].mean()
    y = straight(draws, centre)
    middle, (_, axes) = y.mean(0), np.linalg.eigh(np.cov(y.T))
    z = (y - middle) @ axes
    major, ends = z[:, 2], (z[:, 2].min(), z[:, 2].max())
    bends = [np.polynomial.Polynomial.fit(major, z[:, i], DEGREE) for i in (0, 1)]
    u = np.column_stack([z[:, i] - bends[i](major) for i in (0, 1)] + [major])
    low, high = u.min(0), u.max(0)
    low, high = low - 0.35 * (high - low), high + 0.35 * (high - low)
    side = int(math.ceil((points / 2) ** (1 / 3)))
    count = np.array([side, side, 2 * side])
    grid = np.meshgrid(*(np.linspace(a, b, n) for a, b, n in zip(low, high, count)), indexing="ij")
    u = np.column_stack([g.ravel() for g in grid])
    for i in (0, 1):
        u[:, i] += bends[i](np.clip(u[:, 2], *ends))
    x = u @ axes.T + middle
    slope = x[:, 0] - centre
    x[:, 2] *= np.exp(slope)
    value = target.likelihood(x) + log_prior(x) + slope
    weight = np.exp(value - value.max()).reshape(count)
    weight /= weight.sum()
    faces = max(weight.take(i, axis).sum() for axis in range(3) for i in (0, -1))
    return x.reshape(*count, 3), weight, faces


def quantile(v, half, w, share):
    """Of cells that are spread evenly over v - half to v + half."""
    low, high = v.min(), v.max()
    for _ in range(40):
        middle = (low + high) / 2
        below = (w * np.clip((middle - v + half) / (2 * half), 0, 1)).sum()
        low, high = (middle, high) if below < share else (low, middle)
    return (low + high) / 2


def figures(x, weight):
    """Mean, sd, and 5 and 95 % points of each number."""
    out, w = [], weight / weight.sum()
    for i in range(3):
        v = x[..., i]
        half = sum(abs(step) for step in np.gradient(v)) / 2
        mean = (w * v).sum()
        out.append([mean, math.sqrt((w * (v - mean) ** 2).sum()), quantile(v, half, w, 0.05), quantile(v, half, w, 0.95)])
    return np.array(out)


def off(got, want):
    """How far means, sds and ends are off, in the units of their limits."""
    sd = want[:, 1]
    return np.column_stack([abs(got[:, 0] - want[:, 0]) / sd / MEAN, abs(got[:, 1] / sd - 1) / SD,
                            abs(got[:, 2:] - want[:, 2:]) / sd[:, None] / END]).max()


def check(asif, name, study, logs, folder, points, seed):
    """Whether the fit is trusted, and whether what it says holds."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    made = subprocess.run([asif, "fit", study, logs, "-o", folder, "--method", "ridge", "--seed", str(seed), "--no-sensitivity", "--json", "-q",
                           "--force"], capture_output=True, timeout=3600)
    seconds = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    assert made.returncode in (0, 1), made.stderr.decode()
    answer = json.loads(made.stdout)
    trust, p = answer["trust"], answer["parameters"]
    got = np.array([[p[n]["mean"], p[n]["sd"], p[n]["q05"], p[n]["q95"]] for n in NAMES])
    x, weight, faces = quadrature(study, logs, draws_of(folder), points)
    want = figures(x, weight)
    halves = [tuple(slice(None, None, 2 if i == axis else 1) for i in range(3)) for axis in range(3)]
    limits, grid = off(got, want), max(off(figures(x[half], weight[half]), want) for half in halves)
    print("%-14s khat %5.2f Kish %4.0f inside %d tops %d; %4.1f s; off by %.2f of the limits; grid of %d: %.2f between halves, faces %.0e"
          % (name, trust["khat"] or math.inf, trust["kish"], trust["inside"], len(answer["tops"]), seconds, limits, weight.size, grid, faces))
    for n, a, b in zip(NAMES, got, want):
        print("    %-9s mean %8.4f (%8.4f) sd %7.4f (%7.4f) q05 %8.4f (%8.4f) q95 %8.4f (%8.4f)"
              % (n, a[0], b[0], a[1], b[1], a[2], b[2], a[3], b[3]), flush=True)
    sound = grid < 1 and faces < 1e-3
    if not sound:
        print("    the quadrature is not sure of itself")
    return trust["good"], sound and limits < 1


def main():
    parser = argparse.ArgumentParser()
    parser.add_argument("build", nargs="?", default=os.path.join(SOURCE, "build", "release"))
    parser.add_argument("--designs", type=int, default=10)
    parser.add_argument("--points", type=int, default=90000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", default="")
    args = parser.parse_args()
    asif = os.path.join(args.build, "cli", "asif")
    os.environ.setdefault("ASIF_LIB", os.path.join(args.build, "src", "libasif.so"))
    global np, Target
    from common import np
    from library import Target
    if not os.path.exists(os.path.join(ORACLE, "logs_neutral.csv")):
        print("skipped: the oracle's logs are not here (ASIF_ORACLE)")
        sys.exit(77)
    bad = trusted = 0
    with tempfile.TemporaryDirectory() as folder:
        study, cases = os.path.join(SOURCE, "examples", "diag", "study.yaml"), []
        for name in ("optimistic", "neutral", "non_adaptive"):
            cases.append((name, study, os.path.join(ORACLE, "logs_%s.csv" % name)))
        for k in range(args.designs):
            cases.append(("random %d" % k, *random_problem(asif, folder, k, args.seed)))
        for i, (name, study, logs) in enumerate(cases):
            if args.only not in name:
                continue
            good, holds = check(asif, name, study, logs, os.path.join(folder, "fit-%d" % i), args.points, args.seed)
            trusted += good and i > 2
            bad += (good and not holds) or (i < 3 and not good)
    if not args.only and trusted < 0.8 * args.designs:
        print("only %d of %d random problems are trusted" % (trusted, args.designs))
        bad += 1
    print("%d failed" % bad)
    sys.exit(bad > 0)


if __name__ == "__main__":
    main()
