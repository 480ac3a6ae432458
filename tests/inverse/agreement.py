"""Inverse planners that are linear or quadratic programmes against HiGHS on random problems, through the command: maximum margin, minimum
perturbation and multiple experimentation, with utilities as features and as a table.

Each objective must agree to 1e-7 of max(1, objective), and a programme must be infeasible for both or for neither. Whatever asif answers must
satisfy its own constraints, which are computed here from the problem. Programmes whose margins are within 1e-6 of infeasible are
left out and counted. HiGHS is SciPy's, and highspy's for the quadratic ones (SciPy's non-negative least squares where that is absent)."""
import json
import os
import subprocess
import tempfile

from programmes import ASIF, linprog, np, random_transitions

from scipy.optimize import nnls

try:
    import highspy
except ImportError:
    highspy = None

TOLERANCE = 1e-7
NEAR = 1e-6  # a margin that cannot be told from none
MARGIN = 0.05
TIGHT = {"primal_feasibility_tolerance": 1e-10, "dual_feasibility_tolerance": 1e-10}


class Task:
    """A random problem; F [K][action][state] are the features, P [environment][action][from][to] the transitions."""

    def __init__(self, rng, table, environments=1):
        self.table = table
        self.S, self.A = int(rng.integers(3, 6 if table else 8)), int(rng.integers(2, 4))
        self.discount = float(rng.choice([0.5, 0.9, 0.95]))
        dense = rng.random() < 0.5
        self.P = [rng.dirichlet(np.full(self.S, 0.5), (self.A, self.S)) if dense else
                  random_transitions(rng, self.S, self.A) for _ in range(environments)]
        self.start = rng.dirichlet(np.ones(self.S))
        if table:
            self.K = self.S * self.A
            self.F = np.zeros((self.K, self.A, self.S))
            for s in range(self.S):
                for u in range(self.A):
                    self.F[s * self.A + u, u, s] = 1
            self.names = ["v.s%d.a%d" % (s, u) for s in range(self.S) for u in range(self.A)]
        else:
            self.K = int(rng.integers(2, 6))
            self.F = np.round(rng.normal(size=(self.K, self.A, self.S)), 3)
            self.names = ["w%d" % k for k in range(self.K)]

    def utility(self, x):
        return np.tensordot(x, self.F, 1)

    def evaluate(self, v, policy, P):
        chain = np.einsum("su,ust->st", policy, P)
        return np.linalg.solve(np.eye(self.S) - self.discount * chain, np.einsum("su,us->s", policy, v))

    def best(self, v, P, keep=(), policy=None):
        """Policy iteration; rows of `keep` stay."""
        policy = np.eye(self.A)[np.zeros(self.S, int)] if policy is None else policy.copy()
        for _ in range(1000):
            values = self.evaluate(v, policy, P)
            q = v + self.discount * P @ values
            better = [s for s in range(self.S) if s not in keep and q[:, s].max() > values[s] + 1e-11]
            if not better:
                return policy, values, q
            for s in better:
                policy[s] = np.eye(self.A)[np.argmax(q[:, s])]
        raise ArithmeticError("policy iteration")

    def closed(self, did, P):
        """States with a demonstrated action, and all that these lead to."""
        closed = set(did)
        while True:
            more = {int(t) for s in closed for u in ([did[s]] if s in did else range(self.A))
                    for t in np.flatnonzero(P[u, s])}
            if more <= closed:
                return closed
            closed |= more

    def advantages(self, x, did, P):
        """A(s,u) of other actions than what was done, the policy elsewhere as asif documents it."""
        closed, policy = self.closed(did, P), np.full((self.S, self.A), 1 / self.A)
        for s, u in did.items():
            policy[s] = np.eye(self.A)[u]
        for s in set(range(self.S)) - closed:
            policy[s] = np.eye(self.A)[0]
        _, values, q = self.best(self.utility(x), P, closed, policy)
        return {(s, u): q[u, s] - values[s] for s in did for u in range(self.A) if u != did[s]}

    def occupancy(self, policy):
        chain = np.einsum("su,ust->st", policy, self.P[0])
        visits = np.linalg.solve(np.eye(self.S) - self.discount * chain.T, (1 - self.discount) * self.start)
        return (visits[:, None] * policy).T

    def demonstrate(self, v, P, rng, visited):
        policy, _, _ = self.best(v, P)
        states = rng.permutation(self.S)[:max(2, round(visited * self.S))]
        return {int(s): int(np.argmax(policy[s])) for s in sorted(states)}

    def study(self, inverse, standard):
        matrix = lambda m: "[" + ", ".join("[%s]" % ", ".join("%.17g" % p for p in row) for row in m) + "]"
        text = ["asif: 1", "states: [%s]" % ", ".join("s%d" % s for s in range(self.S)),
                "actions: [%s]" % ", ".join("a%d" % u for u in range(self.A)), "environment:",
                "  start: [%s]" % ", ".join("%.17g" % p for p in self.start), "  transitions:"]
        text += ["    a%d: %s" % (u, matrix(self.P[0][u])) for u in range(self.A)]
        text += ["agent:", "  discount: %.17g" % self.discount,
                 "  utility: {%s}" % ("table: v" if self.table else "features: f.csv"), "  parameters:", "    alpha: 0"]
        text += ["    %s: {learn: 'normal(0, 10)', standard: %.17g}" % pair for pair in zip(self.names, standard)]
        text += ["inverse:"] + ["  " + line for line in inverse]
        if len(self.P) > 1:
            text.append("  environments:")
            for e, P in enumerate(self.P):
                text += ["    e%d:" % e, "      transitions:"]
                text += ["        a%d: %s" % (u, matrix(P[u])) for u in range(self.A)]
        return "\n".join(text) + "\n"

    def features(self):
        lines = ["state,action," + ",".join(self.names)]
        lines += ["s%d,a%d,%s" % (s, u, ",".join("%.17g" % f for f in self.F[:, u, s]))
                  for s in range(self.S) for u in range(self.A)]
        return "\n".join(lines) + "\n"

    def fit(self, inverse, standard, acts):
        """x and the objective, or what the command said; acts: (environment, state, action), an episode each."""
        with tempfile.TemporaryDirectory(prefix="asif-test-") as folder:
            logs = "episode,environment,state,action\n"
            logs += "".join("%d,e%d,s%d,a%d\n" % (i, *act) for i, act in enumerate(acts))
            for name, text in (("study.yaml", self.study(inverse, standard)), ("f.csv", self.features()),
                               ("logs.csv", logs)):
                with open(os.path.join(folder, name), "w", encoding="utf-8") as file:
                    file.write(text)
            done = subprocess.run([ASIF, "fit", "study.yaml", "logs.csv", "--method", "ml", "-o", "fit", "-q"], cwd=folder,
                                  capture_output=True, text=True, timeout=120, check=False)
            if done.returncode not in (0, 1):
                return None, done.stdout + done.stderr
            with open(os.path.join(folder, "fit", "fit.json"), encoding="utf-8") as file:
                made = json.load(file)
        mean = {p["shown"]["parameter"]: p["mean"] for p in made["parameters"].values()}
        return np.array([mean[name] for name in self.names]), made


