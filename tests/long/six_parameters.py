#!/usr/bin/env python3
"""DIAG with six parameters (alpha, optimism, eta and three utilities), of which data fix combinations: `--method ridge` against long chains
of NUTS. Usage: six_parameters.py ASIF ORACLE [SEEDS]. Takes a quarter of an hour of processor time; prints its figures, and exits with 1 where
the ridge is not trusted or takes 120 s or more of processor time, the chains are not trusted, or ends of intervals differ."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ASIF, ORACLE = sys.argv[1], sys.argv[2]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 1
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOGS = os.path.join(ORACLE, "logs_optimistic.csv")
NEAR = 0.25  # standard deviations of a combination between the same quantile of two samples


def fit(study, folder, *flags):
    begun, before = time.time(), resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime
    subprocess.run([ASIF, "fit", study, LOGS, "-o", folder, "--no-sensitivity", "-q", *flags], stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "fit.json")) as file:
        found = json.load(file)
    found["processor"] = resource.getrusage(resource.RUSAGE_CHILDREN).ru_utime - before
    found["clock"] = time.time() - begun
    return found


def show(name, found):
    trust = found["trust"]
    print(f"{name}: trusted {trust['good']}, {found['processor']:.1f} s of processor, {found['clock']:.1f} s by the clock, "
          f"k-hat {trust.get('khat')}, Kish {trust.get('kish')}, R-hat {trust['rhat']}, ESS {trust['ess']:.0f}, "
          f"{trust['divergent']} divergent")
    for c in found["combinations"]:
        print(f"  {c['name']:28s} {c['q05']:9.3f} {c['q50']:9.3f} {c['q95']:9.3f}  sd {c['sd']:8.3f}  {c['identified']}")


def main():
    good = True
    with tempfile.TemporaryDirectory() as folder:
        study = os.path.join(folder, "six.yaml")
        with open(os.path.join(SOURCE, "examples", "diag", "study.yaml")) as file:
            text = file.read()
        for name, value in (("correct", 10), ("wrong", -36), ("cost", -1)):
            text = text.replace(f"    {name}: {value}\n", f"    {name}: {{learn: , standard: {value}}}\n")
        with open(study, "w") as file:
            file.write(text)
        chains = fit(study, os.path.join(folder, "nuts"), "--method", "nuts", "--warmup", "1000", "--draws", "2000",
                     "--target-accept", "0.98", "--threads", "2", "--seed", "2")
        show("nuts", chains)
        good &= chains["trust"]["good"]
        for seed in range(SEEDS):
            ridge = fit(study, os.path.join(folder, f"ridge-{seed}"), "--method", "ridge", "--seed", str(seed))
            show(f"ridge, seed {seed}", ridge)
            good &= ridge["trust"]["good"] and ridge["processor"] < 120
            for a, b in zip(ridge["combinations"], chains["combinations"]):
                for key in ("q05", "q50", "q95"):
                    away = abs(a[key] - b[key]) / b["sd"]
                    if away > NEAR:
                        print(f"  {a['name']} {key}: {away:.2f} standard deviations apart")
                        good = False
    print("passed" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
