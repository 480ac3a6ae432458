#!/usr/bin/env python3
"""Loops of a notebook in Python, and the same loops in C over the same library, in turns: a policy at a belief of an agent that
is solved, log-likelihoods of 10,000 agents one by one, and of all of them at once. Processor time, medians of rounds.

    bench/loops.py [--quick] [--check] [--rounds N] [--thetas N]

Needs the package asif in the Python that runs it, and a C compiler. --check exits with 1 where a policy takes more than 20 us
longer than in C, or log-likelihoods take more than 1.2 times as long (with --quick, which is noisy: 60 us, and 2 times). What both
computed is compared in any case."""
import argparse
import os
import pathlib
import statistics
import subprocess
import sys
import tempfile
import time

try:
    import asif
    import numpy
except ImportError as missing:
    print(f"skipped: {missing}")
    sys.exit(77)

ROOT = pathlib.Path(__file__).resolve().parent.parent
STUDY = ROOT / "examples/diag/study.yaml"
LIBRARY = pathlib.Path(asif.__file__).parent / "libasif.so"
NAMES = ["alpha", "optimism", "eta"]
parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
parser.add_argument("--quick", action="store_true", help="300 agents, and one round")
parser.add_argument("--check", action="store_true")
parser.add_argument("--rounds", type=int)
parser.add_argument("--thetas", type=int)
args = parser.parse_args()
thetas = args.thetas or (300 if args.quick else 10000)
rounds = args.rounds or (1 if args.quick else 3)
above, times = (60, 2) if args.quick else (20, 1.2)
looks, threads = 20000, len(os.sched_getaffinity(0))


def timed(work):
    begun = time.process_time()
    got = work()
    return time.process_time() - begun, got


def compiled(folder):
    program = folder / "loops"
    subprocess.run([os.environ.get("CC", "cc"), "-O2", "-D_POSIX_C_SOURCE=200809L", f"-I{ROOT / 'include'}",
                    ROOT / "bench/loops/loops.c", LIBRARY, "-o", program], check=True)
    return program


study = asif.Study(STUDY)
# Agents like those of a posterior, each near the one before.
stream = numpy.random.default_rng(1)
steps = numpy.cumsum(stream.normal(0, 0.05, (thetas, 3)), axis=0) % 2
agents = numpy.stack([0.4 + 0.2 * abs(steps[:, 0] - 1), 0.3 + abs(steps[:, 1] - 1), 0.001 + 0.02 * abs(steps[:, 2] - 1)], axis=-1)
plan = study.plan(dict(zip(NAMES, agents[0])))


def policies():
    total = 0.0
    for i in range(looks):
        p = i / looks
        total += plan.policy([p, 1 - p])[0]
    return total


def one_by_one(logs):
    total = 0.0
    for alpha, optimism, eta in agents.tolist():
        total += plan.set(alpha=alpha, optimism=optimism, eta=eta).log_likelihood(logs)
    return total


with tempfile.TemporaryDirectory() as name:
    folder = pathlib.Path(name)
    program = compiled(folder)
    (folder / "logs.csv").write_text(plan.simulate(200, seed=1))
    logs = study.logs(folder / "logs.csv")
    likelihood = study.likelihood(logs)
    assert likelihood.names == NAMES
    columns = dict(zip(NAMES, agents.T))
    numpy.concatenate([[thetas, 3], agents.ravel(), likelihood.coordinates(**columns).ravel()]).tofile(folder / "points")
    taken = []
    for _ in range(rounds):
        done = subprocess.run([program, STUDY, folder / "logs.csv", folder / "points", str(looks), str(threads)], check=True,
                              capture_output=True, text=True, env={**os.environ, "LD_PRELOAD": str(LIBRARY)})
        in_c = [float(number) for number in done.stdout.split()]
        plan.set(**dict(zip(NAMES, agents[0])))
        ours = [timed(policies), timed(lambda: one_by_one(logs)), timed(lambda: likelihood(**columns))]
        sums = [ours[0][1], ours[1][1], float(ours[2][1].sum())]
        # A warm start decides the last bits of a solve.
        for mine, theirs in zip(sums, in_c[3:]):
            assert abs(mine - theirs) <= 1e-7 * abs(theirs), (sums, in_c)
        taken.append([1e6 * ours[0][0] / looks, *(1e6 * part[0] / thetas for part in ours[1:]), *in_c[:3]])

taken = [statistics.median(column) for column in zip(*taken)]
failed = False
for what, python, c, most in (("policy at a belief", taken[0], taken[3], None), ("log-likelihood, one by one", taken[1], taken[4], times),
                              ("log-likelihood, all at once", taken[2], taken[5], times)):
    beyond = python - c > above if most is None else python > most * c
    failed = failed or beyond
    limit = f"at most {above} us above C" if most is None else f"at most {most} times C"
    print(f"{what:30} Python {python:8.2f} us, C {c:8.2f} us: {python - c:7.2f} us above, {python / c:.3f} times ({limit})"
          + (" MISSED" if beyond else ""))
sys.exit(1 if args.check and failed else 0)