class Rows:
    """Over (x, V of each environment, more columns): upper z <= upper_is and equal z = equal_is say that what was done is as good as all else."""

    def __init__(self, task, dids, more=0):
        self.task, self.more, self.first = task, more, task.K + len(dids) * task.S
        self.upper, self.upper_is, self.equal, self.equal_is, self.others = [], [], [], [], []
        for e, did in enumerate(dids):
            closed = task.closed(did, task.P[e])
            for s in range(task.S):
                gap = [self.gap(e, s, u) for u in range(task.A)]
                if s in closed:
                    self.equal.append(gap[did[s]] if s in did else np.mean(gap, 0))
                    self.equal_is.append(0)
                for u in range(task.A):
                    if s not in closed or (s in did and u != did[s]):
                        if s in did:
                            self.others.append((len(self.upper), s))
                        self.upper.append(-gap[u])
                        self.upper_is.append(0)

    def row(self, **columns):
        z = np.zeros(self.first + self.more)
        for name, values in columns.items():
            at = 0 if name == "x" else self.first
            z[at:at + len(values)] = values
        return z

    def gap(self, e, s, u):
        """V(s) - Q(s,u)."""
        z, at = self.row(x=-self.task.F[:, u, s]), self.task.K + e * self.task.S
        z[at:at + self.task.S] -= self.task.discount * self.task.P[e][u, s]
        z[at + s] += 1
        return z

    def less(self, row, bound):
        self.upper.append(row)
        self.upper_is.append(bound)

    def solve(self, cost, x=(None, None), more=(0, None)):
        bounds = [x] * self.task.K + [(None, None)] * (self.first - self.task.K)
        bounds += list(more) if isinstance(more, list) else [more] * self.more
        done = linprog(cost, np.array(self.upper), self.upper_is, np.array(self.equal) if self.equal else None,
                       self.equal_is if self.equal else None, bounds=bounds, method="highs", options=TIGHT)
        if done.status == 4:  # numerical difficulties: with the usual tolerances
            done = linprog(cost, np.array(self.upper), self.upper_is, np.array(self.equal), self.equal_is, bounds=bounds,
                           method="highs")
        return done


