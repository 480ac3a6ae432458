"""What the tests against an independent truth share: running the command, the library through ctypes, studies
written from arrays, and comparisons that say what differed, where and by how much.

Environment: ASIF the command, ASIF_LIB the shared library, ASIF_ORACLE the folder of the oracle (brc.py), ASIF_SOURCE
the top of the source tree. A test whose truth is not there exits with 77, which CTest reports as skipped.
"""
import ctypes
import json
import os
import subprocess
import sys
import tempfile

HERE = os.path.dirname(os.path.abspath(__file__))
sys.path.insert(0, HERE)


def skip(reason):
    print("skipped: " + reason)
    sys.exit(77)


try:
    import numpy as np
    import scipy.sparse  # noqa: F401
except ImportError:
    skip("numpy and scipy are needed")

from reference import Problem, inverse  # noqa: E402,F401


def source(*path):
    root = os.environ.get("ASIF_SOURCE", os.path.dirname(os.path.dirname(HERE)))
    return os.path.join(root, *path)


def oracle():
    """The oracle's module; the test is skipped where it is absent."""
    folder = os.environ.get("ASIF_ORACLE", "")
    if not os.path.exists(os.path.join(folder, "brc.py")):
        skip("the oracle is not here (ASIF_ORACLE)")
    sys.path.insert(0, folder)
    import brc
    return brc


def oracle_file(name):
    path = os.path.join(os.environ.get("ASIF_ORACLE", ""), name)
    if not os.path.exists(path):
        skip("%s is not here (ASIF_ORACLE)" % name)
    with open(path) as f:
        return json.load(f)


# ------------------------------------------------------------------ comparisons
class Checks:
    """Counts comparisons, prints the first differences, and ends the test."""

    def __init__(self, title, shown=25):
        self.title, self.shown, self.failed, self.done, self.worst = title, shown, 0, 0, {}

    def fail(self, text):
        self.failed += 1
        if self.failed <= self.shown:
            print("FAILED  " + text)

    def true(self, condition, text):
        self.done += 1
        if not condition:
            self.fail(text)
        return bool(condition)

    def near(self, what, got, want, rtol=0.0, atol=0.0, where=None, kind=None):
        """|got - want| <= atol + rtol |want| in every entry that `where` selects; infinities must be equal."""
        got, want = np.asarray(got, float), np.asarray(want, float)
        self.done += max(1, want.size)
        if got.shape != want.shape:
            self.fail("%s: shape %s, expected %s" % (what, got.shape, want.shape))
            return False
        with np.errstate(invalid="ignore"):
            difference = np.where(got == want, 0.0, np.abs(got - want))
        difference = np.where(np.isnan(difference), np.inf, difference)
        allowed = atol + rtol * np.where(np.isfinite(want), np.abs(want), 0.0)
        bad = difference > allowed
        if where is not None:
            bad = bad & where
            difference = np.where(where, difference, 0.0)
        if kind is not None and difference.size:
            self.worst[kind] = max(self.worst.get(kind, 0.0), float((difference / np.maximum(allowed, 1e-300)).max()))
        if bad.any():
            i = np.unravel_index(np.argmax(np.where(bad, difference / np.maximum(allowed, 1e-300), -1)), bad.shape)
            i = tuple(int(k) for k in i)
            self.fail("%s%s: got %.17g, expected %.17g, difference %.3g where %.3g is allowed (%d of %d entries)"
                      % (what, list(i) if i else "", got[i], want[i], difference[i], allowed[i], bad.sum(), bad.size))
            return False
        return True

    def finish(self):
        for kind, ratio in sorted(self.worst.items()):
            print("  %-12s largest difference is %.2g of what is allowed" % (kind, ratio))
        if self.failed:
            print("%s: %d of %d comparisons failed" % (self.title, self.failed, self.done))
            sys.exit(1)
        if not self.done:
            print("%s: nothing was compared" % self.title)
            sys.exit(1)
        print("%s: %d comparisons hold" % (self.title, self.done))
        sys.exit(0)


# ------------------------------------------------------------------ the command
def command():
    path = os.environ.get("ASIF", "")
    if not path:
        skip("no command to test (ASIF)")
    return path


