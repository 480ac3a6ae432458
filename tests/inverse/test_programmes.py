"""Maximum margin and minimum perturbation against SciPy's linprog (HiGHS) and SLSQP on random problems, through the command."""
import itertools
import sys
import unittest

from programmes import Problem, fit, has_solver, linprog, np, numbers, one_row_each

from scipy.optimize import minimize

MARGIN = 0.05


def unit(n, i):
    return np.eye(n)[i]


class Rows:
    """Rows over (x, V): A x + B V <= c, and equalities, that make what was done optimal by a margin."""

    def __init__(self, problem, did, margin):
        p, S, K = problem, problem.S, problem.K
        closed = set(did)
        while True:  # what the demonstrated actions lead to, and from there everything
            more = {t for s in closed for u in ([did[s]] if s in did else range(p.A)) for t in np.flatnonzero(p.P[u, s])}
            if more <= closed:
                break
            closed |= more
        self.upper, self.upper_is, self.equal, self.equal_is = [], [], [], []
        for s in range(S):
            gap = [np.concatenate([-p.F[:, u, s], unit(S, s) - p.discount * p.P[u, s]]) for u in range(p.A)]  # V - Q
            if s in did:
                self.equal.append(gap[did[s]])
            elif s in closed:
                self.equal.append(np.mean(gap, 0))
            if s in closed:
                self.equal_is.append(0)
            for u in range(p.A):
                if s not in closed or (s in did and u != did[s]):
                    self.upper.append(-gap[u])
                    self.upper_is.append(-margin if s in did else 0)
        self.K, self.S = K, S

    def solve(self, cost, extra_columns=0, upper=(), upper_is=(), equal=(), equal_is=(), bounds=None):
        """Minimise over (x, V, extra columns); further rows are over all of them."""
        pad = lambda rows: [np.concatenate([r, np.zeros(extra_columns)]) for r in rows]
        return linprog(cost, np.array(pad(self.upper) + list(upper)), np.array(list(self.upper_is) + list(upper_is)),
                       np.array(pad(self.equal) + list(equal)), np.array(list(self.equal_is) + list(equal_is)),
                       bounds=bounds, method="highs")


def regret(problem, x, mu):
    v = problem.utility(x)
    _, values = problem.best(v)
    return (1 - problem.discount) * problem.start @ values - np.sum(v * mu)


def game(problem, mu):
    """min over weights of the simplex of the regret: over (w, V)."""
    p = problem
    rows = [np.concatenate([p.F[:, u, s], p.discount * p.P[u, s] - unit(p.S, s)])
            for s in range(p.S) for u in range(p.A)]
    cost = np.concatenate([-np.tensordot(p.F, mu, 2), (1 - p.discount) * p.start])
    return linprog(cost, np.array(rows), np.zeros(len(rows)), [[1] * p.K + [0] * p.S], [1],
                   bounds=[(0, None)] * p.K + [(None, None)] * p.S, method="highs")


def demonstrate(problem, x):
    policy, _ = problem.best(problem.utility(x))
    return {s: int(np.argmax(policy[s])) for s in range(problem.S)}


