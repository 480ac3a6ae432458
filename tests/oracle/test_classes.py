"""Observations that lead to the same beliefs count as one event in the surprise term. Problems whose observations are split into several
that mean the same, against the problems before the split: values, policies, world weights, beliefs along histories, information
costs, log-likelihoods and their derivatives. Also against reference.py, the oracle and finite differences."""
import csv
import itertools
import json
import math

import generate
from common import Checks, Folder, Problem, labels, np, oracle, plan, point, run, source, study_text
from library import Engine, Target, as_dict
from reference import Reference

brc = oracle()
checks, folder = Checks("observations that count as one"), Folder()
NAN = math.nan


def compare(at, got, want, tol=1e-9):
    scale = max(1.0, np.abs(want["Q"]).max())
    for name, room in (("V", tol * scale), ("Q", tol * scale), ("pi", tol), ("sigma", tol)):
        checks.near(at + name, got[name], want[name], atol=room, kind=name)
    if want.get("belief") is not None:
        checks.near(at + "belief", got["belief"], want["belief"], atol=tol, kind="belief")


# ------------------------------------------------------------------ DIAG, `positive` under two names
with open(source("examples", "diag", "study.yaml")) as f:
    plain = f.read()
text = plain
for old, new in (
    ("[negative, positive]", "[negative, positive_a, positive_b]"),
    ("[[0.7, 0.3], [0.3, 0.7]]", "[[0.7, 0.15, 0.15], [0.3, 0.35, 0.35]]"),
    ("[[0.6, 0.4], [0.4, 0.6]]", "[[0.6, 0.2, 0.2], [0.4, 0.3, 0.3]]"),
    ("[[0.8, 0.2], [0.2, 0.8]]", "[[0.8, 0.1, 0.1], [0.2, 0.4, 0.4]]"),
):
    assert old in text
    text = text.replace(old, new)
diag, two_names = folder.file("diag.yaml", plain), folder.file("split.yaml", text)
actions = ["declare_healthy", "declare_diseased", "monitor"]
beliefs = [np.array([1 - p, p]) for p in np.linspace(0, 1, 41)]
problem, lattice = brc.diag_problem(), brc.Lattice(2, 100)
grid = brc.Plan.precompute(problem, lattice)
for eta, (alpha, beta) in itertools.product((20, 75), ((0.5, 1000), (0.5, 1.25), (0.5, -0.75), (5, 2))):
    given = {"alpha": alpha, "beta": beta, "eta": eta}
    at = "DIAG, alpha %g, beta %g, eta %g: " % (alpha, beta, eta)
    agent = brc.Plan(problem, 100, 1 / alpha, 1 / beta, eta, lattice, grid).solve()
    exact = agent.look(np.array(beliefs))
    for n, seen in enumerate(itertools.product(("negative", "positive_a", "positive_b"), repeat=2)):
        shown = beliefs if n == 0 else []
        before = plan(diag, given, shown, [("monitor", x.split("_")[0]) for x in seen])
        after = plan(two_names, given, shown, [("monitor", x) for x in seen])
        for i, (want, got) in enumerate(zip(before["beliefs"] + before["history"], after["beliefs"] + after["history"])):
            compare(at + "%s, %d: " % (seen, i), point(got, actions), point(want, actions))
            if i < len(shown):
                checks.near(at + "oracle's policy", point(got, actions)["pi"], exact["pi"][i], atol=1e-9, kind="oracle")

given = {"alpha": 0.5, "beta": 1.25, "eta": 20}
logs, mapped = folder.file("split.csv"), folder.file("mapped.csv")
options = [x for name, value in given.items() for x in ("-p", "%s=%s" % (name, value))]
run("simulate", two_names, "-n", 300, "--seed", 5, "-o", logs, "-q", *options)
with open(logs) as f, open(mapped, "w") as g:
    whole = f.read()
    g.write(whole.replace("positive_a", "positive").replace("positive_b", "positive"))
checks.true("positive_a" in whole and "positive_b" in whole, "the simulated logs hold one name only")
likelihood = [
    json.loads(run("check", study, table, "--json", *options))["log_likelihood"]
    for study, table in ((two_names, logs), (diag, mapped))
]
checks.near("DIAG: log-likelihood", likelihood[0], likelihood[1], rtol=1e-10, kind="likelihood")

