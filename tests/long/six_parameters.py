#!/usr/bin/env python3
"""DIAG with six parameters (alpha, optimism, eta and three utilities), of which data fix combinations: `asif fit` by its default method against
long chains of NUTS.

    six_parameters.py ASIF ORACLE [SEEDS [FOLDER]]

Takes a quarter of an hour of processor time, most of it for the chains; they are kept in FOLDER/nuts, and taken from there if they are there already. Prints its
figures. Every fit must end within 240 s of processor time (120 s on two cores), be trusted, and name combinations that the logs fix, with intervals. The long
chains must be trusted, and the intervals must agree with theirs. Exits with 1 where something fails."""
import json
import os
import resource
import subprocess
import sys
import tempfile
import time

ASIF, ORACLE = sys.argv[1], sys.argv[2]
SEEDS = int(sys.argv[3]) if len(sys.argv) > 3 else 1
KEPT = sys.argv[4] if len(sys.argv) > 4 else None
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
LOGS = os.path.join(ORACLE, "logs_optimistic.csv")
MOST_SEC = 240  # of processor time: 120 s on two cores
NEAR = 0.25  # standard deviations of a combination between the same quantile of two samples


def processor():
    used = resource.getrusage(resource.RUSAGE_CHILDREN)
    return used.ru_utime + used.ru_stime


def fit(study, folder, *flags):
    """A fit, unless there is one."""
    begun, before = time.time(), processor()
    if not os.path.exists(os.path.join(folder, "fit.json")):
        subprocess.run([ASIF, "fit", study, LOGS, "-o", folder, "--no-sensitivity", "-q", *flags], stdout=subprocess.DEVNULL)
    with open(os.path.join(folder, "fit.json")) as file:
        found = json.load(file)
    found["processor"] = processor() - before
    found["clock"] = time.time() - begun
    return found


def show(name, found):
    trust = found["trust"]
    print(f"{name}: method {found['method']}, trusted {trust['good']}, {found['processor']:.1f} s of processor, {found['clock']:.1f} s by the clock, "
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
        chains = fit(study, os.path.join(KEPT or folder, "nuts"), "--method", "nuts", "--warmup", "1000", "--draws", "2000",
                     "--target-accept", "0.98", "--threads", "2", "--seed", "2")
        show("nuts", chains)
        good &= chains["trust"]["good"]
        for seed in range(SEEDS):
            found = fit(study, os.path.join(folder, f"fit-{seed}"), "--threads", "2", "--seed", str(seed))
            show(f"fit, seed {seed}", found)
            fixed = [c for c in found["combinations"] if c["identified"] == "yes"]
            good &= found["processor"] < MOST_SEC and found["trust"]["good"] and len(fixed) >= 3
            for a, b in zip(found["combinations"], chains["combinations"]):
                for key in ("q05", "q50", "q95"):
                    away = abs(a[key] - b[key]) / b["sd"]
                    if away > NEAR:
                        print(f"  {a['name']} {key}: {away:.2f} standard deviations apart")
                        good = False
    print("passed" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
