"""Actions that are available with some seen values only: against a recursion over all histories, without a lattice, where every
belief is a node or there is one hidden value; without a horizon against values that are computed here by iteration; lapses; an action
that is always available changes nothing; derivatives against differences; and what is refused.

ASIF_AVAILABLE is the number of problems of each kind (16 unless set)."""
import math
import os

from common import Checks, Folder, np
from library import LibraryError
from reference import ce, tilt
from seen import SeenTarget, Solved, problem

checks, folder = Checks("actions that are available"), Folder()
count = int(os.environ.get("ASIF_AVAILABLE", "16"))
TOL = 1e-9


def theta(rng):
    return {"alpha": math.exp(rng.normal(0, 0.7)), "optimism": rng.normal(0, 0.5), "eta": rng.choice([0, rng.normal(0, 1)])}


def some(rng, p):
    """Every action is missing somewhere, and every seen value has one."""
    p.available = rng.random((p.Y, p.U)) < 0.6
    p.available[np.arange(p.Y), rng.integers(p.U, size=p.Y)] = True
    p.available[rng.integers(p.Y)] = np.arange(p.U) == rng.integers(p.U)


def prior_at(p, y):
    """The action prior over what is available, and which actions these are."""
    can = np.flatnonzero(p.available[y])
    return can, p.pi0[can] / p.pi0[can].sum()


def classes(p, u, y):
    """Observations that show y after u and mean the same: proportional in every world, on the hidden values that can be reached."""
    if p.H == 1:
        return [0] * p.X
    key = []
    for m in np.flatnonzero(p.sigma0 > 0):
        column = p.show[m, u, y] * (p.move[m, :, :, u, y] > 0).any((0, 1))[:, None]
        total = column.sum(0)
        key.append(np.where(total > 0, column / np.where(total > 0, total, 1.0), -1.0))
    key = np.concatenate(key)
    return [next(w for w in range(p.X) if np.allclose(key[:, x], key[:, w], rtol=1e-11, atol=0)) for x in range(p.X)]


def recursion(p, given, t, y, b, table):
    """V, the actions that can be taken, and their Q, of the agent with belief b after t decisions."""
    can, prior = prior_at(p, y)
    Q = np.zeros(len(can))
    for i, u in enumerate(can):
        K, last = np.zeros(p.M), p.stops[u] or t + 1 == p.horizon
        for m in range(p.M):
            for y2 in range(p.Y):
                joint = (b @ p.move[m, y, :, u, y2])[:, None] * p.show[m, u, y2]  # [h', x]
                chance = joint.sum(0)
                if last:
                    continue
                events = np.zeros(p.X)
                np.add.at(events, table[u][y2], chance)
                K[m] -= given["eta"] * sum(q * math.log(q) for q in events if q > 0)
                for x in np.flatnonzero(chance > 0):
                    K[m] += p.gamma * chance[x] * recursion(p, given, t + 1, y2, joint[:, x] / chance[x], table)[0]
        Q[i] = b @ p.v[y, :, u] + ce(given["optimism"], K, p.sigma0)
    return ce(1 / given["alpha"], Q, prior), can, Q


def telling(rng, p):
    """The hidden part moves by a permutation, and an observation shows it or nothing: every belief is a node."""
    for m, y, u in np.ndindex(p.M, p.Y, p.U):
        way = p.move[m, y, :, u].sum(0).sum(-1)
        to = int(rng.choice(p.Y, p=way / way.sum()))
        p.move[m, y, :, u] = 0
        p.move[m, y, np.arange(p.H), u, to, rng.permutation(p.H)] = 1
    p.X = p.H
    p.show = np.full((p.M, p.U, p.Y, p.H, p.X), 1 / p.X)
    p.show[rng.random((p.M, p.U, p.Y)) < 0.5] = np.eye(p.H)


def whole(p, can, probabilities):
    out = np.zeros(p.U)
    out[can] = probabilities
    return out


# ------------------------------------------------------------------ all histories, without a lattice
for seed in range(count):
    rng = np.random.default_rng([31, seed])
    p, given = problem(rng, (2, 3), (1, 3), (1, 2)), theta(rng)
    p.horizon, p.stops, p.gamma = int(rng.integers(1, 5)), rng.random(p.U) < 0.3, float(rng.choice([1.0, 0.9]))
    if p.H > 1:
        telling(rng, p)
    some(rng, p)
    n = int(rng.integers(2, 5))
    at = "histories, seed %d (horizon %d, %d seen, %d hidden, %d worlds): " % (seed, p.horizon, p.Y, p.H, p.M)
    table = [[classes(p, u, y) for y in range(p.Y)] for u in range(p.U)]
    lib = Solved(p, n)
    lib.solve(**given, lapse=0.2)
    for y in range(p.Y):
        b = rng.multinomial(n, np.ones(p.H) / p.H) / n
        got, (value, can, Q) = lib.look(np.array([[y, *b]]), p.U, p.M), recursion(p, given, 0, y, b, table)
        room = max(1, np.abs(Q).max())
        prior = prior_at(p, y)[1]
        planned = tilt(1 / given["alpha"], Q, prior)
        checks.near(at + "V", got["V"][0], value, atol=TOL * room, kind="V")
        checks.near(at + "Q", got["Q"][0][can], Q, atol=TOL * room, kind="Q")
        checks.near(at + "pi with lapses", got["pi"][0], whole(p, can, 0.8 * planned + 0.2 * prior), atol=TOL, kind="pi")
    lib.close()

