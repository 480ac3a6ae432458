"""Occupancy and information costs (Lemma 1) of the agents of the fixtures: the identity, the oracle's chain,
and walks."""
from common import Checks, identity, np, oracle, oracle_file, plan, source
from library import Engine, as_dict, have_library
from reference import inverse
from scipy.stats import chi2

brc = oracle()
fixtures = oracle_file("diag_fixtures.json")
checks = Checks("occupancy")
diag = source("examples", "diag", "study.yaml")
problem = brc.diag_problem()


# The identity, by the command, for every agent of the fixtures.
agents = {name: {k: a[k] for k in ("alpha", "beta", "eta")} for name, a in fixtures["agents"].items()}
agents["no limits on anything"] = {"alpha": 0, "beta": "inf", "eta": 0}
agents["prior action, most optimistic"] = {"alpha": "inf", "beta": "0+", "eta": 2}
agents["worst action, most pessimistic"] = {"alpha": "0-", "beta": "0-", "eta": -2}
for name, given in agents.items():
    for n in (99, 100, 1000):
        out = plan(diag, given, [[0.5, 0.5]], resolution=n, options=["--occupancy"])
        c = {k: float(v) for k, v in out["occupancy"].items() if not isinstance(v, (list, dict))}
        at = "%s, n = %d: " % (name, n)
        identity(checks, at, 0.95, given, c)
        if n % 2 == 0:  # .5 is a node
            checks.near(
                at + "value at the start",
                c["value"],
                float(out["beliefs"][0]["value"]),
                atol=1e-9 * max(1, abs(c["value"])),
            )

if not have_library():
    print("no library to load: only the command was tested")
    checks.finish()

# mu itself against (1 - gamma)(I - gamma T')^-1 rho0 with the oracle's T, and against walks along that chain.
for index, (name, given) in enumerate(agents.items()):
    n, start, g = 100, np.array([0.433, 0.567]), problem.gamma
    agent = brc.Plan(problem, n, inverse(given["alpha"]), inverse(given["beta"]), given["eta"]).solve()
    T = agent.T.toarray()
    vertices, weights, _ = agent.lat.locate(start)
    rho0 = np.bincount(vertices, weights, agent.lat.size)
    want = np.linalg.solve(np.eye(len(T)) - g * T.T, (1 - g) * rho0)
    engine = Engine(diag, n)
    engine.solve(**given)
    mu, costs = engine.occupancy(start)
    order = np.round(engine.states()[:, 1] * n).astype(int)  # the oracle's nodes are in order of P(diseased)
    got = np.zeros(len(T))
    got[order] = mu
    at = name + ": "
    c = as_dict(costs)
    checks.near(at + "sum of mu", mu.sum(), 1.0, atol=1e-12)
    checks.true((mu >= 0).all(), at + "mu is negative: %g" % mu.min())
    tied = (
        np.isinf(agent.a)
        and (
            np.sort(np.where(agent.prob.pi0 > 0, agent.Q * np.sign(agent.a), -np.inf), 1)[:, -2:] @ [-1, 1]
            < 1e-6
        ).any()
    )
    worlds_tied = np.isinf(agent.b)  # worlds tie after declaring at .5, and at certainty
    if not tied and not worlds_tied:
        checks.near(at + "mu", got, want, atol=1e-9, kind="mu")
        checks.near(
            at + "expected utility",
            c["utility"],
            want @ (agent.pi * agent.vz).sum(1),
            atol=1e-8,
            kind="utility",
        )
        kl = (agent.pi * np.log(np.where(agent.pi > 0, agent.pi / problem.pi0, 1))).sum(1)
        checks.near(at + "decision cost", c["decision"], want @ kl, atol=1e-9, kind="cost")
        kl = (agent.sigma * np.log(np.where(agent.sigma > 0, agent.sigma / problem.sigma0, 1))).sum(2)
        checks.near(
            at + "specification cost",
            c["specification"],
            want @ (agent.pi * kl).sum(1),
            atol=1e-9,
            kind="cost",
        )
        flow = (agent.pi[..., None] * agent.sigma * -agent.grid[0]).sum((1, 2))
        checks.near(at + "recognition cost", c["recognition"], want @ flow, atol=1e-9, kind="cost")
    identity(checks, at + "through the library: ", g, given, c)
    checks.near(at + "value at the start", c["value"], rho0 @ agent.V, rtol=1e-9, atol=1e-9)

    # A walk ends after each step with probability 1 - gamma: where it ends is distributed as mu.
    rng, walks = np.random.default_rng([77, index]), 20000
    at_node, alive, ends = rng.choice(len(T), walks, p=rho0 / rho0.sum()), np.arange(walks), np.zeros(len(T))
    rows = np.cumsum(T, 1)
    while len(alive):
        stop = rng.random(len(alive)) < 1 - g
        ends += np.bincount(at_node[alive[stop]], minlength=len(T))
        alive = alive[~stop]
        at_node[alive] = (rng.random((len(alive), 1)) * rows[at_node[alive], -1:] > rows[at_node[alive]]).sum(
            1
        )
    big = got * walks >= 10
    seen = np.append(ends[big], ends[~big].sum())
    expected = np.append(got[big], got[~big].sum()) * walks
    keep = expected > 5
    statistic = ((seen - expected)[keep] ** 2 / expected[keep]).sum()
    p = chi2.sf(statistic, max(1, keep.sum() - 1))
    if not tied and not worlds_tied:
        checks.true(
            p > 1e-4,
            at + "walks along the chain: chi-square %.1f on %d, p = %.2g" % (statistic, keep.sum() - 1, p),
        )
    engine.close()

checks.finish()
