"""asif outcomes as a user meets it: text and JSON, threads, start classes, problems without ends, and mistakes.

ctest label: slow
"""
import collections
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
QUICK = ["--method", "metropolis", "--chains", "2", "--warmup", "100", "--draws", "100", "--resolution", "30"]
SMALL = ["--draws", "6", "--episodes", "60"]

# Two start classes, which the logs tell apart by a column.
CLASSES = """\
asif: 1
states: [well, ill]
actions: [release, treat, test]
observations: [negative, positive]
environment:
  start: {by: risk, low: [0.9, 0.1], high: [0.4, 0.6]}
  reset: [0.7, 0.3]
  transitions: {test: identity, any: reset}
  emissions: [[0.8, 0.2], [0.2, 0.8]]
  ends: [release, treat]
agent:
  discount: 0.9
  utility: {release: {well: 2, ill: -10}, treat: {well: -5, ill: 5}, test: -0.5}
  parameters: {alpha: learn}
"""

# States are seen, and nothing ends.
SEEN = """\
asif: 1
states: [dry, wet]
actions: [wait, pump]
environment:
  start: [0.5, 0.5]
  transitions: {wait: [[0.7, 0.3], [0.1, 0.9]], pump: [[0.9, 0.1], [0.8, 0.2]]}
agent: {discount: 0.9, utility: {wait: {dry: 1, wet: -2}, pump: {dry: 0, wet: -3}}, parameters: {alpha: learn}}
"""

# Beliefs about states that change and worlds that differ hardly ever meet again: too many for the Bayes-optimal agent.
HARD = """\
asif: 1
states: [dry, damp, wet]
actions: [wait, pump]
observations: [low, mid, high]
environment:
  start: [0.5, 0.3, 0.2]
  transitions:
    wait: [[0.8, 0.15, 0.05], [0.05, 0.8, 0.15], [0.05, 0.05, 0.9]]
    pump: [[0.9, 0.1, 0], [0.4, 0.5, 0.1], [0.1, 0.5, 0.4]]
  emissions:
    wait: [[0.6, 0.3, 0.1], [0.25, 0.5, 0.25], [0.1, 0.3, 0.6]]
    pump: [[0.5, 0.3, 0.2], [0.3, 0.4, 0.3], [0.2, 0.3, 0.5]]
agent:
  discount: 0.95
  worlds:
    - {}
    - emissions:
        wait: [[0.8, 0.15, 0.05], [0.1, 0.8, 0.1], [0.05, 0.15, 0.8]]
        pump: [[0.4, 0.3, 0.3], [0.3, 0.4, 0.3], [0.3, 0.3, 0.4]]
  utility: {wait: {dry: 1, damp: 0, wet: -4}, pump: -1}
  parameters: {alpha: learn, beta: inf, eta: 0}
"""

# Three doors and a tiger. Of the two safe doors, the middle one is worth a little more; where a door has been opened, it is done.
DOORS = """\
asif: 1
states: [left, middle, right, done]
actions: [listen, open_left, open_middle, open_right]
observations: [left, middle, right]
environment:
  start: {left: 0.25, middle: 0.5, right: 0.25}
  transitions: {listen: identity, any: {any: done}}
  emissions: [[0.84, 0.08, 0.08], [0.08, 0.84, 0.08], [0.08, 0.08, 0.84], uniform]
  ends: [open_left, open_middle, open_right]
agent:
  discount: 0.9
  utility:
    listen: {done: 0, any: cost}
    open_left: {left: -10, done: 0, any: 0}
    open_middle: {middle: -10, done: 0, any: straight}
    open_right: {right: -10, done: 0, any: 0}
  parameters: {cost: {learn: "normal(0, 0.001)", standard: 0}, straight: STRAIGHT, alpha: ALPHA}
solver: {resolution: 20}
"""


def run(*args):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    return subprocess.run([ASIF, *map(str, args)], capture_output=True, env=environment, timeout=300)


def said(result):
    return result.stdout.decode() + result.stderr.decode()


def good(result, *codes):
    assert result.returncode in (codes or (0,)), said(result)
    return result.stdout.decode()