def run(*args, expect=0):
    """Run asif; its standard output. A different exit code is an error that shows standard error."""
    arguments = [command()] + [str(a) for a in args]
    done = subprocess.run(arguments, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    if expect is not None and done.returncode != expect:
        raise RuntimeError("exit %d of %s\n%s" % (done.returncode, " ".join(arguments), done.stderr))
    return done.stdout


def number(x):
    """Text that reads back to the same bits."""
    if isinstance(x, str):
        return x
    return repr(float(x))


def plan(study, parameters=None, beliefs=(), history=(), resolution=None, options=()):
    """`asif plan --json`, parsed. Beliefs are arrays, history a list of (action, observation) labels."""
    args = ["plan", study, "--json"]
    for name, value in (parameters or {}).items():
        args += ["-p", "%s=%s" % (name, number(value))]
    if resolution is not None:
        args += ["--resolution", resolution]
    for z in beliefs:
        args += ["--belief", ",".join(number(p) for p in z)]
    if history:
        args += ["--history", ",".join("%s:%s" % event for event in history)]
    return json.loads(run(*args, *options))


def numbers(value):
    """Lists of numbers, infinities written as strings, as an array."""
    if isinstance(value, list):
        return np.array([numbers(v) for v in value])
    return float(value)


def point(entry, actions):
    """An entry of `beliefs` or `history` as arrays in the order of the actions."""
    out = {"V": float(entry["value"]), "belief": numbers(entry["belief"]) if "belief" in entry else None}
    for key, name in (("Q", "q"), ("pi", "policy"), ("lpi", "log_policy"), ("sigma", "worlds")):
        if name in entry:
            out[key] = np.array([numbers(entry[name][u]) for u in actions])
    return out


# ------------------------------------------------------------------ studies from arrays
def labels(prefix, count):
    return ["%s%d" % (prefix, i) for i in range(count)]


def row(values):
    return "[" + ", ".join(number(v) for v in values) + "]"


def matrix(rows):
    return "[" + ", ".join(row(r) for r in rows) + "]"


def dynamics(lines, indent, tau, omega):
    """tau [S,U,S], omega [U,S,X] or None."""
    lines.append(indent + "transitions:")
    for u in range(tau.shape[1]):
        lines.append(indent + "  a%d: %s" % (u, matrix(tau[:, u])))
    if omega is not None:
        lines.append(indent + "emissions:")
        for u in range(len(omega)):
            lines.append(indent + "  a%d: %s" % (u, matrix(omega[u])))


def study_text(p, parameters, resolution=None, agent=(), title="A problem made by a test", worlds=True, priors=True):
    """The study of a reference.Problem. `agent`: further lines of the agent's section."""
    S, U, X, M = p.S, p.U, p.X, p.M
    lines = ["asif: 1", "title: " + title, "states: [%s]" % ", ".join(labels("s", S)),
             "actions: [%s]" % ", ".join(labels("a", U))]
    if X:
        lines.append("observations: [%s]" % ", ".join(labels("x", X)))
    lines += ["environment:", "  start: " + row(p.env_start)]
    dynamics(lines, "  ", p.env_tau, p.env_omega)
    if p.ends:
        lines.append("  ends: [%s]" % ", ".join("a%d" % u for u in p.ends))
    if p.terminal:
        lines.append("  terminal: [%s]" % ", ".join("s%d" % s for s in p.terminal))
    lines += ["agent:"] + ["  " + line for line in agent]
    if not any(line.startswith("preset") for line in agent):
        lines.append("  planner: bounded-rational")
    lines.append("  discount: " + number(p.gamma))
    if not np.array_equal(p.z0, p.env_start):
        lines.append("  start: " + row(p.z0))
    if worlds:
        lines.append("  worlds:")
        for m in range(M):
            lines.append("    - weight: " + number(p.sigma0[m]))
            dynamics(lines, "      ", p.tau[m], p.omega[m] if X else None)
    if priors:
        lines.append("  action_prior: " + row(p.pi0))
    if p.rho0 is not None:
        lines.append("  belief_prior: " + row(p.rho0))
    lines += utility_lines(p)
    lines.append("  parameters:")
    for name, value in parameters.items():
        lines.append("    %s: %s" % (name, number(value)))
    if not parameters:
        lines[-1] = "  parameters: {}"
    if resolution is not None:
        lines.append("solver: {resolution: %d}" % resolution)
    return "\n".join(lines) + "\n"


def utility_lines(p):
    lines = ["  utility:"]
    more = p.reward is not None or p.terms
    for u in range(p.U):
        start = "      " if more and u else "    - " if more else "    "
        lines.append(start + "a%d: {%s}" % (u, ", ".join("s%d: %s" % (s, number(p.v[s, u])) for s in range(p.S))))
    for u in range(p.U if p.reward is not None else 0):
        lines.append("    - {on: observation, action: a%d, %s}" % (
            u, ", ".join("x%d: %s" % (x, number(p.reward[u, x])) for x in range(p.X))))
    for test in p.terms:
        what = "certainty" if test.state is None else "s%d" % test.state
        only = "" if test.action is None else ", action: a%d" % test.action
        lines.append("    - {when: %s %s %s, add: %s%s}" % (what, test.sign, number(test.threshold), number(test.add), only))
    return lines


class Folder:
    """A temporary folder that goes away at the end of the program."""

    def __init__(self):
        self.held = tempfile.TemporaryDirectory(prefix="asif-test-")
        self.path = self.held.name

    def file(self, name, text=None):
        path = os.path.join(self.path, name)
        if text is not None:
            with open(path, "w") as f:
                f.write(text)
        return path


# ------------------------------------------------------------------ the library
class Error(ctypes.Structure):
    _fields_ = [("status", ctypes.c_int), ("line", ctypes.c_uint32), ("column", ctypes.c_uint32),
                ("row", ctypes.c_uint64), ("file", ctypes.c_char * 256), ("message", ctypes.c_char * 512),
                ("hint", ctypes.c_char * 256)]


class ContextOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("threads", ctypes.c_uint32), ("reallocate", ctypes.c_void_p),
                ("progress", ctypes.c_void_p), ("user", ctypes.c_void_p), ("vector_level", ctypes.c_uint32)]


class PlanOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("resolution", ctypes.c_uint32), ("tol", ctypes.c_double),
                ("max_backups", ctypes.c_uint64), ("time_limit_sec", ctypes.c_double),
                ("memory_limit", ctypes.c_uint64), ("newton_only", ctypes.c_bool)]


class PlanInfo(ctypes.Structure):
    _fields_ = [("stop", ctypes.c_int), ("residual", ctypes.c_double), ("scale", ctypes.c_double),
                ("bound", ctypes.c_double), ("seconds", ctypes.c_double), ("backups", ctypes.c_uint64),
                ("linear_products", ctypes.c_uint64), ("nodes", ctypes.c_uint32)]


class View(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t)] + [
        (name, ctypes.c_void_p) for name in ("value", "q", "policy", "log_policy", "k", "worlds")]


class Costs(ctypes.Structure):
    _fields_ = [(name, ctypes.c_double) for name in ("value", "utility", "decision", "specification", "recognition")]


class LibraryError(RuntimeError):
    def __init__(self, call, status, error):
        super().__init__("%s: status %d: %s [%s] %s:%d:%d" % (
            call, status, error.message.decode(), error.hint.decode(), error.file.decode(), error.line, error.column))
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
    for name in ("asif_study_setting", "asif_study_theta", "asif_study_solver", "asif_work_behavior", "asif_study_planner",
                 "asif_work_values"):
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
        self.options = PlanOptions.from_buffer_copy(ctypes.string_at(
            self.lib.asif_study_solver(self.study), ctypes.sizeof(PlanOptions)))
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
        self.call("asif_work_create", ctypes.byref(self.work), self.context, planner, setting,
                  ctypes.byref(self.options))
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
        out = {"V": np.zeros(n), "Q": np.zeros((n, actions)), "pi": np.zeros((n, actions)), "lpi": np.zeros((n, actions)),
               "K": np.zeros((n, actions, worlds)), "sigma": np.zeros((n, actions, worlds))}
        view = View(ctypes.sizeof(View), *(pointer(a) for a in out.values()))
        self.call("asif_look", self.behavior, ctypes.c_uint64(n), pointer(states), ctypes.byref(view))
        return out

    def step(self, states, action, observation):
        states = np.ascontiguousarray(states, float).reshape(-1, self.width)
        action, observation = np.asarray(action, np.uint32), np.asarray(observation, np.uint32)
        out = np.zeros_like(states)
        self.call("asif_behavior_step", self.behavior, ctypes.c_uint64(len(states)), pointer(states), pointer(action),
                  pointer(observation), pointer(out))
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
        self.call("asif_policy_values", self.work, pointer(policy), pointer(worlds), pointer(values), ctypes.byref(info))
        return values, info

    def close(self):
        self.lib.asif_work_free(self.work)
        self.lib.asif_theta_free(self.theta)
        self.lib.asif_study_free(self.study)
        self.lib.asif_context_free(self.context)
