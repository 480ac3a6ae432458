"""The posterior of alpha, optimism and eta of the oracle's optimistic and non-adaptive sets, integrated over a grid, and
the draws of `asif fit`: means and standard deviations within 4 Monte Carlo errors.

The ridge is bent and has a long tail, so its standard deviations are those that a sampler gets wrong first.
"""
import ctypes
import math
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from common import Checks, Folder, attempt, json, np, skip, source  # noqa: E402
from library import Engine  # noqa: E402

checks = Checks("posterior on a grid")
ORACLE = os.environ.get("ASIF_ORACLE", "")
SPAN = 46  # of the utility: the default priors follow from it
# name: ends and points of the grid in log alpha, optimism, eta
BOXES = {
    "optimistic": ((-1.3, 0.15, 46), (-0.7, 2.2, 54), (-40, 110, 46)),
    "non_adaptive": ((-2.2, 0.2, 56), (-1.8, 4.2, 64), (-50, 180, 48)),
}


class LogsOptions(ctypes.Structure):
    _fields_ = [
        ("struct_size", ctypes.c_size_t),
        ("map", ctypes.c_void_p),
        ("setting", ctypes.c_void_p),
        ("units", ctypes.c_int),
        ("covariates", ctypes.c_void_p),
        ("separator", ctypes.c_char),
    ]


def read(engine, path):
    tree = ctypes.c_void_p()
    setting = engine.lib.asif_study_setting(engine.study)
    options = LogsOptions(ctypes.sizeof(LogsOptions), None, setting, 0, None, b"\0")
    engine.call(
        "asif_logs_read", ctypes.byref(tree), engine.context, path.encode(), ctypes.byref(options), None, None
    )
    return tree


def log_prior(log_alpha, optimism, eta):
    return -0.5 * (((log_alpha - math.log(0.01 * SPAN)) / 1.5) ** 2 + optimism**2 + (eta / SPAN) ** 2)


def integrate(engine, tree, box):
    """Means and standard deviations by the trapezoidal rule; the density vanishes at the ends of the box."""
    axes = [np.linspace(*ends) for ends in box]
    total, value = ctypes.c_double(), np.empty([len(axis) for axis in axes])
    for i, j, k in np.ndindex(*value.shape):
        at = axes[0][i], axes[1][j], axes[2][k]
        engine.solve(alpha=math.exp(at[0]), optimism=at[1], eta=at[2])
        engine.call("asif_loglik", ctypes.byref(total), engine.behavior, tree, None)
        value[i, j, k] = total.value + log_prior(*at)
    weight = np.exp(value - value.max())
    weight /= weight.sum()
    for axis in range(3):
        side = weight.sum(tuple({0, 1, 2} - {axis}))
        checks.true(max(side[0], side[-1]) < 1e-3 * side.max(), "the box cuts the density on axis %d" % axis)
    grid = np.meshgrid(*axes, indexing="ij")
    means = [(weight * g).sum() for g in grid]
    return means, [math.sqrt((weight * (g - m) ** 2).sum()) for g, m in zip(grid, means)]


folder, study = Folder(), source("examples", "diag", "study.yaml")
if not os.path.exists(os.path.join(ORACLE, "logs_optimistic.csv")):
    skip("the oracle's logs are not here (ASIF_ORACLE)")
engine = Engine(study, threads=1)
for name, box in BOXES.items():
    logs = os.path.join(ORACLE, "logs_%s.csv" % name)
    means, sds = integrate(engine, read(engine, logs), box)
    done = attempt("fit", study, logs, "-o", folder.file(name), "--seed", "1", "--json", "-q")
    made = json.loads(done.stdout)["parameters"]
    for parameter, m, s in zip(("log_alpha", "optimism", "eta"), means, sds):
        p = made[parameter]
        error = p["sd"] / math.sqrt(2 * p["ess_bulk"])
        print(
            "  %-12s %-9s grid %.3f (%.3f), draws %.3f (%.3f), Monte Carlo errors %.3f, %.3f"
            % (name, parameter, m, s, p["mean"], p["sd"], p["mcse_mean"], error)
        )
        checks.near("%s: mean of %s" % (name, parameter), p["mean"], m, atol=4 * p["mcse_mean"], kind="means")
        checks.near("%s: sd of %s" % (name, parameter), p["sd"], s, atol=4 * error, kind="sds")
checks.finish()
