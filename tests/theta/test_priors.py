"""Priors against scipy.stats: densities over the sampled coordinate, quantiles of what is reported."""
import ctypes
import math
import os
import sys
import tempfile

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from common import Checks, skip  # noqa: E402
from library import Engine, EstimateSpec, have_library  # noqa: E402

import numpy as np  # noqa: E402
from scipy import special, stats  # noqa: E402

STUDY = """
asif: 1
states: [s1, s2, s3]
actions: [a, b, c]
observations: [x, y]
environment: {start: uniform, transitions: identity, emissions: [[0.7, 0.3], [0.3, 0.7], [0.5, 0.5]]}
agent:
  discount: 0.95
  utility: {a: gain, b: {s1: loss, s2: 0, s3: 0}, c: 0}
  parameters: {alpha: 0.5, gain: 10, loss: -36}
"""


class Info(ctypes.Structure):
    _fields_ = [
        ("name", ctypes.c_char_p),
        ("parameter", ctypes.c_char_p),
        ("label", ctypes.c_char_p),
        ("coordinate", ctypes.c_uint32),
        ("line", ctypes.c_int),
        ("low", ctypes.c_double),
        ("high", ctypes.c_double),
        ("proper", ctypes.c_bool),
        ("q05", ctypes.c_double),
        ("q50", ctypes.c_double),
        ("q95", ctypes.c_double),
        ("prior", ctypes.c_char_p),
    ]


class Estimates:
    def __init__(self, engine, name, prior, standard):
        self.lib, self.held = engine.lib, ctypes.c_void_p()
        self.lib.asif_estimates_log_prior.restype = ctypes.c_double
        self.lib.asif_estimates_get.restype = ctypes.POINTER(Info)
        spec = EstimateSpec(name.encode(), 0, prior.encode() if prior else None, standard, False)
        engine.call("asif_estimates_create", ctypes.byref(self.held), engine.context, engine.theta,
                    ctypes.byref(spec), 1, 0, None)
        self.dimension = self.lib.asif_estimates_dimension(self.held)

    def info(self, i):
        return self.lib.asif_estimates_get(self.held, ctypes.c_uint32(i)).contents

    def log_prior(self, x):
        x = np.ascontiguousarray(np.atleast_1d(x), float)
        return self.lib.asif_estimates_log_prior(self.held, x.ctypes.data_as(ctypes.c_void_p), None)

    def report(self, x, reported):
        x, out = np.ascontiguousarray(np.atleast_1d(x), float), np.zeros(reported)
        self.lib.asif_estimates_report(self.held, x.ctypes.data_as(ctypes.c_void_p),
                                       out.ctypes.data_as(ctypes.c_void_p))
        return out

    def free(self):
        self.lib.asif_estimates_free(self.held)


# A parameter, a prior as written, the same in scipy, and the limits of the parameter.
INF = math.inf
NUMBERS = [
    ("alpha", "lognormal(-0.7, 1.5)", stats.lognorm(1.5, scale=math.exp(-0.7)), (0, INF)),
    ("alpha", "normal(0.5, 0.7)", stats.norm(0.5, 0.7), (0, INF)),
    ("alpha", "normal(-2, 1)", stats.norm(-2, 1), (0, INF)),
    ("alpha", "student_t(3, -1, 2)", stats.t(3, -1, 2), (0, INF)),
    ("alpha", "uniform(0.1, 2)", stats.uniform(0.1, 1.9), (0, INF)),
    ("alpha", "uniform(-1, 2)", stats.uniform(-1, 3), (0, INF)),
    ("alpha", "beta(2, 0.5)", stats.beta(2, 0.5), (0, INF)),
    ("optimism", "normal(0.2, 3)", stats.norm(0.2, 3), (-INF, INF)),
    ("optimism", "student_t(4, 0, 0.5)", stats.t(4, 0, 0.5), (-INF, INF)),
    ("optimism", "student_t(250000, 1, 2)", stats.t(250000, 1, 2), (-INF, INF)),
    ("eta", "student_t(0.7, 10, 3)", stats.t(0.7, 10, 3), (-INF, INF)),
    ("eta", "uniform(-5, 40)", stats.uniform(-5, 45), (-INF, INF)),
    ("eta", "lognormal(3, 0.2)", stats.lognorm(0.2, scale=math.exp(3)), (-INF, INF)),
    ("discount", "beta(9, 1)", stats.beta(9, 1), (0, 1)),
    ("discount", "beta(0.1, 0.3)", stats.beta(0.1, 0.3), (0, 1)),
    ("discount", "beta(4000, 300)", stats.beta(4000, 300), (0, 1)),
    ("discount", "normal(0.9, 0.2)", stats.norm(0.9, 0.2), (0, 1)),
    ("discount", "lognormal(-0.5, 1)", stats.lognorm(1, scale=math.exp(-0.5)), (0, 1)),
    ("discount", "student_t(2, 0.5, 1)", stats.t(2, 0.5, 1), (0, 1)),
    ("loss", "normal(-36, 23)", stats.norm(-36, 23), (-INF, INF)),
]


