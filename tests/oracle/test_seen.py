"""States with a seen and a hidden part against the oracle on the expanded problem, in which everything is hidden and the
observation (y', x) shows the seen part: values at the nodes of every seen value, policies by lookahead, recognition, and the
log-likelihood with its derivatives against differences.

ASIF_SEEN is the number of problems (60 unless set), ASIF_SEEN_FIRST the first seed."""
import math
import os

from common import Checks, Folder, np, oracle
from reference import Reference
from seen import SeenTarget, Solved, problem

brc = oracle()
checks, folder = Checks("a seen and a hidden part"), Folder()
count, first = int(os.environ.get("ASIF_SEEN", "60")), int(os.environ.get("ASIF_SEEN_FIRST", "0"))
TOL = 1e-9


def nodes(states, n):
    return math.comb(n + states - 1, states - 1)


def resolution(rng, p):
    """At most so fine that the expanded lattice has 3,000 nodes; with several hidden values at least 2, if that can be."""
    most = max(n for n in range(1, 13) if n == 1 or nodes(p.Y * p.H, n) <= 3000)
    return int(rng.integers(min(2, most), most + 1))


def theta(rng):
    return {"alpha": math.exp(rng.normal(0, 0.7)), "optimism": rng.normal(0, 0.5), "eta": rng.choice([0, rng.normal(0, 1)])}


def agents(rng, p, k):
    """Random agent states, some of them corners."""
    y, b = rng.integers(p.Y, size=k), rng.dirichlet(np.ones(p.H), k)
    b[0] = np.eye(p.H)[int(rng.integers(p.H))]
    return np.column_stack([y, b])


def compare(at, got, want):
    scale = max(1.0, np.abs(want["Q"]).max())
    for name, room in (("V", scale), ("Q", scale), ("K", scale), ("pi", 1), ("sigma", 1)):
        checks.near(at + name, got[name], want[name], atol=TOL * room, kind=name)


def steps(rng, p, e, states):
    """Random events that are possible in some world, from random agent states."""
    for s in states:
        z = p.whole(s)
        u = int(rng.integers(p.U))
        chance = np.einsum("m,s,mst,mto->o", p.sigma0, z, e.tau[:, :, u], e.omega[:, u])
        o = int(rng.choice(len(chance), p=chance / chance.sum()))
        yield s, z, u, o


