"""A slow and plain solver of the boundedly rational agent, written from the paper's equations alone
(Theorems 4-5, Proposition 3, Lemma 1): loops, dense matrices, value iteration. It shares nothing with the
engine, nor with the oracle.

    V(z)     = CE(a; Q(z,.), pi0)
    Q(z,u)   = v(z,u) + CE(b; K(z,u,.), sigma0)
    K(z,u,m) = sum_x P_m(x|z,u) [ r(u,x) + gamma V(z'_{m,x}) ] - eta sum_C P_m(C|z,u) log( P_m(C|z,u) / rho0(C) )

C are the classes of observations that lead to the same beliefs, whatever the belief was and in every world.
"""
import numpy as np
from scipy.special import logsumexp


def inverse(text):
    """1/alpha or 1/beta of a value as a study writes it: 0 and 0+ are +inf, 0- is -inf, inf is 0."""
    text = str(text)
    if text in ("0", "0+", "0.0"):
        return np.inf
    if text in ("0-", "-0", "-0.0"):
        return -np.inf
    return 1.0 / float(text)


class Term:
    """Utility added where the belief passes a test: of its largest probability, or of one state's."""

    def __init__(self, sign, threshold, add, action=None, state=None):
        self.sign, self.threshold, self.add, self.action, self.state = sign, threshold, add, action, state

    def holds(self, z):
        x = z.max(-1) if self.state is None else z[..., self.state]
        return {">": np.greater, ">=": np.greater_equal, "<": np.less, "<=": np.less_equal}[self.sign](
            x, self.threshold
        )

    def value(self, z, actions):
        out = np.zeros(z.shape[:-1] + (actions,))
        out[..., slice(None) if self.action is None else self.action] = self.add
        return out * self.holds(z)[..., None]


class Problem:
    """tau [M,S,U,S]; omega [M,U,S,X], None where the state is seen; v [S,U]; reward [U,X]. The environment is
    the first world unless it is given."""

    def __init__(
        self,
        tau,
        omega,
        v,
        gamma,
        z0,
        sigma0=None,
        pi0=None,
        reward=None,
        rho0=None,
        terms=(),
        ends=(),
        terminal=(),
        env_tau=None,
        env_omega=None,
        env_start=None,
    ):
        self.tau, self.omega = np.asarray(tau, float), None if omega is None else np.asarray(omega, float)
        self.M, self.S, self.U, _ = self.tau.shape
        self.X = 0 if omega is None else self.omega.shape[-1]
        self.v, self.gamma, self.z0 = np.asarray(v, float), gamma, np.asarray(z0, float)
        self.sigma0 = np.full(self.M, 1 / self.M) if sigma0 is None else np.asarray(sigma0, float)
        self.pi0 = np.full(self.U, 1 / self.U) if pi0 is None else np.asarray(pi0, float)
        self.reward, self.rho0, self.terms = reward, rho0, tuple(terms)
        self.ends, self.terminal = tuple(ends), tuple(terminal)
        self.env_tau = self.tau[0] if env_tau is None else np.asarray(env_tau, float)
        self.env_omega = env_omega if env_omega is not None else (None if omega is None else self.omega[0])
        self.env_start = self.z0 if env_start is None else np.asarray(env_start, float)

    def classes(self, u):
        """For each observation the first that leads to the same beliefs: after `u`, the posterior of each state
        that it can lead to, if all were equally likely before, is the same in every world."""
        key = []
        for m in np.flatnonzero(self.sigma0 > 0):
            column = self.omega[m, u] * (self.tau[m, :, u] > 0).any(0)[:, None]
            total = column.sum(0)
            key.append(np.where(total > 0, column / np.where(total > 0, total, 1.0), -1.0))
        key = np.concatenate(key)
        return [
            next(y for y in range(self.X) if np.allclose(key[:, x], key[:, y], rtol=1e-11, atol=0.0))
            for x in range(self.X)
        ]

    def utility(self, z):
        return z @ self.v + sum(t.value(z, self.U) for t in self.terms)

    def oracle(self, brc):
        """The same problem for the oracle, which knows neither rewards by observation nor rho0, and counts surprise by
        observation: observations of a class are the first of it there."""
        assert self.reward is None and self.rho0 is None and not self.terminal
        v, omega = self.utility if self.terms else self.v, np.zeros_like(self.omega)
        for u in range(self.U):
            for x, first in enumerate(self.classes(u)):
                omega[:, u, :, first] += self.omega[:, u, :, x]
        return brc.Problem(self.tau, omega, v, self.gamma, self.z0, self.sigma0, self.pi0)


