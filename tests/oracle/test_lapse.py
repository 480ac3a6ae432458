"""Lapses: likelihoods against the mixture of policies, computed here from an agent without lapses; derivatives, also in the action
prior, against differences; many points at once against one; policies with lapses; simulated lapses; one miscoded row; what is refused."""
import csv
import ctypes
import json
import math
import os

from common import Checks, Folder, attempt, np, source
from library import Engine, Target, pointer

checks, folder = Checks("lapses"), Folder()
study = source("examples", "diag", "study.yaml")
logs = os.path.join(os.environ["ASIF_ORACLE"], "logs_neutral.csv")
ACTIONS, SEEN = ["declare_healthy", "declare_diseased", "monitor"], ["negative", "positive"]
NAN = float("nan")

with open(study) as f:
    TEXT = f.read()
PRIOR = [0.2, 0.3, 0.5]
uneven = folder.file("uneven.yaml", TEXT.replace("  discount: 0.95\n", "  discount: 0.95\n  action_prior: [0.2, 0.3, 0.5]\n"))
with open(logs) as f:
    rows = [r for r in csv.DictReader(f) if int(r["episode"]) < 120]
some = folder.file("some.csv")
with open(some, "w", newline="") as f:
    out = csv.DictWriter(f, rows[0].keys())
    out.writeheader()
    out.writerows(rows)


def probabilities(path, **agent):
    """What the agent without lapses gives each action, before every row."""
    engine, found, state = Engine(path), [], None
    engine.solve(**agent)
    for i, row in enumerate(rows):
        if i == 0 or row["episode"] != rows[i - 1]["episode"]:
            state = np.zeros((1, engine.width))
            engine.lib.asif_behavior_init(engine.behavior, 0, ctypes.c_uint32(0xFFFFFFFF), pointer(state))
        found.append(engine.look(state, 3, 3)["pi"][0])
        if i + 1 < len(rows) and rows[i + 1]["episode"] == row["episode"]:
            state = engine.step(state, [ACTIONS.index(row["action"])], [SEEN.index(row["observation"])])
    return np.array(found)


def likelihood(path, table, **agent):
    done = attempt("check", path, table, "--json", "-q", *[w for k, v in agent.items() for w in ("-p", "%s=%r" % (k, v))])
    checks.true(done.returncode == 0, done.stderr + done.stdout[:300])
    return json.loads(done.stdout)["log_likelihood"]


# ------------------------------------------------------------------ values
did = np.array([ACTIONS.index(r["action"]) for r in rows])
for path, prior in ((study, np.ones(3) / 3), (uneven, np.array(PRIOR))):
    for agent in ({"alpha": 0.5, "optimism": 0.0, "eta": 0.0}, {"alpha": 1.3, "optimism": 0.4, "eta": -3.0}, {"alpha": 0.05, "optimism": 0.8, "eta": 1.0}):
        plain = probabilities(path, **agent)[np.arange(len(did)), did]
        for e in (0.0, 1e-6, 0.02, 0.5, 0.999):
            want = np.log((1 - e) * plain + e * prior[did]).sum()
            checks.near("%r %g" % (agent, e), likelihood(path, some, lapse=e, **agent), want, rtol=1e-12, kind="value")
# An agent that always takes the best action is possible with lapses, whatever was done.
checks.true(math.isfinite(likelihood(study, some, alpha=0, optimism=0, eta=0, lapse=0.1)), "alpha 0 with lapses")

# ------------------------------------------------------------------ derivatives, and many points
names = [("alpha", NAN, False), ("optimism", NAN, False), ("eta", NAN, False), ("lapse", NAN, False), ("action_prior", NAN, False)]
target, rng, points, kinks = Target(uneven, some, names), np.random.default_rng(3), [], 0
for k in range(5):
    x = np.array([rng.normal(-0.7, 0.3), rng.normal(0.2, 0.3), rng.normal(0.2, 0.5), rng.normal(-3, 1), *rng.normal(0, 0.5, target.n - 4)])
    points.append(x)
    _, gradient = target(x)
    for j in range(target.n):
        h = np.zeros(target.n)
        h[j] = 1e-4
        far = (target.likelihood([x + 2 * h])[0] - target.likelihood([x - 2 * h])[0]) / 4e-4
        near = (target.likelihood([x + h])[0] - target.likelihood([x - h])[0]) / 2e-4
        # A kink of the lattice between the points shows as differences that disagree: with optimism, beliefs move over its nodes.
        smooth = abs(near - far) < 1e-6 * max(1, abs(near))
        kinks += not smooth
        if smooth:
            checks.near("gradient %d of %d" % (j, k), gradient[j], (4 * near - far) / 3, rtol=1e-6, atol=1e-6, kind="gradient")
