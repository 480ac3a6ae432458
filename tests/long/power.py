#!/usr/bin/env python3
"""Power-scaling sensitivities of a fit against `psense` of ArviZ (arviz-stats, PyPI; a port of R's priorsense). Usage: power.py ASIF ORACLE
with a python3 that has numpy and arviz-stats[xarray]; prints both and exits with 1 where they differ by more than 2 %, with 77
where ArviZ is missing."""
import csv
import json
import math
import os
import subprocess
import sys
import tempfile

try:
    import numpy as np
    from arviz_base import from_dict
    from arviz_stats.psense import psense
except ImportError as missing:
    print(f"{missing}: python3 -m pip install 'arviz-stats[xarray]'")
    sys.exit(77)

ASIF, ORACLE = sys.argv[1], sys.argv[2]
SOURCE = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))
PRIORS = {"log_alpha": (math.log(0.46), 1.5), "optimism": (0.0, 1.0), "eta": (0.0, 46.0)}


def main():
    with tempfile.TemporaryDirectory() as folder:
        fit = os.path.join(folder, "fit")
        subprocess.run([ASIF, "fit", os.path.join(SOURCE, "examples", "diag", "study.yaml"), os.path.join(ORACLE, "logs_optimistic.csv"),
                        "-o", fit, "--method", "ridge", "--no-sensitivity", "-q"], stdout=subprocess.DEVNULL)
        with open(os.path.join(fit, "fit.json")) as file:
            found = json.load(file)["parameters"]
        chains = []
        for i in range(4):
            with open(os.path.join(fit, f"chain-{i + 1}.csv"), newline="") as file:
                chains.append(list(csv.DictReader(line for line in file if not line.startswith("#"))))
    draws = {k: np.array([[float(row[k]) for row in chain] for chain in chains]) for k in (*PRIORS, "lp__")}
    prior = sum(-0.5 * ((draws[k] - m) / s) ** 2 for k, (m, s) in PRIORS.items())
    likelihood = draws["lp__"] - prior - draws["log_alpha"]  # chains move in eta/alpha
    data = from_dict({"posterior": {k: draws[k] for k in PRIORS}, "log_prior": {"all": prior},
                      "log_likelihood": {"all": likelihood[..., None]}})
    good = True
    for part in ("prior", "likelihood"):
        theirs = psense(data, group=part)
        for k in PRIORS:
            want, got = float(theirs[k]), found[k]["power_scaling"][part]
            print(f"{part:10s} {k:10s} asif {got:.5f}  arviz {want:.5f}")
            good &= abs(got - want) <= 0.02 * want + 1e-4
    print("passed" if good else "FAILED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
