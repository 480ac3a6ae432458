"""Occupancy and information costs (Lemma 1) and values of given policies (Proposition 3) on random problems,
seen states among them, against dense linear algebra (reference.py). Needs no oracle."""
from common import Checks, Folder, identity, np, study_text
import generate
from library import Engine, LibraryError, as_dict
from reference import Reference, inverse

checks, folder = Checks("values of policies"), Folder()
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
    identity(checks, at, p.gamma, given, as_dict(costs))

    scale = max(1.0, np.abs(ref.V).max())
    L = engine.look(states, p.U, p.M)
    values, info = engine.policy_values(L["pi"], L["sigma"])
    checks.near(
        at + "values of its own policy are V", values, engine.values(), atol=1e-9 * scale, kind="own policy"
    )
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
        want = ref.policy_values(
            inside[0], inside[1] if w is not None else np.broadcast_to(p.sigma0, inside[1].shape)
        )
        checks.near(
            at + "values of a random policy, " + label,
            values,
            want[order],
            atol=1e-9 * max(1, np.abs(want).max()),
            kind="policy",
        )
        # An agent that seeks utility in the worlds it would choose itself can only lose by another policy.
        if w is not None and inverse(given["alpha"]) >= 0 and inverse(given["beta"]) >= 0 and p.M > 1:
            checks.true(
                (values <= engine.values() + 1e-9 * scale).all(), at + "a random policy beats the optimum"
            )
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
