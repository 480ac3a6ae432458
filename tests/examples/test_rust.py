"""Bus engines (Rust, 1987): examples/rust/study.yaml on simulated buses and, where they are, on Rust's, against a nested fixed
point written here.

ctest label: slow
"""
import json
import math
import os
import subprocess
import sys
import tempfile
import time

ASIF, SOURCE = os.environ.get("ASIF"), os.environ.get("ASIF_SOURCE")
if not ASIF or not SOURCE or not os.path.exists(ASIF):
    print("ASIF (path of the command) and ASIF_SOURCE (root of the source tree) are not set")
    sys.exit(77)
STUDY = os.path.join(SOURCE, "examples", "rust", "study.yaml")
BUSES = os.path.join(os.environ.get("ASIF_ORACLE", ""), "..", "data", "rust1987_buses.csv")
BINS, DISCOUNT = 90, 0.9999
failed = 0


def check(condition, text):
    global failed
    if not condition:
        failed += 1
        print("FAILED  " + text)


def near(a, b, tolerance, what):
    check(abs(a - b) <= tolerance, "%s: %.8g, not %.8g (within %g)" % (what, a, b, tolerance))


def asif(*args):
    done = subprocess.run([ASIF, *args], capture_output=True, text=True)
    if done.returncode != 0:
        sys.exit("asif %s: exit %d\n%s%s" % (" ".join(args), done.returncode, done.stdout, done.stderr))
    return done.stdout


# ---- the nested fixed point ----


def log_sum(a, b):
    top = max(a, b)
    return top + math.log(math.exp(a - top) + math.exp(b - top))


class Engine:
    """Values of keeping and replacing by Newton's method on EV = K log(e^keep + e^replace), EV[x] being what is expected after
    keeping in x, and EV[0] after replacing. Its linear systems are a band and one column: solved backward, and by Sherman and
    Morrison."""

    def __init__(self, increments):
        self.p = increments
        self.ev = [0.0] * BINS

    def after(self, x):
        """States that follow x, with their probabilities."""
        return [(min(x + k, BINS - 1), p) for k, p in enumerate(self.p)]

    def backward(self, keep, right):
        """(I - discount K diag(keep))^-1 right"""
        out = [0.0] * BINS
        for x in reversed(range(BINS)):
            own, rest = 1.0, right[x]
            for y, p in self.after(x):
                if y == x:
                    own -= DISCOUNT * p * keep[y]
                else:
                    rest += DISCOUNT * p * keep[y] * out[y]
            out[x] = rest / own
        return out

    def log_policy(self, cost, theta):
        for _ in range(100):
            keep = [-0.001 * theta * x + DISCOUNT * self.ev[x] for x in range(BINS)]
            replace = -cost + DISCOUNT * self.ev[0]
            total = [log_sum(k, replace) for k in keep]
            chance = [math.exp(k - t) for k, t in zip(keep, total)]
            residual = [sum(p * total[y] for y, p in self.after(x)) - self.ev[x] for x in range(BINS)]
            column = [DISCOUNT * sum(p * (1 - chance[y]) for y, p in self.after(x)) for x in range(BINS)]
            a, b = self.backward(chance, residual), self.backward(chance, column)
            at_zero = a[0] / (1 - b[0])
            step = [a[x] + b[x] * at_zero for x in range(BINS)]
            self.ev = [v + s for v, s in zip(self.ev, step)]
            if max(map(abs, step)) < 1e-9 * max(1, abs(self.ev[0])):
                break
        return [(k - t, replace - t) for k, t in zip(keep, total)]

    def loglik(self, theta, counts):
        policy = self.log_policy(*theta)
        return sum(n * policy[x][d] for (x, d), n in counts.items())


def slopes(f, at, h):
    """Gradient and Hessian by differences."""
    e = [(h, 0), (0, h)]
    here = f(at)
    moved = lambda *steps: f([a + sum(s[i] for s in steps) for i, a in enumerate(at)])
    minus = lambda s: (-s[0], -s[1])
    up, down = [moved(s) for s in e], [moved(minus(s)) for s in e]
    gradient = [(u - d) / (2 * h) for u, d in zip(up, down)]
    cross = (moved(e[0], e[1]) - moved(e[0], minus(e[1])) - moved(minus(e[0]), e[1]) +
             moved(minus(e[0]), minus(e[1]))) / (4 * h * h)
    second = [(u - 2 * here + d) / (h * h) for u, d in zip(up, down)]
    return gradient, second[0], cross, second[1]


