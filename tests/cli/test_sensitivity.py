"""asif sensitivity as a user meets it, and the short form that comes with every fit."""
import csv
import json
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
AGENT = ["-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0"]
QUICK = ["--method", "map", "--resolution", "15", "--starts", "3", "-p", "eta=0"]
HEAD = ["varied", "value", "given", "log_likelihood", "log_posterior", "nats", "span", "number", "maximum", "sd", "moved",
        "q05", "q50", "q95"]


def run(*args):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, env=environment, timeout=300, text=True)


class Sensitivity(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.addClassCleanup(shutil.rmtree, cls.folder)
        cls.logs = os.path.join(cls.folder, "logs.csv")
        cls.fit = os.path.join(cls.folder, "fit")
        done = run("simulate", DIAG, *AGENT, "-n", 100, "--seed", 4, "-o", cls.logs)
        assert done.returncode == 0, done.stderr
        done = run("fit", DIAG, cls.logs, "-o", cls.fit, *QUICK)
        assert done.returncode in (0, 1), done.stderr

    def vary(self, *args):
        done = run("sensitivity", self.fit, *args)
        self.assertEqual(done.returncode, 0, done.stderr)
        return done.stdout

    def fit_json(self):
        with open(os.path.join(self.fit, "fit.json")) as file:
            return json.load(file)

    def test_json(self):
        made = json.loads(self.vary("--vary", "wrong=-20:-60", "--vary", "discount", "--points", 3, "--draws", 60, "--json"))
        self.assertEqual([v["name"] for v in made["variations"]], ["wrong", "discount"])
        wrong, discount = made["variations"]
        self.assertEqual([p["value"] for p in wrong["points"]], [-60, -40, -36, -20])
        self.assertEqual([p["given"] for p in wrong["points"]], [False, False, True, False])
        self.assertEqual([p["drawn"] for p in wrong["points"]], [True, False, False, True])
        for got, want in zip(discount["points"], [0.9, 1 - (0.1 * 0.025) ** 0.5, 0.975]):
            self.assertAlmostEqual(got["value"], want, 9)
        fit = self.fit_json()
        base = wrong["points"][2]
        self.assertAlmostEqual(base["log_likelihood"], fit["maximum"]["log_likelihood"], 3)
        self.assertEqual(base["nats"], 0)
        for point in wrong["points"]:
            self.assertAlmostEqual(point["nats"], base["log_likelihood"] - point["log_likelihood"], 9)
            self.assertAlmostEqual(point["span"], 10 - point["value"], 9)
            self.assertEqual(list(point["numbers"]), ["log_alpha", "optimism"])
            self.assertEqual("q05" in point["numbers"]["optimism"], point["drawn"])

    def test_refit(self):
        """A refit is the fit that one would have made with the value."""
        made = json.loads(self.vary("--vary", "wrong=-24:-40", "--points", 2, "--draws", 0, "--json"))
        out = os.path.join(self.folder, "other")
        done = run("fit", DIAG, self.logs, "-o", out, *QUICK, "-p", "wrong=-24", "--no-sensitivity", "--json")
        other = json.loads(done.stdout)["maximum"]
        point = made["variations"][0]["points"][-1]
        self.assertEqual(point["value"], -24)
        self.assertAlmostEqual(point["log_posterior"], other["log_posterior"], 4)
        for name, value in other["values"].items():
            self.assertAlmostEqual(point["numbers"][name]["maximum"], value, 2)

    def test_text_and_table(self):
        table = os.path.join(self.folder, "table.csv")
        text = self.vary("--vary", "worlds", "--points", 3, "--draws", 40, "-o", table)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)
        for word in ("worlds", "WHICH STATEMENTS SURVIVE", "optimism is above 0", "posterior at 0.5", "1 *"):
            self.assertIn(word, text)
        with open(table, newline="") as file:
            rows = list(csv.DictReader(file))
        self.assertEqual(list(rows[0]), HEAD)
        self.assertEqual([(r["value"], r["number"]) for r in rows],
                         [(v, n) for v in ("0.5", "1", "1.5") for n in ("log_alpha", "optimism")])
        self.assertEqual([r["q50"] != "" for r in rows], [True, True, False, False, True, True])

    def test_everything(self):
        """Without --vary, all that was given; the same bytes for any number of threads."""
        args = ["--points", 2, "--draws", 5, "--starts", 0, "--json", "--threads"]
        made = self.vary(*args, 2)
        self.assertEqual([v["name"] for v in json.loads(made)["variations"]],
                         ["correct", "wrong", "cost", "discount", "worlds"])
        args = ["--vary", "wrong", "--vary", "worlds"] + args
        self.assertEqual(self.vary(*args, 1), self.vary(*args, 3))

    def test_short_form(self):
        fit = self.fit_json()
        brief = fit["sensitivity"]
        self.assertTrue(brief["brief"])
        values = {v["name"]: [round(p["value"], 4) for p in v["points"]] for v in brief["variations"]}
        self.assertEqual(values["wrong"], [-52, -44, -36, -28, -20])
        self.assertEqual(values["discount"], [0.9, 0.95, 0.975])
        self.assertEqual(values["worlds"], [0.5, 1, 1.5])
        # The short form and the long one come to the same maxima.
        long = json.loads(self.vary("--vary", "wrong=-52:-20", "--points", 5, "--draws", 0, "--json"))["variations"][0]
        for a, b in zip(long["points"], next(v for v in brief["variations"] if v["name"] == "wrong")["points"]):
            self.assertAlmostEqual(a["log_posterior"], b["log_posterior"], 3)
        text = re.sub(r"\s+", " ", run("summary", self.fit).stdout)
        self.assertTrue("depends on the assumptions" in text, text)
        self.assertIn(brief["worst"]["variation"] + " = ", text)

    def test_left_out(self):
        for args in (["--no-sensitivity"], ["--method", "ml"], ["--method", "published", "--draws", "20", "--warmup", "20"]):
            quick = [a for a in QUICK if a not in ("--method", "map", "--starts", "3")]
            quick += ["--method", "map"] if "--method" not in args else []
            done = run("fit", DIAG, self.logs, "-o", os.path.join(self.folder, "without"), "--force", "--json", *quick, *args)
            self.assertIsNone(json.loads(done.stdout)["sensitivity"], args)
        done = run("sensitivity", os.path.join(self.folder, "without"))
        self.assertEqual(done.returncode, 2)
        self.assertIn("published method", done.stderr)

    def test_mistakes(self):
        for args, words in ((["--vary", "wrong=-20"], "NAME=A:B"), (["--vary", "wrong=a:b"], "NAME=A:B"),
                            (["--vary", "=1:2"], "NAME=A:B"), (["--vary", "wrnog"], "wrnog"),
                            (["--vary", "alpha=0.1:1"], "estimated, not given"), (["--vary", "eta"], "how far"),
                            (["--vary", "beta=1:2"], "estimated"), (["--points", "1"], "from 2 to")):
            done = run("sensitivity", self.fit, *args)
            self.assertEqual(done.returncode, 2, args)
            self.assertEqual(done.stdout, "")
            self.assertIn(words, done.stderr)
        done = run("sensitivity", self.folder)
        self.assertEqual(done.returncode, 2, done.stderr)


if __name__ == "__main__":
    unittest.main()