# ------------------------------------------------------------------ random problems, split
for seed in range(24):
    rng = np.random.default_rng([14, seed])
    p = generate.problem(rng, reward=seed % 3 == 0, rho0=seed % 2 == 0, states=(2, 4))
    q, old = generate.split(rng, p)
    given = dict(generate.theta(rng, limits=False), eta=float(rng.normal(0, 5)))
    n = int(rng.integers(3, 7))
    at = "problem %d (%d states, %d worlds): " % (seed, p.S, p.M)
    names, beliefs = labels("a", p.U), generate.beliefs(rng, p.S, 4)
    before, after = folder.file("before.yaml", study_text(p, given, n)), folder.file("after.yaml", study_text(q, given, n))
    z, events = p.z0, []
    agent = Reference(q, n=n, **given)
    for _ in range(4):  # what the agent thinks possible
        u = int(rng.integers(p.U))
        chance = sum(w * (z @ q.tau[m, :, u] @ q.omega[m, u]) for m, w in enumerate(agent.look(z)["sigma"][u]))
        x = int(rng.choice(q.X, p=chance / chance.sum()))
        z, _ = agent.step(z, u, x)
        events.append((u, x))
    want = plan(before, None, beliefs, [("a%d" % u, "x%d" % old[x]) for u, x in events])
    got = plan(after, None, beliefs, [("a%d" % u, "x%d" % x) for u, x in events])
    for i, (one, other) in enumerate(zip(want["beliefs"] + want["history"], got["beliefs"] + got["history"])):
        compare(at + "%d, split and not: " % i, point(other, names), point(one, names))
    checks.near(at + "belief after " + str(events), point(got["history"][-1], names)["belief"], z, atol=1e-9, kind="belief")
    for b, entry in zip(beliefs, got["beliefs"]):
        compare(at + "reference: ", point(entry, names), agent.look(b))
    engines = Engine(before, n), Engine(after, n)
    for e in engines:
        e.solve()
    costs = [as_dict(e.occupancy(p.z0)[1]) for e in engines]
    for name in costs[0]:
        checks.near(at + name + " cost", costs[1][name], costs[0][name], rtol=1e-9, atol=1e-9, kind="costs")
    for e in engines:
        e.close()
    if q.reward is not None:  # what is seen is paid by its own name
        q.reward = rng.normal(0, 5, q.reward.shape)
        agent = Reference(q, n=n, **given)
        out = plan(folder.file("paid.yaml", study_text(q, given, n)), None, beliefs)
        for b, entry in zip(beliefs, out["beliefs"]):
            compare(at + "rewards that differ: ", point(entry, names), agent.look(b))

# ------------------------------------------------------------------ one matrix, two actions, other classes
# In the first world both actions show the same; the second tells `b` from `c` after the second action alone.
same, apart = [[0.6, 0.1, 0.3], [0.2, 0.2, 0.6]], [[0.6, 0.1, 0.3], [0.2, 0.5, 0.3]]
text = """asif: 1
states: [s0, s1]
actions: [one, other]
observations: [a, b, c]
environment: {start: [0.5, 0.5], emissions: %s}
agent:
  planner: bounded-rational
  discount: 0.9
  worlds:
    - emissions: %s
    - emissions: {one: %s, other: %s}
  utility: {one: {s0: 1, s1: 0}, other: {s0: 0, s1: 1}}
  parameters: {alpha: 0.7, beta: 2, eta: 1.5}
solver: {resolution: 10}
""" % (same, same, [[0.3, 0.4, 0.3], [0.6, 0.2, 0.2]], apart)
p = Problem(
    np.broadcast_to(np.eye(2)[:, None], (2, 2, 2, 2)),
    [[same, same], [[[0.3, 0.4, 0.3], [0.6, 0.2, 0.2]], apart]],
    np.eye(2),
    0.9,
    [0.5, 0.5],
)
checks.true(p.classes(0) == [0, 1, 2] and p.classes(1) == [0, 1, 2], "the first design has classes")
for emissions in (same, [[0.3, 0.14, 0.56], [0.6, 0.08, 0.32]]):
    study = folder.file("shared.yaml", text.replace(str([[0.3, 0.4, 0.3], [0.6, 0.2, 0.2]]), str(emissions)))
    p.omega[1, 0] = emissions
    checks.true(p.classes(0) == [0, 1, 1] and p.classes(1) == [0, 1, 2], "the classes are other ones")
    agent = Reference(p, 0.7, 2, 1.5, 10)
    beliefs = [np.array([1 - b, b]) for b in (0.05, 0.33, 0.5, 0.77)]
    for b, entry in zip(beliefs, plan(study, None, beliefs)["beliefs"]):
        compare("one matrix, two actions: ", point(entry, ["one", "other"]), agent.look(b))

