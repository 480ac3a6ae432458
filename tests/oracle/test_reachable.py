"""Beliefs that can be reached from the start as nodes: their number against a list of all histories, values and policies along histories
against a recursion without nodes, derivatives against differences, values against fine lattices, and beliefs that cannot be reached.

ASIF_REACHABLE is the number of problems of each kind (30 unless set)."""
import math
import os

from common import Checks, Folder, np
from reference import tilt
from seen import SeenTarget, Solved, classes, differences, problem, recursion, table_of

checks, folder = Checks("reachable beliefs"), Folder()
count = int(os.environ.get("ASIF_REACHABLE", "30"))
REACHABLE = 1


def theta(rng):
    return {"alpha": math.exp(rng.normal(0, 0.7)), "optimism": rng.normal(0, 0.5), "eta": rng.choice([0, rng.normal(0, 1)])}


def random_problem(rng, hidden=(1, 3)):
    p = problem(rng, (1, 3), hidden, (1, 1))
    p.horizon, p.stops, p.gamma = int(rng.integers(1, 5)), rng.random(p.U) < 0.3, float(rng.choice([1.0, 0.9]))
    p.stops[0] = False
    return p


def follow(p, u, y, b):
    """What can follow: (y', x, belief); x is None if nothing is observed, which is possible where no part is seen."""
    out = []
    for y2 in range(p.Y):
        joint = (b @ p.move[0, y, :, u, y2])[:, None] * p.show[0, u, y2]  # [h', x]
        if p.Y == 1:
            out.append((y2, None, joint.sum(1) / joint.sum()))
        out += [(y2, x, joint[:, x] / joint[:, x].sum()) for x in range(p.X) if joint[:, x].sum() > 0]
    return out


def number(p):
    """How many pairs of a place and a belief histories lead to."""
    here = {(y, tuple(p.start[y] / p.start[y].sum())) for y in range(p.Y) if p.start[y].sum() > 0}
    total = 0
    for t in range(p.horizon):
        total += len(here)
        found = {}
        for y, b in here:
            for u in np.flatnonzero(~p.stops):
                for y2, _, after in follow(p, u, y, np.array(b)):
                    found[y2, tuple(np.round(after, 9))] = (y2, tuple(after))
        here = set(found.values())
    return total


# ------------------------------------------------------------------ histories
for seed in range(count):
    rng = np.random.default_rng([30, seed])
    p, given = random_problem(rng), theta(rng)
    p.reward = rng.normal(0, 1, (p.U, p.X)) if rng.random() < 0.5 else None
    at = "seed %d (horizon %d, %d seen, %d hidden, discount %g): " % (seed, p.horizon, p.Y, p.H, p.gamma)
    table = [[classes(p, u, y) for y in range(p.Y)] for u in range(p.U)]
    lib = Solved(p, 2, beliefs=REACHABLE)
    info = lib.solve(**given)
    checks.true(lib.nodes == info.nodes == number(p), at + "%d beliefs, not %d" % (lib.nodes, number(p)))
    checks.true(info.residual == 0 and info.bound == 0 and info.backups == 1, at + "one backup is exact")
    y = int(rng.integers(p.Y))
    b = p.start[y] / p.start[y].sum()
    state = lib.start(y)
    for t in range(p.horizon):
        got, want = lib.look([state], p.U, p.M), recursion(p, given, t, y, b, table)
        for name, value in zip(("V", "Q", "K"), want):
            checks.near(at + name, got[name][0], value, atol=1e-10 * max(1, np.abs(want[1]).max()), kind=name)
        checks.near(at + "pi", got["pi"][0], tilt(1 / given["alpha"], want[1], p.pi0), atol=1e-10, kind="pi")
        if t + 1 == p.horizon:
            break
        u = int(rng.choice(np.flatnonzero(~p.stops)))
        steps = [step for step in follow(p, u, y, b) if step[1] is not None]
        y, x, b = steps[rng.integers(len(steps))]
        state = np.asarray(lib.step([state], [u], [y * p.X + x])).reshape(-1)
        checks.near(at + "belief", state[-p.H :], b, atol=1e-12, kind="belief")
    lib.close()

