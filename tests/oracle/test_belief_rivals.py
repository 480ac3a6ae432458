"""Rivals with beliefs against an independent computation: dynamics by the NumPy oracle, decision boundaries by SciPy, first with the dynamics held and then
together with them, with gradients by differences. PO-IRL without a future is a logistic regression on the belief, whose posterior SciPy maximises too, and the
published walk over it is walked in NumPy with other random numbers: means over seeds are compared. With a future it is the study with its preset. Compared are predictions of decisions that neither has seen.

ctest label: slow
"""
import json
import os
import tempfile

from common import Checks, attempt, np, source
from dynamics import DEMENTIA, oracle
from scipy.optimize import minimize

iohmm, cohort = oracle()
checks = Checks("rivals with beliefs")
PEOPLE, FOLDS, SPREAD = 240, 2, 10.0
us, xs, *_ = cohort.load(os.path.join(DEMENTIA, "cohort_synthetic.csv"))
us, xs = us[:PEOPLE], xs[:PEOPLE]
scans = iohmm.Structure(3, 2, 12, tie_tau=True, factor=cohort.FACTOR)
SCORE = np.repeat(np.arange(3), 4)
LOGS = "logs: {subject: person, time: t, action: action, observation: observation}\n"


# Histories of all people, level by level, and those at which each person decides.
TREE = iohmm.Tree(us, xs)
PATH = []
for u_, x_ in zip(us, xs):
    at, path = 0, []
    for k, (v, y) in enumerate(zip(u_, x_)):
        path.append((k, at))
        lev = TREE.levels[k + 1]
        at = int(np.flatnonzero((lev["parent"] == at) & (lev["u"] == v) & (lev["x"] == y))[0])
    PATH.append(path)
FIRST = np.cumsum([0] + [len(lev["m"]) for lev in TREE.levels])
NODE = [np.array([FIRST[k] + n for k, n in path]) for path in PATH]


def beliefs(p):
    """The belief at every decision of every person, before the visit's observation."""
    every = np.vstack(iohmm.forward(TREE, *scans.build(p))[0])
    return [every[n] for n in NODE]


def log_policy(b, free):
    mu = free.reshape(2, 2)
    mu = np.hstack([mu, 1 - mu.sum(1, keepdims=True)])
    score = -((b[:, None, :] - mu[None]) ** 2).sum(-1)
    return score - np.logaddexp(score[:, 0], score[:, 1])[:, None], -((mu - 1 / 3) ** 2).sum() / (2 * SPREAD ** 2)


def of_actions(bs, free, chosen):
    b, did = np.vstack([bs[i] for i in chosen]), np.concatenate([us[i] for i in chosen])
    lp, prior = log_policy(b, free)
    return lp[np.arange(len(did)), did].sum(), prior


def slope(f, x):
    return np.array([(f(x + 1e-5 * e) - f(x - 1e-5 * e)) / 2e-5 for e in np.eye(len(x))])


def maximise(f, x):
    r = minimize(lambda x: -f(x), x, jac=lambda x: -slope(f, x), method="BFGS", options=dict(gtol=1e-5, maxiter=500))
    return r.x, -r.fun


def walks(bs, training, held_out, chains, used):
    """The published walk, of several chains at once: held-out log-likelihoods. used: share of the steps that are about utilities."""
    rng = np.random.default_rng(5)
    b, did = np.vstack([bs[i] for i in training]), np.concatenate([us[i] for i in training])
    of = lambda v, b, did: -np.logaddexp(0, -(b @ (v[:, 1] - v[:, 0]).T) * (2 * did - 1)[:, None]).sum(0)
    v = .001 * rng.normal(size=(chains, 2, 3))
    value, mean = of(v, b, did), np.zeros_like(v)
    for step in range(1000):
        next_ = v + .001 * rng.normal(size=v.shape)
        proposed = of(next_, b, did)
        take = (np.log(rng.random(chains)) < proposed - value) & (rng.random(chains) < used)
        v[take], value[take] = next_[take], proposed[take]
        if step >= 500 and (step + 1) % 10 == 0:
            mean += v / 50
    return of(mean, np.vstack([bs[i] for i in held_out]), np.concatenate([us[i] for i in held_out]))


CHAINS = 200
WALKED = np.zeros((2, CHAINS))