def ce(b, y, w):
    if np.isinf(b):
        return np.where(w > 0, y, -b).max(-1) if b > 0 else np.where(w > 0, y, -b).min(-1)
    if b == 0:
        return (w * y).sum(-1)
    mean = (w * y).sum(-1, keepdims=True)
    return mean[..., 0] + logsumexp(b * (y - mean), axis=-1, b=np.broadcast_to(w, y.shape)) / b


def tilt(b, y, w):
    if np.isinf(b):
        best = ce(b, y, w)[..., None]
        p = w * (np.abs(y - best) <= 1e-10 * np.maximum(1, np.abs(best)))
    else:
        e = np.where(w > 0, b * y, -np.inf)
        p = w * np.exp(e - e.max(-1, keepdims=True))
    return p / p.sum(-1, keepdims=True)


def gap(b, y, w):
    """Distance of the best from the second best; infinite where b is finite or nothing competes."""
    if not np.isinf(b):
        return np.full(y.shape[:-1], np.inf)
    ordered = np.sort(np.where(w > 0, y if b > 0 else -y, -np.inf), -1)
    return ordered[..., -1] - ordered[..., -2] if y.shape[-1] > 1 else np.full(y.shape[:-1], np.inf)


def compositions(total, parts):
    if parts == 1:
        yield (total,)
        return
    for k in range(total + 1):
        for rest in compositions(total - k, parts - 1):
            yield (k,) + rest


