"""The Bayes-optimal agent, who does not know which world holds: asif searches the beliefs over (state, world) that can be reached; here
every history is followed, by plain recursion on arrays, and for the diagnosis study by its counts of results.

Within an episode the world stays the same. An action that ends the episode draws state and world anew, and what is seen then updates
both.

ctest label: slow
"""
import json

from common import Checks, Folder, attempt, np, oracle, run, source, study_text
from reference import Problem, Term

checks, folder = Checks("ideals"), Folder()


def outcomes(study, *settings, steps=1000):
    """Of a maximum: the ideals do not depend on what is estimated here."""
    logs, fit = folder.file("logs.csv"), folder.file("fit")
    run("simulate", study, "-p", "alpha=0.5", *settings, "-n", 30, "--max-steps", 20, "--seed", 3, "-o", logs)
    attempt("fit", study, logs, "-o", fit, "--method", "map", "--no-sensitivity", "--force")
    return json.loads(run("outcomes", fit, "--episodes", 20, "--max-steps", steps, "--json"))


# ------------------------------------------------------------------ the diagnosis study, by counts
def by_counts(wrong, seen=True, deepest=90, right=10.0, cost=-1.0, gamma=0.95):
    """Value at the start, tests and share wrong. A belief is (positives, negatives); `seen`: the new case shows something at once."""
    accuracy = np.array([0.6, 0.7, 0.8])
    p, n = np.meshgrid(np.arange(deepest + 1), np.arange(deepest + 1), indexing="ij")
    q = accuracy[:, None, None]
    ill, well = q**p * (1 - q) ** n, q**n * (1 - q) ** p  # of each world; all weigh the same
    both = (ill + well).sum(0)
    z, positive = ill.sum(0) / both, (ill * q + well * (1 - q)).sum(0) / both
    V, after = np.zeros_like(z), 0.0
    stop = np.maximum(z * right + (1 - z) * wrong, (1 - z) * right + z * wrong)
    for _ in range(3000):
        on = np.full_like(V, -np.inf)
        on[:-1, :-1] = cost + gamma * (positive[:-1, :-1] * V[1:, :-1] + (1 - positive[:-1, :-1]) * V[:-1, 1:])
        new = np.maximum(stop + gamma * after, on)
        after = 0.5 * (new[1, 0] + new[0, 1]) if seen else new[0, 0]
        done = np.abs(new - V).max() < 1e-13
        V = new
        if done:
            break
    goes_on = on > stop + gamma * after
    # In the environment the test is .7 right; the patient is ill, and well is its mirror image.
    mass, tests, wrongs = np.zeros_like(V), 0.0, 0.0
    mass[0, 0] = 1
    for _ in range(2 * deepest):
        ends = np.where(goes_on, 0, mass)
        wrongs += ends[z < 0.5].sum() + 0.5 * ends[z == 0.5].sum()
        on = np.where(goes_on, mass, 0)
        tests += on.sum()
        mass = np.zeros_like(mass)
        mass[1:] += 0.7 * on[:-1]
        mass[:, 1:] += 0.3 * on[:, :-1]
    return V[0, 0], tests, wrongs


STUDY = source("examples", "diag", "study.yaml")
with open(STUDY) as file:
    harsh = file.read().replace("wrong: -36", "wrong: -50")
FIGURES = {  # tests and share wrong, of the Bayes-optimal agent and of one who knows the true world
    -36.0: (STUDY, (6.4054, 0.072973), (6.4054, 0.072973)),
    -50.0: (folder.file("harsh.yaml", harsh), (6.8688, 0.066619), (6.405, 0.07297)),
}
found = {}
for wrong, (study, bayes, knows) in FIGURES.items():
    value, tests, wrongs = by_counts(wrong)
    found[wrong] = out = outcomes(study, "-p", "beta=1.25", "-p", "eta=0.001")
    got = out["conduct"]["ideal_bayes"]
    for key, want, figure, told in (("before_end", tests, bayes[0], knows[0]), ("wrong", wrongs, bayes[1], knows[1])):
        checks.near("%g, Bayes, %s" % (wrong, key), got[key]["mean"], want, atol=1e-4)
        checks.near("%g, Bayes, %s, as published" % (wrong, key), got[key]["mean"], figure, atol=1e-3)
        checks.near("%g, true, %s" % (wrong, key), out["conduct"]["ideal_true"][key]["mean"], told, atol=1e-3)
        checks.true(got[key]["error"] == 0, "%s of the Bayes-optimal agent has an error of simulation" % key)
    checks.near("utility", got["utility"]["mean"], 10 + (wrong - 10) * wrongs - tests, atol=1e-3)
    told = out["bayes"]
    checks.true(told["computed"] and told["apart"] and told["gap"] <= 1e-4, "DIAG is not computed: %s" % told)
    checks.true(told["low"] - 1e-9 <= value <= told["up"] + 1e-9, "%g: %.9f is not in %s" % (wrong, value, told))
    checks.true(out["conduct"]["ideal_same"] == out["conduct"]["without_bounds"], "the old key says something else")
