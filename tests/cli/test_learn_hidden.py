"""asif learn-world where states are hidden: forms of the study whose answer is counted by hand, files, refusals. tests/oracle/test_dynamics.py
has likelihoods and maxima of an independent implementation."""
import csv
import json
import math
import os
import pathlib
import random
import re
import subprocess
import sys
import tempfile
import unittest

ASIF = os.environ.get("ASIF")
if not ASIF or not os.path.exists(ASIF):
    print("ASIF (path of the command) is not set")
    sys.exit(77)

STUDY = """\
asif: 1
states: %(states)s
actions: [wait, test]
observations: %(observations)s
environment: {%(environment)s}   # as logs tell
agent: {discount: 0.5, utility: {any: 0}, parameters: {alpha: 1}}
logs: {missing: not_seen}
"""
CROSSED = "{mood: [good, bad], result: [none, low, high]}"
# (episode, action, observation); with one state the estimates are shares.
ROWS = [(1, "wait", "good/none"), (1, "test", "good/low"), (1, "test", "bad/high"), (2, "test", "bad/low"), (2, "wait", "bad/none"),
        (2, "wait", "good/none"), (3, "test", "good/low"), (3, "wait", ""), (4, "wait", "good/none"), (4, "test", "bad/high")]


def write(path, rows, header=("episode", "t", "action", "observation")):
    with open(path, "w", newline="") as file:
        csv.writer(file).writerows([header] + [(r[0], i) + tuple(r[1:]) for i, r in enumerate(rows)])


