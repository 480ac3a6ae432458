"""Horizons and actions after which nothing follows: against the oracle on a problem whose states also count decisions and have a
state `done` for what follows the last; against a recursion over all histories, without a lattice, where every belief is a node or
there is one hidden value; derivatives against differences; and what is refused.

ASIF_HORIZON is the number of problems of each kind (30 unless set)."""
import math
import os

from common import Checks, Folder, np, oracle
from library import LibraryError
from reference import ce, tilt
from seen import SeenTarget, Solved, classes, differences, problem, recursion, table_of

brc = oracle()
checks, folder = Checks("horizons"), Folder()
count = int(os.environ.get("ASIF_HORIZON", "30"))
TOL = 1e-9


def theta(rng):
    return {"alpha": math.exp(rng.normal(0, 0.7)), "optimism": rng.normal(0, 0.5), "eta": rng.choice([0, rng.normal(0, 1)])}


def counted(p):
    """The problem of the oracle: states (t, y, h) and `done`, observations (t', y', x) and `done`."""
    e, N = p.expanded(), p.horizon
    S, O, done = N * e.S + 1, N * e.X + 1, N * e.S
    tau, omega, v = np.zeros((p.M, S, p.U, S)), np.zeros((p.M, p.U, S, O)), np.zeros((S, p.U))
    tau[:, done, :, done] = omega[:, :, done, O - 1] = 1
    for t in range(N):
        here, there = slice(t * e.S, (t + 1) * e.S), slice((t + 1) * e.S, (t + 2) * e.S)
        v[here] = e.v
        omega[:, :, here, t * e.X : (t + 1) * e.X] = e.omega
        for u in range(p.U):
            if t + 1 == N or p.stops[u]:
                tau[:, here, u, done] = 1
            else:
                tau[:, here, u, there] = e.tau[:, :, u]
    z0 = np.zeros(S)
    z0[: e.S] = e.z0
    return p.problem(tau, omega, v, p.gamma, z0, p.sigma0, p.pi0)


def lead(p, states):
    """Agent states of the library from (t, y, b)."""
    return np.column_stack([states[:, 0] * p.Y + states[:, 1], states[:, 2:]])


def agents(rng, p, k):
    return np.column_stack([rng.integers(p.horizon, size=k), rng.integers(p.Y, size=k), rng.dirichlet(np.ones(p.H), k)])


def whole(p, s, done):
    z = np.zeros(p.horizon * p.Y * p.H + done)
    at = int(s[0] * p.Y + s[1]) * p.H
    z[at : at + p.H] = s[2:]
    return z


# ------------------------------------------------------------------ the oracle
for seed in range(count):
    rng = np.random.default_rng([20, seed])
    p, given = problem(rng, (1, 2), (1, 2)), theta(rng)
    p.horizon, p.stops = int(rng.integers(1, 5)), rng.random(p.U) < 0.3
    n = int(rng.integers(1, 3 if p.horizon * p.Y * p.H > 9 else 4))
    at = "seed %d (horizon %d, %d seen, %d hidden, %d worlds, n = %d): " % (seed, p.horizon, p.Y, p.H, p.M, n)
    agent = brc.Plan(counted(p).oracle(brc), n, 1 / given["alpha"], given["optimism"], given["eta"]).solve()
    lib = Solved(p, n)
    info = lib.solve(**given)
    checks.true(info.residual == 0 and info.bound == 0 and info.backups == 1, at + "one backup is exact")
    states = agents(rng, p, 8)
    got, want = lib.look(lead(p, states), p.U, p.M), agent.look(np.array([whole(p, s, True) for s in states]))
    scale = max(1.0, np.abs(want["Q"]).max())
    for name, room in (("V", scale), ("Q", scale), ("K", scale), ("pi", 1), ("sigma", 1)):
        checks.near(at + name, got[name], want[name], atol=TOL * room, kind=name)
    lib.close()


# ------------------------------------------------------------------ all histories, without a lattice
def telling(rng, p):
    """The hidden part stays or moves by a permutation, and an observation shows it or nothing: every belief is a node."""
    if p.H == 1:
        return
    show = rng.random((p.M, p.U, p.Y)) < 0.5
    for m in range(p.M):
        for y in range(p.Y):
            for u in range(p.U):
                way = p.move[m, y, :, u].sum(0).sum(-1)
                to = int(rng.choice(p.Y, p=way / way.sum()))
                p.move[m, y, :, u] = 0
                p.move[m, y, np.arange(p.H), u, to, rng.permutation(p.H)] = 1
    p.X = p.H
    p.show = np.zeros((p.M, p.U, p.Y, p.H, p.X))
    for m, u, y in np.ndindex(p.M, p.U, p.Y):
        p.show[m, u, y] = np.eye(p.H) if show[m, u, y] else np.full((p.H, p.X), 1 / p.X)