def maximise(increments, counts, start):
    """Newton's method, halved where it does not climb: estimates, their standard errors, the log-likelihood."""
    engine = Engine(increments)
    f = lambda theta: engine.loglik(theta, counts)
    at, best = list(start), f(start)
    for _ in range(50):
        g, a, b, c = slopes(f, at, 1e-3)
        determinant = a * c - b * b
        step = [-(c * g[0] - b * g[1]) / determinant, -(a * g[1] - b * g[0]) / determinant]
        size = 1.0
        while size > 1e-6 and f([x + size * s for x, s in zip(at, step)]) < best:
            size /= 2
        at = [x + size * s for x, s in zip(at, step)]
        best = f(at)
        if max(map(abs, step)) < 1e-7:
            break
    return at, [math.sqrt(-c / determinant), math.sqrt(-a / determinant)], best


def read_rows(path, groups=None):
    """{bus: [(bin, replaced), ...]} in order of time."""
    with open(path) as file:
        names = file.readline().strip().split(",")
        buses = {}
        for line in file:
            row = dict(zip(names, line.strip().split(",")))
            if groups is None or row["group"] in groups:
                buses.setdefault(row["bus_id"], []).append(
                    (int(row["period"]), int(row["mileage_bin"]), int(row["replaced"])))
    return [[(x, d) for _, x, d in sorted(rows)] for rows in buses.values()]


def count(buses):
    choices, steps = {}, [0, 0, 0]
    for rows in buses:
        for row in rows:
            choices[row] = choices.get(row, 0) + 1
        for (x, d), (y, _) in zip(rows, rows[1:]):
            steps[y - (0 if d else x)] += 1
    return choices, steps


# ---- asif ----


def learn_and_fit(work, name, table, where=()):
    world, folder = os.path.join(work, name + ".yaml"), os.path.join(work, name)
    learnt = json.loads(asif("learn-world", STUDY, table, "-o", world, "--json", *where))
    started = time.time()
    asif("fit", world, table, "--method", "ml", "-o", folder, "-q", *where)
    seconds = time.time() - started
    with open(os.path.join(folder, "fit.json")) as file:
        return learnt["parts"][0]["probabilities"], json.load(file), seconds


def inverse(m):
    determinant = m[0][0] * m[1][1] - m[0][1] * m[1][0]
    return [[m[1][1] / determinant, -m[0][1] / determinant], [-m[1][0] / determinant, m[0][0] / determinant]]


def times(a, b):
    return [[sum(a[i][k] * b[k][j] for k in range(2)) for j in range(2)] for i in range(2)]


def squares(scores):
    return [[sum(s[i] * s[j] for s in scores) for j in range(2)] for i in range(2)]


def compare_errors(name, fit, engine, best, buses):
    """Standard errors from the outer product of the scores of months, and robust ones clustered by bus."""
    slope, h = [], 1e-4
    for j in range(2):
        moved = [[x + side * h * (i == j) for i, x in enumerate(best)] for side in (1, -1)]
        up, down = [engine.log_policy(*at) for at in moved]
        slope.append([[(a - b) / (2 * h) for a, b in zip(u, d)] for u, d in zip(up, down)])
    score = lambda x, d: [slope[j][x][d] for j in range(2)]
    rows = [[score(x, d) for x, d in bus] for bus in buses]
    choices, _ = count(buses)
    _, a, b, c = slopes(lambda theta: engine.loglik(theta, choices), best, 1e-3)
    hessian = inverse([[-a, -b], [-b, -c]])
    outer = inverse(squares([s for bus in rows for s in bus]))
    meat = squares([[sum(s[j] for s in bus) for j in range(2)] for bus in rows])
    robust = times(times(hessian, meat), hessian)
    groups = len(buses)
    check((fit["maximum"]["clusters"], fit["maximum"]["clustered_by"]) == (groups, "episode"),
          "%s: clusters are %s" % (name, fit["maximum"]))
    for i, parameter in enumerate(("RC", "theta")):
        found = fit["parameters"][parameter]["standard_errors"]
        for way, error in (("hessian", math.sqrt(hessian[i][i])), ("outer_product", math.sqrt(outer[i][i])),
                           ("clustered", math.sqrt(robust[i][i] * groups / (groups - 1)))):
            near(found[way], error, 2e-3 * error, "%s: standard error of %s, %s" % (name, parameter, way))


