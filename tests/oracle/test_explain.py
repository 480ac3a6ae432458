"""`asif explain` against the oracle: beliefs, policies and costs along a path over all draws of a small fit, both ideals, the true
world's observer in closed form, and the rules of --find on a table whose answer is known."""
import csv
import json
import os
import tempfile

from common import Checks, attempt, np, oracle, run, source
from reference import Problem, Reference

brc = oracle()
checks = Checks("explain")
study = source("examples", "diag", "study.yaml")
ACTIONS = ["declare_healthy", "declare_diseased", "monitor"]
SEEN = ["negative", "positive"]
N = 40  # lattice
folder = tempfile.TemporaryDirectory()


def path(name):
    return os.path.join(folder.name, name)


def write(name, header, rows):
    with open(path(name), "w", newline="") as file:
        out = csv.writer(file)
        out.writerow(header)
        out.writerows(rows)
    return path(name)


def explain(*args):
    return json.loads(run("explain", *args, "--json"))


# ------------------------------------------------------------------ a small fit, and its draws
logs = path("logs.csv")
given = ["-p", "eta=0.001", "--resolution", N]
run("simulate", study, "-p", "alpha=0.5", "-p", "beta=1.25", *given, "-n", 60, "--seed", 2, "-o", logs)
fit = path("fit")
attempt("fit", study, logs, "-o", fit, *given, "--method", "metropolis", "--chains", 2, "--warmup", 200, "--draws", 15,
        "--starts", 2, "-q")
draws = []
for k in (1, 2):
    with open(os.path.join(fit, "chain-%d.csv" % k)) as file:
        rows = list(csv.DictReader(line for line in file if not line.startswith("#")))
    draws += [(np.exp(float(r["log_alpha"])), float(r["optimism"])) for r in rows]
checks.true(len(draws) == 30, "there are %d draws" % len(draws))

problem = brc.diag_problem()
true_problem = brc.Problem(problem.tau[1:2], problem.omega[1:2], problem.v, problem.gamma, problem.z0)
lattice = brc.Lattice(2, N)
agents = {
    "fitted": [brc.Plan(problem, N, 1 / a, b, 0.001, lattice=lattice).solve() for a, b in draws],
    "same": [brc.Plan(problem, N, np.inf, 0.0, 0.0, lattice=lattice).solve()],
    "true": [brc.Plan(true_problem, N, np.inf, 0.0, 0.0, lattice=lattice).solve()],
}


def along(plan, events):
    """Beliefs, policies and Q before each of the events and after the last."""
    z, out = np.array([problem.z0], float), []
    for u, x in list(events) + [(None, None)]:
        L = plan.look(z)
        out.append((z[0], L["pi"][0], L["Q"][0]))
        if u is not None:
            z = plan.step(z, np.array([u]), np.array([x]))
    return [np.array(part) for part in zip(*out)]


def band(values):
    values = np.asarray(values)
    return {"mean": values.mean(0), "q05": np.quantile(values, 0.05, axis=0), "q95": np.quantile(values, 0.95, axis=0)}


def compare(name, out, events, decisions):
    """All numbers of an explanation; `events` are what happened, of which the first `decisions` places are told."""
    steps = out["steps"]
    checks.true(len(steps) == decisions, "%s has %d steps" % (name, len(steps)))
    for who, plans in agents.items():
        found = [along(plan, events) for plan in plans]
        for what, labels, part, tol in (("belief", ["healthy", "diseased"], 0, 1e-9), ("policy", ACTIONS, 1, 1e-8)):
            want = band([f[part] for f in found])
            for k, step in enumerate(steps):
                for i, label in enumerate(labels):
                    got = step[what][label][who]
                    for key in ("mean", "q05", "q95") if len(plans) > 1 else ("mean",):
                        checks.near("%s, step %d, %s %s of %s, %s" % (name, k + 1, what, label, who, key), got[key],
                                    want[key][k, i], atol=tol, kind=what)
                    if len(plans) == 1:
                        checks.true(got["q05"] is None and got["q95"] is None, name + ": a band of one")
    # The observer who knows the true world counts positives and negatives.
    count = 0
    Q = along(agents["true"][0], events)[2]
    cost = 0
    for k, step in enumerate(steps):
        closed = 1 / (1 + (3 / 7) ** count)
        checks.near("%s, step %d, closed form" % (name, k + 1), step["belief"]["diseased"]["true"]["mean"], closed,
                    atol=1e-12, kind="closed form")
        if step["action"] is not None:
            u = ACTIONS.index(step["action"])
            checks.near("%s, step %d, cost" % (name, k + 1), step["cost"]["mean"], Q[k].max() - Q[k][u], atol=1e-8, kind="cost")
            cost += Q[k].max() - Q[k][u]
        for u, label in enumerate(ACTIONS):
            checks.near("%s, step %d, Q" % (name, k + 1), step["q"][label]["mean"], Q[k][u], rtol=1e-8, kind="Q")
        if k < len(events):
            count += 2 * events[k][1] - 1
    checks.near(name + ", cost", out["cost"]["mean"], cost, atol=1e-7, kind="cost")
    for who in ("same", "true"):
        pi = along(agents[who][0], events)[1]
        parted = [k + 1 for k, s in enumerate(steps) if s["action"] and pi[k][ACTIONS.index(s["action"])] < 0.5]
        checks.true(out["parts"][who] == (parted[0] if parted else None), "%s parts from %s at %s" % (name, who, out["parts"]))
        for k, step in enumerate(steps):
            if np.sort(pi[k])[-1] > 0.5:
                checks.true(step["would"][who] == ACTIONS[int(pi[k].argmax())], "%s: %s would" % (name, who))


