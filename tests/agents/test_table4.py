"""The seven agents of the paper's Table 4, as presets, each against a formula or a small solver of its own
that is written from the literature the table cites, with states that are seen and, where the table says
so, with beliefs.

Beliefs enter through problems whose answer is known without a lattice: an agent that acts at random has a
value linear in the belief, and observations that tell the state make every later belief a corner of the
simplex.
"""
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from common import Checks, Folder, np, Problem, study_text  # noqa: E402
from library import Engine  # noqa: E402

checks, folder = Checks("the agents of Table 4"), Folder()
G = 0.9


def world(seed, states=5, actions=3):
    """P(s'|s,u) [S,U,S] with some zeros, and v(s,u)."""
    rng = np.random.default_rng([4, seed])
    P = rng.dirichlet(np.full(states, 0.5), (states, actions))
    P = np.where(P > 0.02, P, 0)
    return P / P.sum(-1, keepdims=True), rng.normal(0, 2, (states, actions))


def solved(preset, P, v, parameters, omega=None, worlds=None, weights=None, states=None, **extra):
    """What asif says of a preset at all states (or at beliefs)."""
    S, U = v.shape
    tau = P[None] if worlds is None else worlds
    p = Problem(
        tau,
        None if omega is None else np.stack([omega] * len(tau)),
        v,
        G,
        np.full(S, 1 / S),
        sigma0=weights,
        **extra
    )
    text = study_text(
        p,
        parameters,
        agent=["preset: " + preset],
        worlds=worlds is not None,
        priors="pi0" in extra,
        resolution=4 if omega is not None else None,
    )
    engine = Engine(folder.file("agent.yaml", text))
    info = engine.solve()
    checks.true(engine.stop(info) == "converged", preset + ": " + engine.stop(info))
    at = np.arange(S, dtype=float)[:, None] if states is None else states
    out = engine.look(at, U, len(tau))
    engine.close()
    return out


def iterate(backup, S):
    V = np.zeros(S)
    for _ in range(3000):
        V, old = backup(V), V
        if np.abs(V - old).max() < 1e-14:
            break
    return V


def expected(P, V):
    return np.einsum("sut,t->su", P, V)


def softmax(x, prior=None):
    e = np.exp(x - x.max(-1, keepdims=True)) * (1 if prior is None else prior)
    return e / e.sum(-1, keepdims=True)


def policy_iteration(P, v):
    """Howard's: evaluate exactly, improve, until nothing changes."""
    S, pick = len(v), np.zeros(len(v), int)
    while True:
        rows = np.arange(S)
        V = np.linalg.solve(np.eye(S) - G * P[rows, pick], v[rows, pick])
        Q = v + G * expected(P, V)
        better = Q.argmax(1)
        if (Q[rows, better] <= Q[rows, pick] + 1e-12).all():
            return V, Q
        pick = better


def telling(S, U):
    """Observations that are the state reached."""
    return np.repeat(np.eye(S)[None], U, 0)


beliefs = np.random.default_rng(6).dirichlet(np.ones(3), 6)
beliefs[0] = [0, 1, 0]
NEAR = dict(atol=1e-9, rtol=1e-9)

