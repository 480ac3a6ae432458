#!/usr/bin/env python3
"""Posteriors of three numbers with three and four hidden states, on a lattice that the fit chooses.

    tests/long/states.py ASIF [STATES...]    STATES: 3 (12 observations, the shape of ADNI's records), 4 (10 observations)

Tells the time on two threads, and with three states how far means are from those of a fit on a lattice of 100 intervals:
they must lie within 0.05 standard deviations. The agents and the logs are synthetic.
"""
import json
import os
import subprocess
import sys
import tempfile
import time

TRUE = {"alpha": 0.5, "optimism": -1, "eta": 0}
LIMIT = {3: 60, 4: 600}  # seconds


def scores(states, classes, sharpness):
    """Emissions of a score with so many classes: the further from the state's own place, the rarer."""
    rows = []
    for s in range(states):
        place = s * (classes - 1) / (states - 1)
        weights = [sharpness ** -abs(c - place) for c in range(classes)]
        rows.append([w / sum(weights) for w in weights])
    return rows


def crossed(score, scan):
    """A score and a scan that are independent, the scan's first class being "none"."""
    return [[p * q for p in a for q in [0] + b] for a, b in zip(score, scan)]


def alone(score, classes):
    return [[x for p in row for x in [p] + [0] * classes] for row in score]


def study(states, score_classes, scan_classes):
    score = scores(states, score_classes, 2.2)
    matrix = lambda rows: "[" + ", ".join("[" + ", ".join("%.9f" % x for x in row) + "]" for row in rows) + "]"  # noqa: E731
    worse = [[0.95 if a == b else 0.05 if b == a + 1 else 0 for b in range(states)] for a in range(states)]
    worse[-1][-1] = 1
    ill = [s / (states - 1) for s in range(states)]
    names = ["s%d" % s for s in range(states)]
    by_state = lambda f: "{" + ", ".join("%s: %g" % (n, f(x)) for n, x in zip(names, ill)) + "}"  # noqa: E731
    return f"""\
asif: 1
states: [{", ".join(names)}]
actions: [discharge, wait, scan, treat]
observations: {score_classes * (scan_classes + 1)}
environment:
  start: [{", ".join(["%.9f" % (1 / states)] * states)}]
  transitions: {{wait: {matrix(worse)}, scan: {matrix(worse)}, any: reset}}
  emissions:
    scan: {matrix(crossed(score, scores(states, scan_classes, 3)))}
    any: {matrix(alone(score, scan_classes))}
  ends: [discharge, treat]
agent:
  planner: bounded-rational
  discount: 0.95
  worlds:
    - emissions: {{scan: {matrix(crossed(score, scores(states, scan_classes, 1.8)))}}}
    - {{}}
    - emissions: {{scan: {matrix(crossed(score, scores(states, scan_classes, 5)))}}}
  utility:
    discharge: {by_state(lambda x: 10 - 40 * x)}
    treat: {by_state(lambda x: -20 + 30 * x)}
    wait: {by_state(lambda x: -3 * x)}
    scan: {by_state(lambda x: -1 - 3 * x)}
  parameters: {{alpha: learn, beta: learn, eta: learn}}
solver: {{resolution: RESOLUTION, tol: 1e-9}}
logs: {{episode: episode, time: t, action: action, observation: observation}}
"""


def run(asif, *args):
    done = subprocess.run([asif, *map(str, args)], capture_output=True, text=True)
    if done.returncode > 1:
        sys.exit("asif %s: %s" % (" ".join(map(str, args)), done.stderr))
    return done


def fit(asif, folder, text, resolution):
    path = os.path.join(folder, "study-%s.yaml" % resolution)
    with open(path, "w") as file:
        file.write(text.replace("RESOLUTION", str(resolution)))
    logs, out = os.path.join(folder, "logs.csv"), os.path.join(folder, "fit-%s" % resolution)
    if not os.path.exists(logs):
        run(asif, "simulate", path, "-n", 1000, "--max-steps", 12, "--seed", 3, "-o", logs, "--resolution", 24,
            *(x for name, value in TRUE.items() for x in ("-p", "%s=%g" % (name, value))))
    begun, before = time.time(), os.times()
    run(asif, "fit", path, logs, "-o", out, "--method", "ridge", "--threads", 2, "-q")
    after = os.times()
    with open(os.path.join(out, "fit.json")) as file:
        found = json.load(file)
    found["seconds"], found["processor"] = time.time() - begun, sum(after[2:4]) - sum(before[2:4])
    return found


def tell(what, found):
    trust, weights = found["trust"], found["solver"].get("weights")
    if weights:
        print("  draws weighted on %d intervals at %d points, which moved means by at most %.3f standard deviations" %
              (weights["resolution"], weights["points"], weights["moved"]))
    print("%s: %d intervals, lattice error %s nats; trusted: %s (k-hat %.2f, Kish %.0f); %.0f s, %.0f s of processor" %
          (what, found["solver"]["resolution"], found["solver"].get("lattice_error", "not estimated"), trust["good"],
           trust["khat"], trust["kish"], found["seconds"], found["processor"]), flush=True)


def main():
    if len(sys.argv) < 2:
        sys.exit(__doc__)
    asif, bad = os.path.abspath(sys.argv[1]), 0
    for states in [int(x) for x in sys.argv[2:]] or [3, 4]:
        text = study(states, *{3: (3, 3), 4: (2, 4)}[states])
        with tempfile.TemporaryDirectory() as folder:
            chosen = fit(asif, folder, text, "auto")
            tell("%d states" % states, chosen)
            # A machine that does other things shows the processor's time: half of it is the least that two threads take.
            bad |= not chosen["trust"]["good"] or min(chosen["seconds"], chosen["processor"]) > LIMIT[states]
            if states > 3:
                continue
            fine = fit(asif, folder, text, 100)
            tell("the same on the fine lattice", fine)
            for name, reference in fine["parameters"].items():
                moved = (chosen["parameters"][name]["mean"] - reference["mean"]) / reference["sd"]
                wider = chosen["parameters"][name]["sd"] / reference["sd"] - 1
                print("  %-10s mean moved by %+.3f standard deviations, sd by %+.1f %%" % (name, moved, 100 * wider))
                bad |= abs(moved) > 0.05
    sys.exit(bad)


main()