# ------------------------------------------------------------------ a typed history, and one from the logs
typed = [(2, 1), (2, 0), (2, 1), (2, 1)]
out = explain(fit, "--history", ",".join("%s:%s" % (ACTIONS[u], SEEN[x]) for u, x in typed))
checks.true(out["path"]["from"] == "history" and out["draws"] == 30, "head")
checks.true(out["steps"][-1]["action"] is None and out["steps"][-1]["cost"] is None, "nothing was done in the end")
compare("typed", out, typed, 5)

with open(logs) as file:
    episodes = {}
    for row in csv.DictReader(file):
        episodes.setdefault(row["episode"], []).append((ACTIONS.index(row["action"]), SEEN.index(row["observation"])))
longest = max(episodes, key=lambda name: len(episodes[name]))
for name in ("7", longest):
    out = explain(fit, logs, "--subject", name)
    checks.true(out["path"]["episode"] == name and out["path"]["ended"], "episode %s" % name)
    checks.true([s["action"] for s in out["steps"]] == [ACTIONS[u] for u, x in episodes[name]], "actions of " + name)
    checks.true([s["seen"] for s in out["steps"]] == [None] + [SEEN[x] for u, x in episodes[name][:-1]], "seen in " + name)
    compare("episode " + name, out, episodes[name][:-1], len(episodes[name]))

# ------------------------------------------------------------------ the ideal's own path costs nothing

ideal = agents["true"][0]
stop = 0  # positives in a row at which it declares
while True:
    u = int(along(ideal, [(2, 1)] * stop)[1][-1].argmax())
    if u != 2:
        break
    stop += 1
checks.true(2 <= stop <= 6 and u == 1, "the ideal declares %d after %d" % (u, stop))
out = explain(fit, "--history", ",".join(["monitor:positive"] * stop + ["declare_diseased:positive"]))
checks.true(out["parts"]["true"] is None and out["costliest"] is None, "the ideal parts from itself")
checks.near("cost of the ideal's path", out["cost"]["mean"], 0, atol=0)
checks.true(len(out["steps"]) == stop + 1 and out["path"]["ended"], "nothing is left to decide after the end")

# ------------------------------------------------------------------ --find on a table whose answer is known
table = {
    "on time": ["positive"] * stop + ["declare_diseased"],
    "early": ["declare_healthy"],
    "late by 2": ["positive"] * (stop + 2) + ["declare_diseased"],
    "wrong and late by 2": ["positive"] * (stop + 2) + ["declare_healthy"],
    "not ended, 3": ["positive"] * (stop + 3),
    "back and forth": ["positive", "negative"] * 3 + ["positive"],
}
rows = []
for name, course in table.items():
    for t, word in enumerate(course):
        end = word.startswith("declare")
        rows.append([name, t, word if end else "monitor", "positive" if end else word])
hand = write("hand.csv", ["episode", "t", "action", "observation"], rows)
out = explain(fit, hand, "--find", "belated")
found = [(e["episode"], e["late"], e["ideal_step"], e["step"], e["action"]) for e in out["list"] if e["late"]]
checks.true(found == [("not ended, 3", 3, stop + 1, None, None),
                      ("wrong and late by 2", 2, stop + 1, stop + 3, "declare_healthy"),
                      ("late by 2", 2, stop + 1, stop + 3, "declare_diseased")], "belated: %s" % found)
