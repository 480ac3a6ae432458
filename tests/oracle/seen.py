"""Problems whose states have a seen and a hidden part: drawn at random, expanded for the oracle, and given to the library
through ctypes."""
import ctypes
import math

import numpy as np

from library import ContextOptions, Engine, EstimateSpec, LogsOptions, PlanOptions, Target, library, pointer
from reference import Problem, ce

ANY = 2**32 - 1


class Matrix(ctypes.Structure):
    _fields_ = [
        ("rows", ctypes.c_uint32),
        ("columns", ctypes.c_uint32),
        ("same_rows", ctypes.c_bool),
        ("offset", ctypes.c_void_p),
        ("column", ctypes.c_void_p),
        ("value", ctypes.c_void_p),
    ]


class Term(ctypes.Structure):
    _fields_ = [
        ("by", ctypes.c_int),
        ("parameter", ctypes.c_uint32),
        ("action", ctypes.c_uint32),
        ("index", ctypes.c_uint32),
        ("coefficient", ctypes.c_double),
        ("test", ctypes.c_int),
        ("threshold", ctypes.c_double),
        ("full", ctypes.c_double),
    ]


class SettingSpec(ctypes.Structure):
    _fields_ = (
        [("struct_size", ctypes.c_size_t), ("title", ctypes.c_char_p)]
        + [(name, ctypes.c_uint32) for name in ("states", "actions", "observations", "worlds", "starts", "parameters")]
        + [(name, ctypes.c_void_p) for name in ("state_names", "action_names", "observation_names", "start_names", "start_column")]
        + [("parameter_names", ctypes.c_void_p), ("matrices", ctypes.c_uint32)]
        + [(name, ctypes.c_void_p) for name in ("matrix", "transitions", "emissions", "environment_start", "agent_start")]
        + [(name, ctypes.c_void_p) for name in ("world_weights", "action_prior", "belief_prior", "ends", "terminal")]
        + [("discount", ctypes.c_double), ("terms", ctypes.c_uint64), ("term", ctypes.c_void_p), ("utility", ctypes.c_void_p)]
        + [("observation_columns", ctypes.c_uint32), ("observation_column", ctypes.c_void_p), ("world_shares", ctypes.c_void_p)]
        + [("seen", ctypes.c_uint32), ("horizon", ctypes.c_uint32), ("stops", ctypes.c_void_p)]
        + [(name, ctypes.c_void_p) for name in ("seen_names", "hidden_names", "shown_names")]
        + [("seen_columns", ctypes.c_uint32)]
        + [(name, ctypes.c_void_p) for name in ("seen_column", "start_weights", "available")]
    )


BY_STATE, BY_OBSERVATION, BY_BELIEF = range(3)


