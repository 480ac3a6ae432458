"""Fits with planners that are narrower than bounded rational, end to end: simulate, fit, summary, and what is asked of a fit afterwards.
Log-likelihoods at the maximum are computed once more here, by value iteration over the table of logs."""
import collections
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

STATES, ACTIONS = ["good", "worn", "broken"], ["run", "repair"]
P = {"run": [[0.8, 0.15, 0.05], [0, 0.7, 0.3], [0, 0, 1]], "repair": [[1, 0, 0], [0.9, 0.1, 0], [0.8, 0, 0.2]]}
EARNS, G = [3, 2, 0], 0.9
MACHINE = f"""
asif: 1
title: Machine
states: {STATES}
actions: {ACTIONS}
environment:
  start: good
  transitions: {{run: {P["run"]}, repair: {P["repair"]}}}
agent:
  planner: PLANNER
  discount: {G}
  utility: {{run: {{good: 3, worn: 2, broken: 0}}, repair: fix}}
  parameters: {{fix: {{learn: , standard: -5}}, REST}}
"""
TIGER = """
asif: 1
title: Tiger
states: [left, right]
actions: [listen, open_left, open_right]
observations: [hear_left, hear_right]
environment:
  start: uniform
  transitions: {listen: identity, any: reset}
  emissions: {listen: [[0.85, 0.15], [0.15, 0.85]], any: uniform}
  ends: [open_left, open_right]
agent:
  planner: model-based-pomdp
  discount: 0.95
  utility: {listen: cost, open_left: {left: -100, right: 10}, open_right: {left: 10, right: -100}}
  parameters: {cost: {learn: , standard: -1}, act_alpha: learn}
solver: {resolution: 50}
"""


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, check=False)


def machine(fix, temper, soft):
    """log pi(u|s) of a softmax on top of best values, or of soft-optimal ones."""
    V = [0.0] * 3
    for _ in range(2000):
        Q = [[(EARNS[s] if u == "run" else fix) + G * sum(p * v for p, v in zip(P[u][s], V)) for u in ACTIONS]
             for s in range(3)]
        V = [max(q) if not soft else max(q) + temper * math.log(sum(math.exp((x - max(q)) / temper) for x in q) / 2)
             for q in Q]
    return [[(x - max(q)) / temper - math.log(sum(math.exp((y - max(q)) / temper) for y in q)) for x in q] for q in Q]


def worth(fix, log_pi):
    """Discounted utility of a policy from a good machine on."""
    V = [0.0] * 3
    for _ in range(2000):
        V = [sum(math.exp(log_pi[s][i]) * ((EARNS[s] if u == "run" else fix) + G * sum(p * v for p, v in zip(P[u][s], V)))
                 for i, u in enumerate(ACTIONS)) for s in range(3)]
    return V[0]


class Planners(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name

    def tearDown(self):
        self.temporary.cleanup()

    def path(self, name):
        return os.path.join(self.folder, name)

    def done(self, *args, codes=(0,)):
        out = run(*args)
        self.assertIn(out.returncode, codes, " ".join(map(str, args)) + "\n" + out.stderr)
        return out.stdout

    def fit(self, study, truth, method="map"):
        with open(self.path("study.yaml"), "w", encoding="utf-8") as file:
            file.write(study)
        values = [x for name, value in truth.items() for x in ("-p", f"{name}={value}")]
        self.done("simulate", self.path("study.yaml"), "-n", 200, "--max-steps", 15, "-o", self.path("logs.csv"), "-q", *values)
        self.done("fit", self.path("study.yaml"), self.path("logs.csv"), "--method", method, "-o", self.path("fit"), "-q")
        with open(self.path("fit/fit.json"), encoding="utf-8") as file:
            fit = json.load(file)
        for name, value in truth.items():
            log = "alpha" in name
            found = fit["parameters"]["log_" + name if log else name]
            self.assertLess(abs(found["mean"] - (math.log(value) if log else value)), 4 * found["sd"], name)
            self.assertNotIn(name, fit["given"])
        return fit

    def afterwards(self, bound):
        """Every question that can be asked of it has an answer, and the agent with errors is no ideal."""
        self.assertIn("AS IF", self.done("summary", self.path("fit")))
        told = json.loads(self.done("outcomes", self.path("fit"), "--json"))
        self.assertGreater(told["losses"]["whole"]["mean"], 0)
        self.assertIn(bound, told["losses"]["bounds"])
        self.done("predict", self.path("fit"), codes=(0, 1))
        self.done("sensitivity", self.path("fit"), "--vary", "discount=0.85:0.95", "--points", 3, "--draws", 0)
        return told

    def counts(self):
        with open(self.path("logs.csv"), encoding="utf-8") as file:
            return collections.Counter((row["state"], row["action"]) for row in csv.DictReader(file))

    def check_numbers(self, fit, name, soft):
        """Of the maximum; then what such an agent and the ideal are worth in the environment."""
        at = fit["maximum"]["values"]
        log_pi = machine(at["fix"], math.exp(at["log_" + name]), soft)
        mine = sum(n * log_pi[STATES.index(s)][ACTIONS.index(u)] for (s, u), n in self.counts().items())
        self.assertAlmostEqual(fit["maximum"]["log_likelihood"], mine, delta=1e-7 * abs(mine))
        told = self.afterwards("consistency")["losses"]
        self.assertAlmostEqual(told["value"]["mean"], worth(at["fix"], log_pi), delta=1e-7)
        best = [[0 if x == max(q) else -math.inf for x in q] for q in machine(at["fix"], 1e-3, False)]
        self.assertAlmostEqual(told["value_ideal_true"]["mean"], worth(at["fix"], best), delta=1e-7)

    def test_model_based_mdp(self):
        fit = self.fit(MACHINE.replace("PLANNER", "model-based-mdp").replace("REST", "act_alpha: learn"),
                       {"fix": -5, "act_alpha": 0.5})
        self.check_numbers(fit, "act_alpha", False)
        self.assertEqual(fit["given"]["alpha"], 0)

    def test_maximum_entropy(self):
        fit = self.fit(MACHINE.replace("PLANNER", "maximum-entropy").replace("REST", "alpha: learn"), {"fix": -5, "alpha": 1})
        self.check_numbers(fit, "alpha", True)

    def test_model_based_pomdp(self):
        self.fit(TIGER, {"cost": -1, "act_alpha": 3})
        self.afterwards("consistency")
        self.assertIn("knows the true world", self.done("explain", self.path("fit"), "--history", "listen:hear_left"))

    def test_no_purpose(self):
        self.fit(MACHINE.replace("PLANNER", "decision-rule").replace(", REST", ""), {"fix": -1})
        self.assertIn("AS IF", self.done("summary", self.path("fit")))
        for command in (["outcomes", self.path("fit")], ["explain", self.path("fit"), "--history", "run:good"]):
            out = run(*command)
            self.assertEqual((out.returncode, out.stdout), (2, ""))
            self.assertIn("decision-rule does not act for the sake of a utility", out.stderr)


if __name__ == "__main__":
    unittest.main()