for seed in range(count):
    rng = np.random.default_rng([21, seed])
    p, given = problem(rng, (1, 3), (1, 3), (1, 2)), theta(rng)
    p.horizon, p.stops, p.gamma = int(rng.integers(1, 5)), rng.random(p.U) < 0.3, float(rng.choice([1.0, 0.9]))
    telling(rng, p)
    p.reward = rng.normal(0, 1, (p.U, p.X)) if rng.random() < 0.5 else None
    n = int(rng.integers(2, 5))
    at = "histories, seed %d (horizon %d, %d seen, %d hidden, discount %g): " % (seed, p.horizon, p.Y, p.H, p.gamma)
    table = [[classes(p, u, y) for y in range(p.Y)] for u in range(p.U)]
    lib = Solved(p, n)
    lib.solve(**given)
    y, b = int(rng.integers(p.Y)), rng.multinomial(n, np.ones(p.H) / p.H) / n
    got, want = lib.look(lead(p, np.array([[0, y, *b]])), p.U, p.M), recursion(p, given, 0, y, b, table)
    for name, value in zip(("V", "Q", "K"), want):
        checks.near(at + name, got[name][0], value, atol=TOL * max(1, np.abs(want[1]).max()), kind="histories: " + name)
    checks.near(at + "pi", got["pi"][0], tilt(1 / given["alpha"], want[1], p.pi0), atol=TOL, kind="histories: pi")
    lib.close()

# ------------------------------------------------------------------ horizon 20, one hidden value: backward induction
for seed in range(max(4, count // 2)):
    rng = np.random.default_rng([22, seed])
    p, given = problem(rng, (2, 6), (1, 1)), theta(rng)
    p.horizon, p.stops, p.gamma = 20, rng.random(p.U) < 0.3, 1.0
    V, tau = np.zeros(p.Y), p.move[:, :, 0, :, :, 0]  # [M,Y,U,Y]
    for t in range(20):
        lasts = p.stops | (t == 0)
        entropy = -(tau * np.log(np.where(tau > 0, tau, 1))).sum(-1)
        K = np.where(lasts[None, None], 0, tau @ V + given["eta"] * entropy)
        V = ce(1 / given["alpha"], p.v[:, 0] + ce(given["optimism"], K.transpose(1, 2, 0), p.sigma0), p.pi0)
    lib = Solved(p, 1)
    lib.solve(**given)
    checks.near("horizon 20, seed %d" % seed, lib.values()[: p.Y], V, atol=1e-10 * max(1, np.abs(V).max()), kind="horizon 20")
    lib.close()


# ------------------------------------------------------------------ derivatives, with and without a horizon
names = ["alpha", "optimism", "eta", "bonus", "paid"]
for seed in range(max(6, count // 2)):
    rng = np.random.default_rng([23, seed])
    p = problem(rng, (1, 3), (1, 3))
    p.horizon, p.stops = int(rng.choice([0, 3, 4])), rng.random(p.U) < 0.4
    p.gamma = 1.0 if p.horizon and seed % 2 else p.gamma
    p.stops[0] = False
    lib = Solved(p, int(rng.integers(2, 6)), parameters=True)
    logs = folder.file("horizon%d.csv" % seed, table_of(rng, p, 15))
    lib.solve(alpha=1, optimism=0, eta=0.5, bonus=1, paid=1)
    target = SeenTarget(lib, logs, names + (["discount"] if p.gamma < 1 else []))
    x = np.concatenate([rng.normal(0, 0.4, 2), [rng.normal(0, 0.7)], rng.normal(1, 0.5, target.n - 3)])
    value, gradient = target(x)
    at = "derivatives, seed %d (horizon %d, %d seen, %d hidden, %d worlds): " % (seed, p.horizon, p.Y, p.H, p.M)
    checks.near(at, gradient, differences(target, x, gradient), rtol=1e-6, atol=1e-7 * max(1, abs(value)), kind="differences")
    lib.close()

# ------------------------------------------------------------------ what is refused
rng = np.random.default_rng(24)
p = problem(rng, (2, 2), (2, 2))
p.horizon, p.stops = 2, np.zeros(p.U, bool)
p.stops[1] = True
lib = Solved(p, 2)
lib.solve(alpha=1, optimism=0, eta=0)


def refusal(function):
    try:
        function()
    except LibraryError as error:
        return error.error.message.decode()
    return ""


o = int(np.flatnonzero(p.expanded().omega[0, 0].sum(0) > 0)[0])
checks.true("the horizon is 2" in refusal(lambda: lib.step([[p.Y, 0.5, 0.5]], [0], [o])), "a step beyond the horizon")
checks.true("nothing follows '1'" in refusal(lambda: lib.step([[0, 0.5, 0.5]], [1], [o])), "a step after an action that stops")
checks.true("place" in refusal(lambda: lib.look([[2 * p.Y, 0.5, 0.5]], p.U, p.M)), "a place that is not there")
p.horizon, p.gamma = 0, 1.0
checks.true("below 1" in refusal(lambda: Solved(p, 2)), "a discount of 1 without a horizon")
checks.finish()