def line_of(value, low, high):
    """The sampled coordinate of a value between limits, and log |dvalue/dx| there."""
    if math.isinf(low):
        return value, 0.0
    if math.isinf(high):
        return math.log(value - low), math.log(value - low)
    return (math.log((value - low) / (high - value)),
            math.log(value - low) + math.log(high - value) - math.log(high - low))


def check_number(checks, engine, name, prior, known, limits):
    estimates = Estimates(engine, name, prior, -36.0)
    support = known.support()
    low, high = max(limits[0], support[0]), min(limits[1], support[1])
    below, mass = known.cdf(low), known.cdf(high) - known.cdf(low)
    if below > 0.5:
        mass = known.sf(low) - known.sf(high)
    info = estimates.info(0)
    for p in (0.003, 0.05, 0.3, 0.5, 0.8, 0.95, 0.999):
        # with little mass the tail that is small keeps the digits
        value = known.ppf(below + p * mass) if below <= 0.5 else known.isf(known.sf(low) - p * mass)
        # scipy's ppf of student_t has 9 digits, its cdf has 15
        value -= (known.cdf(value) - (below + p * mass)) / known.pdf(value)
        x, jacobian = line_of(value, low, high)
        where = "%s ~ %s at %g" % (name, prior, p)
        checks.near(where, estimates.log_prior(x), known.logpdf(value) - math.log(mass) + jacobian, 1e-9, 1e-9)
        reported = math.log(value) if name == "alpha" else value
        checks.near(where + ", reported", estimates.report(x, 1)[0], reported, 1e-9, 1e-9)
        quantile = {0.05: info.q05, 0.5: info.q50, 0.95: info.q95}.get(p)
        if quantile is not None:
            checks.near(where + ", quantile", quantile, reported if name == "alpha" else x, 1e-9, 1e-9)
    estimates.free()


def check_dirichlet(checks, engine, name, weights):
    count = len(weights)
    text = "dirichlet(%s)" % ", ".join(repr(w) for w in weights)
    estimates = Estimates(engine, name, text, math.nan)
    assert estimates.dimension == count - 1
    known, random = stats.dirichlet(weights), np.random.default_rng(1)
    for p in known.rvs(20, random_state=random):
        p /= p.sum()
        rest = 1 - np.cumsum(p)[:-1]
        left = np.concatenate([[1.0], rest[:-1]])
        z = p[:-1] / left
        x = special.logit(z) + np.log(np.arange(count - 1, 0, -1))
        # |dp/dx| is triangular: z (1 - z) of what was left
        jacobian = np.sum(np.log(z * (1 - z) * left))
        checks.near(text, estimates.log_prior(x), known.logpdf(p) + jacobian, 1e-9, 1e-9)
        checks.near(text + ", reported", estimates.report(x, count), p, 1e-9, 1e-12)
    for i, weight in enumerate(weights):
        margin, info = stats.beta(weight, sum(weights) - weight), estimates.info(i)
        got = [info.q05, info.q50, info.q95]
        checks.near("%s, margin %d" % (text, i), got, special.logit(margin.ppf([0.05, 0.5, 0.95])), 1e-9, 1e-9)
    estimates.free()


def main():
    if not have_library():
        skip("no library to load (ASIF_LIB)")
    checks = Checks("priors")
    with tempfile.NamedTemporaryFile("w", suffix=".yaml") as study:
        study.write(STUDY)
        study.flush()
        engine = Engine(study.name, resolution=4)
        for row in NUMBERS:
            check_number(checks, engine, *row)
        check_dirichlet(checks, engine, "action_prior", [1.0, 1.0, 1.0])
        check_dirichlet(checks, engine, "start", [2.0, 0.7, 30.0])
    checks.finish()


main()
