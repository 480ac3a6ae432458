"""asif project and asif evaluate against definitions written out again: likelihood, accuracy, Brier, average precision, the standard error,
and the distance of occupancies, where states are seen and where they are not."""
# ctest label: slow
import csv
import json
import math
import os
import subprocess
import sys
import tempfile
import unittest

import numpy as np

asif, root = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not asif or not root or not os.path.exists(asif):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)

MDP = """asif: 1
states: [a, b, c]
actions: [stay, go]
environment:
  start: [0.5, 0.3, 0.2]
  transitions:
    stay: [[0.9, 0.1, 0], [0, 0.8, 0.2], [0.3, 0, 0.7]]
    go: [[0.1, 0.9, 0], [0, 0.2, 0.8], [1, 0, 0]]
agent:
  discount: 0.9
  utility:
    stay: {a: 0, b: 1, c: reward}
    go: -0.5
  parameters: {alpha: 0.7, reward: 2}
"""
P = np.array([[[0.9, 0.1, 0], [0, 0.8, 0.2], [0.3, 0, 0.7]], [[0.1, 0.9, 0], [0, 0.2, 0.8], [1, 0, 0]]])
START = np.array([0.5, 0.3, 0.2])
DIAG = os.path.join(root, "examples/diag/study.yaml")


CLINIC = """asif: 1
states: [well, ill]
actions: [wait, test]
observations: [n, p]
environment:
  start: [0.6, 0.4]
  transitions: [[0.9, 0.1], [0.2, 0.8]]
  emissions: [[0.7, 0.3], [0.2, 0.8]]
agent:
  discount: 0.9
  action_prior: PRIOR
  utility:
    wait: {well: 1, ill: 0}
    test: {well: 0, ill: 1}
  parameters: {alpha: ALPHA}
solver: {resolution: 20}
"""
metrics = None
if os.environ.get("ASIF_ORACLE"):
    sys.path.insert(0, os.path.join(os.environ["ASIF_ORACLE"], "..", "dementia"))
    sys.dont_write_bytecode = True
    try:
        import metrics
    except ImportError:
        pass


def scores(p, y):
    """Over all pairs of decisions (AUROC), and over single thresholds (precision and recall)."""
    p, y = np.array(p), np.array(y, float)
    both = [(a > b) + 0.5 * (a == b) for a in p[y == 1] for b in p[y == 0]]
    recall, precision = [0.0], [1.0]
    for threshold in sorted(set(p), reverse=True):
        recall.append(y[p >= threshold].sum() / y.sum())
        precision.append(y[p >= threshold].mean())
    step = np.diff(recall)
    return {"rate": y.mean(), "brier": ((p - y) ** 2).mean(), "log_loss": -np.log(np.where(y == 1, p, 1 - p)).mean(), "auroc": np.mean(both),
            "average_precision": (step * precision[1:]).sum(), "trapezoid": (step * (np.array(precision[1:]) + precision[:-1]) / 2).sum()}


