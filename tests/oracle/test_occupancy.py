"""Occupancy and information costs (Lemma 1), and values of given policies (Proposition 3)."""
import numpy as np
from scipy.stats import chi2

import generate
from common import (Checks, Engine, Folder, LibraryError, have_library, oracle, oracle_file, plan, source,
                    study_text)
from reference import Reference, inverse, limit

brc = oracle()
fixtures = oracle_file("diag_fixtures.json")
checks, folder = Checks("occupancy"), Folder()
diag = source("examples", "diag", "study.yaml")
problem = brc.diag_problem()


def identity(at, gamma, given, c):
    """(1 - gamma) V = utility - alpha I_pi - beta I_sigma - eta I_rho; a coefficient that is infinite meets a cost of 0."""
    alpha, beta = limit(inverse(given["alpha"])), limit(inverse(given["beta"]))
    cost = float(given["eta"]) * c["recognition"]
    for name, coefficient in (("decision", alpha), ("specification", beta)):
        if np.isinf(coefficient):
            checks.near(at + name + " cost of what follows its prior", c[name], 0.0, atol=1e-12)
        else:
            cost += coefficient * c[name]
        checks.true(c[name] >= -1e-15, at + "%s cost is %g" % (name, c[name]))
    checks.near(at + "(1 - discount) V", (1 - gamma) * c["value"], c["utility"] - cost,
                atol=1e-9 * max(1.0, abs(c["value"])), kind="identity")


def as_dict(costs):
    return {name: getattr(costs, name) for name, _ in costs._fields_}


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
        identity(at, 0.95, given, c)
        if n % 2 == 0:                                              # .5 is a node
            checks.near(at + "value at the start", c["value"], float(out["beliefs"][0]["value"]),
                        atol=1e-9 * max(1, abs(c["value"])))

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
    order = np.round(engine.states()[:, 1] * n).astype(int)         # the oracle's nodes are in order of P(diseased)
    got = np.zeros(len(T))
    got[order] = mu
    at = name + ": "
    c = as_dict(costs)
    checks.near(at + "sum of mu", mu.sum(), 1.0, atol=1e-12)
    checks.true((mu >= 0).all(), at + "mu is negative: %g" % mu.min())
    tied = np.isinf(agent.a) and (np.sort(np.where(agent.prob.pi0 > 0, agent.Q * np.sign(agent.a), -np.inf), 1)[:, -2:] @ [-1, 1]
                                  < 1e-6).any()
    worlds_tied = np.isinf(agent.b)                                 # worlds tie after declaring at .5, and at certainty
    if not tied and not worlds_tied:
        checks.near(at + "mu", got, want, atol=1e-9, kind="mu")
        checks.near(at + "expected utility", c["utility"], want @ (agent.pi * agent.vz).sum(1), atol=1e-8, kind="utility")
        kl = (agent.pi * np.log(np.where(agent.pi > 0, agent.pi / problem.pi0, 1))).sum(1)
        checks.near(at + "decision cost", c["decision"], want @ kl, atol=1e-9, kind="cost")
        kl = (agent.sigma * np.log(np.where(agent.sigma > 0, agent.sigma / problem.sigma0, 1))).sum(2)
        checks.near(at + "specification cost", c["specification"], want @ (agent.pi * kl).sum(1), atol=1e-9, kind="cost")
        flow = (agent.pi[..., None] * agent.sigma * -agent.grid[0]).sum((1, 2))
        checks.near(at + "recognition cost", c["recognition"], want @ flow, atol=1e-9, kind="cost")
    identity(at + "through the library: ", g, given, c)
    checks.near(at + "value at the start", c["value"], rho0 @ agent.V, rtol=1e-9, atol=1e-9)

    # A walk ends after each step with probability 1 - gamma: where it ends is distributed as mu.
    rng, walks = np.random.default_rng([77, index]), 20000
    at_node, alive, ends = rng.choice(len(T), walks, p=rho0 / rho0.sum()), np.arange(walks), np.zeros(len(T))
    rows = np.cumsum(T, 1)
    while len(alive):
        stop = rng.random(len(alive)) < 1 - g
        ends += np.bincount(at_node[alive[stop]], minlength=len(T))
        alive = alive[~stop]
        at_node[alive] = (rng.random((len(alive), 1)) * rows[at_node[alive], -1:] > rows[at_node[alive]]).sum(1)
    big = got * walks >= 10
    seen = np.append(ends[big], ends[~big].sum())
    expected = np.append(got[big], got[~big].sum()) * walks
    keep = expected > 5
    statistic = ((seen - expected)[keep] ** 2 / expected[keep]).sum()
    p = chi2.sf(statistic, max(1, keep.sum() - 1))
    if not tied and not worlds_tied:
        checks.true(p > 1e-4, at + "walks along the chain: chi-square %.1f on %d, p = %.2g" % (statistic, keep.sum() - 1, p))
    engine.close()

