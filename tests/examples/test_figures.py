"""examples/diag/figures in its short form: Figure 2 has six agents whose beliefs and policies are those of an independent
implementation, Figure 3 three panels with their truths.

ctest label: slow
"""
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
ORACLE = os.environ.get("ASIF_ORACLE", "")
if not os.path.exists(os.path.join(ORACLE, "logs_optimistic.csv")):
    print("skipped: the oracle's logs are not here (ASIF_ORACLE)")
    sys.exit(77)

# FACTS.md, section 1, in the order of the panels: beliefs after one, two and three positive tests
BELIEFS = [
    (0.7001, 0.8420, 0.9232),
    (0.7571, 0.9069, 0.9609),
    (0.7001, 0.8421, 0.9232),
    (0.7001, 0.8421, 0.9232),
    (0.6287, 0.7391, 0.8242),
    (0.7001, 0.8420, 0.9232),
]


def data_of(node):
    """All data sets of a specification."""
    if isinstance(node, dict):
        values = node.get("values")
        found = [values] if isinstance(values, list) and values and isinstance(values[0], dict) else []
        return found + [values for child in node.values() for values in data_of(child)]
    return [values for child in node for values in data_of(child)] if isinstance(node, list) else []


class Figures(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        with tempfile.TemporaryDirectory(prefix="asif-test-") as folder:
            script = os.path.join(SOURCE, "examples", "diag", "figures")
            command = [sys.executable, script, "--asif", ASIF, "--logs", ORACLE, "-o", folder, "--quick"]
            done = subprocess.run(command, capture_output=True, text=True)
            if done.returncode:
                raise AssertionError(done.stdout + done.stderr)
            cls.figure = {}
            for k in (2, 3):
                with open(os.path.join(folder, "figure-%d.vl.json" % k), encoding="utf-8") as f:
                    cls.figure[k] = json.load(f)

    def test_six_agents(self):
        panels = self.figure[2]["concat"]
        self.assertEqual(len(panels), 6)
        self.assertEqual(len({panel["title"] for panel in panels}), 6)
        for panel, beliefs in zip(panels, BELIEFS):
            marks = [rows for rows in data_of(panel) if rows[0].get("label") == "z0"]
            self.assertTrue(marks, panel["title"])
            xs = [row["belief"] for row in marks[0]]
            self.assertAlmostEqual(xs[0], 0.5, 6)
            for x, belief in zip(xs[1:], beliefs):
                self.assertAlmostEqual(x, belief, delta=2e-4)

    def test_three_panels_with_truths(self):
        alpha, *pairs = self.figure[3]["concat"]
        self.assertEqual([row["x"] for row in data_of(alpha)[1]], [1e-5, 0.5, 10])
        self.assertEqual(len(pairs), 2)
        for panel, truth in zip(pairs, ((0.001, 75), (0.8, 0.001))):
            crosses = [rows for rows in data_of(panel) if len(rows) == 1 and "y" in rows[0]]
            self.assertIn(truth, [(rows[0]["x"], rows[0]["y"]) for rows in crosses])


unittest.main()
