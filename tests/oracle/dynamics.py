"""Hidden dynamics through ctypes: a model of plain Python sequences, and a structure of iohmm.py as its tables."""
import ctypes
import os
import sys

import numpy as np

from common import skip
from library import ContextOptions, Error, LibraryError, LogsOptions, library, pointer

DEMENTIA = os.path.join(os.environ.get("ASIF_ORACLE", ""), "..", "dementia")


def oracle():
    """The modules of the independent implementation."""
    if not os.path.exists(os.path.join(DEMENTIA, "iohmm.py")):
        skip("no independent implementation of hidden dynamics")
    sys.path.insert(0, DEMENTIA)
    import cohort
    import iohmm

    return iohmm, cohort


class Table(ctypes.Structure):
    _fields_ = [("name", ctypes.c_char_p), ("rows", ctypes.c_uint32), ("columns", ctypes.c_uint32),
                ("possible", ctypes.c_void_p), ("fixed", ctypes.c_void_p)]


class Spec(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t)] + [
        (n, ctypes.c_uint32) for n in ("states", "actions", "observations", "starts", "columns")] + [
        ("classes", ctypes.c_void_p), ("code", ctypes.c_void_p), ("tables", ctypes.c_uint32), ("table", ctypes.c_void_p),
        ("start", ctypes.c_uint32), ("transitions", ctypes.c_void_p), ("emissions", ctypes.c_void_p)]


class Options(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("starts", ctypes.c_uint32), ("seed", ctypes.c_uint64), ("prior", ctypes.c_double)]


class Estimate(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("log_likelihood", ctypes.c_double), ("log_posterior", ctypes.c_double)] + [
        (n, ctypes.c_void_p) for n in ("point", "count", "error", "kind", "contraction")] + [
        ("starts", ctypes.c_uint32), ("start_value", ctypes.c_void_p), ("agree", ctypes.c_uint32),
        ("runner_up", ctypes.c_double), ("free", ctypes.c_uint32), ("passes", ctypes.c_uint64), ("order", ctypes.c_int)]


class DrawOptions(ctypes.Structure):
    _fields_ = [("struct_size", ctypes.c_size_t), ("draws", ctypes.c_uint64), ("chains", ctypes.c_uint32),
                ("warmup", ctypes.c_uint64), ("thin", ctypes.c_uint64), ("seed", ctypes.c_uint64), ("prior", ctypes.c_double)]


class DrawInfo(ctypes.Structure):
    _fields_ = [("least_ess", ctypes.c_double), ("cell", ctypes.c_uint64), ("worst_rhat", ctypes.c_double), ("sweeps", ctypes.c_uint64)]


STUDY = """asif: 1
states: [a, b]
actions: [%s]
observations: [%s]
environment: {start: uniform, emissions: uniform}
agent: {planner: bounded-rational, discount: 0.5, utility: {any: 0}, parameters: {alpha: 1}}
logs: {episode: episode, time: t, action: action, observation: observation, weight: weight, missing: not_seen}
"""