class Reference:
    """The fixed point on the lattice of the belief simplex, or on the states where they are seen."""

    def __init__(self, p, alpha, beta, eta, n=0, act_alpha=None):
        self.p, self.n, self.eta = p, n, float(eta)
        self.a, self.b = inverse(alpha), inverse(beta)
        self.act = self.a if act_alpha is None else inverse(act_alpha)
        if p.X:
            self.counts = list(compositions(n, p.S))
            self.index = {k: i for i, k in enumerate(self.counts)}
            self.nodes = np.array(self.counts) / n
        else:
            self.nodes = np.eye(p.S)
        self.first = [p.classes(u) for u in range(p.U)] if p.X else None
        N, U, M = len(self.nodes), p.U, p.M
        self.W, self.here = np.zeros((N, U, M, N)), np.zeros((N, U, M))
        self.info = np.zeros((N, U, M))
        for i, z in enumerate(self.nodes):
            for u in range(U):
                for m in range(M):
                    self.W[i, u, m], self.here[i, u, m], self.info[i, u, m] = self.successors(z, u, m)
        self.vz = p.utility(self.nodes)
        self.solve()

    def weights(self, z):
        """Interpolation weights of the nodes at a belief, Freudenthal's triangulation."""
        S, n = self.p.S, self.n
        x = [n * sum(z[i:]) for i in range(1, S)]
        base = [min(int(np.floor(t + 1e-12)), n) for t in x]
        part = [max(t - f, 0.0) for t, f in zip(x, base)]
        order = sorted(range(S - 1), key=lambda i: -part[i])
        out, left, vertex = np.zeros(len(self.nodes)), 1.0, list(base)
        for step in [None] + order:
            if step is not None:
                left = part[step]
                vertex[step] += 1
            later = (
                [part[i] for i in order[order.index(step) + 1 :]]
                if step is not None
                else [part[i] for i in order]
            )
            weight = left - (later[0] if later else 0.0)
            full = [n] + vertex + [0]
            k = tuple(full[i] - full[i + 1] for i in range(S))
            if k in self.index:
                out[self.index[k]] += weight
            else:
                assert abs(weight) < 1e-9, (z, k, weight)
        return out

    def branches(self, z, u, m):
        """(observation, probability, posterior) of what may follow."""
        p = self.p
        ahead = z @ p.tau[m, :, u]
        for x in range(p.X):
            joint = ahead * p.omega[m, u, :, x]
            total = joint.sum()
            if total > 0:
                yield x, total, joint / total

    def successors(self, z, u, m):
        p, reward = self.p, 0.0
        if not p.X:
            s = int(np.argmax(z))
            if s in p.terminal:
                return np.zeros(p.S), 0.0, 0.0
            row = p.tau[m, s, u]
            seen = row > 0
            prior = np.ones(p.S) if p.rho0 is None else p.rho0
            return row, 0.0, (row[seen] * np.log(row[seen] / prior[seen])).sum()
        out, first = np.zeros(len(self.nodes)), self.first[u]
        chance, prior = np.zeros(p.X), np.zeros(p.X)
        for x, total, posterior in self.branches(z, u, m):
            out += total * self.weights(posterior)
            reward += total * (0.0 if p.reward is None else p.reward[u, x])
            chance[first[x]] += total
        for x in range(p.X):
            prior[first[x]] += (first[x] == x) if p.rho0 is None else p.rho0[x]
        seen = chance > 0
        return out, reward, (chance[seen] * np.log(chance[seen] / prior[seen])).sum()

    def finish(self, K, v):
        p = self.p
        Q = v + ce(self.b, K, p.sigma0)
        V = ce(self.a, Q, p.pi0)
        pi = tilt(self.act, Q, p.pi0)
        with np.errstate(divide="ignore"):
            lpi = (
                np.log(pi)
                if np.isinf(self.act)
                else np.log(p.pi0) + self.act * (Q - ce(self.act, Q, p.pi0)[..., None])
            )
        return {
            "V": V,
            "Q": Q,
            "K": K,
            "pi": pi,
            "lpi": lpi,
            "sigma": tilt(self.b, K, p.sigma0),
            "gap_pi": gap(self.act, Q, p.pi0),
            "gap_sigma": gap(self.b, K, p.sigma0),
        }

    def solve(self):
        V = np.zeros(len(self.nodes))
        for _ in range(20000):
            K = self.here - self.eta * self.info + self.p.gamma * (self.W @ V)
            new = ce(self.a, self.vz + ce(self.b, K, self.p.sigma0), self.p.pi0)
            change, V = np.abs(new - V).max(), new
            if change <= 2e-15 * max(1, np.abs(V).max()):
                break
        self.V = V
        self.at_nodes = self.finish(self.here - self.eta * self.info + self.p.gamma * (self.W @ V), self.vz)

    def look(self, z):
        p = self.p
        K = np.zeros((p.U, p.M))
        for u in range(p.U):
            for m in range(p.M):
                W, here, info = self.successors(z, u, m)
                K[u, m] = here - self.eta * info + p.gamma * (W @ self.V)
        return self.finish(K, p.utility(z))

    def step(self, z, u, x):
        """Belief after an action and an observation, and whether it rests on a choice among near-equals."""
        p, L = self.p, self.look(z)
        total, out = 0.0, np.zeros(p.S)
        for m in range(p.M):
            for y, _, posterior in self.branches(z, u, m):
                if y == x:
                    total += L["sigma"][u, m]
                    out += L["sigma"][u, m] * posterior
        return (out / total if total > 0 else None), L["gap_sigma"][u]

    # ---------------------------------------------------------- the chain of the agent's own nodes
    def chain(self, policy, worlds):
        """Transition matrix of the nodes, and the expected utility and information costs of a step."""
        p = self.p
        pair = policy[..., None] * worlds

        def kl(q, q0):
            with np.errstate(divide="ignore", invalid="ignore"):
                return np.where(q > 0, q * np.log(q / q0), 0.0).sum(-1)

        return {
            "T": np.einsum("num,numk->nk", pair, self.W),
            "utility": (policy * self.vz).sum(-1) + (pair * self.here).sum((1, 2)),
            "decision": kl(policy, p.pi0),
            "specification": (policy * kl(worlds, p.sigma0)).sum(-1),
            "recognition": (pair * self.info).sum((1, 2)),
        }

    def policy_values(self, policy, worlds):
        """Proposition 3 by a dense linear solve."""
        c = self.chain(policy, worlds)
        cost = [
            x * y if np.isfinite(x) else 0.0
            for x, y in (
                (limit(self.a), c["decision"]),
                (limit(self.b), c["specification"]),
                (self.eta, c["recognition"]),
            )
        ]
        return np.linalg.solve(np.eye(len(self.nodes)) - self.p.gamma * c["T"], c["utility"] - sum(cost))

    def occupancy(self, start):
        """Lemma 1 for the optimal policy: mu and the averages of a step under it."""
        c = self.chain(tilt(self.a, self.at_nodes["Q"], self.p.pi0), self.at_nodes["sigma"])
        g = self.p.gamma
        mu = np.linalg.solve(np.eye(len(self.nodes)) - g * c["T"].T, (1 - g) * start)
        return mu, {k: mu @ c[k] for k in ("utility", "decision", "specification", "recognition")}, c["T"]


def limit(a):
    """alpha of a = 1/alpha."""
    return 0.0 if np.isinf(a) else (np.inf if a == 0 else 1.0 / a)