checks.true(out["found"] == 3 and out["episodes"] == 6 and out["decisions"] == len(rows), "belated: totals")
for e in out["list"]:
    # The same by hand for the other ideal.
    course = table[e["episode"]]
    events = [(2, SEEN.index(w)) for w in course if not w.startswith("declare")]
    pi = along(agents["same"][0], events)[1][:len(course)]
    first = next((k for k in range(len(course)) if pi[k][:2].sum() >= 0.5), len(course))
    checks.true(e["late_same"] == sum(not w.startswith("declare") for w in course[first:]), "late_same of " + e["episode"])
    Q = along(ideal, events)[2]
    cost = sum(Q[k].max() - Q[k][ACTIONS.index(w) if w.startswith("declare") else 2] for k, w in enumerate(course))
    checks.near("cost of " + e["episode"], e["cost"], cost, atol=1e-7)
checks.true(len(explain(fit, hand, "--find", "belated", "--top", 1)["list"]) == 1, "--top")

out = explain(fit, hand, "--find", "surprising")
mean = {}  # mean policy by history


def policy(events):
    if events not in mean:
        mean[events] = np.mean([along(plan, events)[1][-1] for plan in agents["fitted"]], 0)
    return mean[events]


decisions = []
for name, course in table.items():
    for k, w in enumerate(course):
        pi = policy(tuple((2, SEEN.index(v)) for v in course[:k]))
        decisions.append((name, k + 1, ACTIONS.index(w) if w.startswith("declare") else 2, pi))
for i, e in enumerate(out["list"]):
    mine = [(pi[u], step, u) for name, step, u, pi in decisions if name == e["episode"]]
    p, step, u = min(mine)
    checks.near("least probable of " + e["episode"], e["probability"], p, rtol=1e-6)
    checks.true((e["step"], e["action"]) == (step, ACTIONS[u]), "step of " + e["episode"])
    near = p * (1 + 1e-6)
    checks.near("expected", e["expected"], sum(pi[pi <= near].sum() for _, _, _, pi in decisions), rtol=1e-6)
    checks.near("observed", e["observed"], sum(pi[u] <= near for _, _, u, pi in decisions))
    checks.true(i == 0 or p >= out["list"][i - 1]["probability"] * (1 - 1e-9), "order")
checks.true(len(out["list"]) == 6, "all are listed")

# ------------------------------------------------------------------ ideals that depend on what is estimated
learning = path("learning.yaml")
with open(study) as file, open(learning, "w") as copy:
    copy.write(file.read().replace("wrong: -36", "wrong: {learn: 'normal(-36, 10)', standard: -36}"))
fixed = ["-p", "alpha=0.5", "-p", "beta=1.25", *given]
wide = path("wide")
attempt("fit", learning, logs, "-o", wide, *fixed, "--method", "metropolis", "--chains", 1, "--warmup", 100, "--draws", 6,
        "--starts", 2, "-q")
with open(os.path.join(wide, "chain-1.csv")) as file:
    wrongs = [float(r["wrong"]) for r in csv.DictReader(line for line in file if not line.startswith("#"))]
agents = {"fitted": [], "same": [], "true": []}
for wrong in wrongs:
    v = np.array([[10.0, wrong, -1.0], [wrong, 10.0, -1.0]])
    for who, p, theta in (("fitted", problem, (2, 0.8, 0.001)), ("same", problem, (np.inf, 0, 0)),
                          ("true", true_problem, (np.inf, 0, 0))):
        agents[who].append(brc.Plan(p.with_v(v), N, *theta, lattice=lattice).solve())
out = explain(wide, "--history", "monitor:positive,monitor:positive,declare_diseased:positive")
for who, plans in agents.items():
    want = band([along(plan, [(2, 1), (2, 1)])[1] for plan in plans])
    for k, step in enumerate(out["steps"]):
        for key in ("mean", "q05", "q95"):
            checks.near("wide, %s, step %d, %s" % (who, k + 1, key), [step["policy"][a][who][key] for a in ACTIONS], want[key][k],
                        atol=1e-8)
costs = band([Q[2].max() - Q[2][1] for Q in (along(plan, [(2, 1), (2, 1)])[2] for plan in agents["true"])])
for key in ("mean", "q05", "q95"):
    checks.near("wide, cost, " + key, out["steps"][2]["cost"][key], costs[key], atol=1e-7)
    checks.near("wide, cost of all, " + key, out["cost"][key], costs[key], atol=1e-7)