# ------------------------------------------------------------------ derivatives
def differences(target, x, gradient):
    """Central differences; of several steps that which comes nearest, because steps meet kinks of the interpolation, or rounding."""
    out = np.full(len(x), np.inf)
    for i, e in enumerate(np.eye(len(x))):
        for h in (1e-4, 1e-5, 1e-6):
            slope = (target(x + h * e)[0] - target(x - h * e)[0]) / (2 * h)
            out[i] = min(out[i], slope, key=lambda s: abs(s - gradient[i]))
    return out


text = plain
for old, new in (
    ("[negative, positive]", "[negative, maybe, positive, likely]"),
    ("[[0.7, 0.3], [0.3, 0.7]]", "[[0.6, 0.1, 0.1, 0.2], [0.1, 0.0, 0.3, 0.6]]"),
    ("[[0.6, 0.4], [0.4, 0.6]]", "[[0.4, 0.2, 0.1, 0.3], [0.2, 0.1, 0.175, 0.525]]"),
    ("[[0.8, 0.2], [0.2, 0.8]]", "[[0.8, 0.04, 0.1, 0.06], [0.2, 0.16, 0.4, 0.24]]"),
    ("    monitor: cost\n", "    monitor: cost\n    - {on: observation, action: monitor, positive: good, likely: bad}\n"),
    ("    declare_healthy:  {", "    - declare_healthy:  {"),
    ("    declare_diseased: {", "      declare_diseased: {"),
    ("    monitor: cost\n", "      monitor: cost\n"),
    ("    cost: -1\n", "    cost: -1\n    good: 0.5\n    bad: -0.8\n"),
    ("  discount: 0.95\n", "  discount: 0.95\n  belief_prior: [0.5, 0.2, 0.1, 0.2]\n"),
    ("resolution: 100", "resolution: 23"),
):
    assert old in text, old
    text = text.replace(old, new)
names = [(name, NAN, False) for name in ("alpha", "optimism", "eta", "discount", "world_weights", "start")]
paid = [(name, value, False) for name, value in (("correct", 10.0), ("wrong", -36.0), ("cost", -1.0), ("good", 0.5), ("bad", -0.8))]
study, logs = folder.file("derivatives.yaml", text), folder.file("derivatives.csv")
run("simulate", study, "-n", 200, "--seed", 3, "-o", logs, "-q", "-p", "alpha=1", "-p", "beta=3", "-p", "eta=4")
target = Target(study, logs, names + paid)
rng = np.random.default_rng(99)
for k in range(6):
    x = np.concatenate([[rng.normal(0, 0.4), rng.normal(0, 0.4), rng.normal(0, 8), rng.normal(2, 0.3)],
                        rng.normal(0, 0.5, target.n - 9), rng.normal([10, -36, -1, 0.5, -0.8], 0.3)])
    value, gradient = target(x)
    checks.near("derivatives, two states, %d" % k, gradient, differences(target, x, gradient), rtol=1e-5, atol=1e-7 * abs(value), kind="differences")

done = 0
for seed in range(24):
    rng = np.random.default_rng([15, seed])
    p = generate.problem(rng, terms=False, rho0=seed % 2 == 0, states=(2, 3))
    q, old = generate.split(rng, p)
    q.env_tau, q.env_omega = q.tau[0], q.omega[0]
    given = {"alpha": 0.8, "optimism": 0.3, "eta": 1.0}
    studies = [folder.file("%s.yaml" % name, study_text(r, given, 7)) for name, r in (("before", p), ("after", q))]
    tables = folder.file("before.csv"), folder.file("after.csv")
    run("simulate", studies[1], "-n", 40, "--max-steps", 5, "--seed", seed, "-o", tables[1], "-q")
    with open(tables[1]) as f, open(tables[0], "w", newline="") as g:
        rows = list(csv.reader(f))
        csv.writer(g).writerows(rows[:1] + [r[:3] + ["x%d" % old[int(r[3][1:])] if r[3] else ""] for r in rows[1:]])
    estimated = [(name, NAN, False) for name in ("alpha", "optimism", "eta", "discount") + (("world_weights",) if p.M > 1 else ())]
    targets = [Target(s, t, estimated) for s, t in zip(studies, tables)]
    x = np.concatenate([rng.normal(0, 0.4, 2), [rng.normal(0, 3), rng.normal(1, 0.3)], rng.normal(0, 0.3, targets[0].n - 4)])
    want, got = targets[0](x), targets[1](x)
    at = "derivatives, problem %d (%d states): " % (seed, p.S)
    checks.near(at + "log-likelihood", got[0], want[0], rtol=1e-9, kind="likelihood")
    checks.near(at + "gradient", got[1], want[1], rtol=1e-7, atol=1e-8 * abs(want[0]), kind="gradient")
    done += p.S == 3
checks.true(done > 3, "hardly any problem had three states")
checks.finish()