# What the rule on the first observation of a new case is worth: without it the agent tests longer.
_, tests, wrongs = by_counts(-50.0, seen=False)
checks.near("-50, nothing seen of the new case", [tests, wrongs], [7.573, 0.05696], atol=1e-3)


# ------------------------------------------------------------------ no agent does better in its model
def in_the_model(plan, accuracies, wrong, longest=40):
    """Value of a policy over beliefs about the state, where the world stays the same within an episode: a bound from above."""
    weight = np.full((1, 3, 2), 1 / 6)  # of history, world and state
    test = np.stack([np.stack([accuracies, 1 - accuracies], 1), np.stack([1 - accuracies, accuracies], 1)], 1)
    value = np.array([[10.0, wrong], [wrong, 10.0]])  # [declaration, state]

    def case(z, weight):
        gain, ended, discount, lost = 0.0, 0.0, 1.0, 0.0
        for _ in range(longest):
            pi = plan.look(z)["pi"]
            for u in (0, 1):
                gain += discount * (pi[:, u] * (weight.sum(1) @ value[u])).sum()
                ended += discount * (pi[:, u] * weight.sum((1, 2))).sum()
            gain -= discount * (pi[:, 2] * weight.sum((1, 2))).sum()
            discount *= 0.95
            weight = np.concatenate([weight * pi[:, 2, None, None] * test[None, :, :, x] for x in (0, 1)])
            z = np.concatenate([plan.step(z, np.full(len(z), 2), np.full(len(z), x)) for x in (0, 1)])
            kept = weight.sum((1, 2)) > 3e-6
            lost += discount * weight[~kept].sum()
            z, weight = z[kept], weight[kept]
        # Histories that are not followed: at best they end at once, rightly, and nothing comes after (it is worth less than 0).
        return gain + 10 * (lost + discount * weight.sum()), 0.95 * ended

    z = np.array([[0.5, 0.5]])
    gain, ended = case(z, weight)
    fresh = [case(plan.step(z, np.array([0]), np.array([x])), weight * test[None, :, :, x]) for x in (0, 1)]
    again = sum(f[0] for f in fresh) / (1 - sum(f[1] for f in fresh))
    checks.true(again < 0, "what comes after an end is worth %g" % again)
    return gain + ended * again


brc = oracle()
plan = brc.Plan(brc.diag_problem(), 100, np.inf, 0.0, 0.0).solve(method="vi")
same = in_the_model(plan, np.array([0.6, 0.7, 0.8]), -36.0)
print("  DIAG: the same model without bounds gets %.4f, the Bayes-optimal agent %.4f" % (same, found[-36.0]["bayes"]["low"]))
checks.true(same < found[-36.0]["bayes"]["low"], "the same model without bounds gets %g, the Bayes-optimal agent %s" % (same, found[-36.0]["bayes"]))