# Random problems, seen states among them: mu, costs and Proposition 3 against reference.py.
for seed in range(14):
    rng = np.random.default_rng([8, seed])
    full = seed % 3 == 2
    p = generate.problem(rng, full=full, reward=not full and seed % 2 == 0, rho0=seed % 4 == 1, states=(2, 4))
    p.env_start = p.z0
    given, n = generate.theta(rng, limits=seed > 6), 0 if full else int(rng.integers(3, 7))
    at = "random problem %d (%s): " % (seed, ", ".join("%s %s" % kv for kv in given.items()))
    ref = Reference(p, n=n, **given)
    engine = Engine(folder.file("occupancy.yaml", study_text(p, given)), n or None)
    engine.solve()
    states = engine.states()
    if full:
        order, start = states[:, 0].astype(int), np.array([1.0])
        rho0 = np.eye(p.S)[1]
    else:
        order = np.array([ref.index[tuple(np.round(z * n).astype(int))] for z in states])
        start, rho0 = p.z0, ref.weights(p.z0)
    clear = (ref.at_nodes["gap_pi"] > 1e-6).all() and (ref.at_nodes["gap_sigma"] > 1e-6).all()
    mu, costs = engine.occupancy(start)
    want, averages, T = ref.occupancy(rho0)
    if clear:
        checks.near(at + "mu", mu, want[order], atol=1e-9, kind="mu")
        for name, value in averages.items():
            checks.near(at + name, getattr(costs, name), value, atol=1e-8 * max(1, abs(value)), kind="cost")
    identity(at, p.gamma, given, as_dict(costs))

    scale = max(1.0, np.abs(ref.V).max())
    L = engine.look(states, p.U, p.M)
    values, info = engine.policy_values(L["pi"], L["sigma"])
    checks.near(at + "values of its own policy are V", values, engine.values(), atol=1e-9 * scale, kind="own policy")
    policy = rng.dirichlet(np.ones(p.U), len(states)) * (p.pi0 > 0)
    policy /= policy.sum(1, keepdims=True)
    if given["alpha"] == "inf":
        policy[:] = p.pi0
    worlds = rng.dirichlet(np.ones(p.M), (len(states), p.U)) if p.M > 1 else np.ones((len(states), p.U, 1))
    if given["beta"] == "inf":
        worlds = np.broadcast_to(p.sigma0, worlds.shape)
    inside = np.zeros_like(policy), np.zeros_like(worlds)
    inside[0][order], inside[1][order] = policy, worlds
    for label, w in (("random worlds", worlds), ("prior worlds", None)):
        values, info = engine.policy_values(policy, w)
        want = ref.policy_values(inside[0], inside[1] if w is not None else np.broadcast_to(p.sigma0, inside[1].shape))
        checks.near(at + "values of a random policy, " + label, values, want[order], atol=1e-9 * max(1, np.abs(want).max()),
                    kind="policy")
        # An agent that seeks utility in the worlds it would choose itself can only lose by another policy.
        if w is not None and inverse(given["alpha"]) >= 0 and inverse(given["beta"]) >= 0 and p.M > 1:
            checks.true((values <= engine.values() + 1e-9 * scale).all(), at + "a random policy beats the optimum")
    outside = np.flatnonzero(p.pi0 == 0)
    if len(outside) and given["alpha"] not in ("0", "0-"):
        policy = np.zeros_like(policy)
        policy[:, outside[0]] = 1.0
        try:
            engine.policy_values(policy)
            checks.fail(at + "an action outside its prior costs infinitely much, and was accepted")
        except LibraryError as error:
            checks.true(error.status == -2, at + "outside the prior: " + str(error))
    engine.close()
checks.finish()
