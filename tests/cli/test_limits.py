"""What 64 bits can hold: loose tolerances, weights whose sum is more than a number can hold, and discounts so near 1 that values drown in rounding."""
import json
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

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
AGENT = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0"]


class Limits(unittest.TestCase):
    def setUp(self):
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = folder.name
        with open(DIAG, encoding="utf-8") as file:
            self.diag = file.read()

    def run_in(self, *args):
        return subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, cwd=self.at, timeout=120, check=False)

    def write(self, name, *changes):
        text = self.diag
        for old, new in changes:
            self.assertIn(old, text)
            text = text.replace(old, new)
        with open(os.path.join(self.at, name), "w", encoding="utf-8") as file:
            file.write(text)
        return name

    def simulate(self):
        self.assertEqual(self.run_in("simulate", DIAG, *AGENT, "-n", 60, "--seed", 1, "-o", "logs.csv").returncode, 0)

    def test_loose_tolerance(self):
        self.simulate()
        found = []
        for tol in ("1e-12", "1e-6"):
            done = self.run_in("fit", DIAG, "logs.csv", "-p", "beta=1.25", "-p", "eta=0", "--method", "ml", "--tol", tol,
                               "-o", "fit", "--force", "-q", "--json")
            self.assertIn(done.returncode, (0, 1), done.stderr)
            found.append(json.loads(done.stdout)["maximum"])
        self.assertAlmostEqual(found[0]["log_likelihood"], found[1]["log_likelihood"], delta=1e-3)

    def test_large_weights(self):
        plans = []
        for large, small in (("1e308", "1"), ("1", "1e-308")):
            world = lambda weight, matrix: "- weight: %s\n      emissions: [[%s" % (weight, matrix)
            study = self.write("study.yaml", ("- emissions: [[0.6", world(large, "0.6")),
                               ("- emissions: [[0.7", world(small, "0.7")), ("- emissions: [[0.8", world(large, "0.8")))
            done = self.run_in("plan", study, *AGENT, "--json")
            self.assertEqual(done.returncode, 0, done.stderr)
            plans.append(json.loads(done.stdout))
        first, second = ([b["value"] for b in plan["beliefs"]] for plan in plans)
        for a, b in zip(first, second):
            self.assertAlmostEqual(a, b, delta=1e-9)

    def test_discount_near_one(self):
        near = self.write("near.yaml", ("discount: 0.95", "discount: 0.99999999999999"))
        done = self.run_in("check", near)
        self.assertEqual(done.returncode, 0)
        self.assertIn("the discount is so near 1 that values can be computed", done.stdout + done.stderr)
        done = self.run_in("plan", near, *AGENT)
        self.assertEqual(done.returncode, 1)
        self.assertIn("NOT solved", done.stdout)
        self.assertIn("the discount is so near 1 that rounding decides the values", done.stderr)
        self.simulate()
        done = self.run_in("fit", near, "logs.csv", "-p", "beta=1.25", "-p", "eta=0", "--method", "ml", "-o", "fit")
        self.assertNotIn(done.returncode, (0, 1))
        self.assertIn("the discount is so near 1 that rounding decides the values", done.stderr)
        # not so near that anything is lost
        done = self.run_in("plan", self.write("far.yaml", ("discount: 0.95", "discount: 0.999999")), *AGENT, "--json")
        self.assertEqual((done.returncode, done.stderr), (0, ""))


if __name__ == "__main__":
    unittest.main()
