"""Graded lattices of beliefs over two hidden values, in worlds that differ: against a recursion over all histories, without a lattice,
their errors fall with the square of the number of intervals; near certainty an even lattice has larger ones; derivatives against
differences; and what is refused.

ASIF_GRADED is the number of problems (12 unless set)."""
import math
import os

from common import Checks, Folder, np
from library import LibraryError
from seen import Mixed, SeenTarget, Solved, classes, differences, problem, recursion, table_of

EVEN, GRADED = 0, 2
checks, folder = Checks("graded lattices"), Folder()
count = int(os.environ.get("ASIF_GRADED", "12"))


def theta(rng):
    return {"alpha": math.exp(rng.normal(0, 0.7)), "optimism": rng.normal(0, 0.5), "eta": rng.choice([0, rng.normal(0, 1)])}


def value(p, given, n, y, b, beliefs):
    """V after no decision at (y, b)."""
    lib = Solved(p, n, beliefs=beliefs)
    lib.solve(**given)
    found = lib.look(np.array([[y, *b]]), p.U, p.M)["V"][0]
    lib.close()
    return found


# ------------------------------------------------------------------ any dynamics
sizes, errors = (32, 64, 128, 256), []
for seed in range(count):
    rng = np.random.default_rng([30, seed])
    p, given = problem(rng, (1, 2), (2, 2), (2, 3)), theta(rng)
    p.horizon, p.stops, p.gamma = int(rng.integers(2, 4)), rng.random(p.U) < 0.3, 1.0
    table = [[classes(p, u, y) for y in range(p.Y)] for u in range(p.U)]
    y, b = int(rng.integers(p.Y)), rng.dirichlet((1, 1))
    want = recursion(p, given, 0, y, b, table)[0]
    errors.append([abs(value(p, given, n, y, b, GRADED) - want) / max(1, abs(want)) for n in sizes])
    checks.true(errors[-1][-1] < 2e-4, "seed %d: %g is too far off with %d intervals" % (seed, errors[-1][-1], sizes[-1]))
mean = np.mean(errors, 0)
print("mean errors with %s intervals: %s" % (sizes, mean))
checks.true(mean[-1] < mean[0] / 32, "errors fall with the square: %s" % mean)  # a factor of 64 is expected, of 8 if of first order

# ------------------------------------------------------------------ urns: look again, or name one; near certainty soon
ratios = []
for seed in range(max(4, count // 3)):
    rng = np.random.default_rng([31, seed])
    given, sure = {"alpha": 0.3, "optimism": rng.normal(0, 0.5), "eta": 0.0}, rng.uniform(0.8, 0.9)
    show = np.array([[[[a, 1 - a], [1 - a, a]]] for a in (sure - 0.1, sure, sure + 0.08)])  # [M,Y,H,X]
    show = np.repeat(show[:, None], 3, 1)
    v = np.array([[[-0.01, 1, -9], [-0.01, -9, 1]]])
    stay = np.broadcast_to(np.eye(2)[None, None, :, None, None], (3, 1, 2, 3, 1, 2)).copy()
    p = Mixed(stay, show, v, 1.0, np.full((1, 2), 0.5), np.ones(3) / 3, np.ones(3) / 3)
    p.horizon, p.stops = 6, np.array([False, True, True])
    b, n = np.array([0.02, 0.98]), 64
    want = recursion(p, given, 0, 0, b, [[classes(p, u, 0)] for u in range(3)])[0]
    even, graded = (abs(value(p, given, n, 0, b, kind) - want) for kind in (EVEN, GRADED))
    ratios.append(even / graded)
print("urns, errors of even lattices over those of graded ones: %s" % np.round(ratios, 1))
checks.true(min(ratios) > 2, "near certainty graded lattices are nearer: %s" % ratios)

# ------------------------------------------------------------------ derivatives, with and without a horizon
names = ["alpha", "optimism", "eta", "bonus", "paid"]
for seed in range(max(6, count // 2)):
    rng = np.random.default_rng([32, seed])
    p = problem(rng, (1, 3), (2, 2))
    p.horizon, p.stops = int(rng.choice([0, 3, 4])), rng.random(p.U) < 0.4
    p.stops[0] = False
    lib = Solved(p, int(rng.integers(3, 9)), parameters=True, beliefs=GRADED)
    logs = folder.file("graded%d.csv" % seed, table_of(rng, p, 15))
    lib.solve(alpha=1, optimism=0, eta=0.5, bonus=1, paid=1)
    target = SeenTarget(lib, logs, names + ["discount"])
    x = np.concatenate([rng.normal(0, 0.4, 2), [rng.normal(0, 0.7)], rng.normal(1, 0.5, target.n - 3)])
    log_likelihood, gradient = target(x)
    at = "derivatives, seed %d (horizon %d, %d seen, %d worlds): " % (seed, p.horizon, p.Y, p.M)
    checks.near(at, gradient, differences(target, x, gradient), rtol=1e-6, atol=1e-7 * max(1, abs(log_likelihood)), kind="differences")
    lib.close()

# ------------------------------------------------------------------ what is refused
try:
    Solved(problem(np.random.default_rng(33), (1, 1), (3, 3)), 4, beliefs=GRADED)
    said = ""
except LibraryError as error:
    said = error.error.message.decode()
checks.true("two hidden" in said, "three hidden values: '%s'" % said)
checks.finish()
