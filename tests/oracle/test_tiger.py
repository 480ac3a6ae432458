"""Tiger: the value at the uniform belief, and the same number from exact value iteration over the belief
interval."""
from common import Checks, np, plan, source

checks = Checks("Tiger")
GRID = np.array([1 - np.linspace(0, 1, 201), np.linspace(0, 1, 201)])


def envelope(lines):
    """Lines of the upper envelope over [0, 1]; a line is its values at 0 and 1."""
    lines = np.unique(np.round(lines, 13), axis=0)
    out, at = [], 0.0
    slope = lines[:, 1] - lines[:, 0]
    value = lines[:, 0]
    best = max(range(len(lines)), key=lambda i: (value[i], slope[i]))
    while True:
        out.append(lines[best])
        steeper = np.flatnonzero(slope > slope[best] + 1e-12)
        if not len(steeper):
            break
        cross = (value[best] - value[steeper]) / (slope[steeper] - slope[best])
        nearest = cross.min()
        if nearest >= 1.0:
            break
        tied = steeper[cross <= nearest + 1e-12]
        at, best = max(at, nearest), tied[np.argmax(slope[tied])]
    return np.array(out)


def total(one, other):
    """The sum of two envelopes: between the corners of both, one line of each."""

    def corners(lines):
        slope = lines[:, 1] - lines[:, 0]
        return -np.diff(lines[:, 0]) / np.diff(slope)

    at = np.unique(np.concatenate([[0.0, 1.0], corners(one), corners(other)]))
    middle = (at[1:] + at[:-1]) / 2
    belief = np.array([1 - middle, middle])
    return one[(one @ belief).argmax(0)] + other[(other @ belief).argmax(0)]


def exact(gamma=0.95, right=0.85, tolerance=1e-9):
    """Sondik's backup with exact pruning: listening sees the tiger left or right, opening starts anew at one
    half."""
    V = np.zeros((1, 2))
    hear = np.array([[right, 1 - right], [1 - right, right]])  # P(x | s), x: left, right
    while True:
        value = V.mean(1).max()
        # After opening the tiger is placed anew and an uninformative sound follows: the belief is one half.
        opened = [[-100 + gamma * value, 10 + gamma * value], [10 + gamma * value, -100 + gamma * value]]
        listen = -1 + gamma * total(*(envelope(V * hear[:, x]) for x in range(2)))
        new = envelope(np.concatenate([opened, listen]))
        change = np.abs((new @ GRID).max(0) - (V @ GRID).max(0)).max()
        V = new
        if change * gamma / (1 - gamma) < tolerance:
            return V


V = exact()
want = V.mean(1).max()
checks.near("exact value iteration at one half", want, 19.37137, atol=1e-5)
study = source("examples", "tiger", "study.yaml")
out = plan(study, None, [[0.5, 0.5], [0.15, 0.85], [0.97, 0.03], [1.0, 0.0]], resolution=1000)
checks.near("value at one half, resolution 1000", float(out["beliefs"][0]["value"]), 19.37137, atol=1e-5)
checks.near("value at one half against exact", float(out["beliefs"][0]["value"]), want, atol=1e-5)
for entry in out["beliefs"]:
    z = np.array(entry["belief"], float)
    checks.near("value at %s against exact" % z, float(entry["value"]), (V @ z).max(), atol=2e-2)
    policy = entry["policy"]
    checks.true(abs(sum(float(p) for p in policy.values()) - 1) < 1e-12, "policy at %s: %s" % (z, policy))
listens = [entry["policy"].get("listen") for entry in out["beliefs"]]
checks.true(listens[0] == 1 and listens[1] == 1, "listens at one half and after one sound: %s" % listens)
checks.true(listens[2] == 0 and listens[3] == 0, "opens a door when sure: %s" % listens)
checks.finish()