def predict(training, held_out):
    """Held-out log-likelihoods of both forms of cloning, and of PO-IRL without a future."""
    tree = iohmm.Tree([us[i] for i in training], [xs[i] for i in training])
    p, _, _, _ = iohmm.multistart(tree, scans, np.random.default_rng(1), 12, prior=1.0, order=iohmm.by_severity(SCORE))
    p, _, _ = iohmm.polish(tree, scans, p, prior=1.0)
    bs = beliefs(p)
    mu, _ = maximise(lambda f: sum(of_actions(bs, f, training)), np.full(4, 1 / 3))
    first = of_actions(bs, mu, held_out)[0]
    b, did = np.vstack([bs[i] for i in training]), np.concatenate([us[i] for i in training])
    sure = lambda v, b, did: -np.logaddexp(0, -(b @ (v[3:] - v[:3])) * (2 * did - 1)).sum()
    v, _ = maximise(lambda v: sure(v, b, did) - (v ** 2).sum() / 2, np.zeros(6))
    myopic = sure(v, np.vstack([bs[i] for i in held_out]), np.concatenate([us[i] for i in held_out]))
    for i, used in enumerate((1, .5)):
        WALKED[i] += walks(bs, training, held_out, CHAINS, used)

    def together(x):
        q = scans.unpack(x[:20])
        lp = iohmm.loglik(tree, *scans.build(q)) + sum(np.log(q[k][m]).sum() for k, m in scans.blocks().items())
        return lp + sum(of_actions(beliefs(q), x[20:], training))

    # The second search is in coordinates scaled by the curvature of the first.
    x0 = np.concatenate([scans.pack(p), mu])
    h = np.array([together(x0 + 1e-2 * e) + together(x0 - 1e-2 * e) - 2 * together(x0) for e in np.eye(24)]) / 1e-4
    unit = 1 / np.sqrt(np.maximum(-h, 1.0))
    x, top = maximise(lambda y: together(x0 + unit * y), np.zeros(24))
    x = x0 + unit * x
    return first, of_actions(beliefs(scans.unpack(x[:20])), x[20:], held_out)[0], myopic, top - together(x0)


want = np.zeros(3)
for k in range(FOLDS):
    fold = np.arange(PEOPLE) * FOLDS // PEOPLE
    first, both, myopic, gain = predict(np.flatnonzero(fold != k), np.flatnonzero(fold == k))
    print("  fold %d: dynamics first %.4f, together %.4f; training gains %.3f nats" % (k, first, both, gain))
    checks.true(gain > .02, "nothing is gained by learning both together")
    want += [first, both, myopic]
with tempfile.TemporaryDirectory() as folder:
    table, study = os.path.join(folder, "logs.csv"), os.path.join(folder, "study.yaml")
    with open(table, "w") as f:
        f.write("person,t,action,observation\n")
        for i, (u, x) in enumerate(zip(us, xs)):
            for t in range(len(u)):
                f.write("%d,%d,%s,%s\n" % (i, t, ["no_mri", "mri"][u[t]], cohort.OBS[x[t]]))
    with open(source("examples", "dementia", "study.yaml")) as f:
        text = f.read()
    for mark in "alpha", "optimism", "eta":
        assert mark + ": learn" in text
        text = text.replace(mark + ": learn", mark + ": 1")
    with open(study, "w") as f:
        f.write(text.replace("resolution: 40", "resolution: 5").replace("discount: 0.95", "discount: 0") + LOGS)
    planned = text[:text.index("agent:")] + """agent:
  preset: stochastic-po-irl
  discount: 0.9
  utility: {no_mri: {normal: n1, mild: n2, dementia: n3}, mri: {normal: m1, mild: m2, dementia: m3}}
  parameters: {act_alpha: 1, %s}
solver: {resolution: 10, tol: 1e-10}
""" % ", ".join('%s: {learn: "normal(0, 1)", standard: %d}' % (k, k == "n1") for k in ("n1", "n2", "n3", "m1", "m2", "m3")) + LOGS

    def evaluate(*more):
        done = attempt("evaluate", study, table, "--relearn", "--folds", str(FOLDS), "--fold-order", "file", "--json", "-q", *more)
        assert done.returncode == 0, done.stderr
        return {m["name"]: m["held_out"]["log_likelihood"] for m in json.loads(done.stdout)["models"]}

    names = ("belief-cloning", "joint-belief-cloning", "po-irl")
    rows = evaluate(*[x for n in names for x in ("--rival", n)])
    for name, value in zip(names, want):
        print("  %s: %.6f, SciPy %.6f" % (name, rows[name], value))
        checks.near(name, rows[name], value, atol=5e-4)
    for i, name in enumerate(("po-irl-published", "joint-po-irl")):
        got = np.array([evaluate("--rival", name, "--seed", str(seed))[name] for seed in range(1, 9)])
        mean, error = WALKED[i].mean(), WALKED[i].std(ddof=1) * (1 / len(got) + 1 / CHAINS) ** .5
        print("  %s: mean of 8 seeds %.3f (sd %.3f), NumPy's %.3f (sd %.3f)" % (name, got.mean(), got.std(ddof=1), mean, WALKED[i].std(ddof=1)))
        checks.near(name, got.mean(), mean, atol=4 * error)
        checks.true(got.std() > 0 and got.max() < want[2] - 20, "a walk with such steps cannot come so far")
    with open(study, "w") as f:
        f.write(planned)
    rows = evaluate("--rival", "po-irl")
    print("  with a future: %.6f, as a study %.6f" % (rows["po-irl"], rows["study"]))
    checks.near("with a future", rows["po-irl"], rows["study"], atol=1e-3)
checks.finish()