kinds = set()
for seed in range(first, first + count):
    rng = np.random.default_rng([19, seed])
    p, given = problem(rng), theta(rng)
    if p.Y * p.H == 1:  # the oracle has no lattice for one state
        continue
    n = resolution(rng, p)
    at = "seed %d (%d seen, %d hidden, %d worlds, n = %d): " % (seed, p.Y, p.H, p.M, n)
    e = p.expanded()
    agent = brc.Plan(e.oracle(brc), n, 1 / given["alpha"], given["optimism"], given["eta"]).solve()
    lib = Solved(p, n)
    info = lib.solve(**given)
    checks.true(lib.stop(info) == "converged" or info.residual < 1e-12 * info.scale, at + lib.stop(info))
    checks.true(lib.nodes == p.Y * nodes(p.H, n), at + "%d nodes" % lib.nodes)
    checks.true(lib.width == (p.H + 1 if p.Y > 1 else p.H), at + "width %d" % lib.width)
    shift = lambda s: s if p.Y > 1 else s[:, 1:]
    at_nodes = lib.states() if p.Y > 1 else np.column_stack([np.zeros(lib.nodes), lib.states()])
    want = agent.lat.interp(np.array([p.whole(s) for s in at_nodes]), agent.V)
    checks.near(at + "values at the nodes", lib.values(), want, atol=TOL * max(1, np.abs(want).max()), kind="nodes")
    states = agents(rng, p, 7)
    compare(at, lib.look(shift(states), p.U, p.M), agent.look(np.array([p.whole(s) for s in states])))
    for s, z, u, o in steps(rng, p, e, states):
        merged = e.classes(u)[o]  # the oracle knows the first of a class alone
        to = agent.step(z[None], np.array([u]), np.array([merged]))[0]
        got = lib.step(shift(s[None]), [u], [o])[0]
        checks.near(at + "belief after %d, %d" % (u, o), p.whole(got) if p.Y > 1 else got, to, atol=TOL, kind="belief")
        checks.true(p.Y == 1 or got[0] == o // p.X, at + "the seen value is that of the observation")
    kinds.add((p.Y > 1, p.H > 1, p.H > 2, p.M > 1))
    lib.close()
checks.true(count < 60 or len(kinds) >= 10, "kinds of problems: %s" % kinds)

# ------------------------------------------------------------------ rewards by observation, rho0, belief over hidden values
for seed in range(first, first + max(4, count // 6)):
    rng = np.random.default_rng([191, seed])
    p, given = problem(rng, (2, 3), (1, 2)), theta(rng)
    given["eta"] = rng.normal(0, 1)
    p.reward = rng.normal(0, 1, (p.U, p.X))
    p.rho0 = np.outer(rng.dirichlet(np.ones(p.Y)), rng.dirichlet(3 * np.ones(p.X))).ravel()
    n = int(rng.integers(1, 4))
    at = "rewards, seed %d (%d seen, %d hidden, n = %d): " % (seed, p.Y, p.H, n)
    agent = Reference(p.expanded(), given["alpha"], 1 / given["optimism"], given["eta"], n)
    lib = Solved(p, n)
    lib.solve(**given)
    states = agents(rng, p, 4)
    got = lib.look(states, p.U, p.M)
    for i, s in enumerate(states):
        want = agent.look(p.whole(s))
        for name in ("V", "Q", "pi", "sigma"):
            checks.near(at + name, got[name][i], want[name], atol=1e-8 * max(1, np.abs(want["Q"]).max()), kind="with rewards: " + name)
    lib.close()

# ------------------------------------------------------------------ the likelihood and its derivatives
def table(rng, p, episodes, length):
    """Logs of somebody who acts at random in the first world; observations are numbers of (y', x)."""
    e, lines = p.expanded(), ["episode,t,action,observation"]
    for k in range(episodes):
        s = int(rng.choice(e.S, p=np.where(np.arange(e.S) // p.H == p.start.sum(1).argmax(), e.z0, 0) / p.start.sum(1).max()))
        for t in range(length):
            u = int(rng.integers(p.U))
            s = int(rng.choice(e.S, p=e.tau[0, s, u]))
            lines.append("%d,%d,%d,%d" % (k, t, u, int(rng.choice(e.X, p=e.omega[0, u, s]))))
    return "\n".join(lines) + "\n"


def differences(target, x, gradient):
    """Central differences; of several steps that which comes nearest, because steps meet kinks of the interpolation, or rounding."""
    out = np.full(len(x), np.inf)
    for i, unit in enumerate(np.eye(len(x))):
        for h in (1e-3, 1e-4, 1e-5, 1e-6):
            slope = (target(x + h * unit)[0] - target(x - h * unit)[0]) / (2 * h)
            out[i] = min(out[i], slope, key=lambda s: abs(s - gradient[i]))
    return out


names = ["alpha", "optimism", "eta", "discount", "bonus", "paid"]
for seed in range(first, first + max(6, count // 3)):
    rng = np.random.default_rng([192, seed])
    p = problem(rng, (2, 5))
    n = int(rng.integers(2, 6))
    lib = Solved(p, n, parameters=True)
    logs = folder.file("seen%d.csv" % seed, table(rng, p, 12, 5))
    lib.solve(alpha=1, optimism=0, eta=0.5, bonus=1, paid=1)
    target = SeenTarget(lib, logs, names)
    x = np.array([rng.normal(0, 0.4), rng.normal(0, 0.4), rng.normal(0, 0.7), rng.normal(1, 0.3), rng.normal(1, 0.5), rng.normal(1, 0.5)])
    value, gradient = target(x)
    at = "derivatives, seed %d (%d seen, %d hidden, %d worlds): " % (seed, p.Y, p.H, p.M)
    checks.near(at, gradient, differences(target, x, gradient), rtol=1e-6, atol=1e-7 * max(1, abs(value)), kind="differences")
    lib.close()
checks.finish()
