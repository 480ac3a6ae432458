"""Rival explanations: designs whose posteriors have two tops, by every method, however many chains, whatever the number of threads.
tests/long/tops.py runs them at default settings."""
import filecmp
import importlib.util
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
spec = importlib.util.spec_from_file_location("tops", os.path.join(SOURCE, "tests", "long", "tops.py"))
tops = importlib.util.module_from_spec(spec)
spec.loader.exec_module(tops)

SHORT = ["--warmup", "300", "--draws", "300"]


class Tops(unittest.TestCase):
    def setUp(self):
        self.temporary = tempfile.TemporaryDirectory()
        self.folder = self.temporary.name
        self.addCleanup(self.temporary.cleanup)

    def fit(self, name, *flags):
        study, logs = tops.write(self.folder, name)
        done, found = tops.fit(ASIF, study, logs, self.folder, *flags)
        return study, done, found

    def check(self, name, *flags):
        study, done, found = self.fit(name, *flags)
        self.assertEqual(tops.faults(ASIF, name, study, done, found), [], (name, flags))
        return done, found

    def test_both_are_told_whatever_the_seed(self):
        for seed in range(1, 13):
            self.check("even", "--seed", str(seed), *SHORT)
        for seed in range(1, 4):
            self.check("prizes", "--seed", str(seed), *SHORT)

    def test_every_method(self):
        for method in (["nuts", "--warmup", "300", "--draws", "300"], ["metropolis", "--warmup", "1000", "--draws", "1000"], ["map"], ["ml"]):
            done, found = self.check("even", "--method", *method)
            drawn = len(method) > 1
            self.assertEqual({top["from"] for top in found["tops"]} - {"curvature"}, {"draws"} if drawn else set())
        self.assertNotIn("of the posterior,", done.stdout)  # ml has no weights

    def test_more_tops_than_chains(self):
        _, found = self.check("even", "--method", "nuts", "--chains", "1", "--seed", "3", *SHORT)
        self.assertEqual(found["draws"]["chains"], 2)
        self.assertTrue(os.path.exists(os.path.join(self.folder, "fit", "chain-2.csv")))

    def test_both_signs_of_a_finding(self):
        """Logs whose likelihood is even in optimism, under a prior that is, too."""
        finding = os.path.join(os.environ.get("ASIF_ORACLE", ""), "..", "findings", "even")
        if not os.path.exists(os.path.join(finding, "bi.yaml")):
            self.skipTest("the findings are not here (ASIF_ORACLE)")
        _, found = tops.fit(ASIF, os.path.join(finding, "bi.yaml"), os.path.join(finding, "bi.csv"), self.folder, "--no-sensitivity")
        self.assertEqual((found["method"], found["rivals"], len(found["tops"])), ("ridge", True, 2))
        self.assertEqual({top["parameters"]["optimism"]["sign"] for top in found["tops"]}, {"positive", "negative"})
        for top in found["tops"]:
            self.assertLess(abs(top["weight"] - 0.5), 0.03)

    def test_unequal_weights(self):
        """A prior off 0 gives the tops of `even` other weights, known by quadrature: the log-likelihood is that of a binomial count."""
        study, logs = tops.write(self.folder, "even")
        with open(study) as file:
            text = file.read().replace("optimism: learn", 'optimism: {learn: "normal(0.2, 0.9)"}')
        with open(study, "w") as file:
            file.write(text)
        _, share, count = tops.SHARES["even"]["go"]
        grid = [i / 20 for i in range(-80, 81)]
        density = []
        for x in grid:
            p = tops.share(ASIF, study, x)
            density.append(count * (share * math.log(p) + (1 - share) * math.log1p(-p)) - ((x - 0.2) / 0.9) ** 2 / 2)
        mass = [math.exp(d - max(density)) for d in density]
        want = sum(m for x, m in zip(grid, mass) if x > 0) / sum(mass)
        self.assertTrue(0.6 < want < 0.8, want)  # neither even nor all of it
        _, found = tops.fit(ASIF, study, logs, self.folder, "--no-sensitivity")
        self.assertEqual((found["method"], found["requested"], found["rivals"], len(found["tops"])), ("ridge", "auto", True, 2))
        for top in found["tops"]:
            positive = top["parameters"]["optimism"]["maximum"] > 0
            self.assertLess(abs(top["weight"] - (want if positive else 1 - want)), 0.03)

    def test_threads_do_not_matter(self):
        for threads in ("1", "2"):
            study, logs = tops.write(self.folder, "prizes")
            subprocess.run([ASIF, "fit", study, logs, "-o", os.path.join(self.folder, threads), "--threads", threads, *SHORT],
                           capture_output=True, text=True)
        files = ["fit.json"] + [f"chain-{k}.csv" for k in range(1, 5)]
        self.assertEqual(filecmp.cmpfiles(os.path.join(self.folder, "1"), os.path.join(self.folder, "2"), files,
                                          shallow=False), (files, [], []))

    def test_a_prior_decides(self):
        """A prior that rules one sign out leaves one top, which has the numbers of the fit."""
        study, logs = tops.write(self.folder, "even")
        with open(study) as file:
            text = file.read().replace("optimism: learn", 'optimism: {learn: "normal(1.5, 0.3)"}')
        with open(study, "w") as file:
            file.write(text)
        done, found = tops.fit(ASIF, study, logs, self.folder, "--draws", "1000", "--warmup", "500")
        self.assertEqual(len(found["tops"]), 1, found["tops"])
        self.assertFalse(found["rivals"])
        top, number = found["tops"][0], found["parameters"]["optimism"]
        self.assertEqual((top["weight"], top["chains"], top["from"]), (1, [1, 2, 3, 4], "draws"))
        for key in ("mean", "sd", "q05", "q50", "q95", "rhat", "maximum"):
            self.assertEqual(top["parameters"]["optimism"][key], number[key])
        self.assertGreater(number["q05"], 0)
        self.assertNotIn("Explanation", done.stdout)

    def test_chains_that_move_between_tops(self):
        """With few logs there are two tops, but nothing keeps the chains apart: the posterior is one, and the interval holds both."""
        study, logs = tops.write(self.folder, "even")
        with open(logs, "w") as file:
            file.write("episode,t,state,action\n" + "".join(f"{i},0,go,{'B' if i < 31 else 'A'}\n" for i in range(50)))
        done, found = tops.fit(ASIF, study, logs, self.folder, "--seed", "2", "--draws", "2000")
        at = sorted(top["parameters"]["optimism"]["maximum"] for top in found["tops"])
        self.assertEqual(len(at), 2)
        self.assertAlmostEqual(at[0], -at[1], places=3)
        number = found["parameters"]["optimism"]
        self.assertFalse(found["rivals"])
        self.assertTrue(number["q05"] < at[0] < 0 < at[1] < number["q95"], number)
        self.assertEqual((number["sign"], number["doubt"]), ("unknown", None))
        self.assertNotIn("Explanation", done.stdout)

    def test_what_is_asked_afterwards(self):
        """Commands that use a fit with rivals give an answer or say why not, and summary and report tell the tops."""
        self.check("even", *SHORT)
        fit = os.path.join(self.folder, "fit")
        page = os.path.join(self.folder, "page.html")
        for command, code in ((["summary", fit], 1), (["report", fit, "-o", page, "--quiet"], 0), (["predict", fit], 0),
                              (["outcomes", fit], 0), (["sensitivity", fit], 2)):
            done = subprocess.run([ASIF, *command], capture_output=True, text=True)
            self.assertEqual(done.returncode, code, (command, done.stderr))
            if code == 2:
                self.assertIn("rival explanations", done.stderr)
        with open(page) as file:
            text = file.read()
        self.assertIn("Explanation 2", text)
        self.assertNotIn("NaN", text.split("<script", 1)[0])


if __name__ == "__main__":
    unittest.main()
