"""How far worlds differ in what they promise, to which the default prior of optimism is scaled: against the oracle's planner, on DIAG
and on random problems with other start, discount and weights; and optimism is refused where the worlds make no difference.
"""
import math

import numpy as np

from common import Checks, Folder, attempt, json, oracle, source

checks = Checks("spread of worlds")
brc = oracle()
folder = Folder()
NAMES = ["s%d" % i for i in range(3)]


def spread(p, span, resolution):
    k = brc.Plan(p, resolution, 1 / (0.01 * span), 0, 0).solve().K
    away = k - (k @ p.sigma0)[..., None]
    return math.sqrt(((away ** 2) @ p.sigma0).max())


def prior_of(study):
    done = attempt("check", study, "--json")
    checks.true(done.returncode == 0, "check: exit %d: %s" % (done.returncode, done.stderr))
    priors = json.loads(done.stdout)["study"]["priors"]
    text = priors.get("beta") or priors["optimism"]
    return float(text.split(",")[1].rstrip(") "))


diag = spread(brc.diag_problem(), 46, 100)
checks.near("DIAG", diag, 1.116, atol=5e-4)
checks.near("prior of DIAG", prior_of(source("examples", "diag", "study.yaml")), 1, atol=1e-12)


def rows(a):
    return "[" + ", ".join(map(rows, a)) + "]" if np.ndim(a) else repr(float(a))


def random_study(seed):
    rng = np.random.default_rng(seed)
    S, U, X, M = 2 + seed % 2, 2, 2 + seed % 3, 3
    tau = rng.dirichlet(np.ones(S), (M, U, S))
    omega = rng.dirichlet(np.ones(X), (M, U, S))
    v = np.round(rng.normal(0, 5, (U, S)), 3)
    weight = rng.dirichlet(np.ones(M))
    gamma, z0 = rng.uniform(0.5, 0.95), rng.dirichlet(np.ones(S))
    names = NAMES[:S]
    text = "asif: 1\nstates: [%s]\nactions: [a, b]\nobservations: [%s]\n" % (
        ", ".join(names), ", ".join("x%d" % i for i in range(X)))

    def dynamics(m, indent):
        return "".join("%s%s: {a: %s, b: %s}\n" % (indent, key, rows(table[m][0]), rows(table[m][1]))
                       for key, table in (("transitions", tau), ("emissions", omega)))
    text += "environment:\n  start: %s\n" % rows(z0) + dynamics(0, "  ")
    text += "agent:\n  discount: %r\n  worlds:\n" % gamma
    for m in range(M):
        text += "    - weight: %r\n" % float(weight[m]) + dynamics(m, "      ")
    text += "  utility:\n" + "".join(
        "    %s: {%s}\n" % (u, ", ".join("%s: %r" % (n, float(x)) for n, x in zip(names, v[k])))
        for k, u in enumerate("ab"))
    text += "  parameters: {alpha: 0.5, optimism: learn, eta: 0}\nsolver: {resolution: 12}\n"
    p = brc.Problem(tau.transpose(0, 2, 1, 3), omega, v.T, gamma, z0, weight)
    return text, p, v.max() - v.min()


for seed in range(4):
    text, p, span = random_study(seed)
    with open(folder.file("random.yaml"), "w") as f:
        f.write(text)
    want = 1.116 / spread(p, span, 12)
    checks.near("prior of random problem %d" % seed, prior_of(folder.file("random.yaml")) / want, 1, rtol=6e-4)

# Where the worlds make no difference, there is nothing to be learnt.
with open(source("examples", "diag", "study.yaml")) as f:
    text = f.read()
logs = folder.file("logs.csv")
done = attempt("simulate", source("examples", "diag", "study.yaml"), "-p", "alpha=0.5", "-p", "beta=1", "-p", "eta=0", "-n", "20", "-o", logs)
checks.true(done.returncode == 0, "simulate: %s" % done.stderr)
for name, worlds, reason in (
    ("alike", "  worlds:\n    - weight: 1\n    - weight: 2\n", "make no difference"),
    ("one", "", "one world"),
):
    begin, end = text.index("  worlds:"), text.index("  utility:")
    with open(folder.file(name + ".yaml"), "w") as f:
        f.write(text[:begin] + worlds + text[end:])
    done = attempt("fit", folder.file(name + ".yaml"), logs, "-o", folder.file(name))
    checks.true(done.returncode == 2 and reason in done.stderr, "%s: exit %d: %s" % (name, done.returncode, done.stderr))

checks.finish()