class MaximumMargin(unittest.TestCase):
    def problems(self):
        for seed in range(4):
            rng = np.random.default_rng(seed)
            problem = Problem(rng, int(rng.integers(4, 8)), int(rng.integers(2, 4)), 4)
            yield seed, rng, problem, rng.dirichlet(np.ones(4))

    def test_optimal_demonstrations(self):
        for seed, rng, p, w in self.problems():
            did = demonstrate(p, w)
            found = fit(p.study("maximum-margin", np.ones(p.K)), one_row_each(did.items()))
            self.assertIsInstance(found, dict, found)
            x = numbers(found, p.K)
            self.assertAlmostEqual(x.sum(), 1, delta=1e-8)
            self.assertGreaterEqual(x.min(), -1e-9)
            self.assertAlmostEqual(found["maximum"]["objective"], 0, delta=1e-7)
            self.assertLess(abs(p.loss(p.utility(w), p.utility(x))), 0.01, seed)
            # the largest smallest margin, over (w, V, t)
            rows = Rows(p, did, 0)
            rows.upper = [np.append(r, 1) for r in rows.upper]
            rows.equal = [np.append(r, 0) for r in rows.equal]
            best = linprog([0] * (p.K + p.S) + [-1], rows.upper, rows.upper_is,
                           rows.equal + [[1] * p.K + [0] * (p.S + 1)], rows.equal_is + [1],
                           bounds=[(0, None)] * p.K + [(None, None)] * p.S + [(0, None)], method="highs")
            v = p.utility(x)
            policy = np.array([unit(p.A, did[s]) for s in range(p.S)])
            values = p.values(v, policy)
            q = p.q(v, values)
            margins = [values[s] - q[u, s] for s in range(p.S) for u in range(p.A) if u != did[s]]
            self.assertAlmostEqual(min(margins), -best.fun, delta=1e-7)

    def test_suboptimal_demonstrations(self):
        positive = 0
        for seed, rng, p, w in self.problems():
            acts = [(s, int(u)) for s in range(p.S) for u in rng.integers(p.A, size=3)]
            policy = np.zeros((p.S, p.A))
            for s, u in acts:
                policy[s, u] += 1 / 3
            mu = p.occupancy(policy)
            best = game(p, mu)
            found = fit(p.study("maximum-margin", np.ones(p.K)), one_row_each(acts))
            self.assertIsInstance(found, dict, found)
            x = numbers(found, p.K)
            self.assertAlmostEqual(found["maximum"]["objective"], -best.fun, delta=1e-7)
            self.assertAlmostEqual(regret(p, x, mu), best.fun, delta=1e-7)
            positive += best.fun > 1e-3
        self.assertGreaterEqual(positive, 3)

    def test_ng_russell(self):
        weight = 0.02
        for seed, rng, p, w in self.problems():
            did = demonstrate(p, w)
            found = fit(p.study("{name: maximum-margin, variant: ng-russell, weight: %g}" % weight, np.ones(p.K)),
                        one_row_each(did.items()))
            self.assertIsInstance(found, dict, found)
            rows = Rows(p, did, 0)
            cells = list(itertools.product(range(p.A), range(p.S)))
            # over (x, V, |v|, margins)
            upper, upper_is = [], []
            for i, (u, s) in enumerate(cells):
                for sign in (-1, 1):
                    upper.append(np.concatenate([sign * p.F[:, u, s], np.zeros(p.S), -unit(len(cells), i), np.zeros(p.S)]))
                    upper_is.append(0)
            for s in range(p.S):
                for u in range(p.A):
                    if u != did[s]:
                        gap = np.concatenate([-p.F[:, u, s], unit(p.S, s) - p.discount * p.P[u, s]])
                        upper.append(np.concatenate([-gap, np.zeros(len(cells)), unit(p.S, s)]))
                        upper_is.append(0)
            best = rows.solve([0] * (p.K + p.S) + [weight] * len(cells) + [-1] * p.S, len(cells) + p.S, upper, upper_is,
                              bounds=[(None, None)] * (p.K + p.S) + [(0, 1)] * len(cells) + [(None, None)] * p.S)
            self.assertAlmostEqual(found["maximum"]["objective"], -best.fun, delta=1e-6)


