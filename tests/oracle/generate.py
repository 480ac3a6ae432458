"""Random decision problems, with the corners that go wrong: zeros, impossible observations, limits, belief
terms."""
import numpy as np

from reference import Problem, Term


def rows(rng, shape, zeros):
    """Random distributions over the last axis, some of their entries 0."""
    p = rng.dirichlet(np.full(shape[-1], rng.choice([0.4, 1.0, 3.0])), shape[:-1])
    keep = rng.random(p.shape) >= zeros
    best = p == p.max(-1, keepdims=True)
    p = np.where(keep | best, np.maximum(p, 1e-3), 0.0)
    return p / p.sum(-1, keepdims=True)


def problem(rng, terms=True, reward=False, rho0=False, full=False, states=(2, 5)):
    S, U = int(rng.integers(states[0], states[1] + 1)), int(rng.integers(2, 5))
    X, M = int(rng.integers(2, 7)), int(rng.integers(1, 5))
    zeros = rng.choice([0.0, 0.3, 0.6])
    tau = rows(rng, (M, S, U, S), zeros)
    if rng.random() < 0.3:
        tau[:, :, 0] = np.eye(S)
    omega = None
    if not full:
        omega = rows(rng, (M, U, S, X), zeros)
        if rng.random() < 0.5:  # the same test, whatever was done
            omega[:] = omega[:, :1]
        if M > 1 and rng.random() < 0.5:  # an observation that some worlds rule out
            x, out = int(rng.integers(X)), rng.random(M) < 0.5
            out[int(rng.integers(M))] = False
            for m in np.flatnonzero(out):
                omega[m, ..., x] = 0.0
                omega[m] += 1e-3 * (np.arange(X) != x) * (omega[m].sum(-1, keepdims=True) == 0)
                omega[m] /= omega[m].sum(-1, keepdims=True)
    if rng.random() < 0.3:  # an action that forgets where it came from, in some worlds
        for m in np.flatnonzero(rng.random(M) < 0.7):
            tau[m, :, -1] = tau[m, 0, -1]
    if M > 1 and rng.random() < 0.3:  # worlds that agree on an action
        tau[1, :, 0] = tau[0, :, 0]
        if not full:
            omega[1, 0] = omega[0, 0]
    v = rng.normal(0, rng.choice([1.0, 10.0]), (S, U))
    pi0 = rng.dirichlet(np.full(U, 2.0)) if rng.random() < 0.5 else np.full(U, 1 / U)
    if U > 2 and rng.random() < 0.4:
        pi0[int(rng.integers(U))] = 0.0
        pi0 /= pi0.sum()
    sigma0 = rng.dirichlet(np.full(M, 3.0)) if rng.random() < 0.5 else np.full(M, 1 / M)
    z0 = rng.dirichlet(np.ones(S))
    if rng.random() < 0.3:
        z0[int(rng.integers(S))] = 0.0
        z0 /= z0.sum()
    chosen = []
    if terms and not full and rng.random() < 0.35:
        for _ in range(int(rng.integers(1, 3))):
            chosen.append(
                Term(
                    str(rng.choice([">", ">=", "<", "<="])),
                    float(rng.choice([0.9, 0.83, 0.5, 0.6])),
                    float(rng.normal(0, 3)),
                    None if rng.random() < 0.5 else int(rng.integers(U)),
                    None if rng.random() < 0.6 else int(rng.integers(S)),
                )
            )
    seen = X if not full else S
    return Problem(
        tau,
        omega,
        v,
        float(rng.choice([0.5, 0.9, 0.95])),
        z0,
        sigma0,
        pi0,
        reward=rng.normal(0, 5, (U, X)) if reward else None,
        rho0=rng.dirichlet(np.full(seen, 3.0)) if rho0 else None,
        terms=chosen,
        env_tau=rows(rng, (S, U, S), zeros),
        env_omega=None if full else rows(rng, (U, S, X), zeros),
        env_start=rng.dirichlet(np.ones(S)) if rng.random() < 0.5 else None,
    )


def split(rng, p):
    """The same problem with some observations split into several that mean the same, by shares that differ between worlds, actions and
    the environment; and for each of the new observations the old one."""
    parts = rng.integers(1, 4, p.X)
    parts[int(rng.integers(p.X))] = 2
    old = rng.permutation(np.repeat(np.arange(p.X), parts))

    def shares(shape):
        w = rng.uniform(0.1, 1.0, shape + (len(old),))
        return w / (w @ (old[:, None] == np.arange(p.X)))[..., old]

    return (
        Problem(
            p.tau,
            p.omega[..., old] * shares((p.M, p.U))[:, :, None],
            p.v,
            p.gamma,
            p.z0,
            p.sigma0,
            p.pi0,
            reward=None if p.reward is None else p.reward[:, old],
            rho0=None if p.rho0 is None else p.rho0[old] * shares(()),
            terms=p.terms,
            env_tau=p.env_tau,
            env_omega=p.env_omega[..., old] * shares((p.U,))[:, None],
            env_start=p.env_start,
        ),
        old,
    )


def theta(rng, limits=True):
    """alpha, beta, eta as a study writes them."""

    def scale():
        return float(np.exp(rng.uniform(np.log(0.05), np.log(20.0))))

    alpha, beta = scale(), scale()
    if rng.random() < 0.2:
        alpha = -alpha
    if rng.random() < 0.5:
        beta = -beta
    eta = 0.0 if rng.random() < 0.3 else float(rng.normal(0, rng.choice([0.5, 5.0])))
    if limits and rng.random() < 0.3:
        alpha = str(rng.choice(["0", "0-", "inf"]))
    if limits and rng.random() < 0.4:
        beta = str(rng.choice(["inf", "0+", "0-"]))
    return {"alpha": alpha, "beta": beta, "eta": eta}


def resolution(rng, states):
    return int(rng.integers(3, {2: 13, 3: 11, 4: 7, 5: 6}[states]))


def beliefs(rng, states, count):
    out = [np.eye(states)[int(rng.integers(states))], rng.dirichlet(np.full(states, 0.3))]
    edge = rng.dirichlet(np.ones(states))
    edge[int(rng.integers(states))] = 0.0
    out.append(edge / edge.sum())
    while len(out) < count:
        out.append(rng.dirichlet(np.ones(states)))
    return [z / z.sum() for z in out]
