"""The library through ctypes: the structures of its headers, and a study loaded and solved."""
import ctypes
import os

import numpy as np

from common import number, skip


class Error(ctypes.Structure):
    _fields_ = [
        ("status", ctypes.c_int),
        ("line", ctypes.c_uint32),
        ("column", ctypes.c_uint32),
        ("row", ctypes.c_uint64),
        ("file", ctypes.c_char * 256),
        ("message", ctypes.c_char * 512),
        ("hint", ctypes.c_char * 256),
        ("code", ctypes.c_char * 24),
    ]


class ContextOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("threads", ctypes.c_uint32),
        ("reallocate", ctypes.c_void_p),
        ("progress", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
        ("vector_level", ctypes.c_uint32),
    ]


class PlanOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("resolution", ctypes.c_uint32),
        ("tol", ctypes.c_double),
        ("max_backups", ctypes.c_uint64),
        ("time_limit_sec", ctypes.c_double),
        ("memory_limit", ctypes.c_uint64),
        ("newton_only", ctypes.c_bool),
        ("sampled", ctypes.c_bool),
        ("samples", ctypes.c_uint64),
        ("seed", ctypes.c_uint64),
        ("unrolled", ctypes.c_uint32),
        ("hidden", ctypes.c_uint32),
        ("lattice_error", ctypes.c_double),
        ("beliefs", ctypes.c_int),
    ]


class PlanInfo(ctypes.Structure):
    _fields_ = [
        ("stop", ctypes.c_int),
        ("residual", ctypes.c_double),
        ("scale", ctypes.c_double),
        ("bound", ctypes.c_double),
        ("seconds", ctypes.c_double),
        ("backups", ctypes.c_uint64),
        ("linear_products", ctypes.c_uint64),
        ("nodes", ctypes.c_uint32),
        ("samples", ctypes.c_uint64),
    ]


class View(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t)] + [
        (name, ctypes.c_void_p) for name in ("value", "q", "policy", "log_policy", "k", "worlds")
    ]


class Costs(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_double) for name in ("value", "utility", "decision", "specification", "recognition")
    ]


class EstimateSpec(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("start", ctypes.c_uint32),
        ("prior", ctypes.c_char_p),
        ("standard", ctypes.c_double),
        ("negative", ctypes.c_bool),
    ]


class LogsOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("map", ctypes.c_void_p),
        ("setting", ctypes.c_void_p),
        ("units", ctypes.c_int),
        ("covariates", ctypes.c_void_p),
        ("separator", ctypes.c_char),
    ]


def as_dict(costs):
    return {name: getattr(costs, name) for name, _ in costs._fields_}


class LibraryError(RuntimeError):
    def __init__(self, call, status, error):
        super().__init__(
            "%s: status %d: %s [%s] %s:%d:%d"
            % (
                call,
                status,
                error.message.decode(),
                error.hint.decode(),
                error.file.decode(),
                error.line,
                error.column,
            )
        )
        self.status, self.error = status, error


def have_library():
    """Whether there is a library that can be loaded: one built with sanitizers cannot."""
    path = os.environ.get("ASIF_LIB", "")
    if not path:
        return False
    with open(path, "rb") as f:
        return b"__asan_init" not in f.read()


def library():
    if not have_library():
        skip("no library to load (ASIF_LIB)")
    lib = ctypes.CDLL(os.environ["ASIF_LIB"])
    for name in (
        "asif_study_setting",
        "asif_study_theta",
        "asif_study_solver",
        "asif_study_logs",
        "asif_work_behavior",
        "asif_study_planner",
        "asif_work_values",
    ):
        getattr(lib, name).restype = ctypes.c_void_p
    lib.asif_stop_text.restype = ctypes.c_char_p
    lib.asif_context_vector.restype = ctypes.c_char_p
    lib.asif_work_nodes.restype = ctypes.c_uint32
    lib.asif_behavior_width.restype = ctypes.c_uint32
    return lib


def pointer(array):
    return None if array is None else array.ctypes.data_as(ctypes.c_void_p)


