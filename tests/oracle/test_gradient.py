"""The derivatives of the log-likelihood in what is estimated, against the oracle's: on the three sets of logs with parameters of the
agent and utilities estimated, and on random problems of two and three states. They differ only at kinks of the interpolation, where
neither is more right: points are drawn at random and do not meet one."""
import math

import generate
from common import Checks, Folder, attempt, np, oracle, oracle_file, os, source, study_text
from library import Target

brc, facts = oracle(), oracle_file("logs_facts.json")
checks, folder = Checks("derivatives against the oracle"), Folder()


def compare(at, got, want):
    """Relative to the size of the gradient in the coordinate, with what rounding of the value allows."""
    checks.near(at + "log-likelihood", got[0], want[0], rtol=1e-9, atol=1e-9, kind="value")
    checks.near(at + "gradient", got[1], want[1], rtol=1e-6, atol=1e-9 * max(1, abs(want[0])), kind="gradient")


# ------------------------------------------------------------------ DIAG
diag = brc.diag_problem()
lattice = brc.Lattice(2, 100)
grid = brc.Plan.precompute(diag, lattice)
names = [("alpha", math.nan, False), ("optimism", math.nan, False), ("eta", math.nan, False)]
utilities = [("correct", 10.0, False), ("wrong", -36.0, False), ("cost", -1.0, False)]
labels = {"declare_healthy": 0, "declare_diseased": 1, "monitor": 2, "negative": 0, "positive": 1, "": 0}
rng = np.random.default_rng(4)
for name in facts["agents"]:
    path = os.path.join(os.environ["ASIF_ORACLE"], "logs_%s.csv" % name)
    episodes = {}
    with open(path) as f:
        next(f)
        for line in f:
            episode, _, action, seen = line.rstrip("\n").split(",")
            us, xs = episodes.setdefault(episode, ([], []))
            us.append(labels[action])
            xs.append(labels[seen])
    trie = brc.Trie([u for u, _ in episodes.values()], [x for _, x in episodes.values()], 3)
    target = Target(source("examples", "diag", "study.yaml"), path, names + utilities)
    points, wants = [], []
    for k in range(12):
        alpha, b, eta = math.exp(rng.normal(-0.7, 0.7)), rng.normal(0, 0.7), rng.normal(0, 15)
        correct, wrong, cost = rng.normal(10, 5), rng.normal(-36, 8), rng.normal(-1, 0.5)
        v = np.array([[correct, wrong, cost], [wrong, correct, cost]])
        want, g = brc.Plan(diag.with_v(v), 100, 1 / alpha, b, eta, lattice, grid).solve().loglik(trie, grad=True)
        gv = g[3:].reshape(2, 3)
        pulled = [-g[0] / alpha, g[1], g[2], gv[0, 0] + gv[1, 1], gv[0, 1] + gv[1, 0], gv[0, 2] + gv[1, 2]]
        points.append([math.log(alpha), b, eta, correct, wrong, cost])
        wants.append(want)
        compare("%s, point %d: " % (name, k), target(points[-1]), (want, pulled))
    for k, got in enumerate(target.many(points)):
        checks.near("%s, point %d of many: log-likelihood" % (name, k), got, wants[k], rtol=1e-9, atol=1e-9, kind="value")

# ------------------------------------------------------------------ random problems
done = 0
for seed in range(400):
    rng = np.random.default_rng([7, seed])
    p = generate.problem(rng)
    if p.S not in (2, 3) or p.X == 0 or p.reward is not None or p.rho0 is not None or p.ends:
        continue
    if any(t.add for t in p.terms):
        p.terms = []
    n = 20 if p.S == 2 else 8
    given = {"alpha": math.exp(rng.normal(-0.5, 0.5)), "optimism": rng.normal(0, 0.7), "eta": rng.normal(0, 0.5)}
    study = folder.file("study%d.yaml" % seed, study_text(p, given, n))
    logs = folder.file("logs%d.csv" % seed)
    simulated = attempt("simulate", study, "-n", 60, "--max-steps", 6, "--seed", seed, "-o", logs, "-q")
    if "is impossible here in every world" in simulated.stderr:
        continue
    checks.true(simulated.returncode == 0, simulated.stderr)
    episodes = {}
    with open(logs) as f:
        next(f)
        for line in f:
            episode, _, action, seen = line.rstrip("\n").split(",")
            us, xs = episodes.setdefault(episode, ([], []))
            us.append(int(action[1:]))
            xs.append(p.classes(us[-1])[int(seen[1:])] if seen else 0)
    problem = p.oracle(brc)
    trie = brc.Trie([u for u, _ in episodes.values()], [x for _, x in episodes.values()], p.U)
    target = Target(study, logs, names)
    for k in range(3):
        alpha, b, eta = math.exp(rng.normal(-0.5, 0.5)), rng.normal(0, 0.7), rng.normal(0, 0.5)
        agent = brc.Plan(problem, n, 1 / alpha, b, eta).solve()
        try:
            want, g = agent.loglik(trie, grad=True)
        except AssertionError:  # an observation that no world of the agent allows
            continue
        compare("problem %d (%d states): " % (seed, p.S), target([math.log(alpha), b, eta]),
                (want, [-g[0] / alpha, g[1], g[2]]))
        done += 1
    if done >= 60:
        break
checks.true(done >= 30, "only %d points of random problems were compared" % done)
checks.finish()
