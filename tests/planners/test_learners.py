"""Planners that learn, at the command: what `asif plan` says of them, what it refuses, and that they act."""
import csv
import io
import json
import os
import subprocess
import sys
import tempfile
import unittest

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
EXAMPLES = os.path.join(SOURCE, "examples", "planners")
TIGER = """
asif: 1
environment: {{pomdp: {pomdp}}}
agent: {{planner: {planner}}}
solver: {{{solver}}}
"""
WALK = """
asif: 1
states: [home, away]
actions: [stay, go]
environment:
  start: [1, 0]
  transitions: {{stay: identity, go: [[0.2, 0.8], [0.7, 0.3]]}}
agent:
  planner: {planner}
  discount: 0.9
  utility: {{stay: {{home: 0, away: 1}}, go: -0.2}}
  parameters: {{{parameters}}}
solver: {{{solver}}}
"""


def run(*args):
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, check=False)


class Learners(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory()
        self.addCleanup(self.folder.cleanup)

    def study(self, text, **values):
        path = os.path.join(self.folder.name, "study.yaml")
        with open(path, "w", encoding="utf-8") as file:
            file.write(text.format(**values))
        return path

    def tiger(self, solver="samples: 20000, hidden: 3", planner="recurrent"):
        pomdp = os.path.join(SOURCE, "examples", "tiger", "tiger.pomdp")
        return self.study(TIGER, pomdp=pomdp, planner=planner, solver=solver)

    def test_hidden(self):
        study = self.tiger()
        done = run("plan", study)
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("learnt from 20,480 samples of the environment; the planner has a policy, but no",
                      " ".join(done.stdout.split()))
        self.assertIn("at the start", done.stdout)
        self.assertNotIn("P(", done.stdout)
        done = run("plan", study, "--history", "listen:hear-left,open-right:hear-left")
        self.assertEqual(done.returncode, 0, done.stderr)
        self.assertIn("open-right", done.stdout)
        done = run("plan", study, "--history", "listen:hear-left", "--json")
        plan = json.loads(done.stdout)
        self.assertEqual(plan["solver"]["samples"], 20480)
        self.assertEqual(plan["solver"]["residual"], 0)
        self.assertEqual(plan["solver"]["bound"], "inf")
        self.assertEqual(len(plan["history"]), 2)
        for point in plan["history"]:
            self.assertEqual(len(point["hidden"]), 3)
            self.assertTrue(all(-1 <= x <= 1 for x in point["hidden"]))
            self.assertAlmostEqual(sum(point["policy"].values()), 1, 12)
            self.assertNotIn("value", point)
            self.assertNotIn("belief", point)

    def test_no_beliefs(self):
        done = run("plan", self.tiger(), "--belief", "0.5,0.5")
        self.assertEqual(done.returncode, 2)
        self.assertIn("has no beliefs", done.stderr)
        self.assertIn("--history", done.stderr)
        done = run("plan", self.tiger(), "--occupancy")
        self.assertEqual(done.returncode, 2)
        self.assertIn("no occupancy", done.stderr)

    def test_simulates(self):
        study, texts = self.tiger(), []
        for threads in (1, 2):
            done = run("simulate", study, "-n", 20, "--max-steps", 30, "--seed", 5, "--threads", threads, "-o", "-")
            self.assertEqual(done.returncode, 0, done.stderr)
            texts.append(done.stdout)
        self.assertEqual(texts[0], texts[1])
        self.assertEqual(len(list(csv.DictReader(io.StringIO(texts[0])))), 600)

    def test_table(self):
        plans = []
        for seed in (1, 1, 2):
            study = self.study(WALK, planner="q-learning", parameters="", solver=f"samples: 10000, seed: {seed}")
            done = run("plan", study, "--json", "--belief", "home", "--belief", "away")
            self.assertEqual(done.returncode, 0, done.stderr)
            plan = json.loads(done.stdout)
            self.assertEqual(plan["solver"]["samples"], 10000)
            self.assertEqual(plan["solver"]["residual"], 0)
            self.assertGreater(plan["solver"]["bound"], 0)
            plans.append(plan["beliefs"])
        self.assertEqual(plans[0], plans[1])
        self.assertNotEqual(plans[0], plans[2])
        # Stay away for ever: 1 / (1 - .9); home: V = -.2 + .9 (.2 V + .8 10).
        away, home = 10, (-0.2 + 0.9 * 0.8 * 10) / (1 - 0.18)
        for plan in plans:
            self.assertAlmostEqual(plan[0]["value"], home, delta=0.05)
            self.assertAlmostEqual(plan[1]["value"], away, delta=1e-4)
            self.assertEqual([p["policy"]["go"] for p in plan], [1, 0])

    def test_method(self):
        values = {}
        for method in ("solve", "samples"):
            study = self.study(WALK, planner="maximum-entropy", parameters="alpha: 0.3", solver=f"method: {method}")
            done = run("plan", study, "--json", "--belief", "home")
            self.assertEqual(done.returncode, 0, done.stderr)
            plan = json.loads(done.stdout)
            self.assertEqual("samples" in plan["solver"], method == "samples")
            values[method] = plan["beliefs"][0]["value"]
        self.assertNotEqual(values["solve"], values["samples"])
        self.assertAlmostEqual(values["solve"], values["samples"], delta=0.02)
        study = self.study(WALK, planner="bounded-rational", parameters="alpha: 0.3, beta: inf, eta: 0", solver="method: samples")
        done = run("plan", study)
        self.assertEqual(done.returncode, 2)
        self.assertIn("does not learn from samples", done.stderr)


if __name__ == "__main__":
    unittest.main()