class Certain(Problem):
    """One hidden value: observations that show the same seen value are one class. `shown` is their number."""

    def classes(self, u):
        return [o // self.shown * self.shown for o in range(self.X)]


class Mixed:
    """move [M,Y,H,U,Y,H]: P(y',h'|y,h,u); show [M,U,Y,H,X]: P(x|u,y',h'); v [Y,H,U]; reward [U,X] by what is shown, or None;
    horizon: decisions of an episode, 0: no limit; stops [U]: nothing follows the action; available [Y,U]: the action
    can be taken with the seen value, None: all can."""

    horizon, stops, available = 0, None, None

    def __init__(self, move, show, v, gamma, start, sigma0, pi0, reward=None, rho0=None):
        self.move, self.show, self.v, self.reward, self.rho0 = move, show, v, reward, rho0
        self.M, self.Y, self.H, self.U = move.shape[:4]
        self.X, self.gamma, self.start, self.sigma0, self.pi0 = show.shape[-1], gamma, start, sigma0, pi0

    def expanded(self):
        """The same problem with nothing seen but the observation (y', x); states and observations are y-major."""
        S, O = self.Y * self.H, self.Y * self.X
        tau = self.move.reshape(self.M, S, self.U, S)
        omega = np.zeros((self.M, self.U, S, O))
        for y in range(self.Y):
            omega[:, :, y * self.H : (y + 1) * self.H, y * self.X : (y + 1) * self.X] = self.show[:, :, y]
        reward = None if self.reward is None else np.tile(self.reward, (1, self.Y))
        return self.problem(tau, omega, self.v.reshape(S, self.U), self.gamma, self.start.ravel(), self.sigma0, self.pi0, reward, self.rho0)

    def problem(self, *arguments):
        """A problem of the oracle, with the classes of this one."""
        made = (Certain if self.H == 1 and self.Y > 1 else Problem)(*arguments)
        made.shown = self.X
        return made

    def whole(self, state):
        """The belief over all states of an agent state (y, b)."""
        z = np.zeros((self.Y, self.H))
        z[int(state[0])] = state[1:]
        return z.ravel()


def rows(rng, shape, zeros):
    """Random rows of probabilities, some of whose entries are 0."""
    p = rng.dirichlet(np.ones(shape[-1]), shape[:-1]) * (rng.random(shape) > zeros)
    p[..., 0] += p.sum(-1) == 0
    return p / p.sum(-1, keepdims=True)


def problem(rng, seen=(1, 6), hidden=(1, 4), worlds=(1, 3)):
    """The seen part moves by the action alone, by the hidden part, or at random."""
    Y, H, M = (int(rng.integers(a, b + 1)) for a, b in (seen, hidden, worlds))
    U, X, way = int(rng.integers(2, 4)), int(rng.integers(1, 4)), rng.integers(3)
    move = np.zeros((M, Y, H, U, Y, H))
    for m in range(M):
        stays = rows(rng, (Y, H, U, H), 0.3)
        if way == 0:
            target = rng.integers(Y, size=(Y, U))
            for y in range(Y):
                for u in range(U):
                    move[m, y, :, u, target[y, u]] = stays[y, :, u]
        elif way == 1:
            target = rng.integers(Y, size=(Y, H, U))
            for y, h, u in np.ndindex(Y, H, U):
                move[m, y, h, u, target[y, h, u]] = stays[y, h, u]
        else:
            move[m] = rows(rng, (Y, H, U, Y * H), 0.4).reshape(Y, H, U, Y, H)
        if m and rng.random() < 0.4:
            move[m] = move[0]
    if rng.random() < 0.3:  # an action that forgets
        move[:, :, :, 0] = rows(rng, (Y * H,), 0.3).reshape(Y, H)
    show = rows(rng, (M, U, Y, H, X), 0.2)
    if X > 1 and rng.random() < 0.5:  # observations that mean the same
        show[..., 0] = show[..., 1] = (show[..., 0] + show[..., 1]) / 2
    start = rng.dirichlet(np.ones(Y * H)).reshape(Y, H)
    return Mixed(move, show, rng.normal(0, 3, (Y, H, U)), rng.uniform(0.5, 0.95), start, rng.dirichlet(2 * np.ones(M)),
                 rng.dirichlet(5 * np.ones(U)))


class Solved(Engine):
    """A mixed problem in the library. The utility is constant but for named parameters: `bonus` of action 0 in all states, and
    `paid` of the first observation of each seen value after action 1."""

    def __init__(self, p, resolution, parameters=(), seen=True, change=None, options=None, beliefs=0):
        self.lib, self.p = library(), p
        self.context, self.setting, self.theta, self.work = (ctypes.c_void_p() for _ in range(4))
        context = ContextOptions(ctypes.sizeof(ContextOptions), 1, None, None, None, 0)
        self.call("asif_context_create", ctypes.byref(self.context), ctypes.byref(context))
        e = p.expanded()
        tau = np.concatenate([e.tau, e.tau[:1]])
        omega = np.concatenate([e.omega, e.omega[:1]])
        dense = [np.ascontiguousarray(tau[m, :, u]) for m in range(p.M + 1) for u in range(p.U)]
        dense += [np.ascontiguousarray(omega[m, u]) for m in range(p.M + 1) for u in range(p.U)]
        matrices = (Matrix * len(dense))(*(Matrix(a.shape[0], a.shape[1], False, None, None, a.ctypes.data) for a in dense))
        uses = np.arange(len(dense), dtype=np.uint32)
        keep = [np.ascontiguousarray(a, float) for a in (e.v.T, p.start.ravel(), p.sigma0, p.pi0)]
        keep.append(None if p.rho0 is None else np.ascontiguousarray(p.rho0, float))
        terms = [Term(BY_STATE, 0, 0, ANY, 1.0)] + [Term(BY_OBSERVATION, 1, min(1, p.U - 1), y * p.X, 1.0) for y in range(p.Y)]
        if p.reward is not None:
            terms += [Term(BY_OBSERVATION, ANY, u, o, e.reward[u, o]) for u in range(p.U) for o in range(p.Y * p.X)]
        terms = terms if parameters else terms[1 + p.Y :]
        array = (Term * max(1, len(terms)))(*terms)
        names = (ctypes.c_char_p * 2)(b"bonus", b"paid")
        spec = SettingSpec(ctypes.sizeof(SettingSpec), None, e.S, p.U, e.X, p.M, 1, 2 if parameters else 0)
        spec.parameter_names = ctypes.cast(names, ctypes.c_void_p) if parameters else None
        spec.matrices, spec.matrix = len(dense), ctypes.cast(matrices, ctypes.c_void_p)
        spec.transitions, spec.emissions = uses.ctypes.data, uses.ctypes.data + uses.nbytes // 2
        spec.utility, spec.environment_start, spec.world_weights, spec.action_prior = (a.ctypes.data for a in keep[:4])
        spec.belief_prior = None if keep[4] is None else keep[4].ctypes.data
        keep.append(None if p.stops is None else np.ascontiguousarray(p.stops, bool))
        spec.horizon, spec.stops = p.horizon, None if p.stops is None else keep[5].ctypes.data
        keep.append(None if p.available is None else np.ascontiguousarray(p.available, bool))
        spec.available = None if p.available is None else keep[6].ctypes.data
        spec.discount, spec.terms, spec.term, spec.seen = p.gamma, len(terms), ctypes.cast(array, ctypes.c_void_p), p.Y if seen else 0
        self.held = [dense, matrices, uses, keep, array, names]
        if change:
            change(spec)
        self.call("asif_setting_create", ctypes.byref(self.setting), self.context, ctypes.byref(spec))
        self.call("asif_theta_create", ctypes.byref(self.theta), self.context, self.setting)
        options = options or PlanOptions(ctypes.sizeof(PlanOptions), resolution, 1e-14, 1000000, 0, 8 * 10**9, False, False, 0, 0, 50, 16, 0, beliefs)
        self.call("asif_work_create", ctypes.byref(self.work), self.context, None, self.setting, ctypes.byref(options))
        self.nodes = self.lib.asif_work_nodes(self.work)

    def start(self, first):
        out = np.zeros(self.width)
        self.lib.asif_behavior_init(self.behavior, 0, ctypes.c_uint32(first), pointer(out))
        return out

    def close(self):
        self.lib.asif_work_free(self.work)
        self.lib.asif_theta_free(self.theta)
        self.lib.asif_setting_free(self.setting)
        self.lib.asif_context_free(self.context)


class SeenTarget(Target):
    """The log-likelihood of a table whose observations are the numbers of (y', x)."""

    def __init__(self, engine, logs, names):
        self.engine, lib = engine, engine.lib
        for name in names:
            if name == "action_prior":
                engine.call("asif_theta_unset_distribution", engine.theta, 0, 0)
            else:
                engine.call("asif_theta_unset", engine.theta, name.encode())
        tree, self.target, self.estimates = (ctypes.c_void_p() for _ in range(3))
        options = LogsOptions(ctypes.sizeof(LogsOptions), None, engine.setting, 0, None, b"\0")
        engine.call("asif_logs_read", ctypes.byref(tree), engine.context, logs.encode(), ctypes.byref(options), None, None)
        array = (EstimateSpec * len(names))(*(EstimateSpec(n.encode(), 0, None, 1.0 if n in ("bonus", "paid") else np.nan, False) for n in names))
        engine.call("asif_estimates_create", ctypes.byref(self.estimates), engine.context, engine.theta, array, len(names), 0, None)
        engine.call("asif_target_create", ctypes.byref(self.target), engine.work, self.estimates, tree, None)
        self.n = lib.asif_estimates_dimension(self.estimates)


# ------------------------------------------------------------------ all histories, without a lattice
def classes(p, u, y):
    """Observations that show y after u and mean the same: proportional in every world, on the hidden values that can be reached."""
    if p.H == 1 and p.Y > 1:
        return [0] * p.X
    key = []
    for m in np.flatnonzero(p.sigma0 > 0):
        column = p.show[m, u, y] * (p.move[m, :, :, u, y] > 0).any((0, 1))[:, None]
        total = column.sum(0)
        key.append(np.where(total > 0, column / np.where(total > 0, total, 1.0), -1.0))
    key = np.concatenate(key)
    return [next(w for w in range(p.X) if np.allclose(key[:, x], key[:, w], rtol=1e-11, atol=0)) for x in range(p.X)]


def recursion(p, given, t, y, b, table):
    """V, Q and K of the agent with belief b after t decisions."""
    K = np.zeros((p.U, p.M))
    for u in range(p.U):
        last = p.stops[u] or t + 1 == p.horizon
        for m in range(p.M):
            for y2 in range(p.Y):
                joint = (b @ p.move[m, y, :, u, y2])[:, None] * p.show[m, u, y2]  # [h', x]
                chance = joint.sum(0)
                if p.reward is not None:
                    K[u, m] += chance @ p.reward[u]
                if last:
                    continue
                events = np.zeros(p.X)
                np.add.at(events, table[u][y2], chance)
                K[u, m] -= given["eta"] * sum(q * math.log(q) for q in events if q > 0)
                for x in np.flatnonzero(chance > 0):
                    K[u, m] += p.gamma * chance[x] * recursion(p, given, t + 1, y2, joint[:, x] / chance[x], table)[0]
    Q = b @ p.v[y] + ce(given["optimism"], K, p.sigma0)
    return ce(1 / given["alpha"], Q, p.pi0), Q, K


def table_of(rng, p, episodes):
    """Logs of somebody who acts at random in the first world until nothing follows; observations are numbers of (y', x)."""
    e, lines = p.expanded(), ["episode,t,action,observation"]
    for k in range(episodes):
        s = int(rng.choice(e.S, p=np.where(np.arange(e.S) // p.H == p.start.sum(1).argmax(), e.z0, 0) / p.start.sum(1).max()))
        for t in range(p.horizon or 4):
            u = int(rng.integers(p.U))
            s = int(rng.choice(e.S, p=e.tau[0, s, u]))
            lines.append("%d,%d,%d,%d" % (k, t, u, int(rng.choice(e.X, p=e.omega[0, u, s]))))
            if p.stops[u]:
                break
    return "\n".join(lines) + "\n"


def differences(target, x, gradient):
    out = np.full(len(x), np.inf)
    for i, unit in enumerate(np.eye(len(x))):
        for h in (1e-3, 1e-4, 1e-5, 1e-6):
            slope = (target(x + h * unit)[0] - target(x - h * unit)[0]) / (2 * h)
            out[i] = min(out[i], slope, key=lambda s: abs(s - gradient[i]))
    return out
