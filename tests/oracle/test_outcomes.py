"""What an agent does in an episode, and how good it thinks its evidence is: asif simulates, here every history is
followed, with the oracle's policy and recognition and the environment's own probabilities.

ctest label: slow
"""
import json
import os

from common import Checks, Folder, np, oracle, run, source

checks, folder = Checks("outcomes"), Folder()
brc = oracle()
STUDY = source("examples", "diag", "study.yaml")
TEST = np.array([[0.7, 0.3], [0.3, 0.7]])  # of the environment: [state, observation]
MONITOR = 2


def follow(plan, accuracies, least=3e-7):
    """Tests, share that ends wrong, and quality perceived when testing, from all histories likelier than `least`; and the
    probability of the others."""
    z, w = np.array([[0.5, 0.5]]), np.array([[0.5, 0.5]])  # the agent's belief; probability of history and state
    tests = wrong = perceived = lost = 0.0
    for _ in range(400):
        look = plan.look(z)
        pi = look["pi"]
        wrong += (w[:, 0] * pi[:, 1] + w[:, 1] * pi[:, 0]).sum()
        on = w.sum(1) * pi[:, MONITOR]
        tests += on.sum()
        perceived += (on * (look["sigma"][:, MONITOR] @ accuracies)).sum()
        z, w = (np.concatenate([plan.step(z, np.full(len(z), MONITOR), np.full(len(z), x)) for x in (0, 1)]),
                np.concatenate([w * pi[:, [MONITOR]] * TEST[:, x] for x in (0, 1)]))
        # Histories that lead to the same belief have the same future.
        _, first, which = np.unique(np.round(z[:, 1], 10), return_index=True, return_inverse=True)
        z, w = z[first], np.stack([np.bincount(which.ravel(), w[:, s]) for s in (0, 1)], 1)
        kept = w.sum(1) > least
        lost += w[~kept].sum()
        z, w = z[kept], w[kept]
        if not len(z):
            break
    return tests, wrong, perceived / tests, lost


logs, fit = folder.file("logs.csv"), folder.file("fit")
run("simulate", STUDY, "-p", "alpha=0.5", "-p", "beta=1.25", "-p", "eta=0.001", "-n", 300, "--seed", 5, "-o", logs)
run("fit", STUDY, logs, "-o", fit, "--method", "map")
with open(os.path.join(fit, "fit.json")) as f:
    brief = json.load(f)
at = brief["maximum"]["values"]
found = json.loads(run("outcomes", fit, "--json"))

same = brc.diag_problem()
known = brc.Problem(same.tau[1:2], same.omega[1:2], same.v, same.gamma, same.z0)
agents = {
    "fitted": (brc.Plan(same, 100, np.exp(-at["log_alpha"]), at["optimism"], at["eta"]), [0.6, 0.7, 0.8]),
    "without_bounds": (brc.Plan(same, 100, np.inf, 0.0, 0.0), [0.6, 0.7, 0.8]),
    "ideal_true": (brc.Plan(known, 100, np.inf, 0.0, 0.0), [0.7]),
}
for name, (plan, accuracies) in agents.items():
    tests, wrong, perceived, lost = follow(plan.solve(method="vi" if name != "fitted" else "newton"), np.array(accuracies))
    got, short = found["conduct"][name], brief["outcomes"]["conduct"][name]
    for key, want, tol in (("before_end", tests, 1e-3 + 8 * lost), ("wrong", wrong, 1e-4 + lost)):
        checks.near("%s: %s" % (name, key), got[key]["mean"], want, atol=tol + 4 * got[key]["error"])
        checks.near("%s: %s, briefly" % (name, key), short[key]["mean"], want, atol=tol + 4 * short[key]["error"])
    if name == "fitted":
        checks.near("quality perceived", found["evidence"][0]["perceived"]["mean"], perceived, atol=2e-3)
        print("  fitted: %.3f tests, %.2f %% wrong, a .70 test read as %.3f" % (tests, 100 * wrong, perceived))
checks.finish()
