"""asif explain as a user meets it: paths from logs, typed and simulated; names; what it refuses."""
import csv
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
GIVEN = ["-p", "beta=1.25", "-p", "eta=0"]

# The environment shows the state without error; the agent thinks that the look may mislead.
SURE = """\
asif: 1
states: [left, right]
actions: [look, go_left, go_right]
observations: [l, r]
environment: {start: [0.5, 0.5], emissions: identity, ends: [go_left, go_right]}
agent:
  discount: 0.9
  worlds: [{emissions: [[0.8, 0.2], [0.2, 0.8]]}]
  utility: {look: -1, go_left: {left: 5, right: -20}, go_right: {left: -20, right: 5}}
  parameters: {alpha: learn}
logs: {%s}
"""

# Two clinics with different patients, and a device by condition.
CLINICS = """\
asif: 1
states: [healthy, ill]
actions: [test, treat, leave]
observations: [negative, positive]
environment:
  start: {by: clinic, town: [0.9, 0.1], village: [0.6, 0.4]}
  transitions: {test: identity, any: terminal}
  emissions: {by: device, old: {sensitivity: 0.7, specificity: 0.75}, new: {sensitivity: 0.85, specificity: 0.9}}
agent:
  discount: 0.9
  utility: {test: {by: device, old: -0.5, new: -1}, treat: {ill: 0, healthy: -10}, leave: {healthy: 0, ill: -20}}
  parameters: {alpha: learn}
"""


def run(*args, stdin=None):
    environment = {k: v for k, v in os.environ.items() if not k.startswith("LC_") and k != "LANG"}
    return subprocess.run([ASIF, *map(str, args)], input=stdin, capture_output=True, env=environment, timeout=300)


def said(result):
    return result.stdout.decode() + result.stderr.decode()


