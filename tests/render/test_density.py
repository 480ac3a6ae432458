"""The histograms that fit.json keeps of the draws, against the draws."""

import csv
import json
import math
import os
import subprocess
import sys
import tempfile

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE:
    sys.exit(77)
STUDY = os.path.join(SOURCE, "examples", "diag", "study.yaml")
BINS = 20


def run(*words):
    done = subprocess.run([ASIF, *map(str, words)], capture_output=True, env={**os.environ, "LC_ALL": "C"})
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout


def quantile(ordered, p):
    """Between the two nearest (R's type 7)."""
    at = p * (len(ordered) - 1)
    low = math.floor(at)
    high = min(low + 1, len(ordered) - 1)
    return ordered[low] + (at - low) * (ordered[high] - ordered[low])


def draws_of(folder, name):
    values = []
    for chain in sorted(f for f in os.listdir(folder) if f.startswith("chain-")):
        with open(os.path.join(folder, chain)) as file:
            rows = csv.DictReader(line for line in file if not line.startswith("#"))
            values += [float(row[name]) for row in rows]
    return values


with tempfile.TemporaryDirectory() as folder:
    logs, fit = os.path.join(folder, "logs.csv"), os.path.join(folder, "fit")
    run("simulate", STUDY, "-p", "alpha=0.8", "-p", "beta=1.25", "-p", "eta=0", "-n", 100, "-o", logs)
    common = ["-p", "beta=1.25", "--resolution", 20, "--no-sensitivity", "-q"]
    run("fit", STUDY, logs, "-o", fit, *common, "--chains", 2, "--warmup", 100, "--draws", 150)
    with open(os.path.join(fit, "fit.json")) as file:
        parameters = json.load(file)["parameters"]
    assert set(parameters) == {"log_alpha", "eta"}
    for name, number in parameters.items():
        shown = sorted(math.exp(x) if name == "log_alpha" else x for x in draws_of(fit, name))
        assert len(shown) == 300
        low, high = quantile(shown, 0.01), quantile(shown, 0.99)
        got = number["histogram"]
        assert math.isclose(got["low"], low, rel_tol=1e-9) and math.isclose(got["high"], high, rel_tol=1e-9), (got, low, high)
        want = [0] * BINS
        for x in shown:
            if low <= x <= high:
                want[min(BINS - 1, int((x - low) / (high - low) * BINS))] += 1
        assert len(got["share"]) == BINS
        for a, b in zip(got["share"], want):
            assert abs(a - b / len(shown)) < 1e-6, (name, got["share"], want)
    bars = [line for line in run("summary", fit).decode("ascii").split("\n") if line.count("|") == 2]
    assert len(bars) == 2 and all(len(line) <= 80 for line in bars), bars
    run("fit", STUDY, logs, "-o", fit, *common, "--method", "map", "--force")
    with open(os.path.join(fit, "fit.json")) as file:
        assert all("histogram" not in number for number in json.load(file)["parameters"].values())
print("histograms are those of the draws")