for seed in range(3):
    P, v = world(seed)
    P3, v3 = world(seed + 50, states=3)
    S, U = v.shape
    at = "problem %d: " % seed

    # Uniformly random: every action alike; its value is that of the uniform policy, linear in the belief.
    out = solved("uniformly-random", P, v, {})
    V = np.linalg.solve(np.eye(S) - G * P.mean(1), v.mean(1))
    checks.near(at + "uniformly-random, policy", out["pi"], np.full((S, U), 1 / U), atol=1e-12)
    checks.near(at + "uniformly-random, V", out["V"], V, **NEAR)
    omega = np.random.default_rng(seed).dirichlet(np.ones(4), (U, 3))
    out = solved("uniformly-random", P3, v3, {}, omega=omega, states=beliefs)
    V = np.linalg.solve(np.eye(3) - G * P3.mean(1), v3.mean(1))
    checks.near(at + "uniformly-random, beliefs, policy", out["pi"], np.full((6, U), 1 / U), atol=1e-12)
    checks.near(at + "uniformly-random, beliefs, V", out["V"], beliefs @ V, **NEAR)

    # Deterministic, optimal: policy iteration; with beliefs, one step into a world where states are told.
    V, Q = policy_iteration(P, v)
    out = solved("deterministic-optimal", P, v, {})
    checks.near(at + "deterministic-optimal, V", out["V"], V, **NEAR)
    checks.near(at + "deterministic-optimal, Q", out["Q"], Q, **NEAR)
    checks.near(at + "deterministic-optimal, policy", out["pi"], np.eye(U)[Q.argmax(1)], atol=1e-12)
    V3, Q3 = policy_iteration(P3, v3)
    out = solved("deterministic-optimal", P3, v3, {}, omega=telling(3, U), states=beliefs)
    checks.near(at + "deterministic-optimal, beliefs, V", out["V"], (beliefs @ Q3).max(1), **NEAR)
    checks.near(
        at + "deterministic-optimal, beliefs, policy",
        out["pi"],
        np.eye(U)[(beliefs @ Q3).argmax(1)],
        atol=1e-12,
    )

    # Boltzmann-exploratory: softmax on top of optimal values (the table's footnote), not a soft optimum.
    for temperature in (0.5, 3.0):
        out = solved("boltzmann-exploratory", P, v, {"act_alpha": temperature})
        checks.near(at + "boltzmann-exploratory, Q", out["Q"], Q, **NEAR)
        checks.near(at + "boltzmann-exploratory, V", out["V"], V, **NEAR)
        checks.near(at + "boltzmann-exploratory, policy", out["pi"], softmax(Q / temperature), atol=1e-9)
        out = solved(
            "boltzmann-exploratory", P3, v3, {"act_alpha": temperature}, omega=telling(3, U), states=beliefs
        )
        checks.near(
            at + "boltzmann-exploratory, beliefs, policy",
            out["pi"],
            softmax(beliefs @ Q3 / temperature),
            atol=1e-9,
        )

    # Maximum entropy (Haarnoja et al. 2017): V = alpha log sum_u exp(Q/alpha), a bonus of alpha H(pi) each
    # step. Against the uniform prior the bonus is alpha (H - log U): the same policy, V lower by alpha log(U)
    # / (1 - gamma).
    for alpha in (0.3, 3.0):

        def soft(V):
            Q = v + G * expected(P, V)
            top = Q.max(1)
            return top + alpha * np.log(np.exp((Q - top[:, None]) / alpha).sum(1))

        W = iterate(soft, S)
        entropy_policy = softmax((v + G * expected(P, W)) / alpha)
        out = solved("maximum-entropy", P, v, {"alpha": alpha})
        checks.near(at + "maximum-entropy, policy", out["pi"], entropy_policy, atol=1e-9)
        checks.near(at + "maximum-entropy, V", out["V"], W - alpha * np.log(U) / (1 - G), **NEAR)
        # Its objective, evaluated: utility plus alpha (entropy - log U) along the chain of the policy.
        h = -(entropy_policy * np.log(entropy_policy)).sum(1) - np.log(U)
        J = np.linalg.solve(
            np.eye(S) - G * np.einsum("su,sut->st", entropy_policy, P),
            (entropy_policy * v).sum(1) + alpha * h,
        )
        checks.near(at + "maximum-entropy, objective", out["V"], J, **NEAR)

        # KL-regularised (Rubin et al. 2012): the same against any prior, an action of prior 0 left out.
        for prior in (np.array([0.7, 0.2, 0.1]), np.array([0.4, 0.0, 0.6])):

            def regular(V):
                Q = v + G * expected(P, V)
                top = Q.max(1)
                return top + alpha * np.log((prior * np.exp((Q - top[:, None]) / alpha)).sum(1))

            W = iterate(regular, S)
            want = softmax((v + G * expected(P, W)) / alpha, prior)
            out = solved("kl-regularized", P, v, {"alpha": alpha}, pi0=prior)
            checks.near(at + "kl-regularized, policy", out["pi"], want, atol=1e-9)
            checks.near(at + "kl-regularized, V", out["V"], W, **NEAR)
            with np.errstate(divide="ignore", invalid="ignore"):
                kl = np.where(want > 0, want * np.log(want / prior), 0).sum(1)
            J = np.linalg.solve(
                np.eye(S) - G * np.einsum("su,sut->st", want, P), (want * v).sum(1) - alpha * kl
            )
            checks.near(at + "kl-regularized, objective", out["V"], J, **NEAR)

    # Minimum information (Tishby and Polani 2011): a nat of decision and a nat of what the world answers cost
    # 1 each, log pi/pi0 + log p(s'|s,u)/rho0(s') each step.
    for rho0 in (None, np.random.default_rng(seed).dirichlet(np.full(S, 3.0))):
        for prior in (np.full(U, 1 / U), np.array([0.7, 0.2, 0.1])):
            with np.errstate(divide="ignore", invalid="ignore"):
                answer = np.where(P > 0, P * np.log(P / (1 if rho0 is None else rho0)), 0).sum(-1)

            def least(V):
                return np.log((prior * np.exp(v - answer + G * expected(P, V))).sum(1))

            W = iterate(least, S)
            want = softmax(v - answer + G * expected(P, W), prior)
            out = solved("minimum-information", P, v, {}, pi0=prior, rho0=rho0)
            name = at + "minimum-information, %s prior over states" % ("flat" if rho0 is None else "given")
            checks.near(name + ", policy", out["pi"], want, atol=1e-9)
            checks.near(name + ", V", out["V"], W, **NEAR)
            kl = (want * np.log(want / prior)).sum(1) + (want * answer).sum(1)
            J = np.linalg.solve(np.eye(S) - G * np.einsum("su,sut->st", want, P), (want * v).sum(1) - kl)
            checks.near(name + ", objective", out["V"], J, **NEAR)

    # KL-penalised robust (Petersen et al. 2000, Osogami 2012): nature picks the weights of two candidate
    # worlds against the agent and pays |beta| KL. The weight solves K0 - K1 + |beta| (logit w - logit w0) =
    # 0, found by bisection.
    other, _ = world(seed + 100)
    both, w0 = np.stack([P, other]), 0.35
    for beta in (-0.2, -5.0):

        def nature(V):
            K = np.stack([G * expected(Q, V) for Q in both])
            low, high = np.zeros((S, U)), np.ones((S, U))
            for _ in range(60):
                w = (low + high) / 2
                with np.errstate(divide="ignore"):
                    up = K[0] - K[1] - beta * (np.log(w / (1 - w)) - np.log(w0 / (1 - w0))) > 0
                high, low = np.where(up, w, high), np.where(up, low, w)
            tiny = 1e-300
            kl = w * np.log(np.maximum(w, tiny) / w0) + (1 - w) * np.log(np.maximum(1 - w, tiny) / (1 - w0))
            return w, v + w * K[0] + (1 - w) * K[1] - beta * kl

        W = np.zeros(S)
        for _ in range(400):
            w, Q = nature(W)
            W, old = Q.max(1), W
            if np.abs(W - old).max() < 1e-13:
                break
        out = solved("kl-penalized-robust", P, v, {"beta": beta}, worlds=both, weights=[w0, 1 - w0])
        name = at + "kl-penalized-robust, beta %g, " % beta
        checks.near(name + "V", out["V"], W, atol=1e-8)
        checks.near(name + "Q", out["Q"], Q, atol=1e-8)
        checks.near(name + "policy", out["pi"], np.eye(U)[Q.argmax(1)], atol=1e-12)
        checks.near(name + "weights of the worlds", out["sigma"], np.stack([w, 1 - w], -1), atol=1e-8)

