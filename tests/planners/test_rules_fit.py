"""Decision rules, decision boundaries and unrolled backups from simulated logs to estimates, held against likelihoods written out again in
NumPy: asif's log-likelihood is theirs, nothing near its maximum is better, and the truth is found."""
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
EXAMPLES = os.path.join(root, "examples", "planners")


def run(*args):
    done = subprocess.run([asif, *map(str, args)], capture_output=True, text=True, check=False)
    assert done.returncode == 0, (args, done.returncode, done.stderr)
    return done.stdout


def example(name, **changes):
    """The text of an example with other values, each of which must stand in it once."""
    with open(os.path.join(EXAMPLES, name + ".yaml"), encoding="utf-8") as file:
        lines = file.read().split("\n")
    for key, value in changes.items():
        at = [i for i, line in enumerate(lines) if line.strip().startswith(key + ":")]
        assert at, key
        i = at[-1]
        lines[i] = lines[i][: lines[i].index(key)] + key + ": " + value
    return "\n".join(lines)


class Fits(unittest.TestCase):
    def fit(self, name, episodes, steps=1000, **changes):
        """Simulate the example, fit it with what is changed, and give the logs and what was found."""
        with tempfile.TemporaryDirectory() as folder:
            study, logs, out = (os.path.join(folder, x) for x in ("study.yaml", "logs.csv", "fit"))
            with open(study, "w", encoding="utf-8") as file:
                file.write(example(name, **changes))
            run("simulate", os.path.join(EXAMPLES, name + ".yaml"), "-n", episodes, "--max-steps", steps,
                "--seed", 3, "-o", logs)
            run("check", study, logs)
            run("fit", study, logs, "--method", "ml", "--no-sensitivity", "-q", "-o", out)
            self.assertIn("AS IF", run("summary", out))
            with open(os.path.join(out, "fit.json"), encoding="utf-8") as file:
                found = json.load(file)
            with open(logs, encoding="utf-8") as file:
                return list(csv.DictReader(file)), found

    def judge(self, likelihood, x, truth, tolerance, said):
        """likelihood(x) is what asif says, truth is near, and no step from x is better by more than rounding."""
        self.assertAlmostEqual(likelihood(x), said, delta=1e-6 * abs(said))
        for i, want in enumerate(truth):
            self.assertAlmostEqual(x[i], want, delta=tolerance[i])
            for step in (-0.01, 0.01):
                near = np.array(x, dtype=float)
                near[i] += step * max(0.1, abs(near[i]))
                self.assertLess(likelihood(near), said + 1e-6)

    @staticmethod
    def beliefs(rows, accuracy):
        """P(healthy) before each action, by Bayes' rule with a test of this accuracy."""
        p, episode = 0.5, None
        for row in rows:
            if row["episode"] != episode:
                p, episode = 0.5, row["episode"]
            yield p, row["action"]
            if row["action"] == "monitor" and row["observation"]:
                like = (accuracy, 1 - accuracy) if row["observation"] == "negative" else (1 - accuracy, accuracy)
                p = p * like[0] / (p * like[0] + (1 - p) * like[1])

    def test_rule(self):
        rows, found = self.fit("decision-rule", 2000,
                               sure='{learn: "normal(0, 5)", standard: 1}',
                               never='{learn: "normal(0, 10)", standard: -8}',
                               enough='{learn: "normal(0, 5)", standard: -4}')
        actions = ("declare_healthy", "declare_diseased", "monitor")
        data = [(p, actions.index(action)) for p, action in self.beliefs(rows, 0.7)]
        p, u = np.array([d[0] for d in data]), np.array([d[1] for d in data])

        def likelihood(x):
            sure, never, enough = x
            score = np.stack([p * sure + (1 - p) * never, p * never + (1 - p) * sure,
                              enough * (np.maximum(p, 1 - p) > 0.9)])
            return float(np.sum(score[u, np.arange(len(u))] - np.log(np.exp(score).sum(axis=0))))

        numbers = found["parameters"]
        self.judge(likelihood, [numbers[k]["maximum"] for k in ("sure", "never", "enough")], (1, -8, -4),
                   (0.3, 0.7, 1.1), found["maximum"]["log_likelihood"])

    def test_boundaries(self):
        rows, found = self.fit("decision-boundaries", 2000, alpha="learn", declare_healthy="[1.0, 0.0]",
                               declare_diseased="learn", monitor="learn")
        actions = ("declare_healthy", "declare_diseased", "monitor")
        data = [(p, actions.index(action)) for p, action in self.beliefs(rows, 0.8)]
        p, u = np.array([d[0] for d in data]), np.array([d[1] for d in data])

        def likelihood(x):
            mean = np.array([1, x[1], x[2]])[:, None]  # of healthy; |b - mu|^2 = 2 (p - mean)^2
            score = -2 * (p - mean) ** 2 / x[0]
            return float(np.sum(score[u, np.arange(len(u))] - np.log(np.exp(score).sum(axis=0))))

        numbers = found["parameters"]
        x = [math.exp(numbers["log_alpha"]["maximum"]), numbers["means_declare_diseased.1"]["maximum"],
             numbers["means_monitor.1"]["maximum"]]
        self.judge(likelihood, x, (0.1, 0.1, 0.5), (0.01, 0.03, 0.02), found["maximum"]["log_likelihood"])

    def test_unrolled(self):
        rows, found = self.fit("differentiable", 500, 40, cost='{learn: "normal(-2, 2)", standard: -2}',
                               alpha="learn")
        states, actions = ("new", "worn", "broken"), ("run", "repair")
        count = np.zeros((2, 3))
        for row in rows:
            count[actions.index(row["action"]), states.index(row["state"])] += 1
        run_ = (np.array([[.7, .3, 0], [0, .6, .4], [0, 0, 1]]) + np.array([[.95, .05, 0], [0, .9, .1], [0, 0, 1]])) / 2
        repair = np.array([[1, 0, 0], [.9, .1, 0], [.8, .1, .1]])

        def likelihood(x):
            cost, alpha = x
            value = np.zeros(3)
            for _ in range(10):
                q = np.stack([np.array([1, 1, 0]) + 0.9 * run_ @ value, cost + 0.9 * repair @ value])
                value = alpha * np.log(np.mean(np.exp(q / alpha), axis=0))
            log_pi = q / alpha - np.log(np.exp(q / alpha).sum(axis=0))
            return float((count * log_pi).sum())

        numbers = found["parameters"]
        self.judge(likelihood, [numbers["cost"]["maximum"], math.exp(numbers["log_alpha"]["maximum"])], (-2, 0.2),
                   (0.25, 0.05), found["maximum"]["log_likelihood"])


if __name__ == "__main__":
    unittest.main()