def widest(task, dids, x=(None, None), add=lambda rows: None, more=()):
    """The largest margin by which what was done can be better than all else, with the bounds of `x` and rows that `add` makes."""
    rows = Rows(task, dids, 1 + len(more))
    for i, _ in rows.others:
        rows.upper[i][rows.first] = 1
    add(rows)
    done = rows.solve(-rows.row(more=[1]), x, [(0, None), *more])
    return -done.fun if done.status == 0 else None


class Count:
    """What was seen, and how far apart the worst was."""

    def __init__(self, name):
        self.name, self.problems, self.compared, self.near, self.infeasible, self.worst = name, 0, 0, 0, 0, 0.0
        self.flat, self.gave_up, self.failed = 0, 0, []

    def compare(self, seed, what, got, want):
        apart = abs(got - want) / max(1, abs(want))
        self.worst = max(self.worst, apart)
        self.compared += 1
        if not apart <= TOLERANCE:
            self.failed.append("seed %d: %s is %.12g, HiGHS has %.12g" % (seed, what, got, want))

    def must(self, seed, what, holds):
        if not holds:
            self.failed.append("seed %d: %s" % (seed, what))

    def show(self):
        print("%-42s %4d problems, %4d objectives compared, %3d infeasible, %2d without any margin, %d left out, worst %.1e, %d failed%s" %
              (self.name, self.problems, self.compared, self.infeasible, self.flat, self.near, self.worst, len(self.failed),
               "; HiGHS gave up on %d, SciPy's nnls instead" % self.gave_up if self.gave_up else ""))
        for line in self.failed[:10]:
            print("    " + line)


def maximum_margin(count, seed, table):
    rng = np.random.default_rng(seed)
    task = Task(rng, table)
    optimal = seed % 2 == 0
    if optimal:
        did = task.demonstrate(task.utility(rng.dirichlet(np.ones(task.K))), task.P[0], rng, 1)
        acts = list(did.items())
    else:
        acts = [(s, int(u)) for s in range(task.S) for u in rng.integers(task.A, size=3)]
    policy = np.zeros((task.S, task.A))
    for s, u in acts:
        policy[s, u] += 1
    policy /= policy.sum(1, keepdims=True)
    mu = task.occupancy(policy)
    # min over weights of the simplex of (1 - discount) <start, V> - <v, mu>, V at least that of any policy
    rows = Rows(task, [{}])
    cost = np.concatenate([-np.tensordot(task.F, mu, 2), (1 - task.discount) * task.start])
    rows.equal.append(rows.row(x=np.ones(task.K)))
    rows.equal_is.append(1)
    game = rows.solve(cost, (0, None))
    x, said = task.fit(["name: maximum-margin"], np.ones(task.K), [(0, *act) for act in acts])
    count.must(seed, "an answer, not: %s" % said, x is not None and game.status == 0)
    if x is None:
        return
    v = task.utility(x)
    _, values, _ = task.best(v, task.P[0])
    count.must(seed, "weights %s are those of the simplex" % x, abs(x.sum() - 1) < 1e-7 and x.min() > -1e-7)
    count.compare(seed, "regret", (1 - task.discount) * task.start @ values - np.sum(v * mu), game.fun)
    count.compare(seed, "objective", -said["maximum"]["objective"], game.fun)
    if not optimal:
        return

    def simplex(rows):
        rows.equal.append(rows.row(x=np.ones(task.K)))
        rows.equal_is.append(1)

    margin = widest(task, [did], (0, None), simplex)
    if margin is None or margin < NEAR:
        count.near += margin is not None and margin > 1e-9
        count.flat += margin is None or margin <= 1e-9
        return
    count.compare(seed, "widest margin", -max(task.advantages(x, did, task.P[0]).values()), margin)