# Where softmax on optimal values and the soft optimum part: waiting leads to a choice of one good action
# among bad ones, which the soft agent expects to spoil and the exploratory one does not.
P = np.zeros((3, 2, 3))
P[0, 0, 1], P[0, 1, 2], P[1, :, 0], P[2, :, 0] = 1, 1, 1, 1
v = np.array([[0.0, 0.0], [4.0, -6.0], [1.6, 1.6]])
V, Q = policy_iteration(P, v)
exploratory = solved("boltzmann-exploratory", P, v, {"act_alpha": 4.0})["pi"]
soft = solved("maximum-entropy", P, v, {"alpha": 4.0})["pi"]


def soft_values(V):
    return 4 * np.log(np.exp((v + G * expected(P, V)) / 4).sum(1))


own_soft = softmax((v + G * expected(P, iterate(soft_values, 3))) / 4)
checks.near("a choice to come: exploratory", exploratory, softmax(Q / 4), atol=1e-9)
checks.near("a choice to come: soft", soft, own_soft, atol=1e-9)
far = np.abs(softmax(Q / 4) - own_soft).max()
checks.true(far > 0.05, "the two differ by %.3f only" % far)
checks.true(
    np.abs(exploratory - soft).max() > 0.05,
    "asif's two differ by %.3f only" % np.abs(exploratory - soft).max(),
)
print("softmax on optimal values and the soft optimum differ by %.2f" % far)
checks.finish()