# ------------------------------------------------------------------ without a horizon, one hidden value
for seed in range(count // 2):
    rng = np.random.default_rng([32, seed])
    p, given = problem(rng, (2, 6), (1, 1)), theta(rng)
    p.stops = rng.random(p.U) < 0.3
    some(rng, p)
    V, tau = np.zeros(p.Y), p.move[:, :, 0, :, :, 0]  # [M,Y,U,Y]
    entropy = -(tau * np.log(np.where(tau > 0, tau, 1))).sum(-1)
    for _ in range(2000):
        K = np.where(p.stops[None, None], 0, p.gamma * (tau @ V) + given["eta"] * entropy)
        Q = p.v[:, 0] + ce(given["optimism"], K.transpose(1, 2, 0), p.sigma0)
        before, V = V, np.array([ce(1 / given["alpha"], Q[y][prior_at(p, y)[0]], prior_at(p, y)[1]) for y in range(p.Y)])
        if np.abs(V - before).max() < 1e-13 * max(1, np.abs(V).max()):
            break
    lib = Solved(p, 1)
    lib.solve(**given)
    checks.near("no horizon, seed %d" % seed, lib.values()[: p.Y], V, atol=TOL * max(1, np.abs(V).max()), kind="no horizon")
    lib.close()

# ------------------------------------------------------------------ everything available: the same bits
for seed in range(4):
    rng = np.random.default_rng([33, seed])
    p, given = problem(rng, (2, 4), (1, 3)), theta(rng)
    values = []
    for p.available in (None, np.ones((p.Y, p.U), bool)):
        lib = Solved(p, 3)
        lib.solve(**given)
        values.append(np.array(lib.values()))
        lib.close()
    checks.true(np.array_equal(*values), "seed %d: an action that is always available changes nothing" % seed)


# ------------------------------------------------------------------ derivatives
def table_of(rng, p, episodes):
    """Logs of somebody who takes what is available at random, in the first world; observations are numbers of (y', x)."""
    e, lines = p.expanded(), ["episode,t,action,observation"]
    for k in range(episodes):
        s = int(rng.choice(e.S, p=np.where(np.arange(e.S) // p.H == p.start.sum(1).argmax(), e.z0, 0) / p.start.sum(1).max()))
        for t in range(p.horizon or 4):
            u = int(rng.choice(np.flatnonzero(p.available[s // p.H])))
            s = int(rng.choice(e.S, p=e.tau[0, s, u]))
            lines.append("%d,%d,%d,%d" % (k, t, u, int(rng.choice(e.X, p=e.omega[0, u, s]))))
            if p.stops[u]:
                break
    return "\n".join(lines) + "\n"


def differences(target, x, gradient):
    out = np.full(len(x), np.inf)
    for i, unit in enumerate(np.eye(len(x))):
        for h in (1e-3, 1e-4, 1e-5, 1e-6):
            slope = (target(x + h * unit)[0] - target(x - h * unit)[0]) / (2 * h)
            out[i] = min(out[i], slope, key=lambda s: abs(s - gradient[i]))
    return out


names = ["alpha", "optimism", "eta", "bonus", "paid", "action_prior"]
for seed in range(count // 2):
    rng = np.random.default_rng([34, seed])
    p = problem(rng, (2, 4), (1, 3))
    p.horizon, p.stops = int(rng.choice([0, 3, 4])), rng.random(p.U) < 0.3
    some(rng, p)
    lib = Solved(p, int(rng.integers(2, 6)), parameters=True)
    logs = folder.file("available%d.csv" % seed, table_of(rng, p, 15))
    lib.solve(alpha=1, optimism=0, eta=0.5, bonus=1, paid=1)
    target = SeenTarget(lib, logs, names + (["lapse"] if seed % 2 else []))
    x = np.concatenate([rng.normal(0, 0.4, 2), [rng.normal(0, 0.7)], rng.normal(1, 0.5, 2), rng.normal(0, 0.5, target.n - 5)])
    value, gradient = target(x)
    at = "derivatives, seed %d (horizon %d, %d seen, %d hidden, %d worlds): " % (seed, p.horizon, p.Y, p.H, p.M)
    checks.near(at, gradient, differences(target, x, gradient), rtol=1e-6, atol=1e-7 * max(1, abs(value)), kind="differences")
    lib.close()


# ------------------------------------------------------------------ what is refused
def refusal(function):
    try:
        function()
    except LibraryError as error:
        return error.error.message.decode()
    return ""


p = problem(np.random.default_rng(35), (2, 2), (2, 2))
p.available = np.array([[True] * p.U, [False] * p.U])
checks.true("no action can be taken with the seen value 1" in refusal(lambda: Solved(p, 2)), "a seen value without actions")
p.available[1, 0] = True
lib = Solved(p, 2)
lib.solve(alpha=1, optimism=0, eta=0)
checks.true("not available" in refusal(lambda: lib.step([[1, 0.5, 0.5]], [1], [0])), "a step by an action that cannot be taken")
p.available = p.available[:1]
checks.true("need a seen part" in refusal(lambda: Solved(p, 2, seen=False)), "no seen part")
checks.finish()