# ------------------------------------------------------------------ any small problem, by its histories
class Tree:
    """All histories of at most `depth` decisions that end nothing, from beliefs [n,M,S] on. Where states are seen, what is seen is the
    state."""

    def __init__(self, p, depth):
        self.p, self.omega = p, p.omega if p.X else np.broadcast_to(np.eye(p.S), (p.M, p.U, p.S, p.S))
        self.X = self.omega.shape[-1]
        weights = p.sigma0[:, None]
        self.starts = np.stack([weights * p.z0] if p.X else [weights * row for row in np.eye(p.S)])
        self.go = [u for u in range(p.U) if u not in p.ends]
        fresh = [self.after(None, u) for u in p.ends]  # [X,M,S] and their probabilities
        self.levels, self.chance, self.future = [np.concatenate([self.starts] + [f[0] for f in fresh])], [], \
            [f[1] for f in fresh]
        for _ in range(depth):
            z = self.levels[-1]
            steps = [self.after(z, u) for u in self.go]
            self.levels.append(np.stack([s[0] for s in steps], 1).reshape(-1, p.M, p.S))
            self.chance.append(np.stack([s[1] for s in steps], 1))  # [n,go,X]
        self.gains = [self.gains_of(z) for z in self.levels[:-1]]

    def after(self, z, u):
        p = self.p
        if z is None:
            ahead = (p.sigma0[:, None] * p.tau[:, 0, u])[None]  # a reset: the same from every state
        else:
            ahead = np.einsum("nms,mst->nmt", z, p.tau[:, :, u])
        joint = np.einsum("nmt,mtx->nxmt", ahead, self.omega[:, u])
        chance = joint.sum((2, 3))
        with np.errstate(invalid="ignore", divide="ignore"):
            joint = np.where(chance[..., None, None] > 0, joint / chance[..., None, None], 0)
        return (joint[0], chance[0]) if z is None else (joint, chance)

    def gains_of(self, z):
        p, marginal = self.p, z.sum(1)
        out = marginal @ p.v + sum(t.value(marginal, p.U) for t in p.terms)
        if p.reward is not None:
            for u in range(p.U):
                out[:, u] += self.seen(z, u) @ p.reward[u]
        return out

    def seen(self, z, u):
        p = self.p
        if u in p.ends:
            return np.broadcast_to(self.after(None, u)[1], (len(z), self.X))
        return self.after(z, u)[1]

    def backward(self, leaf, again):
        """Values of all levels and of their actions; `again` [ends] is what follows an end. Without a value for the last level, it ends
        there."""
        p = self.p
        last = (self.gains_of(self.levels[-1])[:, p.ends] + p.gamma * again).max(1) if leaf is None else leaf
        values, qs = [np.broadcast_to(last, len(self.levels[-1]))], []
        for gains, chance in zip(self.gains[::-1], self.chance[::-1]):
            q = gains.copy()
            for i, u in enumerate(self.go):
                q[:, u] += p.gamma * (chance[:, i] * values[-1].reshape(chance.shape)[:, i]).sum(-1)
            for i, u in enumerate(p.ends):
                q[:, u] += p.gamma * again[i]
            qs.append(q)
            values.append(q.max(1))
        return values[::-1], qs[::-1]

    def solve(self, leaf):
        again = np.full(len(self.p.ends), leaf or 0.0)
        for _ in range(2000):
            values, qs = self.backward(leaf, again)
            at, new = len(self.starts), np.empty_like(again)
            for i, chance in enumerate(self.future):
                new[i] = chance @ values[0][at:at + self.X]
                at += self.X
            if len(new) == 0 or np.abs(new - again).max() < 1e-9:
                break
            again = new
        return values, qs


def follow(tree, low, high):
    """Decisions that end nothing, in the environment, and how much of it is not certain."""
    p, tests, unsure = tree.p, 0.0, 0.0
    mass = {0: p.env_start.copy()}
    for below, above, chance in zip(low, high, tree.chance):
        onward = {}
        for i, m in mass.items():
            best = below[i].argmax()
            rivals = np.delete(above[i], best)
            unsure += m.sum() * (rivals.max() >= below[i, best])
            if best in p.ends:
                continue
            tests += m.sum()
            k = tree.go.index(best)
            ahead = m @ p.env_tau[:, best]
            for x in range(tree.X):
                child = (i * len(tree.go) + k) * tree.X + x
                onward[child] = ahead * p.env_omega[best][:, x]
        mass = onward
    return tests, unsure + sum(m.sum() for m in mass.values())


def rows(rng, *shape):
    a = 0.05 + rng.random(shape)
    return a / a.sum(-1, keepdims=True)


def problem(seed, ends=True, seen=False, terms=False, reward=False):
    rng = np.random.default_rng(seed)
    M, S, U, X = 2, 3 if seen else 2, 2 if seen or not ends else 4, 2
    ends = ([0] if seen else [0, 1]) if ends else []
    tau = rows(rng, M, S, U, S)
    tau[:, :, ends] = rows(rng, S)
    v = 4 * rng.normal(size=(S, U))
    if ends and not seen:  # it pays to look first
        tau[:, :, 2:] = 0.1 * tau[:, :, 2:] + 0.9 * np.eye(S)[:, None]
        v[:, 2:] = -0.2 - 0.1 * rng.random((S, 2))
    omega = rows(rng, M, U, S, X) ** 3  # so that they tell something
    return Problem(
        tau, None if seen else omega / omega.sum(-1, keepdims=True), v,
        0.25 if seen or (terms and not ends) else 0.5, rows(rng, S), sigma0=rows(rng, M), reward=rng.normal(size=(U, X)) if reward else None,
        terms=[Term(">", 0.7, 1.5, 1)] if terms else [], ends=ends)


