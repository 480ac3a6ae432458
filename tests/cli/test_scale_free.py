"""Fits in which nothing fixes the scale of the utilities: DIAG with alpha and three utilities, of a neutral agent. The likelihood does
not change along two directions, so what is known exactly of the posterior has to come out of the draws; and the combinations that the
data determine are those of the draws. The long form, with optimism and eta, is tests/long/six_parameters.py.

ctest label: slow"""
import csv
import json
import math
import os
import shutil
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
SOURCE = os.environ.get("ASIF_SOURCE")
LOGS = os.path.join(os.environ.get("ASIF_ORACLE", ""), "logs_neutral.csv")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

if not os.path.exists(LOGS):
    print("the logs of the oracle are not there")
    sys.exit(77)

DIAG = os.path.join(SOURCE, "examples", "diag", "study.yaml")
UTILITIES = {"correct": 10, "wrong": -36, "cost": -1}
NEUTRAL = ["-p", "optimism=0", "-p", "eta=0"]
AGENT = {"alpha": 0.5, "optimism": 0.8, "eta": 3.0, **UTILITIES}


def run(*args, code=None):
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, timeout=300)
    if code is not None:
        assert done.returncode == code, (args, done.returncode, done.stdout.decode() + done.stderr.decode())
    return done


def quantile(x, p):
    x = sorted(x)
    at = p * (len(x) - 1)
    low = math.floor(at)
    return x[low] + (at - low) * (x[min(low + 1, len(x) - 1)] - x[low])


class ScaleFree(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.logs, cls.study, cls.fit = LOGS, os.path.join(cls.folder, "six.yaml"), os.path.join(cls.folder, "fit")
        with open(DIAG) as file:
            text = file.read()
        for name, value in UTILITIES.items():
            text = text.replace(f"    {name}: {value}\n", f"    {name}: {{learn: , standard: {value}}}\n")
        with open(cls.study, "w") as file:
            file.write(text)
        run("fit", cls.study, cls.logs, "-o", cls.fit, "--method", "ridge", "--no-sensitivity", "--no-answers", "--resolution", 60, "-q", *NEUTRAL)
        with open(os.path.join(cls.fit, "fit.json")) as file:
            cls.found = json.load(file)
        cls.draws = []
        for i in range(4):
            with open(os.path.join(cls.fit, f"chain-{i + 1}.csv"), newline="") as file:
                cls.draws += csv.DictReader(line for line in file if not line.startswith("#"))
        cls.draws = [{k: float(v) for k, v in row.items()} for row in cls.draws]

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def likelihood(self, **agent):
        flags = [word for name, value in agent.items() for word in ("-p", f"{name}={value!r}")]
        return json.loads(run("check", self.study, self.logs, "--json", *flags, code=0).stdout)["log_likelihood"]

    def test_symmetries(self):
        """Utilities with a constant added, and everything times a constant (optimism over it), are the same agent."""
        base = self.likelihood(**AGENT)
        self.assertAlmostEqual(base, self.likelihood(**{k: v + 17 * (k in UTILITIES) for k, v in AGENT.items()}), delta=1e-6)
        self.assertAlmostEqual(base, self.likelihood(**{k: v / 3 if k == "optimism" else 3 * v for k, v in AGENT.items()}),
                               delta=1e-6)
        self.assertGreater(abs(base - self.likelihood(**{**AGENT, "alpha": 0.6})), 0.1)

    def test_weights(self):
        """The weights are good, and draws are trusted where the walk did not lose the ridge."""
        trust = self.found["trust"]
        self.assertLess(trust["khat"], 0.7)
        self.assertGreater(trust["kish"], 1000)
        self.assertEqual(trust["good"], trust["inside"])

    def test_mean_utility(self):
        """Data say nothing about the mean of the utilities, which is independent of their differences in the prior."""
        mean = [sum(d[k] for k in UTILITIES) / 3 for d in self.draws]
        centre, sd = sum(UTILITIES.values()) / 3, 23 / math.sqrt(3)
        n = self.found["trust"]["kish"]
        got = sum(mean) / len(mean)
        self.assertLess(abs(got - centre), 4 * sd / math.sqrt(n))
        spread = math.sqrt(sum((m - got) ** 2 for m in mean) / (len(mean) - 1))
        self.assertLess(abs(spread / sd - 1), 4 / math.sqrt(2 * n) + 0.02)

    def test_combinations(self):
        values = {"(correct - cost) / alpha": lambda d: (d["correct"] - d["cost"]) / math.exp(d["log_alpha"]),
                  "(wrong - cost) / alpha": lambda d: (d["wrong"] - d["cost"]) / math.exp(d["log_alpha"])}
        found = {c["name"]: c for c in self.found["combinations"]}
        self.assertEqual(set(found), set(values))
        for name, value in values.items():
            x = [value(d) for d in self.draws]
            for key, p in (("q05", 0.05), ("q50", 0.5), ("q95", 0.95)):
                self.assertAlmostEqual(found[name][key], quantile(x, p), delta=1e-3 * abs(quantile(x, p)) + 1e-6, msg=name)
        for name, truth in (("(correct - cost) / alpha", 22), ("(wrong - cost) / alpha", -70)):
            self.assertEqual(found[name]["identified"], "yes")
            self.assertLess(found[name]["q05"], truth)
            self.assertGreater(found[name]["q95"], truth)
        said = " ".join(run("summary", self.fit).stdout.decode().split())
        self.assertIn("so the data can determine only these combinations: (correct - cost) / alpha", said)

    def test_fixed(self):
        """Where a utility has a value, the scale is known, and there are no combinations."""
        fit = os.path.join(self.folder, "fixed")
        run("fit", self.study, self.logs, "-o", fit, "--method", "ridge", "--no-sensitivity", "--no-answers", "--resolution", 60, "-q", "-p", "cost=-1", "-p", "correct=10",
            "-p", "wrong=-36", *NEUTRAL)
        with open(os.path.join(fit, "fit.json")) as file:
            self.assertEqual(json.load(file)["combinations"], [])


if __name__ == "__main__":
    unittest.main()
