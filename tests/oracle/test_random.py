"""Random problems and agents through `asif plan --json` against the oracle: at random beliefs and along
histories.

ASIF_RANDOM is the number of problems (60 unless set), ASIF_RANDOM_FIRST the first seed.
"""
import os

from common import Checks, Folder, labels, np, oracle, plan, point, study_text
import generate
from reference import gap, inverse

brc = oracle()
checks, folder = Checks("random problems against the oracle"), Folder()
count, first = int(os.environ.get("ASIF_RANDOM", "60")), int(os.environ.get("ASIF_RANDOM_FIRST", "0"))
TOL, GAP = 1e-7, 1e-6


def compare(at, got, L, i, agent):
    """An entry of the command against row i of the oracle's lookahead."""
    pr = agent.prob
    scale = max(1.0, abs(L["V"][i]))
    checks.near(at + "V", got["V"], L["V"][i], atol=TOL * scale, kind="V")
    checks.near(at + "Q", got["Q"], L["Q"][i], atol=TOL * max(scale, np.abs(L["Q"][i]).max()), kind="Q")
    if gap(agent.a, L["Q"][i], pr.pi0) > GAP:
        checks.near(at + "pi", got["pi"], L["pi"][i], atol=TOL, kind="pi")
        checks.near(at + "log pi", got["lpi"], L["lpi"][i], atol=TOL, rtol=TOL, kind="log pi")
    clear = gap(agent.b, L["K"][i], pr.sigma0) > GAP
    checks.near(at + "sigma", got["sigma"], L["sigma"][i], atol=TOL, where=clear[:, None], kind="sigma")
    checks.near(at + "sum of pi", got["pi"].sum(), 1.0, atol=1e-12)
    checks.near(at + "sums of sigma", got["sigma"].sum(-1), np.ones(pr.U), atol=1e-12)


def history(rng, agent, classes, length):
    """Events that the agent thinks possible, with its beliefs; ends where near-equal worlds would decide. The oracle knows the first of
    a class of observations alone: any other of it may stand for it."""
    pr, z, events, path = agent.prob, agent.prob.z0, [], [agent.prob.z0]
    for _ in range(length):
        u = int(rng.integers(pr.U))
        L = agent.look(z[None])
        if not gap(agent.b, L["K"][0], pr.sigma0)[u] > GAP:
            break
        chance = (L["sigma"][0, u][:, None] * L["p"][0, u]).sum(0)
        x = int(rng.choice(pr.X, p=np.where(chance > 1e-6, chance, 0) / chance[chance > 1e-6].sum()))
        z = agent.step(z[None], np.array([u]), np.array([x]))[0]
        events.append((u, int(rng.choice(np.flatnonzero(np.array(classes[u]) == x)))))
        path.append(z)
    return events, np.array(path)


skipped_worlds = merged = 0
for seed in range(first, first + count):
    rng = np.random.default_rng([20210718, seed])
    p, given = generate.problem(rng), generate.theta(rng)
    n = generate.resolution(rng, p.S)
    at = "seed %d (%d states, %d actions, %d observations, %d worlds, n = %d, %s): " % (
        seed,
        p.S,
        p.U,
        p.X,
        p.M,
        n,
        ", ".join("%s %s" % kv for kv in given.items()),
    )
    agent = brc.Plan(p.oracle(brc), n, inverse(given["alpha"]), inverse(given["beta"]), given["eta"]).solve()
    scale = max(1.0, np.abs(agent.V).max())
    if agent.residuals[-1] > 1e-11 * scale:  # a cycle among equals: the slow way
        agent.solve("vi", tol=1e-12 * scale)
    checks.true(agent.residuals[-1] <= 1e-11 * scale, at + "the oracle did not converge")

    beliefs = generate.beliefs(rng, p.S, 6)
    beliefs = [
        z
        for z in beliefs
        if all(abs((z.max() if t.state is None else z[t.state]) - t.threshold) > 1e-9 for t in p.terms)
    ]
    beliefs.append(agent.lat.z[int(rng.integers(agent.lat.size))])  # a node, thresholds met exactly
    classes = [p.classes(u) for u in range(p.U)]
    merged += given["eta"] != 0 and any(len(set(c)) < p.X for c in classes)
    events, path = history(rng, agent, classes, int(rng.integers(0, 6)))
    skipped_worlds += sum(
        bool((agent.look(path[i : i + 1])["p"][0, u, :, classes[u][x]] == 0).any())
        for i, (u, x) in enumerate(events)
    )
    study = folder.file("random.yaml", study_text(p, given, n))
    try:
        out = plan(study, None, beliefs, [("a%d" % u, "x%d" % x) for u, x in events])
    except RuntimeError as error:
        checks.fail(at + str(error))
        continue
    actions = labels("a", p.U)
    checks.true(out["solver"]["nodes"] == agent.lat.size, at + "%s nodes" % out["solver"]["nodes"])
    L = agent.look(np.array(beliefs))
    for i, entry in enumerate(out["beliefs"]):
        compare(at + "belief %d: " % i, point(entry, actions), L, i, agent)
    if events:
        L = agent.look(path)
        if checks.true(len(out["history"]) == len(path), at + "%d entries of history" % len(out["history"])):
            for i, entry in enumerate(out["history"]):
                got = point(entry, actions)
                checks.near(
                    at + "belief after %s" % events[:i], got["belief"], path[i], atol=TOL, kind="belief"
                )
                if all(
                    abs((path[i].max() if t.state is None else path[i][t.state]) - t.threshold) > 1e-6
                    for t in p.terms
                ):
                    compare(at + "after %s: " % events[:i], got, L, i, agent)
print("%d problems, %d where observations count as one; %d events that some world rules out" % (count, merged, skipped_worlds))
checks.true(count < 60 or merged > 0, "no observations counted as one: the test has lost a case")
checks.true(
    count < 60 or skipped_worlds > 0, "no event was impossible in some world: the test has lost a case"
)
checks.finish()