class Hidden(unittest.TestCase):
    def setUp(self):
        self.folder = tempfile.TemporaryDirectory(prefix="asif-test-")
        self.addCleanup(self.folder.cleanup)

    def path(self, name, content=None):
        path = os.path.join(self.folder.name, name)
        if content is not None:
            with open(path, "w") as file:
                file.write(content)
        return path

    def run_asif(self, *args, code=0):
        done = subprocess.run([ASIF, *map(str, args)], capture_output=True, text=True, timeout=60)
        self.assertEqual(done.returncode, code, done.stdout + done.stderr)
        return done

    def study(self, environment, states="[only]", observations=CROSSED):
        return self.path("study.yaml", STUDY % locals())

    def learn(self, study, *args, rows=ROWS, code=0):
        logs = self.path("logs.csv")
        write(logs, rows)
        done = self.run_asif("learn-world", study, logs, "-o", self.path("new.yaml"), "--json", *args, code=code)
        if code:
            return done.stderr
        answer = json.loads(done.stdout)
        self.run_asif("check", self.path("new.yaml"), logs, "-q")
        self.assertEqual(answer["episodes"], 4 if rows is ROWS else answer["episodes"])
        return answer["dynamics"]

    def shares(self, dynamics, name, counts, prior=0):
        """One row of a table is the share of each count, with its standard error."""
        (table,) = [t for t in dynamics["tables"] if t["name"] == name]
        (row,) = table["rows"]
        possible = [n for n in counts.values() if n is not None]
        total = sum(possible) + prior * len(possible)
        self.assertEqual([c["to"] for c in row["cells"]], list(counts))
        for cell, n in zip(row["cells"], counts.values()):
            p = 0 if n is None else (n + prior) / total
            self.assertAlmostEqual(cell["probability"], p, 6)
            if n is None:
                self.assertEqual((cell["standard_error"], cell["no_error"]), (None, "only possibility"))
            elif n + prior > 0:
                self.assertAlmostEqual(cell["standard_error"], math.sqrt(p * (1 - p) / total), 5)
                self.assertAlmostEqual(cell["expected_count"], n, 5)
            else:
                self.assertEqual((cell["standard_error"], cell["no_error"], cell["identified"]), (None, "boundary", None))

    # ---- forms ----

    def test_by_column(self):
        study = self.study("start: [1], transitions: identity, emissions: {mood: learn, result: {test: learn except none, wait: none}}")
        for prior in 0, 1, 2.5:
            d = self.learn(study, "--prior", prior)
            self.assertEqual(len(d["tables"]), 2)
            self.shares(d, "mood", {"good": 5, "bad": 4}, prior)
            self.shares(d, "result after test", {"none": None, "low": 3, "high": 2}, prior)
            self.assertEqual((d["free_numbers"], d["agree"], d["starts"]), (2, 20, 20))
        d = self.learn(study, "--prior", 0)
        self.assertAlmostEqual(d["log_likelihood"], 5 * math.log(5 / 9) + 4 * math.log(4 / 9) + 3 * math.log(.6) + 2 * math.log(.4), 9)
        self.assertEqual(d["log_likelihood"], d["log_posterior"])

    def test_by_action(self):
        d = self.learn(self.study("start: [1], emissions: learn"), "--prior", 0)
        self.shares(d, "emissions after wait", {"good/none": 3, "good/low": 0, "good/high": 0, "bad/none": 1, "bad/low": 0, "bad/high": 0})
        d = self.learn(self.study("start: [1], emissions: learn shared"), "--prior", 1)
        self.shares(d, "emissions", {"good/none": 3, "good/low": 2, "good/high": 0, "bad/none": 1, "bad/low": 1, "bad/high": 2}, 1)
        study = self.study("start: [1], emissions: {test: learn except good/none and bad/none, wait: {only: {good/none: .5, bad/none: .5}}}")
        d = self.learn(study, "--prior", 1)
        self.shares(d, "emissions after test",
                    {"good/none": None, "good/low": 2, "good/high": 0, "bad/none": None, "bad/low": 1, "bad/high": 2}, 1)

    def test_filled_study(self):
        """Everything but the marks stays as it is, and the numbers are those of the report."""
        study = self.study("start: learn, transitions: learn, emissions: {mood: learn, result: {any: learn except none, wait: none}}",
                           states="[a, b]")
        d = self.learn(study, "--starts", 4)
        before, after = pathlib.Path(study).read_text(), pathlib.Path(self.path("new.yaml")).read_text()
        pieces = before.replace("learn except none", "learn").split("learn")
        at = 0
        for piece in pieces:
            self.assertIn(piece, after[at:])
            at = after.index(piece, at) + len(piece)
        values = [c["probability"] for t in d["tables"] for r in t["rows"] for c in r["cells"] if c["no_error"] != "only possibility"]
        for v in values:
            self.assertTrue(any(abs(v - float(w)) < 1e-12 for w in re.findall(r"\d[0-9.e-]*", after)))

    # ---- two states ----

    def simulated(self, n, seed=1):
        rng, rows = random.Random(seed), []
        for e in range(n):
            s = rng.random() < .4
            for _ in range(rng.randint(1, 5)):
                s = s if rng.random() < .9 else not s
                u = rng.choice(["wait", "test"])
                mood = "bad" if rng.random() < (.8 if s else .15) else "good"
                result = "none" if u == "wait" else ("high" if rng.random() < (.9 if s else .2) else "low")
                rows.append((e, u, mood + "/" + result))
        return rows

    def test_two_states(self):
        study = self.study("start: learn, transitions: learn shared, emissions: {mood: learn, result: {test: learn except none, wait: none}}",
                           states="[well, ill]")
        rows = self.simulated(600)
        one = self.learn(study, rows=rows)
        self.assertGreaterEqual(one["agree"], 15)
        self.assertEqual(one["order"], "mean class")
        truth = {"mood": [[.85, .15], [.2, .8]], "transitions": [[.9, .1], [.1, .9]], "start": [[.6, .4]]}
        for t in one["tables"]:
            for row, want in zip(t["rows"], truth.get(t["name"], [])):
                for cell, p in zip(row["cells"], want):
                    self.assertLess(abs(cell["probability"] - p), 4.5 * cell["standard_error"])
                    self.assertEqual(cell["identified"], "yes")
        self.assertEqual(one, self.learn(study, "--threads", 2, rows=rows))
        self.assertNotEqual(one["start_values"], self.learn(study, "--seed", 2, rows=rows)["start_values"])

    def test_text(self):
        study = self.study("start: learn, transitions: learn, emissions: {mood: learn, result: {test: learn except none, wait: none}}",
                           states="[well, ill]")
        logs = self.path("logs.csv")
        write(logs, [(e, "test", "good/low") for e in range(3) for _ in range(2)])
        text = self.run_asif("learn-world", study, logs, "-o", self.path("new.yaml")).stdout
        for words in ("log-likelihood of the observations", "of 20 starts", "mean class of the column mood", "Not determined by these logs",
                      "one transition before the first observation", "transitions after wait"):
            self.assertIn(words, " ".join(text.split()))
        text = self.run_asif("learn-world", study, logs, "--prior", 0, "-o", self.path("new.yaml")).stdout
        self.assertIn("without a standard error", " ".join(text.split()))

    # ---- refusals ----

    def test_refusals(self):
        cases = [
            ("start: [1], emissions: {mood: learn}", "lack the column `result`"),
            ("start: [1], emissions: {mood: learn, result: {test: learn}}", "lacks the action `wait`"),
            ("start: [1], emissions: {mood: learn, result: learn except blue}", "`blue` is not a class of this column"),
            ("start: [1], emissions: {mood: learn, result: learn except none and low and high}", "leaves nothing"),
            ("start: [1], emissions: {mood: learn twice, result: learn}", "cannot be read"),
            ("start: [1], emissions: {any: learn}", "share their numbers"),
            ("start: learn ~ dirichlet(1), emissions: learn", "one entry"),
            ("start: [1], ends: test, transitions: learn, emissions: learn", "`test` ends an episode"),
            ("start: [1], emissions: uniform", "nothing to learn"),
        ]
        for environment, words in cases:
            self.assertIn(words, self.learn(self.study(environment), code=2), environment)
        worlds = self.study("start: [1], emissions: learn")
        with open(worlds) as file:
            text = file.read().replace("agent: {", "agent: {worlds: [{emissions: learn}], ")
        self.assertIn("believes in cannot be learnt", self.learn(self.path("s.yaml", text), code=2))
        study = self.study("start: [1], emissions: learn")
        self.assertIn("--unseen is for", self.learn(study, "--unseen", "stay", code=2))
        self.assertIn("still to be learnt", self.run_asif("check", study, code=1).stdout)
        # What a mark excludes cannot follow.
        study = self.study("start: [1], emissions: {mood: learn, result: learn except none}")
        self.assertIn("cannot follow", self.learn(study, code=2))


if __name__ == "__main__":
    unittest.main(verbosity=1)
