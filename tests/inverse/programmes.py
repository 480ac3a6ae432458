"""Random decision problems in which states are seen, as arrays and as studies, for the tests of inverse planners that are linear or quadratic
programmes; and a fit by the command. Arrays: transitions [action][from][to], utilities [action][state]."""
import json
import os
import subprocess
import sys
import tempfile

ASIF = os.environ.get("ASIF")
if not ASIF or not os.path.exists(ASIF):
    print("skipped: ASIF (path of the command) is not set")
    sys.exit(77)
try:
    import numpy as np
    from scipy.optimize import linprog
except ImportError:
    print("skipped: numpy and scipy are needed")
    sys.exit(77)


class Problem:
    """A problem whose utility is sum_k weight_k feature_k, with a few successors for each state and action."""

    def __init__(self, rng, states, actions, features, discount=0.9):
        self.S, self.A, self.K, self.discount = states, actions, features, discount
        self.P = random_transitions(rng, states, actions)
        self.start = rng.dirichlet(np.ones(states))
        # by cell one of the parameters, times a coefficient
        self.which = rng.integers(features, size=(actions, states))
        self.which.flat[:features] = np.arange(features)
        self.coefficient = np.round(rng.uniform(0.1, 1, size=(actions, states)), 3)
        self.F = np.zeros((features, actions, states))
        for k in range(features):
            self.F[k] = np.where(self.which == k, self.coefficient, 0)

    def utility(self, x):
        return np.tensordot(x, self.F, 1)

    def q(self, v, values, P=None):
        return v + self.discount * (self.P if P is None else P) @ values

    def values(self, v, policy, P=None):
        """Of a policy [state][action]."""
        P = self.P if P is None else P
        chain = np.einsum("su,ust->st", policy, P)
        return np.linalg.solve(np.eye(self.S) - self.discount * chain, np.einsum("su,us->s", policy, v))

    def best(self, v, P=None):
        """The optimal policy, ties shared, and its values."""
        values = np.zeros(self.S)
        for _ in range(10000):
            q = self.q(v, values, P)
            if np.max(np.abs(q.max(0) - values)) < 1e-13:
                break
            values = q.max(0)
        tied = (q >= q.max(0) - 1e-9).T
        return tied / tied.sum(1, keepdims=True), values

    def occupancy(self, policy):
        chain = np.einsum("su,ust->st", policy, self.P)
        visits = np.linalg.solve(np.eye(self.S) - self.discount * chain.T, (1 - self.discount) * self.start)
        return (visits[:, None] * policy).T

    def loss(self, v, learnt):
        """What the policy that is optimal for `learnt` loses under v, over what can be lost."""
        policy, _ = self.best(learnt)
        _, top = self.best(v)
        _, bottom = self.best(-v)
        return self.start @ (top - self.values(v, policy)) / (self.start @ (top + bottom))

    def study(self, inverse, standard, extra=""):
        rows = lambda m: "[" + ", ".join("[%s]" % ", ".join("%.17g" % p for p in row) for row in m) + "]"
        text = ["asif: 1", "states: %d" % self.S, "actions: [%s]" % ", ".join("a%d" % u for u in range(self.A)),
                "environment:", "  start: [%s]" % ", ".join("%.17g" % p for p in self.start), "  transitions:"]
        text += ["    a%d: %s" % (u, rows(self.P[u])) for u in range(self.A)]
        text += ["agent:", "  discount: %.17g" % self.discount, "  utility:"]
        for u in range(self.A):
            text.append("    a%d: {%s}" % (u, ", ".join(
                "%d: %.17g * w%d" % (s, self.coefficient[u, s], self.which[u, s]) for s in range(self.S))))
        text += ["  parameters:", "    alpha: 0"]
        text += ["    w%d: {learn: , standard: %.17g}" % (k, standard[k]) for k in range(self.K)]
        return "\n".join(text + ["inverse: " + inverse, extra, ""])


def random_transitions(rng, states, actions):
    P = np.zeros((actions, states, states))
    for u in range(actions):
        for s in range(states):
            to = rng.choice(states, size=min(3, states), replace=False)
            P[u, s, to] = rng.dirichlet(np.ones(len(to)))
    return P


def one_row_each(acts):
    """Logs in which every (state, action) of a list is an episode."""
    return "episode,state,action\n" + "".join("%d,%d,a%d\n" % (i, s, u) for i, (s, u) in enumerate(acts))


def fit(study, logs):
    """Values of the parameters and the objective, or what the command said."""
    with tempfile.TemporaryDirectory() as folder:
        paths = [os.path.join(folder, name) for name in ("study.yaml", "logs.csv", "fit")]
        for path, text in zip(paths, (study, logs)):
            with open(path, "w") as file:
                file.write(text)
        done = subprocess.run([ASIF, "fit", paths[0], paths[1], "--method", "ml", "-o", paths[2]], capture_output=True,
                              timeout=120)
        if done.returncode != 0:
            return done.stdout.decode() + done.stderr.decode()
        with open(os.path.join(paths[2], "fit.json")) as file:
            return json.load(file)


def numbers(result, count):
    return np.array([result["parameters"]["w%d" % k]["mean"] for k in range(count)])


def has_solver():
    """Was the command built with a solver of linear programmes?"""
    problem = Problem(np.random.default_rng(1), 2, 2, 2)
    said = fit(problem.study("maximum-margin", np.ones(2)), one_row_each([(0, 0), (1, 1)]))
    if isinstance(said, str) and "without Clp" in said:
        return False
    assert isinstance(said, dict), said
    return True
