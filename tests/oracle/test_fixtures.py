"""DIAG: the six agents of the oracle's fixtures at n = 99, 100, 1000 through `asif plan --json`."""
import math

from common import Checks, np, oracle_file, plan, point, source

ACTIONS = ["declare_healthy", "declare_diseased", "monitor"]
fixtures = oracle_file("diag_fixtures.json")
study = source("examples", "diag", "study.yaml")
checks = Checks("DIAG fixtures")

for name, agent in fixtures["agents"].items():
    given = {k: agent[k] for k in ("alpha", "beta", "eta")}
    log_tol = 1e-5 if agent["alpha"] <= 1e-3 else 1e-7
    for n in (99, 100, 1000):
        f, at = agent["n=%d" % n], "%s, n = %d, " % (name, n)
        positives = len(f["belief_after_0_1_2_3_positives"]) - 1
        out = plan(study, given, [[1 - z, z] for z in f["z"]], [("monitor", "positive")] * positives, n)
        checks.true(out["solver"]["nodes"] == n + 1, at + "nodes are %s" % out["solver"]["nodes"])
        seen = [point(e, ACTIONS) for e in out["beliefs"]]
        along = [point(e, ACTIONS) for e in out["history"]]
        checks.true(len(along) == positives + 1, at + "history has %d entries" % len(along))
        for k, event in enumerate(out["history"][1:]):
            checks.true(
                (event["action"], event["observation"]) == ("monitor", "positive"), at + "event %d" % (k + 1)
            )

        def column(points, key):
            return np.array([p[key] for p in points])

        checks.near(at + "V", column(seen, "V"), f["V"], rtol=1e-8, kind="V")
        checks.near(at + "Q", column(seen, "Q"), f["Q"], rtol=1e-8, kind="Q")
        checks.near(at + "pi", column(seen, "pi"), f["pi"], atol=1e-9, kind="pi")
        checks.near(at + "sigma", column(seen, "sigma")[:, 2], f["sigma_continue"], atol=1e-9, kind="sigma")
        checks.near(at + "belief given", column(seen, "belief")[:, 1], f["z"], atol=1e-15)
        checks.near(
            at + "belief along",
            column(along, "belief")[:, 1],
            f["belief_after_0_1_2_3_positives"],
            atol=1e-9,
            kind="belief",
        )
        checks.near(at + "pi along", column(along, "pi"), f["pi_along"], atol=1e-9, kind="pi")
        checks.near(
            at + "sigma along", column(along, "sigma")[:, 2], f["sigma_along"], atol=1e-9, kind="sigma"
        )
        for label, points, want in (("log pi", seen, f["pi"]), ("log pi along", along, f["pi_along"])):
            want = np.array(want)
            checks.near(
                at + label,
                column(points, "lpi"),
                np.log(np.where(want > 0, want, 1)),
                atol=log_tol,
                where=want > 1e-12,
                kind="log pi",
            )
            got = column(points, "pi")
            checks.near(at + label + " against pi", np.exp(column(points, "lpi")), got, atol=1e-11)

# The closed form. Declaring brings a new case at belief .5, which is where monitoring at .5 stays: what
# follows is the same, and only the utilities differ, -1 against (10 - 36)/2, by 24 alpha.
want = math.exp(-24) / (1 + 2 * math.exp(-24))
for n in (99, 100, 1000):
    for beta, eta in ((1000, 0.001), (1.25, 0.001), (-0.75, 0.001), (1000, 75), ("inf", 0), (0.7, -3)):
        p = plan(study, {"alpha": 0.5, "beta": beta, "eta": eta}, [[0.5, 0.5]], resolution=n)
        policy = point(p["beliefs"][0], ACTIONS)["pi"]
        for u in (0, 1):
            checks.near(
                "closed form, beta %s, eta %s, n = %d, %s" % (beta, eta, n, ACTIONS[u]),
                policy[u],
                want,
                rtol=1e-12,
                kind="closed form",
            )
checks.finish()