class Explain(unittest.TestCase):
    @classmethod
    def setUpClass(cls):
        cls.folder = tempfile.mkdtemp()
        cls.logs = os.path.join(cls.folder, "logs.csv")
        cls.fit = os.path.join(cls.folder, "fit")
        cls.made(run("simulate", DIAG, "-p", "alpha=0.5", *GIVEN, "-n", 60, "--seed", 4, "-o", cls.logs))
        done = run("fit", DIAG, cls.logs, "-o", cls.fit, *GIVEN, "--method", "metropolis", "--chains", 2, "--warmup", 100,
                   "--draws", 50, "--starts", 2, "--resolution", 30)
        assert done.returncode in (0, 1), said(done)
        with open(cls.logs, newline="") as file:
            cls.rows = list(csv.DictReader(file))

    @classmethod
    def tearDownClass(cls):
        shutil.rmtree(cls.folder)

    @staticmethod
    def made(result):
        assert result.returncode == 0, said(result)
        return result

    def good(self, *args, **more):
        result = run("explain", *args, **more)
        self.assertEqual(result.returncode, 0, said(result))
        return result

    def json(self, *args):
        return json.loads(self.good(*args, "--json").stdout)

    def refused(self, *args, words=(), code=2):
        result = run("explain", *args)
        text = re.sub(r"\s+", " ", said(result))
        self.assertEqual(result.returncode, code, text)
        self.assertEqual(result.stdout, b"")
        for word in words:
            self.assertIn(word, text)

    def write(self, name, text):
        path = os.path.join(self.folder, name)
        with open(path, "w", encoding="utf-8", newline="") as file:
            file.write(text)
        return path

    # ---- one path ----

    def test_an_episode(self):
        mine = [row for row in self.rows if row["episode"] == "12"]
        out = self.json(self.fit, self.logs, "--subject", "12")
        self.assertEqual([s["action"] for s in out["steps"]], [r["action"] for r in mine])
        self.assertEqual([s["seen"] for s in out["steps"]], [None] + [r["observation"] for r in mine[:-1]])
        self.assertEqual([s["step"] for s in out["steps"]], list(range(1, len(mine) + 1)))
        self.assertEqual(out["draws"], 100)
        self.assertEqual(self.json(self.fit, self.logs, "--episode", "12"), out)
        for step in out["steps"]:
            for who in ("fitted", "same", "true"):
                self.assertAlmostEqual(sum(b[who]["mean"] for b in step["belief"].values()), 1)
                self.assertAlmostEqual(sum(p[who]["mean"] for p in step["policy"].values()), 1)
            band = step["probability"]["fitted"]
            self.assertLessEqual(band["q05"], band["q95"])
            self.assertEqual(band, step["policy"][step["action"]]["fitted"])
            self.assertGreaterEqual(step["cost"]["mean"], 0)
        self.assertIsNone(out["steps"][0]["state"])

    def test_text_fits_the_terminal(self):
        for args in ([self.logs, "--subject", "12"], [self.logs, "--find", "surprising"], [self.logs, "--find", "belated"],
                     ["--history", "monitor:positive"], []):
            text = self.good(self.fit, *args).stdout.decode()
            self.assertTrue(all(len(line) <= 80 for line in text.splitlines()), text)
            self.assertTrue(text.startswith("Diagnosis (DIAG)"), text)
        text = self.good(self.fit, self.logs, "--subject", "12").stdout.decode()
        last = [row for row in self.rows if row["episode"] == "12"][-1]["action"]
        self.assertIn("episode 12", text)
        self.assertIn("ended by " + last, re.sub(r"\s+", " ", text))
        self.assertIn("90 % bands over 100 draws", text)

    def test_same_bytes_for_any_number_of_threads(self):
        for args in ([self.logs, "--subject", "12"], [self.logs, "--find", "surprising"]):
            one = self.good(self.fit, *args, "--json").stdout
            self.assertEqual(self.good(self.fit, *args, "--json", "--threads", "3").stdout, one)

    def test_simulated(self):
        out = self.json(self.fit, "--seed", 3)
        self.assertEqual((out["path"]["from"], out["path"]["seed"]), ("simulated", 3))
        self.assertEqual(self.json(self.fit, "--seed", 3), out)
        states = {s["state"] for s in out["steps"]}
        self.assertEqual(len(states), 1)  # nothing changes the state before the end
        self.assertTrue(states < {"healthy", "diseased"})
        self.assertNotEqual([self.json(self.fit, "--seed", k)["steps"] for k in range(3)], [out["steps"]] * 3)
        self.assertIn("The true state was " + states.pop(), self.good(self.fit, "--seed", 3).stdout.decode())
        self.assertEqual(self.json(self.fit, "--max-steps", 2, "--seed", 3)["path"]["decisions"], 2)
        # The same as `asif simulate` with the median of the draws.
        with open(os.path.join(self.fit, "fit.json")) as file:
            alpha = json.load(file)["parameters"]["log_alpha"]["q50"]
        table = self.made(run("simulate", DIAG, "-p", "alpha=%r" % math.exp(alpha), *GIVEN, "-n", 1, "--seed", 3,
                              "--resolution", 30, "-o", "-")).stdout.decode()
        rows = list(csv.DictReader(table.splitlines()))
        self.assertEqual([s["action"] for s in out["steps"]], [row["action"] for row in rows])
        self.assertEqual([s["seen"] for s in out["steps"]], [None] + [row["observation"] for row in rows[:-1]])
        # How often what the state is shows up: the environment's test is right with .7.
        right = every = 0
        for seed in range(40):
            for s in self.json(self.fit, "--seed", seed, "--draws", 1)["steps"][1:]:
                every += 1
                right += (s["seen"] == "positive") == (s["state"] == "diseased")
        self.assertLess(abs(right / every - 0.7), 4 * (0.21 / every) ** 0.5)

    def test_typed(self):
        out = self.json(self.fit, "--history", "monitor:positive,monitor:positive")
        self.assertEqual([s["action"] for s in out["steps"]], ["monitor", "monitor", None])
        self.assertFalse(out["path"]["ended"])
        # .7 against .3, twice.
        self.assertAlmostEqual(out["steps"][2]["belief"]["diseased"]["true"]["mean"], 0.49 / (0.49 + 0.09), places=12)
        self.assertIn("Next, the fitted agent would take", self.good(self.fit, "--history", "monitor:positive").stdout.decode())
        empty = self.json(self.fit, "--history", "")
        self.assertEqual(len(empty["steps"]), 1)
        self.assertEqual(empty["cost"]["mean"], 0)
        self.assertIsNone(empty["least_expected"])

    def test_conditions(self):
        """In every condition beliefs follow by Bayes' rule from its own numbers, in logs as in typed cases, and the agent acts as
        `asif plan` says. Labels do not repeat the condition."""
        with tempfile.TemporaryDirectory() as folder:
            study, logs, fit = (os.path.join(folder, name) for name in ("study.yaml", "logs.csv", "fit"))
            with open(study, "w", encoding="utf-8") as file:
                file.write(CLINICS)
            self.made(run("simulate", study, "-p", "alpha=1", "-n", 60, "-o", logs))
            self.assertIn(run("fit", study, logs, "-o", fit, "--method", "map", "--no-answers").returncode, (0, 1))
            with open(logs, newline="", encoding="utf-8") as file:
                rows = list(csv.DictReader(file))
            seen = set()
            for first in rows:
                condition = first["clinic"], first["device"]
                if first["t"] != "0" or first["action"] != "test" or condition in seen:
                    continue
                seen.add(condition)
                ill = 0.1 if condition[0] == "town" else 0.4
                hit, false = (0.7, 0.25) if condition[1] == "old" else (0.85, 0.1)
                if first["observation"] == "negative":
                    hit, false = 1 - hit, 1 - false
                belief = ill * hit / (ill * hit + (1 - ill) * false)
                typed = ["--condition", "clinic=%s,device=%s" % condition,
                         "--history", "test:%s/%s/%s" % (*condition, first["observation"])]
                for case in ([logs, "--episode", first["episode"]], typed):
                    found = self.json(fit, *case)
                    self.assertEqual(found["path"]["condition"], dict(zip(("clinic", "device"), condition)))
                    step = found["steps"][1]
                    self.assertEqual(step["seen"], first["observation"])
                    for who in ("fitted", "true"):
                        self.assertAlmostEqual(step["belief"]["ill"][who]["mean"], belief, places=12)
                with open(os.path.join(fit, "fit.json"), encoding="utf-8") as file:
                    alpha = math.exp(json.load(file)["maximum"]["values"]["log_alpha"])
                plan = json.loads(self.made(run("plan", study, "-p", f"alpha={alpha!r}", "--belief", f"{1 - ill!r},{ill!r}",
                                                *typed[:2], "--json")).stdout)
                acts = found["steps"][0]["probability"]["fitted"]["mean"]
                self.assertAlmostEqual(acts, plan["beliefs"][0]["policy"]["test"], places=6)
            self.assertEqual(len(seen), 4)
            both = run("explain", fit, *typed, "--start", "/".join(condition))
            self.assertEqual(both.returncode, 2)
            self.assertIn("both say how a case begins", said(both))

    def test_ties(self):
        """Two actions of the same worth have half each, and no path parts there; three have a third, and it does, at no cost."""
        for c, parts in ((0, None), (1, 1)):
            study = self.write("tie%d.yaml" % c, """\
asif: 1
states: [here, there]
actions: [a, b, c, d]
environment: {start: [1, 0], ends: a}
agent: {discount: 0.5, utility: {a: 1, b: 1, c: %d, d: 0}, parameters: {alpha: learn}}
""" % c)
            table = self.write("tie%d.csv" % c, "episode,t,state,action\n1,0,here,b\n1,1,here,a\n2,0,there,c\n2,1,here,a\n")
            fit = os.path.join(self.folder, "tie%d" % c)
            self.assertIn(run("fit", study, table, "-o", fit, "--method", "map").returncode, (0, 1))
            out = self.json(fit, table, "--subject", "1")
            self.assertAlmostEqual(out["steps"][0]["probability"]["true"]["mean"], 0.5 if c == 0 else 1 / 3)
            self.assertEqual(out["parts"], {"same": parts, "true": parts})
            self.assertEqual(out["cost"]["mean"], 0)
            other = self.json(fit, table, "--episode", "2")
            self.assertEqual([s["state"] for s in other["steps"]], ["there", "here"])
            self.assertAlmostEqual(other["cost"]["mean"], 1 - c, places=9)
            first = self.json(fit, "--first", "there", "--history", "c:there")
            self.assertEqual([s["state"] for s in first["steps"]], ["there", "there"])
            self.assertEqual([s["state"] for s in self.json(fit, "--history", "c:there")["steps"]], ["here", "there"])

    # ---- names ----

    def test_subjects_and_episodes(self):
        table = "subject,episode,t,action,observation\n" + "".join(
            "%s,%s,%d,%s,%s\n" % row for row in (
                ("ann", "1", 0, "monitor", "positive"), ("ann", "1", 1, "declare_diseased", "positive"),
                ("ann", "2", 0, "monitor", "negative"), ("ann", "2", 1, "monitor", "negative"),
                ("bob", "x", 0, "declare_healthy", "negative"), ("b", "x", 0, "monitor", "negative")))
        path = self.write("named.csv", table)
        out = self.json(self.fit, path, "--subject", "ann", "--episode", "2")
        self.assertEqual((out["path"]["episode"], out["path"]["ended"], len(out["steps"])), ("ann/2", False, 2))
        self.assertEqual(self.json(self.fit, path, "--subject", "bob")["path"]["episode"], "bob/x")
        self.assertEqual(self.json(self.fit, path, "--subject", "b")["path"]["episode"], "b/x")
        self.assertEqual(self.json(self.fit, path, "--episode", "1")["path"]["episode"], "ann/1")
        self.refused(self.fit, path, "--subject", "ann", words=["2 episodes", "ann/1, ann/2"])
        self.refused(self.fit, path, "--episode", "x", words=["2 episodes", "b/x, bob/x"])
        self.refused(self.fit, path, "--subject", "carl", words=["no subject `carl`", "ann/1, ann/2, b/x, bob/x"])
        self.refused(self.fit, path, "--subject", "ann", "--episode", "3", words=["no subject `ann` with an episode `3`"])
        other = self.write("mapped.csv", table.replace("action,", "did,"))
        self.assertEqual(self.json(self.fit, other, "--map", "action=did", "--subject", "bob")["path"]["episode"], "bob/x")

    def test_a_saved_tree(self):
        saved = os.path.join(self.folder, "saved.tree")
        with open(self.logs) as file:
            lines = file.read().splitlines()
        arms = self.write("arms.csv", "\n".join([lines[0] + ",arm"] + [line + ",a" for line in lines[1:]]) + "\n")
        self.made(run("count", arms, "--study", DIAG, "--by", "arm", "-o", saved))
        self.assertEqual(self.json(self.fit, saved, "--subject", "12"), self.json(self.fit, self.logs, "--subject", "12"))
        self.made(run("count", self.logs, "--study", DIAG, "-o", saved + "2"))
        self.refused(self.fit, saved + "2", "--subject", "12", words=["without the course of its episodes"])

    def test_a_group(self):
        """The agent of a group explains the episodes that it was fitted to, and no others."""
        with open(self.logs) as file:
            lines = file.read().splitlines()
        arm = {line.split(",")[0]: "ab"[int(line.split(",")[0]) % 2] for line in lines[1:]}
        year = {name: str(2020 + int(name) % 3) for name in arm}
        rows = [f"{line},{arm[line.split(',')[0]]},{year[line.split(',')[0]]}" for line in lines[1:]]
        table = self.write("groups.csv", "\n".join([lines[0] + ",arm,year", *rows]) + "\n")
        by = os.path.join(self.folder, "by")
        done = run("fit", DIAG, table, "-o", by, *GIVEN, "--by", "arm", "--where", "year=2020,2021", "--method", "map", "--starts", 1,
                   "--resolution", 30, "--no-sensitivity")
        self.assertIn(done.returncode, (0, 1), said(done))
        fit = os.path.join(by, "a")
        own = {name for name in arm if arm[name] == "a" and year[name] != "2022"}
        found = self.json(fit, table, "--find", "surprising", "--top", 1000)
        self.assertEqual(found["decisions"], sum(line.split(",")[0] in own for line in lines[1:]))
        self.assertEqual({row["episode"] for row in found["list"]}, own)
        name = min(own)
        self.assertEqual(self.json(fit, table, "--episode", name)["path"]["episode"], name)
        self.refused(fit, table, "--episode", min(n for n in arm if arm[n] == "b"), words=["there is no episode"])
        self.refused(fit, self.logs, "--find", "surprising", words=["there is no column `year`"])
        other = self.write("others.csv", "\n".join([lines[0] + ",arm,year", *(row.replace(",a,", ",c,") for row in rows)]) + "\n")
        self.refused(fit, other, "--find", "surprising", words=["no episode is of the part of the logs that was fitted (arm = a)"])
        saved = os.path.join(self.folder, "groups.tree")
        self.made(run("count", table, "--study", DIAG, "--by", "arm", "-o", saved))
        self.refused(fit, saved, "--find", "surprising", words=["without the column `year`"])

    # ---- what is seen before the first action, and what cannot be ----

    def sure(self, logs, name):
        study = self.write(name + ".yaml", SURE % logs)
        table = os.path.join(self.folder, name + ".csv")
        fit = os.path.join(self.folder, name)
        after = self.write(name + "-after.yaml", SURE % "")
        self.made(run("simulate", after, "-p", "alpha=1", "-n", 30, "-o", table))
        if logs:
            with open(table) as file:
                rows = list(csv.DictReader(file))
            with open(table, "w", newline="") as file:
                out = csv.writer(file)
                out.writerow(["episode", "t", "action", "observation"])
                before = "l"
                for row in rows:
                    out.writerow([row["episode"], row["t"], row["action"], before])
                    before = row["observation"]
        done = run("fit", study, table, "-o", fit, "--method", "map", "--starts", 2)
        self.assertIn(done.returncode, (0, 1), said(done))
        return fit

    def test_seen_before(self):
        fit = self.sure("observes: before, initial_observation: look", "before")
        path = self.write("before-one.csv", "episode,t,action,observation\n1,0,look,r\n1,1,go_right,r\n")
        out = self.json(fit, path, "--subject", "1")
        self.assertEqual([(s["step"], s["seen"], s["action"]) for s in out["steps"]],
                         [(0, None, None), (1, "r", "look"), (2, "r", "go_right")])
        self.assertEqual(out["path"]["decisions"], 2)
        # One look of .8, then another.
        for step, odds in zip(out["steps"], (1, 4, 16)):
            self.assertAlmostEqual(step["belief"]["right"]["fitted"]["mean"], odds / (1 + odds), places=9)
        self.assertAlmostEqual(out["steps"][1]["belief"]["right"]["true"]["mean"], 1, places=12)

    def test_impossible_in_the_true_world(self):
        fit = self.sure("", "sure")
        out = self.json(fit, "--history", "look:l,look:r,look:r")
        self.assertTrue(out["impossible"])
        self.assertEqual([s["would"]["true"] is None for s in out["steps"]], [False, False, True, True])
        self.assertIsNone(out["steps"][2]["belief"]["left"]["true"])
        self.assertIsNone(out["steps"][2]["cost"])
        self.assertIsNone(out["cost"])
        self.assertAlmostEqual(out["steps"][2]["belief"]["left"]["fitted"]["mean"], 0.5, places=9)
        self.assertIn("cannot be in the environment", re.sub(r"\s+", " ", self.good(fit, "--history", "look:l,look:r").stdout.decode()))
        table = self.write("odd.csv", "episode,t,action,observation\n1,0,look,l\n1,1,look,r\n1,2,look,r\n1,3,go_right,r\n"
                           "2,0,look,l\n2,1,look,l\n2,2,look,l\n2,3,go_left,l\n")
        found = self.json(fit, table, "--find", "belated")["list"]
        # Having seen l once, the one who knows goes; in the first episode it has no more to say, but has gone already.
        self.assertEqual([(e["episode"], e["late"]) for e in found][:2], [("2", 2), ("1", 2)])
        self.assertIsNone(found[1]["cost"])

    # ---- mistakes ----

    def test_refusals(self):
        self.refused(os.path.join(self.folder, "nothing"), words=["no finished fit"])
        self.refused(self.fit, self.logs, words=["which episode", "--subject"])
        self.refused(self.fit, "--subject", "12", words=["no logs"])
        self.refused(self.fit, "--find", "belated", words=["none were given"])
        self.refused(self.fit, self.logs, "--find", "lost", words=["belated or surprising"])
        self.refused(self.fit, self.logs, "--find", "belated", "--subject", "1", words=["one path"])
        self.refused(self.fit, self.logs, "--history", "monitor:positive", words=["not both"])
        self.refused(self.fit, "--history", "monitor:maybe", words=["'maybe' is not an observation"])
        self.refused(self.fit, "--first", "healthy", words=["--first is for agents that see the state"])
        self.refused(self.fit, "--start", "high", words=["is not a start class"])
        bad = self.write("bad.csv", "episode,t,action,observation\n1,0,monitor,maybe\n")
        self.refused(self.fit, bad, "--subject", "1", words=["maybe"])


if __name__ == "__main__":
    unittest.main()