checks.true(kinks <= 5, "%d kinks" % kinks)
checks.near("many points", target.many(points), [target(x)[0] for x in points], rtol=1e-10, kind="many")

# ------------------------------------------------------------------ policies
with_lapses, without, states = Engine(uneven), Engine(uneven), np.array([[0.5, 0.5], [0.9, 0.1], [0.02, 0.98]])
with_lapses.solve(alpha=0.5, optimism=0.3, eta=0.5, lapse=0.1)
without.solve(alpha=0.5, optimism=0.3, eta=0.5)
a, b = with_lapses.look(states, 3, 3), without.look(states, 3, 3)
checks.near("policy", a["pi"], 0.9 * b["pi"] + 0.1 * np.array(PRIOR), rtol=1e-13)
checks.near("log policy", a["lpi"], np.log(0.9 * b["pi"] + 0.1 * np.array(PRIOR)), rtol=1e-12, atol=1e-14)
checks.near("lapses are not foreseen", a["V"], b["V"], rtol=0)

# ------------------------------------------------------------------ simulated: first decisions, where the agent would always monitor
done = attempt("simulate", study, "-p", "alpha=0.01", "-p", "optimism=0", "-p", "eta=0", "-p", "lapse=0.3", "-n", 20000, "--max-steps", 1, "-q", "-o",
               folder.file("first.csv"))
checks.true(done.returncode == 0, done.stderr)
with open(folder.file("first.csv")) as f:
    share = np.mean([r["action"] != "monitor" for r in csv.DictReader(f)])
checks.near("share of lapses", share, 0.2, atol=4 * math.sqrt(0.2 * 0.8 / 20000))

# ------------------------------------------------------------------ one miscoded row must not rule a fit
spoilt = folder.file("spoilt.csv")
with open(some) as f, open(spoilt, "w") as out:
    out.write(f.read() + "9999,0,declare_healthy,negative\n")
fixed = ["-p", "optimism=0", "-p", "eta=0", "--method", "map", "-q", "--no-answers"]
found = {}
for name, table, more in (("clean", some, []), ("spoilt", spoilt, []), ("lapses", spoilt, ["lapse"])):
    path = folder.file(name + ".yaml", TEXT.replace("    alpha: learn", "    lapse: learn\n    alpha: learn") if more else TEXT)
    done = attempt("fit", path, table, "-o", folder.file(name), *fixed)
    checks.true(done.returncode in (0, 1), done.stderr)
    with open(os.path.join(folder.file(name), "fit.json")) as f:
        found[name] = json.load(f)["maximum"]["values"]
moved = {name: abs(found[name]["log_alpha"] - found["clean"]["log_alpha"]) for name in ("spoilt", "lapses")}
checks.true(moved["lapses"] < 0.1 and moved["spoilt"] > 2 * moved["lapses"], "log alpha moved by %r" % moved)
checks.true(0 < found["lapses"]["lapse"] < 0.02, "lapse %r" % found["lapses"]["lapse"])

# ------------------------------------------------------------------ what is refused
for value in ("-0.1", "1", "2"):
    done = attempt("check", study, some, "-p", "alpha=1", "-p", "lapse=" + value)
    checks.true(done.returncode == 2 and "at least 0 and below 1" in done.stderr, done.stderr)
seen = folder.file("seen.yaml", """asif: 1
states: [good, worn]
actions: [run, service]
environment:
  transitions: {run: [[0.8, 0.2], [0, 1]], service: [[1, 0], [1, 0]]}
inverse: maximum-margin
agent:
  discount: 0.9
  utility: {run: {good: 1, worn: worn}, service: cost}
  parameters: {alpha: 0.1, lapse: 0.1, worn: {learn: , standard: -1}, cost: {learn: , standard: -1}}
""")
with open(folder.file("seen.csv"), "w") as f:
    f.write("episode,t,state,action\n1,0,good,run\n1,1,worn,service\n1,2,good,run\n")
done = attempt("fit", seen, folder.file("seen.csv"), "-o", folder.file("seen"), "-q")
checks.true(done.returncode == 2 and "knows no lapses" in done.stderr + done.stdout, done.stderr + done.stdout)
checks.finish()
