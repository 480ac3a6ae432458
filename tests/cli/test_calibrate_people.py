"""asif recover and asif sbc with populations: what they say follows from the list of fits, intervals cover, threads and interruptions change
nothing, and mistakes."""
# ctest label: slow
import json
import math
import os
import re
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
LOGS = ["-n", "6", "--max-steps", "10", "--resolution", "12", "--tol", "1e-7"]
DESIGN = ["--people", "24", *LOGS, "--threads", "2"]
# mean and sd of the priors of log alpha, which are those of a population's mean, and the scale of its sd
CENTRE, SCALE = -0.7, 0.5


def run(*args):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, env=environment, timeout=600)


def read(*parts):
    with open(os.path.join(*parts), encoding="utf-8") as file:
        return file.read()


class Case(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.mkdtemp()
        self.addCleanup(shutil.rmtree, self.folder)
        self.study = self.write("study.yaml", "")

    def write(self, name, more):
        """A study in which people differ in alpha alone."""
        text = re.sub(r"beta:  learn .*", "beta: 1.25", read(DIAG))
        text = re.sub(r"eta:   learn", "eta: 0", re.sub(r"alpha: learn .*", f"alpha: learn ~ lognormal({CENTRE}, {SCALE})", text))
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text + more)
        return path

    def json(self, *args):
        done = run(*args, "--json")
        self.assertIn(done.returncode, (0, 1), done.stderr.decode())
        return json.loads(done.stdout)

    def refuse(self, words, *args):
        done = run(*args)
        self.assertEqual((done.returncode, done.stdout), (2, b""), done.stderr.decode())
        self.assertIn(words, done.stderr.decode())


class Recover(Case):
    def test_figures(self):
        told = self.json("recover", self.study, "--replicates", 12, *DESIGN)
        self.assertEqual(list(told["parameters"]), ["mean_log_alpha", "sd_log_alpha"])
        self.assertEqual((told["done"], told["failed"], told["people"]["people"], told["episodes"]), (12, 0, 24, 6))
        held = [fit["people_held"] for fit in told["fits"]]
        mean = sum(held) / 12
        self.assertAlmostEqual(told["people"]["held"], mean, places=12)
        self.assertAlmostEqual(told["people"]["held_se"], math.sqrt(sum((h - mean) ** 2 for h in held) / 11 / 12), places=12)
        # 288 people: 90 % of the intervals, to three standard errors and what their dependence adds
        self.assertTrue(0.83 < mean < 0.97, mean)
        for fit in told["fits"]:
            self.assertEqual(fit["people_held"], round(24 * fit["people_held"]) / 24)
        for name, number in told["parameters"].items():
            fits = [fit[name] for fit in told["fits"]]
            self.assertAlmostEqual(number["bias"], sum(f["estimate"] - f["truth"] for f in fits) / 12, places=9)
            self.assertEqual(number["coverage"]["held"], sum(f["q05"] <= f["truth"] <= f["q95"] for f in fits))
            self.assertGreaterEqual(number["coverage"]["held"], 7)  # fewer with a probability of 5e-4
        # truths are from the priors: a normal mean, and a half-normal sd with the least spread added
        means = [(fit["mean_log_alpha"]["truth"] - CENTRE) / SCALE for fit in told["fits"]]
        squares = [(fit["sd_log_alpha"]["truth"] / SCALE) ** 2 - 0.05**2 for fit in told["fits"]]
        self.assertLess(abs(sum(means) / math.sqrt(12)), 3.5)  # in standard errors
        self.assertGreaterEqual(min(squares), 0)
        self.assertTrue(2 < sum(squares) < 32, squares)  # chi-square with 12 degrees of freedom
        self.assertGreater(told["parameters"]["mean_log_alpha"]["correlation"], 0.8)

    def test_text(self):
        done = run("recover", self.study, "--replicates", 2, *DESIGN)
        self.assertEqual(done.returncode, 0)
        text = done.stdout.decode()
        self.assertIn("2 populations, 24 people each, 6 episodes of each person", re.sub(" · ", ", ", text))
        self.assertRegex(text, r"The 90 % intervals of people contain the truth in \d")

    def test_mistakes(self):
        self.refuse("has no single truth", "recover", self.study, "--people", 10, "-p", "alpha=1")
        self.refuse("no use for --method", "recover", self.study, "--people", 10, "--method", "map")
        self.refuse("2 to", "sbc", self.study, "--people", 1)
        other = self.write("covariates.yaml", "population: {alpha: ~ age}\n")
        self.refuse("cannot be drawn", "sbc", other, "--people", 10)
        self.refuse("cannot be drawn", "sbc", self.write("kinds.yaml", "population: {kinds: 2}\n"), "--people", 10)


class Sbc(Case):
    def test_ranks_and_resume(self):
        out, other = os.path.join(self.folder, "out"), os.path.join(self.folder, "other")
        flags = ["sbc", self.study, *LOGS, "--people", 24, "--bins", 4]
        first = self.json(*flags, "--replicates", 2, "-o", out, "--threads", 2)
        self.assertNotIn("log_likelihood", first)
        told = self.json(*flags, "--replicates", 5, "-o", out, "--threads", 2)
        whole = self.json(*flags, "--replicates", 5, "-o", other, "--threads", 1)
        self.assertEqual(told, whole)
        self.assertEqual(read(out, "replicates.csv"), read(other, "replicates.csv"))
        for name, number in told["parameters"].items():
            self.assertEqual(sum(number["histogram"]), 5)
            for fit in told["fits"]:
                f = fit[name]
                if f["truth"] < f["q05"]:
                    self.assertLess(f["rank"], 15)
                elif f["truth"] > f["q95"]:
                    self.assertGreater(f["rank"], 84)
        # the same populations as those of recover
        same = self.json("recover", self.study, "--replicates", 2, *DESIGN)
        self.assertEqual([f["sd_log_alpha"]["truth"] for f in same["fits"]], [f["sd_log_alpha"]["truth"] for f in told["fits"][:2]])
        # a population of other people is not a continuation
        done = run("sbc", self.study, *LOGS, "--people", 25, "--bins", 4, "--replicates", 2, "-o", out)
        self.assertEqual(done.returncode, 2)
        self.assertIn("made with other flags", done.stderr.decode())


if __name__ == "__main__":
    unittest.main()