class Outcomes(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.common = tempfile.mkdtemp()
        cls.fit = os.path.join(cls.common, "fit")
        logs = os.path.join(cls.common, "logs.csv")
        good(run("simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "-n", 200, "-o", logs))
        cls.logs = logs
        cls.said = good(run("fit", DIAG, logs, "-o", cls.fit, *QUICK), 0, 1)
        with open(os.path.join(cls.fit, "fit.json"), encoding="utf-8") as file:
            cls.brief = json.load(file)["outcomes"]
        cls.found = json.loads(good(run("outcomes", cls.fit, *SMALL, "--json")))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.common)

    def setUp(self):
        self.folder = tempfile.mkdtemp()

    def tearDown(self):
        shutil.rmtree(self.folder)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
        return path

    def test_losses_add_up(self):
        for found in (self.brief, self.found):
            losses = found["losses"]
            self.assertEqual(list(losses["bounds"]), ["consistency", "optimism", "surprise", "worlds"])
            total = sum(bound["loss"]["mean"] for bound in losses["bounds"].values())
            self.assertAlmostEqual(total, losses["whole"]["mean"], places=9)
            self.assertAlmostEqual(losses["whole"]["mean"],
                                   losses["value_ideal_true"]["mean"] - losses["value"]["mean"], places=9)
            self.assertGreater(losses["whole"]["mean"], 0)

    def test_safe_doors(self):
        """A safe door is not wrong because another is worth more, a state after the end is none that a test tells apart, and a
        share of hardly any errors is not below 0. An agent that chooses at random opens each door as often, so that it meets the
        tiger in a third of the rooms; one that hardly errs and is careful nearly never."""
        for alpha, straight, wrong, error in (("1e6", "1", 1 / 3, None), ("0.05", "0.01", 0, 0.06)):
            study = self.write("doors.yaml", DOORS.replace("STRAIGHT", straight).replace("ALPHA", alpha))
            logs, fit = os.path.join(self.folder, "logs.csv"), os.path.join(self.folder, "fit" + alpha)
            good(run("simulate", study, "-p", "cost=0", "-n", 30, "-o", logs))
            good(run("fit", study, logs, "-o", fit, "--no-answers", *QUICK), 0, 1)
            found = json.loads(good(run("outcomes", fit, *SMALL, "--json")))
            share = found["conduct"]["fitted"]["wrong"]
            self.assertLess(abs(share["mean"] - wrong), error or 4 * share["error"])
            self.assertGreaterEqual(share["q05"], 0)
            evidence, = found["evidence"]
            self.assertAlmostEqual(evidence["environment"], 0.84, places=12)
            self.assertAlmostEqual(evidence["perceived"]["mean"], 0.84, places=12)

    def test_rows_of_counts(self):
        """A table of counts has the numbers of the decisions that it counts, and nothing is said of its episodes: how many there
        were is not known, and what the agent does in an episode is not cut after one decision."""
        study, logs = self.write("study.yaml", SEEN), os.path.join(self.folder, "logs.csv")
        good(run("simulate", study, "-p", "alpha=0.8", "-n", 20, "--max-steps", 9, "-o", logs))
        with open(logs, encoding="utf-8", newline="") as file:
            count = collections.Counter((row["state"], row["action"]) for row in csv.DictReader(file))
        counts = self.write("counts.csv", "episode,state,action,weight\n" + "".join(
            f"{k},{s},{u},{n}\n" for k, ((s, u), n) in enumerate(count.items())))
        found, conduct = [], []
        for table, extra in ((logs, []), (counts, ["--map", "weight=weight"])):
            fit = table + ".fit"
            said = good(run("fit", study, table, "-o", fit, *QUICK, *extra), 0, 1)
            with open(os.path.join(fit, "fit.json"), encoding="utf-8") as file:
                found.append(json.load(file))
            conduct.append(json.loads(good(run("outcomes", fit, *SMALL, "--json"))))
        self.assertIn(f"{len(count)} rows of counts", said.split("\n\n")[0].replace("\n", " "))
        self.assertIn("180 decisions", said.split("\n\n")[0].replace("\n", " "))
        self.assertEqual(found[0]["maximum"]["log_likelihood"], found[1]["maximum"]["log_likelihood"])
        self.assertEqual([f["max_steps"] for f in conduct], [9, 1000])
        self.assertEqual([f["conduct"]["observed"]["decisions"] for f in conduct], [9, None])
        told = good(run("check", study, counts, "--map", "weight=weight"))
        self.assertIn("not known, because rows are counts", told)
        self.assertNotIn("  episodes ", told)

    def test_another_seed(self):
        """Luck is a small part of the answer, and told."""
        other = json.loads(good(run("outcomes", self.fit, *SMALL, "--json", "--seed", 3)))
        a, b = (found["losses"]["whole"] for found in (self.found, other))
        self.assertNotEqual(a["mean"], b["mean"])
        self.assertLess(abs(a["mean"] - b["mean"]), 5 * (a["error"] + b["error"]) + 1e-3)
        for key in ("before_end", "wrong"):
            a, b = (found["conduct"]["fitted"][key] for found in (self.found, other))
            self.assertLess(abs(a["mean"] - b["mean"]), 5 * (a["error"] + b["error"]) + 1e-6)

    def test_ideals(self):
        wrong = 1 / (1 + (7 / 3) ** 3)  # it stops at three net results
        for found, tol in ((self.brief, 0.004), (self.found, 0.002)):
            ideal = found["conduct"]["ideal_true"]
            self.assertLess(abs(ideal["wrong"]["mean"] - wrong), tol)
            self.assertLess(abs(ideal["before_end"]["mean"] - 3 * (1 - 2 * wrong) / 0.4), 50 * tol)
            self.assertIsNone(ideal["wrong"]["q05"])
            fitted = found["conduct"]["fitted"]
            self.assertLess(fitted["wrong"]["q05"], fitted["wrong"]["mean"])
            self.assertLess(fitted["wrong"]["mean"], fitted["wrong"]["q95"])

    def test_observed(self):
        with open(self.logs, encoding="utf-8") as file:
            rows = [line.split(",") for line in file.read().split()[1:]]
        observed = self.found["conduct"]["observed"]
        self.assertAlmostEqual(observed["decisions"], len(rows) / 200, places=12)
        self.assertAlmostEqual(observed["before_end"], sum(row[2] == "monitor" for row in rows) / 200, places=12)
        self.assertIsNone(observed["wrong"])

    def test_histories(self):
        runs = [entry for entry in self.found["histories"] if entry["run"]]
        self.assertEqual(sorted(len(entry["history"]) for entry in runs), [1, 1, 2, 2, 3, 3])
        for entry in self.found["histories"]:
            for agent in ("fitted", "without_bounds", "ideal_bayes", "ideal_true"):
                total = sum(action[agent]["mean"] for action in entry["actions"].values())
                self.assertAlmostEqual(total, 1, places=9)

    def test_threads(self):
        one = run("outcomes", self.fit, *SMALL, "--json", "--threads", 1)
        self.assertEqual(one.stdout, run("outcomes", self.fit, *SMALL, "--json", "--threads", 3).stdout)

    def test_text(self):
        text = good(run("outcomes", self.fit, *SMALL))
        for words in ("WHAT THEY DO", "A final action is wrong", "AFTER FREQUENT HISTORIES", "WHAT IT COSTS", "choice randomness",
                      "all of them", "HOW GOOD THE EVIDENCE SEEMS", "treats a test of accuracy 0.70 as"):
            self.assertIn(words, text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_summary(self):
        text = good(run("summary", self.fit), 0, 1)
        self.assertEqual(text, self.said)
        for words in ("same model, no bounds", "Bayes-optimal agent", "knows the true world", "treats a test of accuracy 0.70 as", "All bounds together cost"):
            self.assertIn(words, text)
        for line in text.splitlines():
            self.assertLessEqual(len(line), 80, line)

    def test_published(self):
        """It is there to compare with, and nothing is added to it."""
        out = os.path.join(self.folder, "out")
        good(run("fit", DIAG, self.logs, "-o", out, "--method", "published", "--warmup", 5, "--draws", 5,
                 "--resolution", 20), 0, 1)
        with open(os.path.join(out, "fit.json"), encoding="utf-8") as file:
            self.assertIsNone(json.load(file)["outcomes"])

    def test_classes(self):
        """By start class, and for their mix in the logs."""
        study = self.write("study.yaml", CLASSES)
        rows = ["episode,t,action,observation,risk"]
        for i in range(40):
            if i < 30:
                rows += ["%d,0,release,negative,low" % i]
            else:
                rows += ["%d,0,test,positive,high" % i, "%d,1,treat,positive,high" % i]
        logs, out = self.write("logs.csv", "\n".join(rows) + "\n"), os.path.join(self.folder, "out")
        good(run("fit", study, logs, "-o", out, "--method", "map"), 0, 1)
        found = json.loads(good(run("outcomes", out, "--json")))
        self.assertEqual([(entry["start"], entry["weight"]) for entry in found["by_start"]],
                         [("low", 0.75), ("high", 0.25)])
        self.assertEqual([entry["observed"]["decisions"] for entry in found["by_start"]], [1, 2])
        self.assertEqual(found["conduct"]["observed"]["decisions"], 1.25)
        for agent in ("fitted", "without_bounds"):
            mixed = sum(entry["weight"] * entry[agent]["wrong"]["mean"] for entry in found["by_start"])
            self.assertAlmostEqual(found["conduct"][agent]["wrong"]["mean"], mixed, places=9)
        # One world, the true one: both ideals are the same agent, and are seen to be.
        for entry in [found["conduct"], *found["by_start"]]:
            self.assertEqual(entry["without_bounds"], entry["ideal_true"])
            self.assertEqual(entry["ideal_bayes"], entry["ideal_true"])
        self.assertEqual(found["bayes"], {"computed": True, "apart": False})
        # The only bound is consistency, and all of the loss is its.
        self.assertEqual(list(found["losses"]["bounds"]), ["consistency"])
        self.assertAlmostEqual(found["losses"]["bounds"]["consistency"]["loss"]["mean"],
                               found["losses"]["whole"]["mean"], places=12)
        self.assertIn("START low, 75.0 % of the episodes", good(run("outcomes", out)))

    def test_not_computed(self):
        """Where the Bayes-optimal agent needs too many beliefs, that is said, with what is known of its value."""
        study = self.write("study.yaml", HARD)
        logs, out = os.path.join(self.folder, "logs.csv"), os.path.join(self.folder, "out")
        good(run("simulate", study, "-p", "alpha=0.5", "-n", 20, "--max-steps", 20, "-o", logs))
        text = good(run("fit", study, logs, "-o", out, "--method", "map", "--resolution", 20, "--no-sensitivity"), 0, 1)
        found = json.loads(good(run("outcomes", out, *SMALL, "--top", 2, "--json")))
        self.assertIsNone(found["conduct"]["ideal_bayes"])
        self.assertIsNotNone(found["conduct"]["ideal_true"]["utility"])
        for history in found["histories"]:
            for action in history["actions"].values():
                self.assertIsNone(action["ideal_bayes"])
        told = found["bayes"]
        self.assertFalse(told["computed"])
        self.assertGreater(told["gap"], 1e-4)
        self.assertLess(told["low"], told["up"])
        for words in (text, good(run("outcomes", out, *SMALL, "--top", 2))):
            flat = " ".join(words.split())
            self.assertIn("The Bayes-optimal agent was not computed: after %s beliefs its value is known to %.1f %% of the span"
                          % (format(told["beliefs"], ","), 100 * told["gap"]), flat)

    def test_states_seen(self):
        """Nothing ends and nothing is hidden: what there is, is told."""
        study = self.write("study.yaml", SEEN)
        logs, out = os.path.join(self.folder, "logs.csv"), os.path.join(self.folder, "out")
        good(run("simulate", study, "-p", "alpha=0.5", "-n", 40, "--max-steps", 20, "-o", logs))
        good(run("fit", study, logs, "-o", out, "--method", "map"), 0, 1)
        found = json.loads(good(run("outcomes", out, "--max-steps", 20, "--json")))
        conduct = found["conduct"]
        self.assertAlmostEqual(conduct["fitted"]["decisions"]["mean"], 20, places=6)
        self.assertIsNone(conduct["fitted"]["before_end"])
        self.assertIsNone(conduct["fitted"]["wrong"])
        self.assertEqual(conduct["observed"]["decisions"], 20)
        self.assertEqual(conduct["without_bounds"], conduct["ideal_true"])
        self.assertEqual(found["evidence"], [])
        self.assertEqual(list(found["losses"]["bounds"]), ["consistency"])
        self.assertGreater(found["losses"]["whole"]["mean"], 0)
        text = good(run("outcomes", out, "--max-steps", 20))
        self.assertIn("utility", text)
        self.assertIn("in wet", text)

    def test_mistakes(self):
        for args, words in ((["outcomes"], "DIR"), (["outcomes", self.folder], "fit"),
                            (["outcomes", self.fit, "--draws", "0"], "--draws")):
            done = run(*args)
            self.assertEqual(done.returncode, 2, said(done))
            self.assertEqual(done.stdout, b"")
            self.assertIn(words, re.sub(r"\s+", " ", said(done)))


if __name__ == "__main__":
    unittest.main(verbosity=1)