class MinimumPerturbation(unittest.TestCase):
    def cases(self, visited=1.0):
        for seed in range(4):
            rng = np.random.default_rng(100 + seed)
            p = Problem(rng, int(rng.integers(4, 8)), 3, 5)
            did = demonstrate(p, rng.normal(size=p.K))
            keep = rng.permutation(p.S)[:max(2, int(visited * p.S))]
            yield seed, p, {s: did[s] for s in sorted(keep)}, rng.normal(size=p.K)

    def ask(self, p, did, standard, norm):
        found = fit(p.study("{name: minimum-perturbation, p: %s, margin: %g}" % (norm, MARGIN), standard),
                    one_row_each(did.items()))
        return found

    def linear(self, p, did, standard, norm):
        rows = Rows(p, did, MARGIN)
        extra = p.K if norm == "1" else 1
        upper, upper_is = [], []
        for k in range(p.K):
            for sign in (-1, 1):
                size = unit(extra, k if norm == "1" else 0)
                upper.append(np.concatenate([sign * unit(p.K, k), np.zeros(p.S), -size]))
                upper_is.append(sign * standard[k])
        return rows.solve([0] * (p.K + p.S) + [1] * extra, extra, upper, upper_is,
                          bounds=[(None, None)] * (p.K + p.S) + [(0, None)] * extra)

    def quadratic(self, p, did, standard):
        rows = Rows(p, did, MARGIN)
        upper, equal = np.array(rows.upper), np.array(rows.equal)
        start = rows.solve(np.zeros(p.K + p.S), bounds=(None, None))
        if start.status == 2:
            return None
        done = minimize(lambda z: np.sum((z[:p.K] - standard)**2), start.x,
                        jac=lambda z: np.concatenate([2 * (z[:p.K] - standard), np.zeros(p.S)]), method="SLSQP",
                        constraints=[{"type": "ineq", "fun": lambda z: rows.upper_is - upper @ z, "jac": lambda z: -upper},
                                     {"type": "eq", "fun": lambda z: equal @ z, "jac": lambda z: equal}],
                        options={"maxiter": 1000, "ftol": 1e-14})
        self.assertTrue(done.success, done.message)
        return np.sqrt(done.fun)

    def distances(self, visited, norms):
        moved = 0
        for seed, p, did, standard in self.cases(visited):
            for norm in norms:
                found = self.ask(p, did, standard, norm)
                best = None if norm == "2" else self.linear(p, did, standard, norm)
                distance = self.quadratic(p, did, standard) if norm == "2" else best.fun if best.status == 0 else None
                if distance is None:
                    self.assertIn("no values of the estimated utilities", found)
                    self.assertIn("lower `margin`", found)
                    continue
                self.assertIsInstance(found, dict, found)
                away = np.abs(numbers(found, p.K) - standard)
                got = {"1": away.sum(), "2": np.sqrt(np.sum(away**2)), "inf": away.max()}[norm]
                self.assertAlmostEqual(got, distance, delta=1e-6 * max(1, distance), msg=(seed, norm))
                self.assertAlmostEqual(found["maximum"]["objective"], -got, delta=1e-9)
                moved += got > 0.01
        return moved

    @unittest.skipUnless(has_solver(), "built without Clp")
    def test_linear_norms(self):
        self.assertGreater(self.distances(1.0, ["1", "inf"]), 2)

    @unittest.skipUnless(has_solver(), "built without Clp")
    def test_states_nobody_visited(self):
        self.assertGreater(self.distances(0.5, ["1", "inf", "2"]), 2)

    def test_euclidean_norm(self):
        self.assertGreater(self.distances(1.0, ["2"]), 1)

    def test_standard_complies(self):
        for seed, p, _, standard in self.cases():
            policy, values = p.best(p.utility(standard))
            did = {s: int(np.argmax(policy[s])) for s in range(p.S)}
            q = p.q(p.utility(standard), values)
            margin = min(values[s] - q[u, s] for s in did for u in range(p.A) if u != did[s])
            found = fit(p.study("{name: minimum-perturbation, margin: %.17g}" % (0.99 * max(margin, 0)), standard),
                        one_row_each(did.items()))
            self.assertIsInstance(found, dict, found)
            self.assertLess(np.max(np.abs(numbers(found, p.K) - standard)), 1e-9)


if not has_solver():
    MaximumMargin = unittest.skip("built without Clp")(MaximumMargin)

if __name__ == "__main__":
    sys.exit(unittest.main())
