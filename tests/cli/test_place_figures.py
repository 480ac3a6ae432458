"""Figures of policies where a part of the state is seen: one for each seen value with which an episode can begin, with the
probabilities of `asif plan --belief`."""
import json
import os
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
if not ASIF or not os.path.exists(ASIF):
    print("ASIF (path of the command) is not set")
    sys.exit(77)

CONDITIONS = """\
asif: 1
states: [healthy, diseased]
actions: [test, treat, discharge]
observations: [negative, positive]
environment:
  start: {by: clinic, town: [0.9, 0.1], village: [0.7, 0.3]}
  transitions: {test: identity, any: terminal}
  emissions: {by: device, old: {sensitivity: 0.7, specificity: 0.7}, new: {sensitivity: 0.85, specificity: 0.9}}
agent:
  discount: 0.99
  utility:
    test: {by: device, old: -0.5, new: -1}
    treat: {diseased: 0, healthy: -10}
    discharge: {healthy: 0, diseased: -30}
  parameters: {alpha: 1}
"""
# Reachable beliefs, between which figures need a lattice; 5 and 6 draws can be left at the start.
COUNTED = """\
asif: 1
states: {seen: {left: 0 to 6}, hidden: {urn: [blue, pink]}}
actions: [draw, say_blue, say_pink]
observations: [b, p]
environment:
  start: {left: {5: 0.5, 6: 0.5}, urn: uniform}
  transitions: {draw: {left: -1}, any: terminal}
  available: {draw: left > 0}
  emissions: [[0.7, 0.3], [0.3, 0.7]]
agent:
  discount: 0.999
  utility: {draw: -0.2, say_blue: {blue: 10, pink: 0}, say_pink: {pink: 10, blue: 0}}
  parameters: {alpha: 0.5}
"""


class Figures(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.folder = folder.name

    def drawn(self, study):
        with open(os.path.join(self.folder, "study.yaml"), "w", encoding="utf-8") as file:
            file.write(study)
        out = os.path.join(self.folder, "figures")
        self.run_plan("--figures", out)
        figures = {}
        for name in os.listdir(out):
            with open(os.path.join(out, name), encoding="utf-8") as file:
                figures[name.removesuffix(".vl.json")] = json.load(file)
        return figures

    def run_plan(self, *more):
        done = subprocess.run([ASIF, "plan", os.path.join(self.folder, "study.yaml"), *more], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def compare(self, figure, within, *where):
        """Lines against what the command says of three beliefs."""
        rows = figure["datasets"]["policy"]
        for second in (0.25, 0.5, 0.9):
            wanted = json.loads(self.run_plan("--json", "--belief", f"{1 - second},{second}", *where))["beliefs"][0]["policy"]
            for action, probability in wanted.items():
                found = [row["probability"] for row in rows if row["action"] == action and abs(row["belief"] - second) < 1e-9]
                if found:
                    self.assertAlmostEqual(found[0], probability, delta=within, msg=f"{action} at {second}, {where}")
            self.assertTrue(any(abs(row["belief"] - second) < 1e-9 for row in rows))

    def test_conditions(self):
        figures = self.drawn(CONDITIONS)
        self.assertEqual(sorted(figures), [f"policy-{c}-{d}" for c in ("town", "village") for d in ("new", "old")])
        for clinic in ("town", "village"):
            for device in ("old", "new"):
                figure = figures[f"policy-{clinic}-{device}"]
                self.assertIn(f"clinic = {clinic}, device = {device}", json.dumps(figure["title"]))
                self.compare(figure, 1e-5, "--condition", f"clinic={clinic},device={device}")

    def test_beginnings(self):
        """At reachable beliefs numbers are exact; the lattice of the figure is near them."""
        figures = self.drawn(COUNTED)
        self.assertEqual(sorted(figures), ["policy-5", "policy-6"])
        for left in (5, 6):
            self.compare(figures[f"policy-{left}"], 2e-3, "--seen", str(left))


unittest.main()