# ------------------------------------------------------------------ where states are seen
SEEN_STUDY = """\
asif: 1
states: [well, poor, bad]
actions: [leave, mend]
environment:
  start: [0.5, 0.3, 0.2]
  transitions:
    leave: [[0.7, 0.3, 0], [0, 0.6, 0.4], [0, 0, 1]]
    mend: [[0.9, 0.1, 0], [0.7, 0.3, 0], [0.5, 0.2, 0.3]]
agent:
  discount: 0.8
  worlds:
    - transitions: {leave: [[0.9, 0.1, 0], [0, 0.9, 0.1], [0, 0, 1]]}
    - {}
  utility: {leave: {well: 1, poor: 0, bad: -2}, mend: {well: -0.5, poor: -0.7, bad: -1}}
  parameters: {alpha: learn, beta: 2, eta: 0.1}
"""
with open(path("seen.yaml"), "w") as file:
    file.write(SEEN_STUDY)
states, acts = ["well", "poor", "bad"], ["leave", "mend"]
run("simulate", path("seen.yaml"), "-p", "alpha=0.6", "-n", 30, "--max-steps", 6, "-o", path("seen.csv"))
attempt("fit", path("seen.yaml"), path("seen.csv"), "-o", path("seen"), "--method", "map", "--starts", 2, "-q")
with open(os.path.join(path("seen"), "fit.json")) as file:
    alpha = np.exp(json.load(file)["maximum"]["values"]["log_alpha"])
truth = np.array([[[0.7, 0.3, 0], [0.9, 0.1, 0]], [[0, 0.6, 0.4], [0.7, 0.3, 0]], [[0, 0, 1], [0.5, 0.2, 0.3]]])
slow = truth.copy()
slow[:, 0] = [[0.9, 0.1, 0], [0, 0.9, 0.1], [0, 0, 1]]
v = np.array([[1, -0.5], [0, -0.7], [-2, -1]])
tables = {
    "fitted": Reference(Problem([slow, truth], None, v, 0.8, [0.5, 0.3, 0.2]), alpha, 2, 0.1),
    "same": Reference(Problem([slow, truth], None, v, 0.8, [0.5, 0.3, 0.2]), 0, "inf", 0),
    "true": Reference(Problem([truth], None, v, 0.8, [0.5, 0.3, 0.2]), 0, "inf", 0),
}
course = [("bad", "leave"), ("bad", "mend"), ("well", "leave"), ("well", "leave"), ("poor", "leave"), ("poor", "mend")]
seen = write("course.csv", ["subject", "episode", "t", "state", "action"],
             [["a", 1, t, s, u] for t, (s, u) in enumerate(course)] + [["a", 2, 0, "well", "mend"], ["b", 1, 0, "well", "leave"]])
out = explain(path("seen"), seen, "--subject", "a", "--episode", 1)
checks.true([(s["state"], s["action"]) for s in out["steps"]] == course, "the course of states")
checks.true(out["draws"] is None and out["states_seen"] and out["path"]["episode"] == "a/1", "head where states are seen")
total = 0
for k, (step, (s, u)) in enumerate(zip(out["steps"], course)):
    checks.true(step["belief"] is None and step["seen"] == s, "no beliefs where states are seen")
    for who, table in tables.items():
        checks.near("seen, step %d, policy of %s" % (k + 1, who), [step["policy"][a][who]["mean"] for a in acts],
                    table.at_nodes["pi"][states.index(s)], atol=1e-6 if who == "fitted" else 1e-9)
    Q = tables["true"].at_nodes["Q"][states.index(s)]
    total += Q.max() - Q[acts.index(u)]
    checks.near("seen, step %d, cost" % (k + 1), step["cost"]["mean"], Q.max() - Q[acts.index(u)], atol=1e-9)
checks.near("seen, cost", out["cost"]["mean"], total, atol=1e-9)
# Nothing ends here: each action by itself. The ideal mends at once what is bad; it was left once.
best = [acts[int(tables["true"].at_nodes["Q"][s].argmax())] for s in range(3)]
checks.true(best[2] == "mend" and best[0] == "leave", "the ideal does %s" % best)
out = explain(path("seen"), seen, "--find", "belated")
checks.true([(e["episode"], e["late"], e["of"]) for e in out["list"]][0] in (("a/1", 1, "mend"), ("a/2", 1, "leave")),
            "belated: %s" % out["list"])
checks.true(out["found"] == 2, "belated where nothing ends: %s" % out["found"])
checks.finish()
