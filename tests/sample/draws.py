"""Draws through the library: summaries of columns, and chains written and read as Stan CSV.

The cases are what samplers make and what diagnostics stumble over: independent, sticky and alternating
chains, ties, heavy tails, chains that disagree, an odd number of draws, few draws, a single chain, numbers
far from 0.
"""
import ctypes
import os
import sys

sys.path.insert(0, os.path.join(os.path.dirname(os.path.abspath(__file__)), "..", "oracle"))
from common import np  # noqa: E402
from library import Error, LibraryError, library, pointer  # noqa: E402

STATS = ["lp__", "accept_stat__", "stepsize__", "treedepth__", "n_leapfrog__", "divergent__", "energy__"]

METRIC = ["Covariance used after warm-up:", "Elements of inverse mass matrix:"]


class Summary(ctypes.Structure):
    _fields_ = [
        (name, ctypes.c_double)
        for name in "mean sd q05 q50 q95 rhat ess_bulk ess_tail mcse_mean mcse_sd".split()
    ]


FIELDS = [name for name, _ in Summary._fields_]


class Draws:
    """The library with a context of its own."""

    def __init__(self):
        self.lib, self.context = library(), ctypes.c_void_p()
        self.lib.asif_memory_free.restype = None
        self.call("asif_context_create", ctypes.byref(self.context), None)

    def call(self, name, *arguments):
        error = Error()
        status = getattr(self.lib, name)(*arguments, ctypes.byref(error))
        if status != 0:
            raise LibraryError(name, status, error)

    def summary(self, values):
        """Of values [chains, draws], as a dictionary."""
        values = np.ascontiguousarray(values, float)
        out, (chains, draws) = Summary(), values.shape
        self.call(
            "asif_summarise",
            ctypes.byref(out),
            self.context,
            pointer(values),
            ctypes.c_uint32(chains),
            ctypes.c_uint64(draws),
        )
        return {name: getattr(out, name) for name in FIELDS}

    def chains(self, texts, model="test"):
        """Texts of Stan CSV files, read and written again."""
        n, draws = len(texts), ctypes.c_void_p()
        data = [text.encode() for text in texts]
        self.call(
            "asif_draws_read_text",
            ctypes.byref(draws),
            self.context,
            (ctypes.c_char_p * n)(*data),
            (ctypes.c_uint64 * n)(*map(len, data)),
            (ctypes.c_char_p * n)(*(b"chain %d" % i for i in range(n))),
            ctypes.c_uint32(n),
        )
        out = []
        for i in range(n):
            text = ctypes.c_char_p()
            self.call("asif_draws_csv", ctypes.byref(text), draws, ctypes.c_uint32(i), model.encode())
            out.append(text.value.decode())
            self.lib.asif_memory_free(self.context, text)
        self.lib.asif_draws_free(draws)
        return out


def stan_text(names, values, stats, method, step=0.25, metric=None):
    """A chain as text to the last bit: values [draws, columns], stats [draws, columns of STATS]."""
    lines = ["# asif_method = " + method, "# num_warmup = 500", "# max_depth = 10", "# seed = 42"]
    lines.append(",".join(STATS[: stats.shape[1]] + names))
    if method == "nuts":
        lines += ["# Adaptation terminated", "# Step size = %r" % step]
    if metric is not None:
        lines.append("# " + METRIC[method == "nuts"])
        lines += ["# " + ", ".join("%r" % float(x) for x in row) for row in metric]
    lines += [",".join("%r" % float(x) for x in row) for row in np.hstack([stats, values])]
    return "\n".join(lines) + "\n"


def autoregressive(rng, chains, draws, phi):
    out = rng.normal(size=(chains, draws))
    for t in range(1, draws):
        out[:, t] = phi * out[:, t - 1] + np.sqrt(1 - phi**2) * out[:, t]
    return out


def cases(rng):
    """(name, values [chains, draws])"""
    out = []
    sizes = ((4, 1000), (4, 500), (3, 333), (2, 102), (1, 1000), (7, 143), (5, 40), (4, 12), (2, 25), (1, 8))
    for chains, draws in sizes:
        size = "%d x %d: " % (chains, draws)
        for phi in (0.0, 0.6, 0.97, -0.4, -0.9):
            out.append((size + "autoregressive %g" % phi, autoregressive(rng, chains, draws, phi)))
        x = autoregressive(rng, chains, draws, 0.5)
        out.append((size + "ties", np.round(2 * x)))
        out.append((size + "two values", (x > 0.7) * 1.0))
        out.append((size + "lognormal", np.exp(3 * x)))
        out.append((size + "heavy tails", rng.standard_cauchy((chains, draws))))
        out.append((size + "far from 0", 1e6 + x))
        out.append((size + "tiny", 1e-5 * x))
        out.append((size + "shifted", x + np.arange(chains)[:, None]))
        out.append((size + "one chain wider", x * np.where(np.arange(chains) == 0, 5, 1)[:, None]))
        out.append((size + "drifting", x + np.linspace(0, 3, draws)))
        out.append((size + "random walk", np.cumsum(rng.normal(size=(chains, draws)), 1)))
    return out
