#!/usr/bin/env python3
"""Two builds of asif on the same data, in turns: README's fit, its sampling alone, NUTS, sensitivity with 11 points, and outcomes.

    bench/pairs.py OLD NEW [--only NAME,...] [--repeats N] [--json FILE] [--check]

OLD and NEW are commands (build/release/cli/asif). Times are processor seconds of one thread, medians of the repeats (default 3);
a ratio is the median over pairs of runs that follow each other. Both builds answer the questions about the same fit, which OLD made,
so that they have the same draws. --check exits with 1 where a ratio is above the one that is aimed at, which holds for the build below
as OLD. It takes about ten minutes on an idle machine.

To build an old one:

    git clone . ../asif-old && cd ../asif-old && git checkout e0b7be0
    cmake --preset release -DASIF_TESTS=OFF -DASIF_BENCH=OFF && cmake --build --preset release
"""
import argparse
import json
import os
import resource
import statistics
import subprocess
import sys
import tempfile

root = os.path.dirname(os.path.dirname(os.path.abspath(__file__)))
DIAG = os.path.join(root, "examples", "diag", "study.yaml")
AGENT = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001"]
AIMS = {"fit": 1 / 8, "sampling": 1 / 20, "nuts": 0.7, "sensitivity": 1 / 6, "outcomes": 1 / 4}

parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("old")
parser.add_argument("new")
parser.add_argument("--only", default=",".join(AIMS))
parser.add_argument("--repeats", type=int, default=3)
parser.add_argument("--method", default="auto", help="of NEW's fit (default auto); OLD takes its default")
parser.add_argument("--json")
parser.add_argument("--check", action="store_true")
args = parser.parse_args()
wanted = args.only.split(",")
if set(wanted) - set(AIMS):
    parser.error(f"--only takes some of {', '.join(AIMS)}")


def seconds(asif, *arguments):
    """Processor time of a command; a fit need not be trusted."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    made = subprocess.run([asif, *map(str, arguments)], check=False, capture_output=True, text=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    if made.returncode not in (0, 1):
        sys.exit(made.stdout + made.stderr)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def fit(asif, folder, logs, *arguments):
    """Processor time of a fit, and of its sampling: by the share of the clock's time that it takes."""
    used = seconds(asif, "fit", DIAG, logs, "-o", folder, "-q", "--force", *arguments)
    with open(os.path.join(folder, "run.json")) as file:
        how = json.load(file)
    return used, used * how["seconds_sampling"] / how["seconds"]


def measure(folder, logs):
    """Times by what was done and by build: lists, one number a repeat."""
    times = {name: ([], []) for name in wanted}
    shared = os.path.join(folder, "shared")
    if "fit" in wanted or "sampling" in wanted:
        for _ in range(args.repeats):
            for i, asif in enumerate((args.old, args.new)):
                method = ["--method", args.method] if i else []
                whole, sampling = fit(asif, os.path.join(folder, "new") if i else shared, logs, *method)
                for name, used in (("fit", whole), ("sampling", sampling)):
                    if name in wanted:
                        times[name][i].append(used)
    else:
        fit(args.old, shared, logs, "--no-sensitivity")
    for name in set(wanted) & {"nuts", "sensitivity", "outcomes"}:
        for _ in range(args.repeats):
            for i, asif in enumerate((args.old, args.new)):
                if name == "nuts":
                    used = fit(asif, os.path.join(folder, f"nuts-{i}"), logs, "--method", "nuts", "--no-sensitivity")[1]
                elif name == "sensitivity":
                    used = seconds(asif, name, shared, "--points", 11, "-q", "--json")
                else:
                    used = seconds(asif, name, shared, "-q", "--json")
                times[name][i].append(used)
    return times


def main():
    with tempfile.TemporaryDirectory() as folder:
        logs = os.path.join(folder, "logs.csv")
        seconds(args.new, "simulate", DIAG, *AGENT, "-n", 1000, "--seed", 1, "-o", logs, "-q")
        times = measure(folder, logs)
    print(f"{'processor seconds':<18} {'old':>8} {'new':>8}   new/old   aim")
    figures, missed = {}, []
    for name in wanted:
        old, new = times[name]
        ratio = statistics.median(b / a for a, b in zip(old, new))
        figures[name] = {"old": old, "new": new, "ratio": ratio, "aim": AIMS[name]}
        missed += [name] if ratio > AIMS[name] else []
        print(f"{name:<18} {statistics.median(old):8.2f} {statistics.median(new):8.3f}   {ratio:7.4f}   {AIMS[name]:.3f}"
              f"{'   MISSED' if ratio > AIMS[name] else ''}")
    if args.json:
        with open(args.json, "w") as file:
            json.dump(figures, file, indent=1)
    if args.check and missed:
        sys.exit("missed: " + ", ".join(missed))


main()