def compare(work, name, table, groups=None):
    where = ["--where", "group=" + ",".join(groups)] if groups else []
    probabilities, fit, seconds = learn_and_fit(work, name, table, where)
    choices, steps = count(read_rows(table, groups))
    total = sum(steps)
    for k, n in enumerate(steps):
        p = n / total
        near(probabilities[k]["probability"], p, 1e-12, "%s: increment %d" % (name, k))
        near(probabilities[k]["standard_error"], math.sqrt(p * (1 - p) / total), 1e-12, name + ": its error")
        check(probabilities[k]["count"] == n, "%s: increment %d counted %g times" % (name, k, probabilities[k]["count"]))
    best, errors, loglik = maximise([n / total for n in steps], choices, [10.0, 3.0])
    near(fit["maximum"]["log_likelihood"], loglik, 1e-6, name + ": log-likelihood")
    for parameter, value, error in zip(("RC", "theta"), best, errors):
        found = fit["parameters"][parameter]
        near(found["maximum"], value, 2e-4, "%s: %s" % (name, parameter))
        near(found["sd"], error, 2e-3 * error, "%s: standard error of %s" % (name, parameter))
    compare_errors(name, fit, Engine([n / total for n in steps]), best, read_rows(table, groups))
    check(fit["trust"]["good"], name + ": the fit is not trusted")
    print("%-8s RC %.4f (%.4f)  theta %.4f (%.4f)  log-likelihood %.3f  %.2f s" %
          (name, best[0], errors[0], best[1], errors[1], loglik, seconds))
    return probabilities, fit, best, loglik


def simulate_buses(work):
    """Buses from known parameters, in the columns of Rust's table."""
    known = os.path.join(work, "known.yaml")
    with open(STUDY) as file:
        text = file.read().replace("learn 0 to 2", "[0.35, 0.64, 0.01]")
    with open(known, "w") as file:
        file.write(text)
    logs, table = os.path.join(work, "simulated.csv"), os.path.join(work, "buses.csv")
    asif("simulate", known, "-n", "80", "--max-steps", "120", "--seed", "7", "-o", logs, "-p", "RC=10", "-p", "theta=2.5")
    with open(logs) as file:
        names = file.readline().strip().split(",")
        rows = [dict(zip(names, line.strip().split(","))) for line in file]
    with open(table, "w") as file:
        file.write("bus_id,period,mileage_bin,replaced\n")
        for row in rows:
            file.write("%s,%s,%s,%d\n" % (row["episode"], row["t"], row["state"], row["action"] == "replace"))
    return table


# Of the oracle, to four digits; and to three.
ERRORS = {"hessian": (1.991, 1.381), "outer_product": (2.710, 1.830)}  # of groups 1-3
EXPECTED = {
    "1,2,3": (11.9961, 4.9152, -132.138, (.3059, .6843, .0098)),
    "4": (10.1496, 2.2555, -163.710, (.3984, .5888, .0128)),
    "1,2,3,4": (9.8149, 2.5892, -300.437, (.3546, .6340, .0114)),
}

with tempfile.TemporaryDirectory(prefix="asif-test-") as work:
    _, fit, _, _ = compare(work, "made", simulate_buses(work))
    for parameter, truth in ("RC", 10), ("theta", 2.5):
        found = fit["parameters"][parameter]
        check(abs(found["maximum"] - truth) < 3 * found["sd"], "%s is %.3g, which is far from %g" %
              (parameter, found["maximum"], truth))
    if os.path.exists(BUSES):
        for groups, (cost, theta, loglik, increments) in EXPECTED.items():
            probabilities, fit, _, _ = compare(work, groups.replace(",", ""), BUSES, groups.split(","))
            for parameter, value in ("RC", cost), ("theta", theta):
                near(fit["parameters"][parameter]["maximum"], value, 1e-4, "groups %s: %s" % (groups, parameter))
            near(fit["maximum"]["log_likelihood"], loglik, 5e-4 + 1e-6, "groups %s: log-likelihood" % groups)
            for way, errors in ERRORS.items() if groups == "1,2,3" else ():
                for parameter, error in zip(("RC", "theta"), errors):
                    near(fit["parameters"][parameter]["standard_errors"][way], error, 0.01, "%s of %s" % (way, parameter))
            for p, value in zip(probabilities, increments):
                near(p["probability"], value, 5e-5, "groups %s: increments" % groups)
    else:
        print("Rust's buses are not here (ASIF_ORACLE/../data)")
sys.exit(1 if failed else 0)
