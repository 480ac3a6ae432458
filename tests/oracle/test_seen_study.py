"""States with a seen and a hidden part in the study file, and their logs: the likelihood of simulated logs against the oracle on
the expanded problem, in which everything is hidden and the observation (y', x) shows the seen part.

ASIF_SEEN is the number of problems (14 unless set), ASIF_SEEN_FIRST the first seed."""
import csv
import itertools
import json
import math
import os
import subprocess

from common import Checks, Folder, np, oracle
from seen import problem

ASIF = os.environ["ASIF"]
brc = oracle()
checks, folder = Checks("a seen and a hidden part of a study"), Folder()
count, first = int(os.environ.get("ASIF_SEEN", "14")), int(os.environ.get("ASIF_SEEN_FIRST", "0"))


def parts(Y):
    """The columns of the seen part: their names and values."""
    return {"a": ["a0", "a1"], "b": ["b%d" % i for i in range(Y // 2)]} if Y in (4, 6) else {"a": ["a%d" % i for i in range(Y)]}


def numbers(array):
    return json.dumps(np.asarray(array).tolist())


def study(p, n, given):
    e, columns = p.expanded(), parts(p.Y)
    actions = ["u%d" % u for u in range(p.U)]
    lines = ["asif: 1", "states: {seen: %s, hidden: {h: [%s]}}" % (json.dumps(columns), ", ".join("h%d" % h for h in range(p.H)))]
    lines += ["actions: [%s]" % ", ".join(actions), "observations: [%s]" % ", ".join("x%d" % x for x in range(p.X)), "environment:"]
    lines += ["  start: " + numbers(p.start.ravel())]

    def world(m, indent):
        for key, of in (("transitions", lambda u: e.tau[m, :, u]), ("emissions", lambda u: p.show[m, u].reshape(p.Y * p.H, p.X))):
            lines.append(indent + key + ":")
            lines.extend(indent + "  %s: %s" % (name, numbers(of(u))) for u, name in enumerate(actions))

    world(0, "  ")
    lines.extend(["agent:", "  discount: %r" % p.gamma, "  action_prior: " + numbers(p.pi0), "  worlds:"])
    for m in range(p.M):
        lines.append("    - weight: %r" % float(p.sigma0[m]))
        world(m, "      ")
    labels = ["/".join(y) + "/h%d" % h for y in itertools.product(*columns.values()) for h in range(p.H)]
    lines.append("  utility:")
    for u, name in enumerate(actions):
        lines.append("    %s: {%s}" % (name, ", ".join("%s: %r" % (s, float(v)) for s, v in zip(labels, p.v.reshape(-1, p.U)[:, u]))))
    lines.append("  parameters: " + json.dumps({k: float(v) for k, v in given.items()}))
    lines.append("solver: {resolution: %d, tol: 1e-13}" % n)
    return "\n".join(lines) + "\n"


def run(*arguments):
    done = subprocess.run([ASIF, *map(str, arguments)], capture_output=True, text=True, timeout=300)
    assert done.returncode == 0, done.stderr + done.stdout
    return done.stdout


def likelihood(p, agent, rows):
    """By the oracle, whose agent starts with the belief that the first seen value leaves."""
    e, total, z, columns = p.expanded(), 0.0, None, parts(p.Y)

    def seen(row):
        y = 0
        for name, values in columns.items():
            y = y * len(values) + values.index(row[name])
        return y

    for k, row in enumerate(rows):
        if row["t"] == "0":
            z = np.where(np.arange(e.S) // p.H == seen(row), p.start.ravel(), 0)
            z /= z.sum()
        u = int(row["action"][1:])
        total += math.log(agent.look(z[None])["pi"][0, u])
        if k + 1 < len(rows) and rows[k + 1]["episode"] == row["episode"]:
            o = seen(rows[k + 1]) * p.X + int(row["observation"][1:])
            z = agent.step(z[None], np.array([u]), np.array([e.classes(u)[o]]))[0]  # the oracle knows the first of a class alone
    return total


kinds = set()
for seed in range(first, first + count):
    rng = np.random.default_rng([190, seed])
    p = problem(rng, (2, 6), (1, 3), (1, 3))
    given = {"alpha": math.exp(rng.normal(0, 0.5)), "optimism": rng.normal(0, 0.5), "eta": rng.choice([0, rng.normal(0, 1)])}
    if rng.random() < 0.4:  # episodes begin with one seen value
        p.start[1:] = 0
        p.start /= p.start.sum()
    most = max(n for n in range(1, 9) if n == 1 or math.comb(n + p.Y * p.H - 1, n) <= 800)
    n = int(rng.integers(1, most + 1))
    at = "seed %d (%d seen, %d hidden, %d worlds, n = %d): " % (seed, p.Y, p.H, p.M, n)
    path, logs = folder.file("study.yaml", study(p, n, given)), folder.file("logs.csv")
    run("simulate", path, "-n", 40, "--max-steps", 5, "--seed", seed, "-o", logs, "-q")
    with open(logs, encoding="utf-8") as file:
        rows = list(csv.DictReader(file))
    checks.true(list(rows[0]) == ["episode", "t", *parts(p.Y), "action", "observation"], at + "columns %s" % list(rows[0]))
    agent = brc.Plan(p.expanded().oracle(brc), n, 1 / given["alpha"], given["optimism"], given["eta"]).solve()
    want, got = likelihood(p, agent, rows), json.loads(run("check", path, logs, "--json"))["log_likelihood"]
    checks.near(at + "log-likelihood", got, want, atol=1e-8 * abs(want), kind="log-likelihood")
    kinds.add((len(parts(p.Y)), p.H > 1, p.M > 1, len({row["t"] + row["a"] for row in rows if row["t"] == "0"}) > 1))
checks.true(count < 14 or len(kinds) >= 6, "kinds of problems: %s" % kinds)
checks.finish()
