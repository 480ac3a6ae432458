"""What the oracle does not have, against reference.py: states that are seen, rewards by observation, priors
over observations, and the corners of the limits. Needs no oracle.

ASIF_RANDOM is the number of random problems of each kind (12 unless set).
"""
import os

from common import attempt, Checks, Folder, labels, np, plan, point, Problem, source, study_text
import generate
from library import Engine, have_library
from reference import Reference, Term

checks, folder = Checks("random problems against a plain solver"), Folder()
count = int(os.environ.get("ASIF_RANDOM", "12"))
TOL, GAP = 1e-9, 1e-6


def compare(at, got, want):
    scale = max(1.0, np.abs(want["Q"]).max())
    checks.near(at + "V", got["V"], want["V"], atol=TOL * scale, kind="V")
    checks.near(at + "Q", got["Q"], want["Q"], atol=TOL * scale, kind="Q")
    if want["gap_pi"] > GAP:
        checks.near(at + "pi", got["pi"], want["pi"], atol=1e-8, kind="pi")
        checks.near(at + "log pi", got["lpi"], want["lpi"], atol=1e-7, rtol=1e-7, kind="log pi")
    checks.near(
        at + "sigma",
        got["sigma"],
        want["sigma"],
        atol=1e-8,
        where=(want["gap_sigma"] > GAP)[:, None],
        kind="sigma",
    )


def describe(kind, seed, p, given):
    return "%s, seed %d (%d states, %d actions, %d worlds, %s): " % (
        kind,
        seed,
        p.S,
        p.U,
        p.M,
        ", ".join("%s %s" % kv for kv in given.items()),
    )


# Beliefs, with everything that the oracle lacks.
for seed in range(count):
    for kind, extra in (
        ("rewards by observation", dict(reward=True)),
        ("prior over observations", dict(rho0=True)),
        ("both and belief terms", dict(reward=True, rho0=True)),
    ):
        rng = np.random.default_rng([1, seed, len(kind)])
        p, given = generate.problem(rng, states=(2, 4), **extra), generate.theta(rng)
        n, at = int(rng.integers(3, 7)), describe(kind, seed, p, given)
        ref = Reference(p, n=n, **given)
        beliefs = generate.beliefs(rng, p.S, 4)
        try:
            out = plan(folder.file("reference.yaml", study_text(p, given, n)), None, beliefs)
        except RuntimeError as error:
            checks.fail(at + str(error))
            continue
        room = out["solver"]["bound"] + 1e-13 * max(1.0, np.abs(ref.V).max())
        for i, (z, entry) in enumerate(zip(beliefs, out["beliefs"])):
            checks.near(
                at + "belief %d: V within the bound" % i,
                float(entry["value"]),
                ref.look(z)["V"],
                atol=room,
                kind="bound",
            )
            compare(at + "belief %d: " % i, point(entry, labels("a", p.U)), ref.look(z))

# States that are seen, several worlds, terminal states, a prior over states.
for seed in range(count):
    rng = np.random.default_rng([2, seed])
    p, given = generate.problem(rng, full=True, rho0=rng.random() < 0.5, states=(2, 7)), generate.theta(rng)
    if rng.random() < 0.4:
        p.terminal = (int(rng.integers(p.S)),)
    if rng.random() < 0.3:
        given["act_alpha"] = 0.7
    at = describe("seen states", seed, p, given)
    ref, study = Reference(p, **given), folder.file("seen.yaml", study_text(p, given))
    out = plan(study, None, options=[x for s in range(p.S) for x in ("--belief", "s%d" % s)])
    for s, entry in enumerate(out["beliefs"]):
        checks.true(entry["state"] == "s%d" % s, at + "entry %d is of state %s" % (s, entry["state"]))
        compare(at + "state %d: " % s, point(entry, labels("a", p.U)), ref.look(np.eye(p.S)[s]))
    if not have_library():
        continue
    engine = Engine(study)
    info = engine.solve()
    checks.true(engine.stop(info) == "converged", at + engine.stop(info))
    room = info.bound + 1e-13 * info.scale  # the error bound that is reported holds
    checks.near(at + "values within the bound", engine.values(), ref.V, atol=room, kind="bound")
    order = engine.states()[:, 0].astype(int)
    checks.true(list(order) == list(range(p.S)), at + "nodes are not the states in order")
    L = engine.look(np.arange(p.S, dtype=float)[:, None], p.U, p.M)
    for s in range(p.S):
        compare(at + "in a batch, state %d: " % s, {k: v[s] for k, v in L.items()}, ref.look(np.eye(p.S)[s]))
        checks.near(
            at + "K of state %d" % s,
            L["K"][s],
            ref.look(np.eye(p.S)[s])["K"],
            atol=TOL * info.scale,
            kind="K",
        )
    engine.close()

