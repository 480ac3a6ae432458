"""What the tests against an independent truth share: running the command, studies written from arrays, and
comparisons that say what differed, where and by how much.

Environment: ASIF the command, ASIF_LIB the shared library, ASIF_ORACLE the folder of the oracle (brc.py),
ASIF_SOURCE the top of the source tree. A test whose truth is not there exits with 77, which CTest reports
as skipped.
"""
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    import numpy as np
    import scipy  # noqa: F401
except ImportError:
    skip("numpy and scipy are needed")

from reference import Problem, inverse, limit  # noqa: E402,F401


def source(*path):
    root = os.environ.get("ASIF_SOURCE", os.path.dirname(os.path.dirname(HERE)))
    return os.path.join(root, *path)


def oracle():
    """The oracle's module; the test is skipped where it is absent."""
    folder = os.environ.get("ASIF_ORACLE", "")
    if not os.path.exists(os.path.join(folder, "brc.py")):
        skip("the oracle is not here (ASIF_ORACLE)")
    sys.path.insert(0, folder)
    import brc

    return brc


def oracle_file(name):
    path = os.path.join(os.environ.get("ASIF_ORACLE", ""), name)
    if not os.path.exists(path):
        skip("%s is not here (ASIF_ORACLE)" % name)
    with open(path) as f:
        return json.load(f)


# ------------------------------------------------------------------ comparisons
class Checks:
    """Counts comparisons, prints the first differences, and ends the test."""

    def __init__(self, title, shown=25):
        self.title, self.shown, self.failed, self.done, self.worst = title, shown, 0, 0, {}

    def fail(self, text):
        self.failed += 1
        if self.failed <= self.shown:
            print("FAILED  " + text)

    def true(self, condition, text):
        self.done += 1
        if not condition:
            self.fail(text)
        return bool(condition)

    def near(self, what, got, want, rtol=0.0, atol=0.0, where=None, kind=None):
        """|got - want| <= atol + rtol |want| in every entry `where` selects; infinities must be equal."""
        got, want = np.asarray(got, float), np.asarray(want, float)
        self.done += max(1, want.size)
        if got.shape != want.shape:
            self.fail("%s: shape %s, expected %s" % (what, got.shape, want.shape))
            return False
        with np.errstate(invalid="ignore"):
            difference = np.where(got == want, 0.0, np.abs(got - want))
        difference = np.where(np.isnan(difference), np.inf, difference)
        allowed = atol + rtol * np.where(np.isfinite(want), np.abs(want), 0.0)
        bad = difference > allowed
        if where is not None:
            bad = bad & where
            difference = np.where(where, difference, 0.0)
        if kind is not None and difference.size:
            self.worst[kind] = max(
                self.worst.get(kind, 0.0), float((difference / np.maximum(allowed, 1e-300)).max())
            )
        if bad.any():
            i = np.unravel_index(
                np.argmax(np.where(bad, difference / np.maximum(allowed, 1e-300), -1)), bad.shape
            )
            i = tuple(int(k) for k in i)
            self.fail(
                "%s%s: got %.17g, expected %.17g, difference %.3g where %.3g is allowed (%d of %d entries)"
                % (
                    what,
                    list(i) if i else "",
                    got[i],
                    want[i],
                    difference[i],
                    allowed[i],
                    bad.sum(),
                    bad.size,
                )
            )
            return False
        return True

    def finish(self):
        for kind, ratio in sorted(self.worst.items()):
            print("  %-12s largest difference is %.2g of what is allowed" % (kind, ratio))
        if self.failed:
            print("%s: %d of %d comparisons failed" % (self.title, self.failed, self.done))
            sys.exit(1)
        if not self.done:
            print("%s: nothing was compared" % self.title)
            sys.exit(1)
        print("%s: %d comparisons hold" % (self.title, self.done))
        sys.exit(0)


def identity(checks, at, gamma, given, c):
    """(1 - gamma) V = utility - alpha I_pi - beta I_sigma - eta I_rho; a coefficient that is infinite meets a
    cost of 0."""
    alpha, beta = limit(inverse(given["alpha"])), limit(inverse(given["beta"]))
    cost = float(given["eta"]) * c["recognition"]
    for name, coefficient in (("decision", alpha), ("specification", beta)):
        if np.isinf(coefficient):
            checks.near(at + name + " cost of what follows its prior", c[name], 0.0, atol=1e-12)
        else:
            cost += coefficient * c[name]
        checks.true(c[name] >= -1e-15, at + "%s cost is %g" % (name, c[name]))
    checks.near(
        at + "(1 - discount) V",
        (1 - gamma) * c["value"],
        c["utility"] - cost,
        atol=1e-9 * max(1.0, abs(c["value"])),
        kind="identity",
    )


# ------------------------------------------------------------------ the command
def command():
    path = os.environ.get("ASIF", "")
    if not path:
        skip("no command to test (ASIF)")
    return path


def attempt(*args):
    """Run asif, whatever comes of it."""
    return subprocess.run(
        [command()] + [str(a) for a in args], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )


def run(*args):
    """Run asif; its standard output. Failing is an error that shows standard error."""
    done = attempt(*args)
    if done.returncode != 0:
        raise RuntimeError("exit %d of %s\n%s" % (done.returncode, " ".join(done.args), done.stderr))
    return done.stdout