def by_highs(rows, task, standard, options):
    """Distance to the nearest x by highspy's QP over (x, V); None: no x, NaN: it gave up, or missed its own rows."""
    upper, equal, n, none = np.array(rows.upper), np.array(rows.equal), rows.first, highspy.kHighsInf
    matrix = np.vstack([upper, equal]) if len(equal) else upper
    model = highspy.HighsModel()
    lp, hessian = model.lp_, model.hessian_
    lp.num_col_, lp.num_row_ = n, len(matrix)
    lp.col_cost_ = np.concatenate([-standard, np.zeros(n - task.K)])
    lp.col_lower_, lp.col_upper_ = np.full(n, -none), np.full(n, none)
    lp.row_lower_ = np.concatenate([np.full(len(upper), -none), rows.equal_is])
    lp.row_upper_ = np.concatenate([rows.upper_is, rows.equal_is])
    lp.a_matrix_.format_ = highspy.MatrixFormat.kRowwise
    lp.a_matrix_.start_ = np.arange(len(matrix) + 1) * n
    lp.a_matrix_.index_ = np.tile(np.arange(n), len(matrix))
    lp.a_matrix_.value_ = matrix.ravel()
    hessian.dim_, hessian.format_ = n, highspy.HessianFormat.kTriangular
    hessian.start_ = np.concatenate([np.arange(task.K), np.full(n - task.K + 1, task.K)])
    hessian.index_, hessian.value_ = np.arange(task.K), np.ones(task.K)
    solver = highspy.Highs()
    for name, value in {"output_flag": False, "qp_regularization_value": 0.0, **options}.items():
        solver.setOptionValue(name, value)
    solver.passModel(model)
    solver.run()
    status, z = solver.getModelStatus(), np.array(solver.getSolution().col_value)
    if status == highspy.HighsModelStatus.kInfeasible:
        return None
    missed = max(np.max(upper @ z - rows.upper_is), np.max(np.abs(equal @ z - rows.equal_is), initial=0))
    solved = status == highspy.HighsModelStatus.kOptimal and missed < 1e-9
    return np.linalg.norm(z[:task.K] - standard) if solved else np.nan


def by_least_squares(rows, task, standard):
    """The same by Lawson and Hanson's way, min |z| subject to G z >= h; NaN: V is not linear in x."""
    if len(rows.equal) < task.S:
        return np.nan
    equal, upper = np.array(rows.equal), np.array(rows.upper)
    linear = -np.linalg.solve(equal[:, task.K:], equal[:, :task.K])  # V = linear x
    G = -(upper[:, :task.K] + upper[:, task.K:] @ linear)
    h = -np.array(rows.upper_is) - G @ standard
    both = np.vstack([G.T, h])
    u, left = nnls(both, np.append(np.zeros(task.K), 1))
    r = both @ u - np.append(np.zeros(task.K), 1)
    return None if left < 1e-9 else np.linalg.norm(r[:-1] / r[-1])


def nearest(count, rows, task, standard):
    for options in (TIGHT, {}) if highspy else ():
        best = by_highs(rows, task, standard, options)
        if best is None or not np.isnan(best):
            return best
    count.gave_up += highspy is not None
    return by_least_squares(rows, task, standard)


def least_distance(count, task, did, standard, p):
    """From standard values to utilities that make what was done the best by MARGIN; None: there are none, NaN: not known here."""
    extra = {"1": task.K, "2": 0, "inf": 1}[p]
    rows = Rows(task, [did], extra)
    for i, _ in rows.others:
        rows.upper_is[i] = -MARGIN
    if p == "2":
        return nearest(count, rows, task, standard)
    for k in range(task.K):
        for sign in (-1, 1):
            row = rows.row(x=sign * np.eye(task.K)[k], more=-np.eye(extra)[k if p == "1" else 0])
            rows.less(row, sign * standard[k])
    done = rows.solve(rows.row(more=np.ones(extra)))
    return done.fun if done.status == 0 else None


def distance(x, standard, p):
    away = np.abs(x - standard)
    return {"1": away.sum(), "2": np.linalg.norm(away), "inf": away.max()}[p]