class Dynamics:
    """A model of sequences us, xs (numbers, -1 in xs: nothing was seen). tables: name -> (possible [rows][columns], fixed or None);
    transitions: a name for each action; emissions: for each action a name for each column; code: [observations][columns]."""

    def __init__(self, us, xs, states, actions, observations, tables, transitions, emissions, code=None, weight=None, threads=1):
        self.lib = library()
        for name in "cells", "first", "histories":
            getattr(self.lib, "asif_dynamics_" + name).restype = ctypes.c_uint64
        self.context, self.tree, self.model = (ctypes.c_void_p() for _ in range(3))
        context = ContextOptions(ctypes.sizeof(ContextOptions), threads, None, None, None, 0)
        self.call("asif_context_create", ctypes.byref(self.context), ctypes.byref(context))
        self.read(us, xs, actions, observations, weight)
        self.names, keep = list(tables), []

        def held(values, kind):
            keep.append(np.ascontiguousarray(values, kind))
            return pointer(keep[-1])

        self.shape = {n: np.shape(p) for n, (p, _) in tables.items()}
        array = (Table * len(tables))(*(
            Table(n.encode(), *np.shape(p), held(p, np.bool_), None if f is None else held(f, float)) for n, (p, f) in tables.items()))
        at = self.names.index
        code = np.arange(observations)[:, None] if code is None else np.asarray(code)
        spec = Spec(ctypes.sizeof(Spec), states, actions, observations, 1, code.shape[1],
                    held([self.shape[n][1] for n in emissions[0]], np.uint32), held(code, np.uint32), len(tables),
                    ctypes.cast(array, ctypes.c_void_p), at("start"), held([at(n) for n in transitions], np.uint32),
                    held([[at(n) for n in row] for row in emissions], np.uint32))
        self.call("asif_dynamics_create", ctypes.byref(self.model), self.context, ctypes.byref(spec), self.tree)
        self.cells = self.lib.asif_dynamics_cells(self.model)
        self.free = self.lib.asif_dynamics_free_numbers(self.model)
        self.histories = self.lib.asif_dynamics_histories(self.model)

    def call(self, name, *args):
        error = Error()
        status = getattr(self.lib, name)(*args, ctypes.byref(error))
        if status != 0:
            raise LibraryError(name, status, error)

    def read(self, us, xs, actions, observations, weight):
        """The logs as a table, read with a study that has these labels and nothing else of interest."""
        study = STUDY % (", ".join("a%d" % u for u in range(actions)), ", ".join("x%d" % x for x in range(observations)))
        rows = ["episode,t,action,observation,weight"]
        for e, (u, x) in enumerate(zip(us, xs)):
            w = 1 if weight is None else float(weight[e])
            rows += ["%d,%d,a%d,%s,%r" % (e, t, u[t], "" if x[t] < 0 else "x%d" % x[t], w) for t in range(len(u))]
        text, study = "\n".join(rows).encode() + b"\n", study.encode()
        self.study = ctypes.c_void_p()
        self.call("asif_study_read", ctypes.byref(self.study), self.context, study, ctypes.c_uint64(len(study)), b"study", None)
        self.lib.asif_study_logs.restype = ctypes.c_void_p
        options = LogsOptions(ctypes.sizeof(LogsOptions), self.lib.asif_study_logs(self.study), self.lib.asif_study_setting(self.study),
                              0, None, b"\0")
        self.call("asif_logs_read_text", ctypes.byref(self.tree), self.context, text, ctypes.c_uint64(len(text)), b"logs",
                  ctypes.byref(options), None, None)

    def point(self, p):
        return np.concatenate([np.asarray(p.get(n, np.zeros(self.shape[n])), float).reshape(-1) for n in self.names])

    def split(self, cells):
        out, at = {}, 0
        for n in self.names:
            size = int(np.prod(self.shape[n]))
            out[n] = np.asarray(cells[at:at + size]).reshape(self.shape[n])
            at += size
        return out

    def loglik(self, p):
        value, count, point = ctypes.c_double(), np.zeros(self.cells), self.point(p)
        self.call("asif_dynamics_loglik", ctypes.byref(value), pointer(count), self.model, pointer(point))
        return value.value, self.split(count)

    def learn(self, starts=20, seed=1, prior=1.0):
        fit, e = ctypes.c_void_p(), Estimate(ctypes.sizeof(Estimate))
        options = Options(ctypes.sizeof(Options), starts, seed, prior)
        self.call("asif_dynamics_learn", ctypes.byref(fit), self.model, ctypes.byref(options))
        self.call("asif_dynamics_fit_get", fit, ctypes.byref(e))
        array = lambda at, n, kind: np.ctypeslib.as_array(ctypes.cast(at, ctypes.POINTER(kind)), (n,)).copy()
        out = {n: getattr(e, n) for n in ("log_likelihood", "log_posterior", "agree", "runner_up", "free", "passes", "order")}
        for n in "point", "count", "error", "contraction":
            out[n] = self.split(array(getattr(e, n), self.cells, ctypes.c_double))
        out["kind"] = self.split(array(e.kind, self.cells, ctypes.c_int))
        out["start_value"] = array(e.start_value, e.starts, ctypes.c_double)
        self.lib.asif_dynamics_fit_free(fit)
        return out

    def draw(self, p, draws, chains=4, warmup=200, thin=50, seed=1, prior=1.0):
        out, info, point = np.zeros((draws, self.cells)), DrawInfo(), self.point(p)
        options = DrawOptions(ctypes.sizeof(DrawOptions), draws, chains, warmup, thin, seed, prior)
        self.call("asif_dynamics_draw", pointer(out), self.model, pointer(point), ctypes.byref(options), ctypes.byref(info))
        return out, info

    def close(self):
        self.lib.asif_dynamics_free(self.model)
        self.lib.asif_tree_free(self.tree)
        self.lib.asif_study_free(self.study)
        self.lib.asif_context_free(self.context)


def of_structure(st, us, xs, **more):
    """The model of a Structure of iohmm.py: names and shapes of its tables are those of its blocks."""
    tables = {k: (m, None) for k, m in st.blocks().items()}
    code = None
    if st.tie:
        transitions = ["tau"] * st.U
    else:
        tables["tau"] = (tables["tau"][0], None)
        by_action = {"tau%d" % u: (st.mt[:, u], None) for u in range(st.U)}
        tables = {k: v for k, v in tables.items() if k != "tau"} | by_action
        transitions = list(by_action)
    if st.factor is None:
        by_action = {"omega%d" % u: (st.mo[u], None) for u in range(st.U)}
        tables = {k: v for k, v in tables.items() if k != "omega"} | by_action
        emissions = [[k] for k in by_action]
    else:
        # Columns cdr and mri, whose class 0 is none: certain without a scan, impossible with one.
        M = st.factor["M"]
        mask = np.ones((st.S, M + 1), bool)
        mask[:, 0] = False
        none = np.tile([1.0] + [0.0] * M, (st.S, 1))
        tables["mri"] = (mask, None)
        tables["no scan"] = (none > 0, none)
        emissions = [["cdr", "no scan"], ["cdr", "mri"]]
        code = np.array([[x // (M + 1), x % (M + 1)] for x in range(st.X)])
    return Dynamics(us, xs, st.S, st.U, st.X, tables, transitions, emissions, code, **more)


def to_tables(st, p):
    """A point of iohmm.py as tables of of_structure()."""
    q = {"start": p["start"]}
    if st.tie:
        q["tau"] = p["tau"]
    else:
        q |= {"tau%d" % u: p["tau"].reshape(st.S, st.U, st.S)[:, u] for u in range(st.U)}
    if st.factor is None:
        q |= {"omega%d" % u: p["omega"].reshape(st.U, st.S, st.X)[u] for u in range(st.U)}
    else:
        q["cdr"] = p["cdr"]
        q["mri"] = np.hstack([np.zeros((st.S, 1)), p["mri"]])
        q["no scan"] = np.tile([1.0] + [0.0] * st.factor["M"], (st.S, 1))
    return q
