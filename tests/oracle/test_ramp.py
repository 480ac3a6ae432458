"""Utilities that depend on the belief, on the dementia study: a jump makes the lattice a part of the model, and a ramp does not; and a
world that is halfway to uniform. Against the log-likelihoods that the independent implementation has on record, and against itself.
ctest label: slow
"""
import csv
import json
import math
import os
import sys

import numpy as np

from common import Checks, Folder, attempt, oracle, skip
from library import Target

DEMENTIA = os.path.join(os.environ.get("ASIF_ORACLE", ""), "..", "dementia")
if not os.path.exists(os.path.join(DEMENTIA, "cohort.py")):
    skip("no independent implementation of the dementia study")
brc = oracle()
sys.path.insert(0, DEMENTIA)
import cohort  # noqa: E402

checks = Checks("jumps, ramps and mixed worlds")
folder = Folder()
with open(os.path.join(DEMENTIA, "study_today.yaml")) as f:
    TODAY = f.read()
with open(os.path.join(DEMENTIA, "FACTS.json")) as f:
    FACTS = json.load(f)
WORLD = TODAY[TODAY.index("    - transitions:"):TODAY.index("  utility:")]
MIXED = TODAY.replace(WORLD, "    - {mix: uniform, share: 0.5}\n")
RAMP = ("caveat: nothing here is about a patient\n" + MIXED).replace("{when: certainty > 0.9, add: award}", "{ramp: certainty, from: 0.8, to: 1, add: award}").replace("1e-10", "1e-13")


def write(name, text):
    path = os.path.join(folder.path, name)
    with open(path, "w") as f:
        f.write(text)
    return path


def write_logs(name, us, xs):
    path = os.path.join(folder.path, name)
    with open(path, "w", newline="") as f:
        w = csv.writer(f)
        w.writerow(["episode", "t", "action", "observation"])
        for i, (u, x) in enumerate(zip(us, xs)):
            for t in range(len(u)):
                w.writerow([i, t, cohort.ACTIONS[u[t]], cohort.OBS[x[t]]])
    return path


def check(name, text, logs, resolution=20):
    study = write(name, text.replace("resolution: 20", "resolution: %d" % resolution))
    done = attempt("check", study, logs, "-p", "alpha=0.12", "-p", "optimism=1", "-p", "eta=1.1", "--json")
    checks.true(done.returncode == 0, "check %s: exit %d: %s" % (name, done.returncode, done.stderr))
    return json.loads(done.stdout)


def warned(answer):
    return [p for p in answer["problems"] if "a utility jumps" in p["message"]]


# the jump: its numbers are on record to the nat
us, xs = cohort.load(os.path.join(DEMENTIA, "cohort_synthetic.csv"))[:2]
real = write_logs("jump.csv", us, xs)
today, mixed = check("today.yaml", TODAY, real), check("mixed.yaml", MIXED, real)
checks.near("jump, n = 20", today["log_likelihood"], -3257.44881174, atol=1e-7)
checks.near("mixed world", mixed["log_likelihood"], today["log_likelihood"], atol=1e-7)
found = {x["resolution"]: x["log_likelihood"] for x in mixed["lattices"]}
checks.true(sorted(found) == [20, 21, 40], "lattices %s" % sorted(found))
checks.near("jump, other lattices", [found[20], found[21], found[40]], [-3257.4, -3792, -3574], atol=0.5)
checks.true(len(warned(mixed)) == 1, "no warning of the jump")
checks.true("ramp" in warned(mixed)[0]["hint"], "no ramp is suggested")
fine = check("mixed.yaml", MIXED, real, 200)
checks.near("jump, n = 200", fine["log_likelihood"], -4115, atol=0.5)
checks.true(len(warned(fine)) == 1, "no warning at 200 intervals")

# the ramp: the same cohort as that of the record
v = cohort.utility(ramp=0.1)
us, xs, _ = cohort.simulate(1715, 1, n=40, v=v)
logs = write_logs("ramp.csv", us, xs)
for n, want in FACTS["ramp"]["ll_by_n"].items():
    answer = check("ramp.yaml", RAMP, logs, int(n))
    checks.near("ramp, n = %s" % n, answer["log_likelihood"], want, atol=1e-5)
    checks.true(not warned(answer), "a warning of a jump where there is a ramp")

# a fit says the same in its summary: of the people of the ramp, as if they had followed a jump
some = write_logs("some.csv", us[:300], xs[:300])
for name, text, jumps in ("jump", MIXED, True), ("ramp", RAMP, False):
    out = folder.file("fit-" + name)
    done = attempt("fit", write("fit.yaml", text), some, "-p", "alpha=0.12", "-p", "eta=1.1", "--method", "map", "-o", out, "-q")
    checks.true(done.returncode in (0, 1), "fit: exit %d: %s" % (done.returncode, done.stderr))
    with open(os.path.join(out, "fit.json")) as f:
        fit = json.load(f)
    lattices = fit["solver"]["lattices"]
    checks.true([x["resolution"] for x in lattices] == [20, 21, 40], "lattices of the fit: %s" % lattices)
    checks.near("the fit's own lattice", lattices[0]["log_likelihood"], fit["maximum"]["log_likelihood"], atol=1e-6)
    checks.true(("jump" in [w["code"] for w in fit["warnings"]]) == jumps, "%s: warnings of the fit" % name)
    summary = " ".join(attempt("summary", out).stdout.split())
    checks.true(("makes the lattice of beliefs a part of the model" in summary) == jumps, "%s: %s" % (name, summary))
    checks.true(("nothing here is about a patient." in summary.lower()) != jumps, "the caveat: " + summary)
    checks.true("On other lattices of beliefs it is" in summary, summary)

# the same, and its derivatives, on few people
few = slice(0, 60)
small = write_logs("small.csv", us[few], xs[few])
problem, trie = cohort.problem(*cohort.true_world(), v=v), brc.Trie(us[few], xs[few], 2)
plan = cohort.plan(problem, 1 / 0.12, 1.0, 1.1, 20, tol=1e-13)
checks.near("ramp, 60 people", check("ramp.yaml", RAMP, small)["log_likelihood"], plan.loglik(trie), rtol=1e-10)
target = Target(write("learnt.yaml", RAMP), small, [(name, 2.5 if name == "award" else math.nan, False)
                                                    for name in ("alpha", "optimism", "eta", "award")])


def likelihood(x):
    changed = cohort.problem(*cohort.true_world(), v=cohort.utility(award=x[3], ramp=0.1))
    return cohort.plan(changed, math.exp(-x[0]), x[1], x[2], 20, tol=1e-13).loglik(trie)


at, step = np.array([math.log(0.15), 0.8, 1.05, 2.4]), 1e-5 * np.eye(4)
differences = [(likelihood(at + h) - likelihood(at - h)) / 2e-5 for h in step]
value, gradient = target(at)
checks.near("ramp, another point", value, likelihood(at), rtol=1e-10)
checks.near("ramp, derivatives against differences", gradient, differences, rtol=1e-5, atol=1e-4)
checks.finish()