def minimum_perturbation(count, seed, table, p):
    rng = np.random.default_rng(seed)
    task = Task(rng, table)
    standard = np.round(rng.normal(size=task.K), 2)
    did = task.demonstrate(task.utility(rng.normal(size=task.K)), task.P[0], rng, float(rng.choice([1, 0.6])))
    if rng.random() < 0.4:  # perhaps for no utility
        did = {s: int(rng.integers(task.A)) for s in did}
    if 1e-9 < widest(task, [did], (-1, 1)) < NEAR:
        count.near += 1
        return
    best = least_distance(count, task, did, standard, p)
    if best is not None and np.isnan(best):
        return
    x, said = task.fit(["name: minimum-perturbation", "p: %s" % p, "margin: %g" % MARGIN], standard,
                       [(0, *act) for act in did.items()])
    if best is None or x is None:
        count.infeasible += best is None
        count.must(seed, "HiGHS has %s, asif says %s" % (best, x if x is not None else said),
                   best is None and x is None and "no values of the estimated" in said)
        return
    count.compare(seed, "distance", distance(x, standard, p), best)
    worst = max(task.advantages(x, did, task.P[0]).values())
    count.must(seed, "the margin %.12g is %g" % (-worst, MARGIN), worst <= -MARGIN + 1e-7 * max(1, np.abs(x).max()))


def multiple_experimentation(count, seed, table):
    rng = np.random.default_rng(seed)
    task = Task(rng, table, int(rng.integers(2, 4)))
    v = task.utility(rng.normal(size=task.K))
    dids = [task.demonstrate(v, P, rng, float(rng.choice([1, 0.6]))) for P in task.P]
    if seed % 2:
        dids = [{s: u if rng.random() < 0.6 else int(rng.integers(task.A)) for s, u in did.items()} for did in dids]

    def scale(rows, low):  # v between low and low + 1
        for s in range(task.S):
            for u in range(task.A):
                for sign in (-1, 1):
                    row = rows.row(x=sign * task.F[:, u, s])
                    row[low] = -sign
                    rows.less(row, sign > 0)

    rows = Rows(task, dids, task.S + 1)
    for i, s in rows.others:
        rows.upper[i][rows.first + s] = -1
    scale(rows, rows.first + task.S)
    best = rows.solve(rows.row(more=np.ones(task.S)), more=[(0, None)] * task.S + [(-1, 0)])
    x, said = task.fit(["name: multiple-experimentation"], np.full(task.K, 0.5),
                       [(e, *act) for e, did in enumerate(dids) for act in did.items()])
    count.must(seed, "an answer, not: %s" % said, x is not None and best.status == 0)
    if x is None:
        return
    violation, all_of = np.zeros(task.S), []
    for did, P in zip(dids, task.P):
        for (s, _), a in task.advantages(x, did, P).items():
            violation[s] = max(violation[s], a)
            all_of.append(a)
    count.compare(seed, "violation", violation.sum(), best.fun)
    count.compare(seed, "objective", -said["maximum"]["objective"], best.fun)
    count.must(seed, "the span is %.12g" % np.ptp(task.utility(x)), np.ptp(task.utility(x)) <= 1 + 1e-7)
    if best.fun > 1e-8:
        return
    margin = widest(task, dids, add=lambda rows: scale(rows, rows.first + 1), more=[(-1, 0)])
    if margin is None or margin < NEAR:
        count.near += margin is not None and margin > 1e-9
        count.flat += margin is None or margin <= 1e-9
        return
    count.compare(seed, "widest margin", -max(all_of), margin)


def run(each, first=0):
    """`each` problems of every kind; the number of failures."""
    failed = 0
    for table in (False, True):
        kind = "table" if table else "features"
        plans = [("maximum margin, " + kind, maximum_margin, ())]
        plans += [("minimum perturbation, p = %s, %s" % (p, kind), minimum_perturbation, (p,)) for p in ("1", "2", "inf")]
        plans += [("multiple experimentation, " + kind, multiple_experimentation, ())]
        for name, compare, more in plans:
            count = Count(name)
            for seed in range(first, first + each):
                count.problems += 1
                compare(count, seed, table, *more)
            count.show()
            failed += len(count.failed)
    return failed