# ------------------------------------------------------------------ derivatives
names = ["alpha", "eta", "bonus", "paid"]
for seed in range(max(6, count // 2)):
    rng = np.random.default_rng([31, seed])
    p = random_problem(rng)
    p.horizon = max(2, p.horizon)
    lib = Solved(p, 2, parameters=True, beliefs=REACHABLE)
    logs = folder.file("reachable%d.csv" % seed, table_of(rng, p, 15))
    lib.solve(alpha=1, optimism=0, eta=0.5, bonus=1, paid=1)
    target = SeenTarget(lib, logs, names + (["discount"] if p.gamma < 1 else []))
    x = np.concatenate([[rng.normal(0, 0.4)], [rng.normal(0, 0.7)], rng.normal(1, 0.5, target.n - 2)])
    value, gradient = target(x)
    at = "derivatives, seed %d (horizon %d, %d seen, %d hidden): " % (seed, p.horizon, p.Y, p.H)
    checks.near(at, gradient, differences(target, x, gradient), rtol=1e-6, atol=1e-7 * max(1, abs(value)), kind="differences")
    lib.close()

# ------------------------------------------------------------------ fine lattices, and beliefs that cannot be reached
for seed in range(max(6, count // 3)):
    rng = np.random.default_rng([32, seed])
    p, given = random_problem(rng, (2, 2)), theta(rng)
    p.horizon, at = 4, "lattices, seed %d: " % seed
    reached, coarse, fine = Solved(p, 20, beliefs=REACHABLE), Solved(p, 1000), Solved(p, 2000)
    value = []
    for lib in (reached, coarse, fine):
        lib.solve(**given)
        value.append(lib.look([lib.start(y) for y in range(p.Y)], p.U, p.M)["V"])
    # interpolation is of second order: the finer lattice is off by a third of the difference
    bound = np.abs(value[1] - value[2]).max() + 1e-11 * max(1, np.abs(value[0]).max())
    checks.true(np.abs(value[0] - value[2]).max() <= bound, at + "within the error of the finer lattice")
    lattice = Solved(p, 20)
    lattice.solve(**given)
    where = np.column_stack([rng.integers(p.Y * p.horizon, size=5), rng.dirichlet(np.ones(2), 5)])
    where[2] = reached.start(0)  # one of them can be reached
    got, want, mine = reached.look(where, p.U, p.M), lattice.look(where, p.U, p.M), reached.look(where[2:3], p.U, p.M)
    for name in ("V", "Q", "pi"):
        checks.true(np.array_equal(np.delete(got[name], 2, 0), np.delete(want[name], 2, 0)), at + name + " elsewhere is that of the lattice")
        checks.true(np.array_equal(got[name][2], mine[name][0]), at + name + " does not depend on the other agents")
    for lib in (reached, coarse, fine, lattice):
        lib.close()

# ------------------------------------------------------------------ without a horizon, and worlds that differ
rng = np.random.default_rng(33)
p = problem(rng, (2, 2), (2, 2), (2, 2))
p.stops = np.zeros(p.U, bool)
lib = Solved(p, 7, beliefs=REACHABLE)
checks.true(lib.nodes == p.Y * 8, "worlds differ: a lattice")
lib.close()
p = problem(rng, (1, 1), (2, 2), (1, 1))
p.move[0] = np.eye(2)[None, :, None, None, :]
p.show[0] = np.array([[0.7, 0.3], [0.2, 0.8]])[None, None, :, :] if p.X == 2 else p.show[0]
p.stops = np.zeros(p.U, bool)
reached, fine = Solved(p, 20, beliefs=REACHABLE), Solved(p, 5000)
for lib in (reached, fine):
    lib.solve(alpha=1, optimism=0, eta=0.3)
checks.near("no horizon", reached.look([p.start[0]], p.U, 1)["V"], fine.look([p.start[0]], p.U, 1)["V"], atol=1e-5, kind="no horizon")
checks.finish()