# Equals share their prior weight at a limit: actions a0 and a1 are the same but in name and for what is within
# rounding, as are worlds 0 and 2. What is more than rounding decides.
rng = np.random.default_rng(3)
tau, omega = generate.rows(rng, (3, 2, 3, 2), 0), generate.rows(rng, (3, 3, 2, 2), 0)
tau[:, :, 1], omega[:, 1] = tau[:, :, 0], omega[:, 0]
tau[2], omega[2] = tau[0], omega[0]
z = np.array([0.3, 0.7])
for alpha, beta in (("0", "0+"), ("0", "0-"), ("0-", "0+"), ("0-", "0-")):
    for more, shared in ((0.0, [0.25, 0.75, 0.0]), (5e-11, [0.25, 0.75, 0.0]), (1e-6, [0.0, 1.0, 0.0])):
        sign = 1.0 if alpha == "0" else -1.0
        v = sign * np.array([[2.0, 2.0 + more, -1.0], [1.0, 1.0 + more, -4.0]])
        p = Problem(tau, omega, v, 0.9, [0.4, 0.6], sigma0=[0.3, 0.5, 0.2], pi0=[0.1, 0.3, 0.6])
        given = {"alpha": alpha, "beta": beta, "eta": 0.3}
        out = plan(folder.file("equals.yaml", study_text(p, given, 8)), None, [z])
        got, want = point(out["beliefs"][0], labels("a", 3)), Reference(p, alpha, beta, 0.3, 8).look(z)
        at = "equals but for %g at alpha %s, beta %s: " % (more, alpha, beta)
        checks.near(at + "V", got["V"], want["V"], rtol=1e-9)
        checks.true(want["pi"][2] == 0, at + "the third action should be the worst")
        checks.near(at + "pi", got["pi"], shared, atol=1e-12)
        for u in range(3):
            expected = [0.6, 0.0, 0.4] if want["sigma"][u, 1] == 0 else [0.0, 1.0, 0.0]
            checks.near(at + "sigma of action %d" % u, got["sigma"][u], expected, atol=1e-12)

# A threshold that nodes meet exactly: > and >= differ there and nowhere else.
for n in (10, 20, 30, 100):
    for sign, state in ((">", None), (">=", None), ("<", 1), ("<=", 1)):
        v = np.array([[1.0, 0.0], [0.0, 1.0]])
        p = Problem(
            np.eye(2)[None, :, None].repeat(2, 2),
            np.array([[[[0.8, 0.2], [0.2, 0.8]]] * 2]),
            v,
            0.9,
            [0.5, 0.5],
            terms=[Term(sign, 0.9, 2.5, None if state is None else 0, state)],
        )
        ref = Reference(p, 0.5, "inf", 0, n) if n <= 30 else None
        beliefs = [[0.1, 0.9], [0.9, 0.1], [0.5, 0.5], [0.0, 1.0], [0.101, 0.899], [0.099, 0.901]]
        out = plan(folder.file("threshold.yaml", study_text(p, {"alpha": 0.5}, n)), None, beliefs)
        for z, entry in zip(beliefs, out["beliefs"]):
            got = point(entry, ["a0", "a1"])
            at = "threshold %s .9 of %s, n = %d, belief %s: " % (
                sign,
                "certainty" if state is None else "s1",
                n,
                z,
            )
            if ref:
                want = ref.look(np.array(z))
                checks.near(at + "Q", got["Q"], want["Q"], atol=1e-9)

# A world that the most optimistic agent trusts alone rules out x1; when x1 is seen, the others divide what it
# held, and the limit is where agents of growing optimism go.
omega = np.array(
    [[[[1.0, 0.0], [1.0, 0.0]]] * 2, [[[0.8, 0.2], [0.3, 0.7]]] * 2, [[[0.6, 0.4], [0.5, 0.5]]] * 2]
)
tau = np.eye(2)[None, :, None].repeat(2, 2).repeat(3, 0)
tau[0, :, :, :] = [1.0, 0.0]
p = Problem(tau, omega, [[5.0, -1.0], [0.0, 4.0]], 0.9, [0.5, 0.5], sigma0=[0.2, 0.5, 0.3])
ends = {}
for beta in ("0+", 1e-3, 1e-2):
    out = plan(
        folder.file("ruled-out.yaml", study_text(p, {"alpha": 0.5, "beta": beta}, 20)),
        None,
        [],
        [("a0", "x1")],
    )
    start, ends[beta] = (point(entry, ["a0", "a1"]) for entry in out["history"])
    checks.near(
        "x1 ruled out, beta %s: weight of the world that rules it out" % beta,
        start["sigma"][0][0],
        1.0,
        atol=1e-12,
    )
L = Reference(p, 0.5, "0+", 0, 20).look(np.array([0.5, 0.5]))
best = 1 + int(L["K"][0, 1] < L["K"][0, 2])
joint = 0.5 * omega[best, 0, :, 1]
for beta, end in ends.items():
    checks.near("x1 ruled out, beta %s: belief" % beta, end["belief"], joint / joint.sum(), atol=1e-9)

# Where no world allows what was seen, there is no belief to go to: bad input, and it says which event.
p.omega[:, :, :, 1], p.omega[:, :, :, 0] = 0.0, 1.0
done = attempt(
    "plan", folder.file("impossible.yaml", study_text(p, {"alpha": 0.5}, 20)), "--history", "a0:x0,a1:x1"
)
checks.true(
    done.returncode == 2 and "x1" in done.stderr and "a1" in done.stderr,
    "an impossible observation: exit %d, %s" % (done.returncode, done.stderr),
)

# Extremes run into their limits without overflow.
diag = source("examples", "diag", "study.yaml")
for extreme, at_limit in (
    (("1e-300", "inf"), ("0", "inf")),
    (("0.5", "1e-300"), ("0.5", "0+")),
    (("-1e-300", "-1e-300"), ("0-", "0-")),
    (("1e300", "-1e300"), ("inf", "inf")),
):
    got, want = (
        plan(diag, {"alpha": alpha, "beta": beta, "eta": 0.5}, [[0.3, 0.7]])["beliefs"][0]
        for alpha, beta in (extreme, at_limit)
    )
    checks.near(
        "alpha %s, beta %s against their limits: V" % extreme,
        float(got["value"]),
        float(want["value"]),
        rtol=1e-9,
    )
    checks.near(
        "alpha %s, beta %s against their limits: pi" % extreme,
        list(got["policy"].values()),
        list(want["policy"].values()),
        atol=1e-12,
    )
checks.finish()
