"""asif predict --prior: a prior that is nearly a point is that agent, simulated agents of the prior do the same, seeds reproduce, a
fit's priors are its study's, and mistakes."""
import collections
import csv
import json
import math
import os
import random
import shutil
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


def run(*args, code=None):
    done = subprocess.run([ASIF, *map(str, args)], capture_output=True, timeout=300)
    if code is not None:
        assert done.returncode == code, (args, done.returncode, done.stdout.decode() + done.stderr.decode())
    return done


class Prior(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.logs = os.path.join(cls.folder, "logs.csv")
        run("simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "-n", 200, "--seed", 5, "-o", cls.logs, code=0)

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    def study(self, name, **parameters):
        with open(DIAG) as file:
            text = file.read()
        path = os.path.join(self.folder, name + ".yaml")
        with open(path, "w") as file:
            file.write(text[:text.index("    alpha: learn")] + "".join(f"    {k}: {v}\n" for k, v in parameters.items()) +
                       "\n" + text[text.index("solver:"):])
        return path

    def ask(self, *args, code=None):
        return json.loads(run("predict", "--prior", *args, "--json", "-q", code=code).stdout)

    def family(self, answer, name):
        return next(f for f in answer["families"] if f["name"] == name)

    def test_point(self):
        """The agent of a prior without width has the policy of `asif plan`."""
        study = self.study("point", alpha="learn ~ lognormal(-0.6931471805599453, 1e-7)", optimism="learn ~ normal(0.8, 1e-7)",
                           eta="learn ~ normal(3, 1e-7)")
        answer = self.ask(study, self.logs, "--simulated", 0)
        self.assertIs(answer["prior"], True)
        looked = 0
        for group in self.family(answer, "histories")["groups"]:
            path = ",".join(f"{step['action']}:{step['observation']}" for step in group["history"])
            plan = json.loads(run("plan", DIAG, "-p", "alpha=0.5", "-p", "optimism=0.8", "-p", "eta=3", "--json",
                                  *(["--history", path] if path else ["--belief", "0.5,0.5"]), code=0).stdout)
            policy = (plan["history"] if path else plan["beliefs"])[-1]["policy"]
            for action, cell in group["cells"].items():
                self.assertAlmostEqual(cell["predicted"], policy[action], delta=1e-5)
                looked += 1
        self.assertGreater(looked, 12)

    def test_simulation(self):
        """Lengths of episodes of agents of the prior: our own draws of it, each simulated by the command."""
        study = self.study("alpha", alpha="learn ~ lognormal(-0.7, 0.7)", beta="inf", eta=0)
        answer = self.ask(study, self.logs, "--draws", 150, "--simulated", 150)
        cells = next(g for g in self.family(answer, "lengths")["groups"] if g["measure"] == "length")["cells"]
        rng, shares = random.Random(1), []
        for i in range(80):
            file = os.path.join(self.folder, "one.csv")
            run("simulate", study, "-p", f"alpha={math.exp(rng.gauss(-0.7, 0.7))!r}", "-n", 200, "--seed", i, "-o", file, code=0)
            with open(file, newline="") as rows:
                lengths = collections.Counter(row["episode"] for row in csv.DictReader(rows))
            counted = collections.Counter(lengths.values())
            shares.append({k: n / len(lengths) for k, n in counted.items()})
        compared = 0
        for length in (3, 4, 5, 7):
            mine = [s.get(length, 0) for s in shares]
            mean = sum(mine) / len(mine)
            error = math.sqrt(sum((m - mean) ** 2 for m in mine) / (len(mine) - 1) * (1 / len(mine) + 1 / 150))
            cell = cells.get(str(length))
            if cell:
                self.assertLess(abs(cell["predicted"] - mean), 4 * error + 1e-3, (length, cell, mean, error))
                compared += 1
        self.assertGreater(compared, 2)

    def test_seeds(self):
        study = self.study("seeds", alpha="learn", beta="learn", eta="learn")
        first, again = self.ask(study, self.logs, "--simulated", 0), self.ask(study, self.logs, "--simulated", 0)
        self.assertEqual(first, again)
        self.assertNotEqual(first, self.ask(study, self.logs, "--simulated", 0, "--seed", 1))
        threads = self.ask(study, self.logs, "--simulated", 0, "--threads", 3)
        self.assertEqual(first, threads)

    def test_fit(self):
        """A fit has the priors of its study; what is fitted does not matter."""
        study = self.study("fitted", alpha="learn", beta="inf", eta=0)
        fit = os.path.join(self.folder, "fit")
        run("fit", study, self.logs, "-o", fit, "--method", "map", "--no-sensitivity", "-q")
        self.assertEqual(self.ask(fit, "--simulated", 0), self.ask(study, self.logs, "--simulated", 0))

    def test_conflict(self):
        """A prior of agents that act at random does not expect these logs; a wide one does."""
        study = self.study("random", alpha="learn ~ lognormal(6, 0.1)", beta="inf", eta=0)
        done = run("predict", "--prior", study, self.logs, "--simulated", 0, code=1)
        said = " ".join(done.stdout.decode().split())
        self.assertIn("NOT EXPECTED BY THE ASSUMPTIONS ALONE", said)
        self.assertIn("agents of the prior in", said)
        self.assertNotIn("fitted", said)
        study = self.study("wide", alpha="learn", beta="learn", eta="learn")
        said = " ".join(run("predict", "--prior", study, self.logs, "--simulated", 0, code=0).stdout.decode().split())
        self.assertIn("200 agents drawn from the prior, which is what the assumptions alone expect", said)
        self.assertIn("The assumptions alone allow for everything that was checked", said)
        self.assertNotIn("fitted", said)

    def test_mistakes(self):
        study = self.study("wrong", alpha="learn", beta="inf", eta=0)
        flat = self.study("flat", alpha="learn ~ flat", beta="inf", eta=0)
        fit = os.path.join(self.folder, "mistaken")
        run("fit", study, self.logs, "-o", fit, "--method", "map", "--no-sensitivity", "-q")
        for args, words in [((study, self.logs), "nothing was fitted yet"),
                            (("--prior", flat, self.logs), "the prior of alpha is flat"),
                            (("--prior", fit, "-p", "alpha=1"), "-p is for a study and logs"),
                            (("--prior", study, self.logs, "-p", "alpha=1"), "nothing is left to estimate"),
                            (("--prior", study, os.path.join(self.folder, "none.csv")), "none.csv")]:
            done = run("predict", *args, code=2)
            self.assertIn(words, " ".join(done.stderr.decode().split()))


if __name__ == "__main__":
    unittest.main()
