#!/usr/bin/env python3
"""Fits: NUTS against a random walk tuned to the covariance, in effective draws a second; a whole fit; and a published chain
against the oracle's NumPy port of the published algorithm. All in one run, in turns.

    bench/fit.py [BUILD] [--logs CSV] [--oracle FOLDER] [--quick] [--check] [--rounds N] [--json FILE]

BUILD is build/release by default. CSV are logs of DIAG, by default the oracle's of an optimistic agent; without them, and with
--quick, they are simulated. --quick takes a few seconds, with eta given; --check exits with 1 where a ratio is below what is asked for
(of --quick: far off).

An effective draw is one of the worst parameter (`ess_bulk`); its seconds are processor time of sampling on one thread, warm-up
included. The walk draws 20 times as many as NUTS, so that its warm-up hardly counts.
"""
import argparse
import csv
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

here = os.path.dirname(os.path.abspath(__file__))
root = os.path.dirname(here)
DIAG = os.path.join(root, "examples", "diag", "study.yaml")
UTILITIES = {"correct": 10, "wrong": -36, "cost": -1}
PUBLISHED_EVALUATIONS = 11000

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("build", nargs="?", default=os.path.join(root, "build", "release"))
parser.add_argument("--logs")
parser.add_argument("--oracle", default=os.environ.get("ASIF_ORACLE", os.path.join(root, "..", "shared", "oracle")))
parser.add_argument("--quick", action="store_true")
parser.add_argument("--check", action="store_true")
parser.add_argument("--only", help="alpha, utilities, whole or published")
parser.add_argument("--rounds", type=int, default=1)
parser.add_argument("--json")
args = parser.parse_args()
asif = os.path.join(args.build, "cli", "asif")
figures, missed = {}, []


def run(*arguments):
    return subprocess.run([asif, *map(str, arguments)], check=False, capture_output=True, text=True)


def fit(folder, study, logs, *arguments):
    """fit.json and run.json of a fit, which need not be trusted, and the processor's seconds of sampling."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    flags = ["--resolution", "30"] if args.quick else []
    made = run("fit", study, logs, "-o", folder, "-q", "--force", *flags, *arguments)
    if made.returncode not in (0, 1):
        sys.exit(made.stdout + made.stderr)
    with open(os.path.join(folder, "fit.json")) as a, open(os.path.join(folder, "run.json")) as b:
        made, how = json.load(a), json.load(b)
    used = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    return made, how, used * how["seconds_sampling"] / how["seconds"]


def tell(what, figure, unit, asked=None, most=False):
    """A line of the table; what is asked for is `asked` at least, or at most."""
    good = asked is None or (figure <= asked if most else figure >= asked)
    wanted = "" if asked is None else f"{'at most' if most else 'at least'} {asked:g}{'' if good else '   MISSED'}"
    print(f"{what:<62} {figure:>9.4g} {unit:<16} {wanted}", flush=True)
    figures[what] = figure
    if not good:
        missed.append(what)


def worst(made):
    return min(number["ess_bulk"] or 0 for number in made["parameters"].values())


def compare(folder, title, study, logs, asked):
    draws, more = (200, 4000) if args.quick else (1000, 20000)
    chains = ["--chains", 2 if args.quick else 4, "--threads", 1, "--warmup", draws]
    if args.quick:
        chains += ["-p", "eta=0.001"]
    total = {"nuts": [0, 0], "metropolis": [0, 0]}
    for seed in range(args.rounds):
        for method, count in (("nuts", draws), ("metropolis", more)):
            made, _, seconds = fit(os.path.join(folder, method), study, logs, *chains, "--draws", count, "--method",
                                   method, "--seed", seed + 1)
            ess = worst(made)
            total[method][0] += ess
            total[method][1] += seconds
            print(f"  {title}, {method}: ESS {ess:.0f} in {seconds:.1f} s, R-hat {made['trust']['rhat']:.3f}, "
                  f"{made['trust']['divergent']} divergent")
    rate = {method: ess / seconds for method, (ess, seconds) in total.items()}
    for method in rate:
        tell(f"{title}, {method}", rate[method], "draws/s")
    tell(f"{title}, nuts over metropolis", rate["nuts"] / rate["metropolis"], "times", 0.02 if args.quick else asked)


def read_logs(path):
    """Actions and observations by their numbers, [episodes][longest], -1 where there is none."""
    import numpy as np
    actions = {"declare_healthy": 0, "declare_diseased": 1, "monitor": 2}
    seen = {"negative": 0, "positive": 1}
    episodes = {}
    with open(path, newline="") as file:
        for row in csv.DictReader(file):
            episodes.setdefault(row["episode"], []).append((actions[row["action"]], seen.get(row["observation"], 0)))
    u, x = np.full((2, len(episodes), max(map(len, episodes.values()))), -1)
    for i, steps in enumerate(episodes.values()):
        for t, (action, observation) in enumerate(steps):
            u[i, t], x[i, t] = action, observation
    return u, x


def compare_published(folder, logs):
    try:
        sys.path.insert(0, args.oracle)
        import brc
    except ImportError as problem:
        print(f"the published algorithm is left out: the oracle or NumPy is not here ({problem})")
        return
    u, x = read_logs(logs)
    problem, theirs, ours = brc.diag_problem(), [], []
    repeats, evaluations = (2, 3) if args.quick else (3, 20)
    for _ in range(repeats):
        begun = time.process_time()
        for _ in range(evaluations):
            brc.Published(problem, 0.5, 1.25, 1e-3).loglik(u, x)
        theirs.append((time.process_time() - begun) / evaluations * PUBLISHED_EVALUATIONS)
        ours.append(fit(os.path.join(folder, "published"), DIAG, logs, "--method", "published")[2])
    tell("published chain of 11,000 evaluations, NumPy (extrapolated)", min(theirs), "s")
    tell("published chain of 11,000 evaluations, asif", min(ours), "s")
    tell("published chain, asif over NumPy", min(theirs) / min(ours), "times", 20 if args.quick else 150)


def main():
    with tempfile.TemporaryDirectory() as folder:
        logs = args.logs or os.path.join(args.oracle, "logs_optimistic.csv")
        if (args.quick and not args.logs) or not os.path.exists(logs):
            logs = os.path.join(folder, "logs.csv")
            run("simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001", "-n", 300 if args.quick else 1000,
                "-o", logs)
        with open(DIAG) as file:
            text = file.read()
        for name, value in UTILITIES.items():
            text = text.replace(f"{name}: {value}\n", f"{name}: {{learn: , standard: {value}}}\n")
        utilities = os.path.join(folder, "utilities.yaml")
        with open(utilities, "w") as file:
            file.write(text)
        def whole():
            begun = time.monotonic()
            fit(os.path.join(folder, "whole"), DIAG, logs, "--threads", 2)
            tell("4 chains of 1,000 + 1,000, 2 threads, the whole command", time.monotonic() - begun, "s", 30, most=True)
        parts = {"alpha": lambda: compare(folder, "alpha, beta, eta", DIAG, logs, 2),
                 "utilities": lambda: compare(folder, "and three utilities", utilities, logs, 5),
                 "whole": whole,
                 "published": lambda: compare_published(folder, logs)}
        for name in parts:
            if args.only == name or (not args.only and not (args.quick and name in ("utilities", "whole"))):
                parts[name]()
    if args.json:
        with open(args.json, "w") as file:
            json.dump(figures, file, indent=1)
    if args.check and missed:
        sys.exit("missed: " + "; ".join(missed))


main()