def run(*args, code=0):
    done = subprocess.run([asif, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode == code, (args, done.returncode, done.stderr)
    return done.stdout


def soft_policy():
    """Soft value iteration with a uniform prior over actions."""
    v = np.array([[0, 1, 2.0], [-0.5, -0.5, -0.5]])
    value = np.zeros(3)
    for _ in range(2000):
        q = v + 0.9 * P @ value
        value = 0.7 * np.log(np.mean(np.exp(q / 0.7), axis=0))
    pi = np.exp(q / 0.7)
    return (pi / pi.sum(axis=0)).T


def occupancy(pi, start=START, discount=0.9):
    chain = np.einsum("su,ust->st", pi, P)
    visits = (1 - discount) * np.linalg.solve(np.eye(3) - discount * chain.T, start)
    return visits[:, None] * pi


def average_precision(score, taken):
    """Over single decisions: recall goes up by each that was taken; equal scores come together."""
    area, hits, seen = 0, 0, 0
    for s in sorted(set(score), reverse=True):
        here = [t for x, t in zip(score, taken) if x == s]
        seen, hits = seen + len(here), hits + sum(here)
        area += sum(here) / sum(taken) * hits / seen
    return area


def measures(rows, policy, actions):
    """rows: (subject, key, action); policy: key -> probabilities."""
    p = np.array([policy[k][u] for _, k, u in rows])
    whole = np.array([policy[k] for _, k, _ in rows])
    y = np.array([[u == a for a in range(actions)] for _, _, u in rows], float)
    best = whole >= whole.max(axis=1, keepdims=True) * (1 - 1e-12)
    subjects = sorted({s for s, _, _ in rows})
    total, mean = np.log(p).sum(), np.log(p).mean()
    off = [sum(math.log(policy[k][u]) - mean for s, k, u in rows if s == who) for who in subjects]
    n = len(subjects)
    precision = [average_precision(list(whole[:, a]), list(y[:, a])) for a in range(actions) if y[:, a].any()]
    return {
        "decisions": len(rows),
        "log_likelihood": total,
        "log_likelihood_se": math.sqrt(sum(o * o for o in off) * n / (n - 1)),
        "accuracy": ((best * y).sum(axis=1) / best.sum(axis=1)).mean(),
        "brier": ((whole - y) ** 2).sum(axis=1).mean(),
        "average_precision": np.mean(precision),
    }


class Faith(unittest.TestCase):
    def near(self, found, expected):
        for key, value in expected.items():
            self.assertAlmostEqual(found[key], value, delta=1e-9 * max(1, abs(value)), msg=key)

    def project(self, study, logs, *flags):
        with tempfile.TemporaryDirectory() as folder:
            text = run("project", study, logs, "-o", folder, "--json", *flags)
            with open(os.path.join(folder, "projection.json"), encoding="utf-8") as file:
                self.assertEqual(file.read(), text)
            with open(os.path.join(folder, "policy.csv"), encoding="utf-8") as file:
                table = list(csv.DictReader(file))
            self.assertIn("holds a projection", subprocess.run(
                [asif, "project", study, logs, "-o", folder], capture_output=True, text=True, check=False).stderr)
        return json.loads(text), table

    def test_states(self):
        rng = np.random.default_rng(5)
        rows = []
        with tempfile.TemporaryDirectory() as folder:
            study, logs = os.path.join(folder, "study.yaml"), os.path.join(folder, "logs.csv")
            with open(study, "w", encoding="utf-8") as file:
                file.write(MDP)
            with open(logs, "w", encoding="utf-8") as file:
                file.write("subject,episode,t,state,action\n")
                for who in range(30):
                    s = rng.choice(3, p=START)
                    for t in range(int(rng.integers(3, 9))):
                        u = int(rng.random() < [0.2, 0.5, 0.7][s])
                        rows.append((who, int(s), u))
                        file.write(f"{who},{who},{t},{'abc'[s]},{['stay', 'go'][u]}\n")
                        s = rng.choice(3, p=P[u][s])
            found, table = self.project(study, logs)
            again = run("project", study, logs, "-o", os.path.join(folder, "again"), "--json", "--threads", 2)
            self.assertEqual(json.loads(again), found)
        counts = np.zeros((3, 2))
        for _, s, u in rows:
            counts[s, u] += 1
        did = counts / counts.sum(axis=1, keepdims=True)
        share = (counts.sum(axis=0) + 0.5) / (counts.sum() + 1)
        policies = [np.full((3, 2), 0.5), soft_policy(), (counts + share) / (counts.sum(axis=1, keepdims=True) + 1)]
        for model, policy in zip(found["models"], policies):
            expected = measures(rows, policy, 2)
            expected["occupancy_distance"] = np.abs(occupancy(did) - occupancy(policy)).sum() / 2
            self.near(model["all_logs"], expected)
        self.assertEqual([m["name"] for m in found["models"]], ["uniform", "study", "behavioural cloning"])
        self.assertAlmostEqual(found["models"][0]["held_out"]["log_likelihood"], len(rows) * math.log(0.5))
        self.assertAlmostEqual(found["models"][1]["held_out"]["log_likelihood"], found["models"][1]["all_logs"]["log_likelihood"])
        for row in table:
            s, u = "abc".index(row["state"]), ["stay", "go"].index(row["action"])
            self.assertEqual(float(row["times"]), counts[s, u])
            self.assertAlmostEqual(float(row["study"]), policies[1][s, u], delta=1e-9)

    def test_histories(self):
        """The diagnosis problem: an agent that takes every action equally often, and counts."""
        emit = {0: [0.7, 0.3], 1: [0.3, 0.7]}
        rng = np.random.default_rng(2)
        episodes = []
        for _ in range(40):
            disease, path = int(rng.random() < 0.5), []
            while True:
                u = int(rng.choice(3, p=[0.15, 0.25, 0.6]))
                x = int(rng.random() < emit[disease][1])
                path.append((u, x))
                if u < 2 or len(path) == 12:
                    break
            episodes.append(path)
        names, seen = ["declare_healthy", "declare_diseased", "monitor"], ["negative", "positive"]
        with tempfile.TemporaryDirectory() as folder:
            logs = os.path.join(folder, "logs.csv")
            with open(logs, "w", encoding="utf-8") as file:
                file.write("episode,t,action,observation\n")
                for i, path in enumerate(episodes):
                    for t, (u, x) in enumerate(path):
                        file.write(f"{i},{t},{names[u]},{seen[x] if u == 2 else ''}\n")
            found, _ = self.project(DIAG, logs, "-p", "alpha=inf", "-p", "beta=inf", "-p", "eta=0")
        rows, nodes = [], {}
        for i, path in enumerate(episodes):
            for t, (u, _) in enumerate(path):
                history = tuple(path[:t])
                rows.append((i, history, u))
                nodes.setdefault(history, np.zeros(3))[u] += 1
        uniform = {h: np.full(3, 1 / 3) for h in nodes}
        total = sum(nodes.values())
        share = (total + 1 / 3) / (total.sum() + 1)
        last = {}
        for h, c in nodes.items():
            last[h[-1:]] = last.get(h[-1:], 0) + c
        clone = {h: (c + (last[h[-1:]] + share) / (last[h[-1:]].sum() + 1)) / (c.sum() + 1) for h, c in nodes.items()}
        # a history at which nobody is known to have acted has no node: episodes cut at 12 leave one observation behind
        for model, policy in zip(found["models"], [uniform, uniform, clone]):
            expected = measures(rows, policy, 3)
            apart = both = 0
            reach, belief = {(): nodes[()].sum()}, {(): np.array([0.5, 0.5])}
            for h in sorted(nodes, key=len):
                if h:
                    u, x = h[-1]
                    likely = belief[h[:-1]] * [emit[0][x], emit[1][x]]
                    belief[h] = likely / likely.sum()
                    reach[h] = reach[h[:-1]] * policy[h[:-1]][u] * likely.sum()
                weight = 0.95 ** len(h)
                apart += weight * np.abs(nodes[h] - reach[h] * policy[h]).sum()
                both += weight * (nodes[h] + reach[h] * policy[h]).sum()
            depth = max(map(len, nodes))
            for h in nodes:
                if len(h) == depth:
                    continue
                known = sum((belief[h] * [emit[0][x], emit[1][x]]).sum() for x in (0, 1) if (*h, (2, x)) in nodes)
                off = reach[h] * policy[h][2] * max(0, 1 - known)
                apart += 0.95 ** (len(h) + 1) * off
                both += 0.95 ** (len(h) + 1) * off
            expected["occupancy_distance"] = apart / both
            self.near(model["all_logs"], expected)

    def test_fitted(self):
        with tempfile.TemporaryDirectory() as folder:
            logs = os.path.join(folder, "logs.csv")
            run("simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "-n", 300, "-o", logs)
            flags = ["-p", "eta=0", "--starts", 2, "--folds", 3]
            text = run("evaluate", DIAG, logs, *flags)
            rows = json.loads(run("evaluate", DIAG, logs, *flags, "--json"))["models"]
            self.assertIn("bounded-rational", text)
            self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))
            floor, model, ceiling = (r["held_out"]["nats_per_decision"] for r in rows)
            self.assertLess(floor, -1.09)
            self.assertGreater(model, ceiling - 0.02)
            self.assertGreater(ceiling, -0.3)
            same = run("evaluate", DIAG, logs, *flags, "--json", "--threads", 2)
            self.assertEqual(json.loads(same)["models"], rows)
            other = json.loads(run("evaluate", DIAG, logs, *flags, "--json", "--seed", 3))["models"]
            self.assertNotEqual(other[1]["held_out"], rows[1]["held_out"])

    def clinic(self, folder, subjects, rng, prior="[0.5, 0.5]", alpha="0.3", each=None):
        """Logs of a clinic with two actions, and the study of an agent whose parameters are all assumed."""
        study, logs = os.path.join(folder, "study.yaml"), os.path.join(folder, "logs.csv")
        with open(study, "w", encoding="utf-8") as file:
            file.write(CLINIC.replace("PRIOR", prior).replace("ALPHA", alpha))
        episodes = []
        for i in range(subjects):
            path = each(i) if each else [(int(rng.random() < 0.6), int(rng.random() < 0.4)) for _ in range(rng.integers(1, 6))]
            episodes.append(path)
        with open(logs, "w", encoding="utf-8") as file:
            file.write("episode,t,action,observation\n")
            for i, path in enumerate(episodes):  # names in an order that is not that of the table
                for t, (u, x) in enumerate(path):
                    file.write(f"{(7 * i) % subjects},{t},{['wait', 'test'][u]},{'np'[x]}\n")
        return study, logs, episodes

    def test_scores(self):
        """Scores of one action against their definitions, decision by decision; folds in the order of the table."""
        with tempfile.TemporaryDirectory() as folder:
            study, logs, episodes = self.clinic(folder, 83, np.random.default_rng(11))
            other = os.path.join(folder, "other.yaml")
            with open(study, encoding="utf-8") as source, open(other, "w", encoding="utf-8") as file:
                file.write(source.read().replace("alpha: 0.3", "alpha: 2"))
            _, table = self.project(study, logs)
            _, table2 = self.project(other, logs)
            flags = ["--folds", 4, "--fold-order", "file", "--from-step", 2]
            found = json.loads(run("evaluate", study, other, logs, *flags, "--json"))
            text = run("evaluate", study, other, logs, *flags)
            self.assertTrue(all(len(line) <= 80 for line in text.splitlines()))
            self.assertNotEqual(found["models"][-1]["scores"], json.loads(
                run("evaluate", study, other, logs, "--folds", 4, "--from-step", 2, "--json"))["models"][-1]["scores"])
            swapped = json.loads(run("evaluate", study, logs, *flags, "--positive", "wait", "--json"))
        self.assertEqual(found["positive"], "test")
        policy = {"study": table, "other": table2}
        for name in policy:
            policy[name] = {r["history"]: float(r[name]) for r in policy[name] if r["action"] == "test"}
        by_name = {m["name"]: m for m in found["models"]}
        units = {}
        for name, p in policy.items():
            for which, first in enumerate([0, 1]):
                rows = [(i, i * 4 // 83, p[",".join(f"{['wait', 'test'][u]}:{'np'[x]}" for u, x in path[:t])], path[t][0])
                        for i, path in enumerate(episodes) for t in range(first, len(path))]
                units[name, which] = [(sum((q - y) ** 2 for j, _, q, y in rows if j == i), sum(-math.log(q if y else 1 - q) for j, _, q, y in rows if j == i),
                                       sum(j == i for j, *_ in rows)) for i in range(83)]
                folds = [scores([r[2] for r in rows if r[1] == k], [r[3] for r in rows if r[1] == k]) for k in range(4)]
                whole = scores([r[2] for r in rows], [r[3] for r in rows])
                expected = {"from_step": first + 1, "decisions": len(rows), "rate": whole["rate"], "brier": whole["brier"],
                            "log_loss": whole["log_loss"], "constant_trapezoid": (1 + whole["rate"]) / 2}
                expected.update({k: np.mean([f[k] for f in folds]) for k in ("auroc", "average_precision", "trapezoid")})
                for k, key in enumerate(("brier", "log_loss")):
                    off = [u[k] - expected[key] * u[2] for u in units[name, which]]
                    expected[key + "_se"] = math.sqrt(sum(o * o for o in off) * 83 / 82) / len(rows)
                got = by_name[name]["scores"][which]
                self.assertEqual(sorted(got), sorted(expected))
                for key, value in expected.items():
                    self.assertAlmostEqual(got[key], value, delta=1e-12, msg=(name, which, key))
                if metrics:
                    theirs = [metrics.scores([r[2] for r in rows if r[1] == k], [r[3] for r in rows if r[1] == k]) for k in range(4)]
                    for ours, key in (("auroc", "auroc"), ("average_precision", "average_precision"), ("trapezoid", "prc_trapezoid")):
                        self.assertAlmostEqual(got[ours], np.mean([t[key] for t in theirs]), delta=1e-12)
        for which in range(2):
            found_one = [d for d in found["differences"] if (d["from_step"], d["model"], d["reference"]) == (which + 1, "other", "study")]
            self.assertEqual(len(found_one), 1)
            for k, key in enumerate(("brier", "log_loss")):
                pairs = [(a[k] - b[k], a[2]) for a, b in zip(units["other", which], units["study", which])]
                n = sum(c for _, c in pairs)
                mean = sum(d for d, _ in pairs) / n
                error = math.sqrt(sum((d - mean * c) ** 2 for d, c in pairs) * 83 / 82) / n
                self.assertAlmostEqual(found_one[0][key], mean, delta=1e-12)
                self.assertAlmostEqual(found_one[0][key + "_se"], error, delta=1e-12)
        self.assertEqual(len(found["differences"]), 2 * 6)
        for a, b in zip(swapped["models"], [by_name[n] for n in ("uniform", "study", "behavioural cloning")]):
            for key in ("brier", "log_loss", "auroc"):  # these are the same whichever of two actions is the positive one
                self.assertAlmostEqual(a["scores"][1][key], b["scores"][1][key], delta=1e-12)

    def test_constant(self):
        """A constant prediction: Brier p (1 - p), AUROC 1/2, average precision p, trapezoid (1 + p) / 2, log loss its entropy."""
        with tempfile.TemporaryDirectory() as folder:
            one = lambda i: [(int((t + 3 * i) % 10 < 7), t % 2) for t in range(10)]
            study, logs, _ = self.clinic(folder, 20, None, "[0.3, 0.7]", "inf", one)
            found = json.loads(run("evaluate", study, logs, "--json", "--seed", 5))
        got = found["models"][1]["scores"][0]
        expected = {"rate": 0.7, "brier": 0.21, "auroc": 0.5, "average_precision": 0.7, "trapezoid": 0.85, "constant_trapezoid": 0.85,
                    "log_loss": -0.7 * math.log(0.7) - 0.3 * math.log(0.3)}
        for key, value in expected.items():
            self.assertAlmostEqual(got[key], value, delta=1e-14, msg=key)
        self.assertEqual(len(found["models"][1]["scores"]), 1)

    def test_rivals(self):
        """Base rate and logistic regression on the last visit, fitted to every training part again, by Newton's method."""
        with tempfile.TemporaryDirectory() as folder:
            study, logs, episodes = self.clinic(folder, 60, np.random.default_rng(3))
            flags = ["--folds", 3, "--fold-order", "file", "--from-step", 2, "--json"]
            found = json.loads(run("evaluate", study, logs, "--rival", "last-visit", "--rival", "base-rate", *flags))
            text = run("evaluate", study, logs, "--rival", "base-rate")
            done = subprocess.run([asif, "evaluate", study, logs, "--rival", "base-rat"], capture_output=True, text=True, check=False)
        self.assertEqual([m["name"] for m in found["models"]], ["uniform", "study", "last-visit", "base-rate", "behavioural cloning"])
        self.assertIn("base-rate", text)
        self.assertEqual(done.returncode, 2)
        self.assertIn("did you mean `base-rate`", done.stderr)
        sums = {"last-visit": [0, 0], "base-rate": [0, 0]}
        for k in range(3):
            rows = [(path[t - 1] if t else None, path[t][0], i * 3 // 60 == k) for i, path in enumerate(episodes) for t in range(len(path))]
            train = [(v, y) for v, y, out in rows if not out]
            rate = (sum(y for _, y in train) + 0.5) / (len(train) + 1)
            later = [(v, y) for v, y in train if v]
            # weights [feature][action]: two actions, two observations
            x = np.array([[v[0] == 0, v[0] == 1, v[1] == 0, v[1] == 1] for v, _ in later], float)
            y = np.array([[1 - y, y] for _, y in later], float)
            w = np.zeros((4, 2))
            for _ in range(60):
                p = np.exp(x @ w)
                p /= p.sum(axis=1, keepdims=True)
                slope = (x.T @ (y - p) - w / 100).ravel()
                curve = np.eye(8) / 100
                for u in range(2):
                    for v in range(2):
                        block = (x * (p[:, u] * ((u == v) - p[:, v]))[:, None]).T @ x
                        curve[np.ix_(range(u, 8, 2), range(v, 8, 2))] += block
                w += np.linalg.solve(curve, slope).reshape(4, 2)
            for v, y, out in rows:
                if out and v:
                    score = [w[v[0], u] + w[2 + v[1], u] for u in range(2)]
                    for name, q in (("base-rate", rate), ("last-visit", 1 / (1 + math.exp(score[0] - score[1])))):
                        sums[name][0] += (q - y) ** 2
                        sums[name][1] += 1
        for model in found["models"]:
            if model["name"] in sums:
                total, n = sums[model["name"]]
                self.assertAlmostEqual(model["scores"][1]["brier"], total / n, delta=1e-6 if model["name"] == "last-visit" else 1e-13)

    def test_recurrent(self):
        """A rule that looks two visits back: the recurrent network finds it, the last visit alone cannot."""
        rng = np.random.default_rng(8)

        def each(_):
            path = [(int(rng.random() < 0.5), int(rng.random() < 0.5)), (int(rng.random() < 0.5), int(rng.random() < 0.5))]
            for _ in range(2):
                path.append((int(rng.random() < (0.9 if path[-2][1] else 0.1)), int(rng.random() < 0.5)))
            return path
        with tempfile.TemporaryDirectory() as folder:
            study, logs, _ = self.clinic(folder, 200, None, each=each)
            flags = ["--rival", "last-visit", "--rival", "recurrent-cloning", "--folds", 2, "--json"]
            found = json.loads(run("evaluate", study, logs, *flags))
        brier = {m["name"]: m["scores"][0]["brier"] for m in found["models"]}
        self.assertLess(brier["recurrent-cloning"], 0.19)  # half of the decisions can be known to .09, the others to .25
        self.assertGreater(brier["last-visit"], 0.22)

    def test_relearn(self):
        """Dynamics that are learnt in each training part: the same as learn-world on a table without the fold."""
        rng = np.random.default_rng(12)
        start, move, show = [0.6, 0.4], [[0.95, 0.05], [0.1, 0.9]], [[0.9, 0.1], [0.15, 0.85]]

        def each(_):
            s, path = int(rng.random() < start[1]), []
            for _ in range(6):
                s = int(rng.random() < move[s][1])
                path.append((int(rng.random() < 0.5), int(rng.random() < show[s][1])))
            return path
        with tempfile.TemporaryDirectory() as folder:
            study, logs, episodes = self.clinic(folder, 80, None, each=each)
            with open(study, encoding="utf-8") as file:
                text = file.read()
            for old, new in (("start: [0.6, 0.4]", "start: learn"), ("transitions: [[0.9, 0.1], [0.2, 0.8]]", "transitions: learn shared"),
                             ("emissions: [[0.7, 0.3], [0.2, 0.8]]", "emissions: learn shared")):
                self.assertIn(old, text)
                text = text.replace(old, new)
            with open(study, "w", encoding="utf-8") as file:
                file.write(text)
            found = json.loads(run("evaluate", study, logs, "--relearn", "--folds", 2, "--fold-order", "file", "--json"))
            run("evaluate", study, logs, code=2)
            with open(logs, encoding="utf-8") as file:
                header, *lines = file.read().splitlines()
            total = n = 0
            for k in range(2):
                part, learnt = os.path.join(folder, f"part{k}.csv"), os.path.join(folder, f"learnt{k}.yaml")
                with open(part, "w", encoding="utf-8") as file:
                    file.write("\n".join([header] + [x for i, x in enumerate(lines) if i // 6 * 2 // 80 != k]) + "\n")
                run("learn-world", study, part, "-o", learnt)
                _, table = self.project(learnt, logs)
                policy = {r["history"]: float(r[f"learnt{k}"]) for r in table if r["action"] == "test"}
                for i, path in enumerate(episodes):
                    for t in range(6 if i * 2 // 80 == k else 0):
                        history = ",".join(f"{['wait', 'test'][u]}:{'np'[x]}" for u, x in path[:t])
                        total += (policy[history] - path[t][0]) ** 2
                        n += 1
        self.assertTrue(found["models"][1]["relearnt"])
        self.assertAlmostEqual(found["models"][1]["scores"][0]["brier"], total / n, delta=1e-9)

    def test_scores_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            study, logs, _ = self.clinic(folder, 20, np.random.default_rng(1))
            tree = os.path.join(folder, "logs.tree")
            run("count", logs, "--study", study, "-o", tree)
            for flags, words in ((["--positive", "tests"], "no action `tests`"), (["--fold-order", "name"], "`random` or `file`"),
                                 (["--from-step", 50], "no episode has a decision 50"), (["--from-step", 0], "from 1 to")):
                done = subprocess.run([asif, "evaluate", study, logs, *map(str, flags)], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertIn(words, done.stderr)
            done = subprocess.run([asif, "evaluate", study, tree, "--fold-order", "file"], capture_output=True, text=True, check=False)
            self.assertEqual(done.returncode, 2)
            self.assertIn("does not keep the order", done.stderr)

    def test_refused(self):
        with tempfile.TemporaryDirectory() as folder:
            logs = os.path.join(folder, "logs.csv")
            run("simulate", DIAG, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0", "-n", 3, "-o", logs)
            for args in ([DIAG, logs], [DIAG, os.path.join(folder, "no.csv")], [os.path.join(folder, "no.yaml"), logs]):
                done = subprocess.run([asif, "evaluate", *args], capture_output=True, text=True, check=False)
                self.assertEqual(done.returncode, 2)
                self.assertTrue(done.stderr)


if __name__ == "__main__":
    unittest.main()