class Engine:
    """A study loaded and solved through the C functions."""

    def __init__(self, study, resolution=None, tol=None, threads=1, vector_level=0, newton_only=False):
        self.lib = library()
        self.context, self.study, self.theta, self.work = (ctypes.c_void_p() for _ in range(4))
        options = ContextOptions(ctypes.sizeof(ContextOptions), threads, None, None, None, vector_level)
        self.call("asif_context_create", ctypes.byref(self.context), ctypes.byref(options))
        self.call("asif_study_load", ctypes.byref(self.study), self.context, study.encode(), None)
        given = ctypes.c_void_p(self.lib.asif_study_theta(self.study))
        self.call("asif_theta_copy", ctypes.byref(self.theta), given)
        self.options = PlanOptions.from_buffer_copy(
            ctypes.string_at(self.lib.asif_study_solver(self.study), ctypes.sizeof(PlanOptions))
        )
        self.options.resolution = resolution or self.options.resolution
        self.options.tol = tol or self.options.tol
        self.options.newton_only = newton_only
        self.fresh()

    def call(self, name, *args):
        error = Error()
        status = getattr(self.lib, name)(*args, ctypes.byref(error))
        if status != 0:
            raise LibraryError(name, status, error)

    def fresh(self):
        """A new workspace: the next solve is cold."""
        self.lib.asif_work_free(self.work)
        self.work = ctypes.c_void_p()
        planner = ctypes.c_void_p(self.lib.asif_study_planner(self.study))
        setting = ctypes.c_void_p(self.lib.asif_study_setting(self.study))
        self.call(
            "asif_work_create",
            ctypes.byref(self.work),
            self.context,
            planner,
            setting,
            ctypes.byref(self.options),
        )
        self.nodes = self.lib.asif_work_nodes(self.work)
        return self

    def set(self, **parameters):
        for name, value in parameters.items():
            self.call("asif_theta_set_text", self.theta, name.encode(), number(value).encode())
        return self

    def solve(self, **parameters):
        self.set(**parameters)
        info = PlanInfo()
        self.call("asif_solve", self.work, self.theta, ctypes.byref(info))
        self.behavior = ctypes.c_void_p(self.lib.asif_work_behavior(self.work))
        self.width = self.lib.asif_behavior_width(self.behavior)
        return info

    def vector(self):
        return self.lib.asif_context_vector(self.context).decode()

    def stop(self, info):
        return self.lib.asif_stop_text(info.stop).decode()

    def values(self):
        held = ctypes.cast(self.lib.asif_work_values(self.work), ctypes.POINTER(ctypes.c_double))
        return np.ctypeslib.as_array(held, (self.nodes,)).copy()

    def states(self):
        """Agent states of the nodes."""
        out = np.zeros((self.nodes, self.width))
        for i in range(self.nodes):
            self.lib.asif_work_node(self.work, ctypes.c_uint32(i), pointer(out[i]))
        return out

    def look(self, states, actions, worlds):
        states = np.ascontiguousarray(states, float).reshape(-1, self.width)
        n = len(states)
        out = {
            "V": np.zeros(n),
            "Q": np.zeros((n, actions)),
            "pi": np.zeros((n, actions)),
            "lpi": np.zeros((n, actions)),
            "K": np.zeros((n, actions, worlds)),
            "sigma": np.zeros((n, actions, worlds)),
        }
        view = View(ctypes.sizeof(View), *(pointer(a) for a in out.values()))
        self.call("asif_look", self.behavior, ctypes.c_uint64(n), pointer(states), ctypes.byref(view))
        return out

    def step(self, states, action, observation):
        states = np.ascontiguousarray(states, float).reshape(-1, self.width)
        action, observation = np.asarray(action, np.uint32), np.asarray(observation, np.uint32)
        out = np.zeros_like(states)
        self.call(
            "asif_behavior_step",
            self.behavior,
            ctypes.c_uint64(len(states)),
            pointer(states),
            pointer(action),
            pointer(observation),
            pointer(out),
        )
        return out

    def occupancy(self, start):
        mu, costs = np.zeros(self.nodes), Costs()
        start = np.ascontiguousarray(start, float)
        self.call("asif_occupancy_compute", self.work, pointer(start), pointer(mu), ctypes.byref(costs))
        return mu, costs

    def policy_values(self, policy, worlds=None):
        policy = np.ascontiguousarray(policy, float)
        worlds = None if worlds is None else np.ascontiguousarray(worlds, float)
        values, info = np.zeros(self.nodes), PlanInfo()
        self.call(
            "asif_policy_values",
            self.work,
            pointer(policy),
            pointer(worlds),
            pointer(values),
            ctypes.byref(info),
        )
        return values, info

    def close(self):
        self.lib.asif_work_free(self.work)
        self.lib.asif_theta_free(self.theta)
        self.lib.asif_study_free(self.study)
        self.lib.asif_context_free(self.context)


