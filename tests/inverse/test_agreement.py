"""The short form of tests/long/programmes.sh: ten problems of each kind, from seeds at which Clp with presolve calls feasible programmes infeasible.
Then tables of utilities, whose names have dots, against NumPy and against the same utilities as features; and inputs that once came out wrong."""
import csv
import json
import os
import pathlib
import shutil
import subprocess
import tempfile
import unittest

import agreement
from agreement import Task, np
from programmes import ASIF, has_solver

FINDINGS = pathlib.Path(os.environ.get("ASIF_ORACLE") or "/nowhere", "..", "findings")


def logs_of(task, rng, episodes, steps, stages=(None,)):
    """Random episodes (batch, [(state, action)]); a stage prefers the actions of a policy [state][action] the more, the later it is."""
    made = []
    for batch, policy in enumerate(stages):
        for _ in range(episodes):
            s, episode = int(rng.choice(task.S, p=task.start)), []
            for _ in range(steps):
                u = int(rng.choice(task.A, p=np.full(task.A, 1 / task.A) if policy is None else policy[s]))
                episode.append((s, u))
                s = int(rng.choice(task.S, p=task.P[0][u, s]))
            made.append((batch, episode))
    return made


class Tables(unittest.TestCase):
    def setUp(self):
        self.rng = np.random.default_rng(5)
        self.task = Task(self.rng, True)

    def fit(self, inverse, made, scores, table):
        """Utilities of cells, [state * action]; as a table, or as features that are 1 in one cell."""
        task, name = self.task, lambda k: self.task.names[k] if table else "w%d" % k
        text = task.study(["name: " + inverse[0]] + inverse[1:], np.full(task.K, 0.5)).replace("alpha: 0", "alpha: 1")
        if not table:
            text = text.replace("table: v", "features: f.csv")
            for k in range(task.K):
                text = text.replace(task.names[k] + ":", name(k) + ":")
        with tempfile.TemporaryDirectory() as folder:
            at = pathlib.Path(folder)
            (at / "study.yaml").write_text(text)
            (at / "f.csv").write_text("state,action,%s\n" % ",".join(name(k) for k in range(task.K)) + "".join(
                "s%d,a%d,%s\n" % (k // task.A, k % task.A, ",".join(str(int(j == k)) for j in range(task.K)))
                for k in range(task.K)))
            (at / "logs.csv").write_text("episode,t,state,action,score,batch\n" + "".join(
                "%d,%d,s%d,a%d,%.17g,%d\n" % (e, t, s, u, scores[e], batch)
                for e, (batch, episode) in enumerate(made) for t, (s, u) in enumerate(episode)))
            done = subprocess.run([ASIF, "fit", "study.yaml", "logs.csv", "-o", "fit", "-q"], cwd=folder, capture_output=True,
                                  text=True, timeout=120, check=False)
            self.assertIn(done.returncode, (0, 1), done.stderr)
            made = json.loads((at / "fit" / "fit.json").read_text())
        values = {p["shown"]["parameter"]: p["mean"] for p in made["parameters"].values()}
        return np.array([values[name(k)] for k in range(task.K)])

    def test_scores(self):
        made = logs_of(self.task, self.rng, 80, 6)
        truth = self.rng.normal(size=self.task.K)
        counts = np.zeros((80, self.task.K))
        for e, (_, episode) in enumerate(made):
            for s, u in episode:
                counts[e, s * self.task.A + u] += 1
        scores = counts @ truth + self.rng.normal(size=80)
        want, *_ = np.linalg.lstsq(counts, scores, rcond=None)
        got = self.fit(["distance-minimization"], made, scores, True)
        np.testing.assert_allclose(got, want, atol=1e-9)
        for p in ("1", "inf") if has_solver() else ():
            both = [self.fit(["distance-minimization", "p: " + p], made, scores, table) for table in (True, False)]
            np.testing.assert_allclose(*both, atol=1e-9)
            self.assertGreater(np.abs(both[0]).max(), 0.1)

    def test_batches(self):
        score = self.rng.normal(size=(self.task.S, self.task.A))
        stages = [np.exp(k * score) / np.exp(k * score).sum(1, keepdims=True) for k in range(3)]
        made = logs_of(self.task, self.rng, 60, 6, stages)
        both = [self.fit(["soft-policy-inversion"], made, np.zeros(len(made)), table) for table in (True, False)]
        np.testing.assert_allclose(*both, atol=1e-9)
        self.assertGreater(np.ptp(both[0]), 0.1)


class Programmes(unittest.TestCase):
    def test_random_problems(self):
        if not has_solver():
            self.skipTest("no solver of linear programmes in this build")
        self.assertEqual(agreement.run(10, first=20), 0)
        # here presolve errs in minimum perturbation
        count = agreement.Count("minimum perturbation, known to be difficult")
        for seed, p in ((30, "1"), (64, "inf")):
            agreement.minimum_perturbation(count, seed, False, p)
        self.assertEqual((count.failed, count.compared), ([], 2))


class Limits(unittest.TestCase):
    def test_prior_with_limits(self):
        """Scores say that a look is worth 2; a prior that ends at 1 cannot have it, and nothing else is reported in its place."""
        study = """asif: 1
states: [s]
actions: [look, stop]
environment: {start: [1], transitions: identity}
agent:
  discount: 0.5
  utility: {look: gain, stop: 0}
  parameters: {alpha: 1, gain: {learn: "%s", standard: 0.5}}
inverse: distance-minimization
"""
        logs = "episode,t,state,action,score\n1,0,s,look,2\n1,1,s,stop,2\n2,0,s,look,4\n2,1,s,look,4\n"
        for prior, code, said in (("normal(0, 1)", 0, ""), ("uniform(0, 1)", 2, "gain = 2, at or beyond the limits")):
            with tempfile.TemporaryDirectory() as folder:
                at = pathlib.Path(folder)
                (at / "study.yaml").write_text(study % prior)
                (at / "logs.csv").write_text(logs)
                done = subprocess.run([ASIF, "fit", "study.yaml", "logs.csv", "-o", "fit", "-q"], cwd=folder,
                                      capture_output=True, text=True, timeout=60, check=False)
                self.assertIn(said, done.stderr)
                self.assertEqual((done.returncode == 2), (code == 2), done.stderr)
                if code == 0:
                    made = json.loads((at / "fit" / "fit.json").read_text())
                    self.assertAlmostEqual(made["parameters"]["gain"]["mean"], 2, delta=1e-9)


class Findings(unittest.TestCase):
    def setUp(self):
        if not FINDINGS.is_dir():
            self.skipTest("the folder of findings is not there")
        if not has_solver():
            self.skipTest("no solver of linear programmes in this build")
        folder = tempfile.TemporaryDirectory()
        self.addCleanup(folder.cleanup)
        self.at = pathlib.Path(folder.name)

    def fit(self, finding, study, logs):
        shutil.copytree(FINDINGS / finding, self.at / finding)
        done = subprocess.run([ASIF, "fit", study, logs, "-o", "fit", "-q"], cwd=self.at / finding, capture_output=True,
                              text=True, timeout=120, check=False)
        self.assertIn(done.returncode, (0, 1), done.stderr)
        made = json.loads((self.at / finding / "fit" / "fit.json").read_text())
        shutil.rmtree(self.at / finding)
        return {p["shown"]["parameter"]: p["mean"] for p in made["parameters"].values()}, made

    def task(self, finding, study):
        """The problem, read from the study's own lines, and what was done most often in each state."""
        task = Task.__new__(Task)
        lines = (FINDINGS / finding / study).read_text().splitlines()
        matrices = [json.loads(line.split(":", 1)[1]) for line in lines if line.strip().startswith("a") and ": [[" in line]
        task.P = [np.array(matrices)]
        task.A, task.S, task.discount, task.table = 3, task.P[0].shape[1], 0.9, False
        with open(FINDINGS / finding / "f.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        task.names = [name for name in rows[0] if name not in ("state", "action")]
        task.K, task.F = len(task.names), np.zeros((len(task.names), task.A, task.S))
        for row in rows:
            for k, name in enumerate(task.names):
                task.F[k, int(row["action"][1:]), int(row["state"][1:])] = float(row[name])
        return task

    def did(self, task, path):
        count = np.zeros((task.S, task.A))
        with open(path, encoding="utf-8") as file:
            for row in csv.DictReader(file):
                count[int(row["state"][1:]), int(row["action"][1:])] += 1
        return {s: int(np.argmax(count[s])) for s in range(task.S) if count[s].any()}

    def test_margin(self):
        task = self.task("margin", "mm.yaml")
        did = self.did(task, FINDINGS / "margin" / "mm.csv")
        x, _ = self.fit("margin", "mm.yaml", "mm.csv")
        worst = max(task.advantages(np.array([x[n] for n in task.names]), did, task.P[0]).values())
        self.assertAlmostEqual(-worst, 0.263, delta=0.0005)

    def test_perturbation(self):
        task = self.task("perturbation", "p1.yaml")
        did = self.did(task, FINDINGS / "perturbation" / "mp.csv")
        standard = np.array([0.38, 0.18, -0.27, 0.87])
        for p in ("1", "2", "inf"):
            x, _ = self.fit("perturbation", "p%s.yaml" % p, "mp.csv")
            x = np.array([x[n] for n in task.names])
            count = agreement.Count("perturbation")
            want = agreement.least_distance(count, task, did, standard, p)
            self.assertAlmostEqual(agreement.distance(x, standard, p), want, delta=1e-7)
            self.assertLessEqual(max(task.advantages(x, did, task.P[0]).values()), -0.05 + 1e-7)

    def test_table(self):
        x, made = self.fit("table", "tab.yaml", "dm.csv")
        with open(FINDINGS / "table" / "dm.csv", encoding="utf-8") as file:
            rows = list(csv.DictReader(file))
        episodes = sorted({row["episode"] for row in rows})
        names = sorted(x)
        counts, scores = np.zeros((len(episodes), len(names))), np.zeros(len(episodes))
        for row in rows:
            e = episodes.index(row["episode"])
            counts[e, names.index("v.%s.%s" % (row["state"], row["action"]))] += 1
            scores[e] = float(row["score"])
        want, *_ = np.linalg.lstsq(counts, scores, rcond=None)
        np.testing.assert_allclose([x[n] for n in names], want, atol=1e-8)


if __name__ == "__main__":
    unittest.main()