shapes = [dict(seed=s) for s in range(3)]
shapes += [dict(seed=11, ends=False), dict(seed=20, seen=True, ends=False), dict(seed=21, seen=True),
           dict(seed=30, terms=True), dict(seed=33, terms=True, ends=False), dict(seed=40, reward=True),
           dict(seed=41, reward=True, ends=False)]
for shape in shapes:
    p = problem(**shape)
    tree = Tree(p, 5 if shape.get("seen") else 7 if p.ends else 8)
    most = np.abs(p.v).max() + (2 if p.terms else 0) + (4 if p.reward is not None else 0)
    (low, below), (high, above) = tree.solve(-most / (1 - p.gamma)), tree.solve(most / (1 - p.gamma))
    weight = np.ones(1) if p.X else p.env_start
    low, high = (weight @ v[0][:len(weight)] for v in (low, high))
    out = outcomes(folder.file("study.yaml", study_text(p, {"alpha": "learn", "beta": "inf", "eta": 0})), steps=4)
    told = out["bayes"]
    checks.true(told["computed"] and told["gap"] <= 1e-4, "%s is not computed: %s" % (shape, told))
    checks.true(told["low"] <= high + 1e-9 and told["up"] >= low - 1e-9,
                "%s: %.7f to %.7f, by its histories %.7f to %.7f" % (shape, told["low"], told["up"], low, high))
    checks.true(told["up"] - told["low"] < 0.1 and high - low < 0.8, "%s: the bounds say nothing" % shape)
    if p.X and p.ends:
        tests, unsure = follow(tree, below, above)
        got = out["conduct"]["ideal_bayes"]["before_end"]["mean"]
        if unsure < 0.05:
            checks.near("%s: decisions before the end" % shape, got, tests, atol=1e-6 + 30 * unsure)
    print("  %-40s value %.5f (by histories %.5f to %.5f), %d beliefs" % (shape, told["low"], low, high, told["beliefs"]))


# ------------------------------------------------------------------ a clinic: three states that change, three worlds, two ends
def clinic():
    reset = [0.55, 0.30, 0.15]
    wait = [[0.88, 0.10, 0.02], [0.08, 0.77, 0.15], [0, 0.03, 0.97]]
    lab = [[0.94, 0.05, 0.01], [0.04, 0.89, 0.07], [0, 0.02, 0.98]]
    tau = np.stack([wait, lab, [reset] * 3, [reset] * 3], 1)
    shows = np.array([[0.70, 0.25, 0.05], [0.20, 0.60, 0.20], [0.05, 0.25, 0.70]])
    omega = np.full((3, 4, 3, 3), 1 / 3)
    for m, more in enumerate((-0.1, 0.0, 0.1)):  # how well the laboratory tells the states apart
        right = np.diag(shows) + more
        omega[m, 1] = shows * ((1 - right) / (1 - np.diag(shows)))[:, None]
        np.fill_diagonal(omega[m, 1], right)
    v = [[0.2, -1, -12, 8], [-1, -1, 4, -8], [-4, -1, 12, -50]]
    return Problem([tau] * 3, omega, v, 0.95, reset, ends=[2, 3], env_omega=omega[1])


p = clinic()
tree = Tree(p, 5)
values, qs = tree.solve(None)  # the best of at most five visits before it ends
out = outcomes(folder.file("clinic.yaml", study_text(p, {"alpha": "learn", "beta": "inf", "eta": 0})))
told = out["bayes"]
checks.true(told["computed"], "the clinic is not computed: %s" % told)
checks.near("value in the clinic", [told["low"], told["up"]], [values[0][0]] * 2, atol=1e-6 * 62)
tests, unsure = follow(tree, qs, qs)
got = out["conduct"]["ideal_bayes"]
checks.near("tests in the clinic", got["before_end"]["mean"], tests, atol=1e-6)
print("  clinic: value %.6f (by histories %.6f), %.4f tests (%.4f), %.2f %% wrong, %d beliefs"
      % (told["low"], values[0][0], got["before_end"]["mean"], tests, 100 * got["wrong"]["mean"], told["beliefs"]))
checks.finish()