def number(x):
    """Text that reads back to the same bits."""
    if isinstance(x, str):
        return x
    return repr(float(x))


def plan(study, parameters=None, beliefs=(), history=(), resolution=None, options=()):
    """`asif plan --json`, parsed. Beliefs are arrays, history a list of (action, observation) labels."""
    args = ["plan", study, "--json"]
    for name, value in (parameters or {}).items():
        args += ["-p", "%s=%s" % (name, number(value))]
    if resolution is not None:
        args += ["--resolution", resolution]
    for z in beliefs:
        args += ["--belief", ",".join(number(p) for p in z)]
    if history:
        args += ["--history", ",".join("%s:%s" % event for event in history)]
    return json.loads(run(*args, *options))


def numbers(value):
    """Lists of numbers, infinities written as strings, as an array."""
    if isinstance(value, list):
        return np.array([numbers(v) for v in value])
    return float(value)


def point(entry, actions):
    """An entry of `beliefs` or `history` as arrays in the order of the actions."""
    out = {"V": float(entry["value"]), "belief": numbers(entry["belief"]) if "belief" in entry else None}
    for key, name in (("Q", "q"), ("pi", "policy"), ("lpi", "log_policy"), ("sigma", "worlds")):
        if name in entry:
            out[key] = np.array([numbers(entry[name][u]) for u in actions])
    return out


# ------------------------------------------------------------------ studies from arrays
def labels(prefix, count):
    return ["%s%d" % (prefix, i) for i in range(count)]


def row(values):
    return "[" + ", ".join(number(v) for v in values) + "]"


def matrix(rows):
    return "[" + ", ".join(row(r) for r in rows) + "]"


def dynamics(lines, indent, tau, omega):
    """tau [S,U,S], omega [U,S,X] or None."""
    lines.append(indent + "transitions:")
    for u in range(tau.shape[1]):
        lines.append(indent + "  a%d: %s" % (u, matrix(tau[:, u])))
    if omega is not None:
        lines.append(indent + "emissions:")
        for u in range(len(omega)):
            lines.append(indent + "  a%d: %s" % (u, matrix(omega[u])))


def study_text(
    p, parameters, resolution=None, agent=(), title="A problem made by a test", worlds=True, priors=True
):
    """The study of a reference.Problem. `agent`: further lines of the agent's section."""
    S, U, X, M = p.S, p.U, p.X, p.M
    lines = [
        "asif: 1",
        "title: " + title,
        "states: [%s]" % ", ".join(labels("s", S)),
        "actions: [%s]" % ", ".join(labels("a", U)),
    ]
    if X:
        lines.append("observations: [%s]" % ", ".join(labels("x", X)))
    lines += ["environment:", "  start: " + row(p.env_start)]
    dynamics(lines, "  ", p.env_tau, p.env_omega)
    if p.ends:
        lines.append("  ends: [%s]" % ", ".join("a%d" % u for u in p.ends))
    if p.terminal:
        lines.append("  terminal: [%s]" % ", ".join("s%d" % s for s in p.terminal))
    lines += ["agent:"] + ["  " + line for line in agent]
    if not any(line.startswith("preset") for line in agent):
        lines.append("  planner: bounded-rational")
    lines.append("  discount: " + number(p.gamma))
    if not np.array_equal(p.z0, p.env_start):
        lines.append("  start: " + row(p.z0))
    if worlds:
        lines.append("  worlds:")
        for m in range(M):
            lines.append("    - weight: " + number(p.sigma0[m]))
            dynamics(lines, "      ", p.tau[m], p.omega[m] if X else None)
    if priors:
        lines.append("  action_prior: " + row(p.pi0))
    if p.rho0 is not None:
        lines.append("  belief_prior: " + row(p.rho0))
    lines += utility_lines(p)
    lines.append("  parameters:")
    for name, value in parameters.items():
        lines.append("    %s: %s" % (name, number(value)))
    if not parameters:
        lines[-1] = "  parameters: {}"
    if resolution is not None:
        lines.append("solver: {resolution: %d}" % resolution)
    return "\n".join(lines) + "\n"


def utility_lines(p):
    lines = ["  utility:"]
    more = p.reward is not None or p.terms
    for u in range(p.U):
        start = "      " if more and u else "    - " if more else "    "
        lines.append(
            start + "a%d: {%s}" % (u, ", ".join("s%d: %s" % (s, number(p.v[s, u])) for s in range(p.S)))
        )
    for u in range(p.U if p.reward is not None else 0):
        lines.append(
            "    - {on: observation, action: a%d, %s}"
            % (u, ", ".join("x%d: %s" % (x, number(p.reward[u, x])) for x in range(p.X)))
        )
    for test in p.terms:
        what = "certainty" if test.state is None else "s%d" % test.state
        only = "" if test.action is None else ", action: a%d" % test.action
        lines.append(
            "    - {when: %s %s %s, add: %s%s}"
            % (what, test.sign, number(test.threshold), number(test.add), only)
        )
    return lines


class Folder:
    """A temporary folder that goes away at the end of the program."""

    def __init__(self):
        self.held = tempfile.TemporaryDirectory(prefix="asif-test-")
        self.path = self.held.name

    def file(self, name, text=None):
        path = os.path.join(self.path, name)
        if text is not None:
            with open(path, "w") as f:
                f.write(text)
        return path