class Density(ctypes.Structure):
    _fields_ = [
        ("dimension", ctypes.c_uint32),
        ("evaluate", ctypes.c_void_p),
        ("has_gradient", ctypes.c_bool),
        ("reported", ctypes.c_uint32),
        ("name", ctypes.c_void_p),
        ("report", ctypes.c_void_p),
        ("memory", ctypes.c_uint64),
        ("save", ctypes.c_void_p),
        ("load", ctypes.c_void_p),
        ("user", ctypes.c_void_p),
        ("smooth", ctypes.c_bool),
        ("evaluate_many", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.c_void_p, ctypes.c_void_p, ctypes.c_uint64, ctypes.c_void_p,
                                           ctypes.c_void_p)),
    ]


DISTRIBUTIONS = ("action_prior", "world_weights", "start", "means")


class Target:
    """The log-likelihood of a table as a function of the sampled coordinates."""

    def __init__(self, study, logs, specs, mapped=False):
        self.engine = engine = Engine(study)
        lib = engine.lib
        setting = lib.asif_study_setting(engine.study)
        for name, _, _ in specs:
            if name in DISTRIBUTIONS:
                engine.call("asif_theta_unset_distribution", engine.theta, DISTRIBUTIONS.index(name), 0)
            else:
                engine.call("asif_theta_unset", engine.theta, name.encode())
        tree, self.target, estimates = ctypes.c_void_p(), ctypes.c_void_p(), ctypes.c_void_p()
        table = lib.asif_study_logs(engine.study) if mapped else None
        options = LogsOptions(ctypes.sizeof(LogsOptions), table, setting, 0, None, b"\0")
        engine.call("asif_logs_read", ctypes.byref(tree), engine.context, logs.encode(), ctypes.byref(options), None, None)
        array = (EstimateSpec * len(specs))(*(EstimateSpec(n.encode(), 0, None, standard, negative) for n, standard, negative in specs))
        engine.call("asif_estimates_create", ctypes.byref(estimates), engine.context, engine.theta, array, len(specs), 0, None)
        engine.call("asif_target_create", ctypes.byref(self.target), engine.work, estimates, tree, None)
        self.n, self.estimates = lib.asif_estimates_dimension(estimates), estimates

    def __call__(self, x):
        value, gradient, x = ctypes.c_double(), np.zeros(self.n), np.ascontiguousarray(x, float)
        self.engine.call("asif_target_objective", self.target, pointer(x), ctypes.byref(value), pointer(gradient))
        return value.value, gradient

    def prior(self, x):
        """Log-densities of the priors at the rows of x."""
        function = self.engine.lib.asif_estimates_log_prior
        function.restype = ctypes.c_double
        return np.array([function(self.estimates, pointer(np.ascontiguousarray(row)), None) for row in x])

    def likelihood(self, x):
        """Log-likelihoods at the rows of x, one after the other."""
        out, value = np.zeros(len(x)), ctypes.c_double()
        for i, row in enumerate(np.ascontiguousarray(x, float)):
            self.engine.call("asif_target_objective", self.target, pointer(row), ctypes.byref(value), None)
            out[i] = value.value
        return out

    def posterior(self, x):
        """Log-densities at the rows of x, with the priors."""
        return self.likelihood(x) + self.prior(x)

    def many(self, x):
        """Log-likelihoods at the rows of x, all of them asked for at once."""
        x = np.ascontiguousarray(x, float)
        density, values, error = ctypes.cast(self.density(self.target), ctypes.POINTER(Density)).contents, np.zeros(len(x)), Error()
        status = density.evaluate_many(density.user, pointer(x), len(x), pointer(values), ctypes.byref(error))
        if status != 0:
            raise LibraryError("evaluate_many", status, error)
        return values - self.prior(x)

    def density(self, target):
        function = self.engine.lib.asif_target_density
        function.restype = ctypes.c_void_p
        return function(target)
