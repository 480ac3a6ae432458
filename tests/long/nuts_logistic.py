"""Logistic regression of 25 coefficients: draws of asif's NUTS against a long run of numpyro's.

Means and variances must agree within 4 Monte Carlo standard errors, those of both runs together. ASIF_LIB is the
shared library.
"""
import ctypes as c
import os
import sys

import numpy as np

COEFFICIENTS, ROWS, SCALE = 25, 400, 2.5


def data():
    """Covariates that are correlated and of different size, the first one constant."""
    rng = np.random.default_rng(20210719)
    x = rng.normal(size=(ROWS, COEFFICIENTS))
    for j in range(2, COEFFICIENTS):
        x[:, j] = 0.7 * x[:, j - 1] + 0.7 * x[:, j]
    x *= np.exp(np.linspace(-1, 1, COEFFICIENTS))
    x[:, 0] = 1
    truth = rng.normal(size=COEFFICIENTS) * 0.5
    return x, (rng.random(ROWS) < 1 / (1 + np.exp(-x @ truth))).astype(float)


# ---- asif, through its C functions ----

class Density(c.Structure):
    _fields_ = [("dimension", c.c_uint32), ("evaluate", c.c_void_p), ("has_gradient", c.c_bool),
                ("reported", c.c_uint32), ("name", c.c_void_p), ("report", c.c_void_p), ("memory", c.c_uint64),
                ("save", c.c_void_p), ("load", c.c_void_p), ("user", c.c_void_p)]


class Options(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("method", c.c_int), ("chains", c.c_uint32), ("warmup", c.c_uint64),
                ("draws", c.c_uint64), ("thin", c.c_uint64), ("seed", c.c_uint64), ("target_accept", c.c_double),
                ("max_depth", c.c_uint32), ("step", c.c_double), ("start", c.c_void_p), ("metric", c.c_void_p),
                ("folder", c.c_char_p), ("key", c.c_char_p), ("checkpoint_sec", c.c_double)]


class View(c.Structure):
    _fields_ = [("struct_size", c.c_size_t), ("method", c.c_int), ("chains", c.c_uint32), ("columns", c.c_uint32),
                ("dimension", c.c_uint32), ("draws", c.c_uint64), ("name", c.c_void_p),
                ("value", c.POINTER(c.c_double)), ("stat", c.POINTER(c.c_double)), ("step", c.c_void_p),
                ("metric", c.c_void_p), ("warmup", c.c_uint64), ("thin", c.c_uint64), ("seed", c.c_uint64),
                ("max_depth", c.c_uint32)]


Evaluate = c.CFUNCTYPE(c.c_int, c.c_void_p, c.POINTER(c.c_double), c.POINTER(c.c_double), c.POINTER(c.c_double),
                       c.c_void_p)


def sample_asif(x, y, chains, draws):
    """[coefficients][chains][draws], and the number of draws that diverged."""
    lib = c.CDLL(os.environ["ASIF_LIB"])
    pointer = c.c_void_p
    lib.asif_context_create.argtypes = [c.POINTER(pointer), pointer, pointer]
    lib.asif_sample.argtypes = [c.POINTER(pointer), pointer, pointer, pointer, pointer]
    lib.asif_draws_get.argtypes = [pointer, pointer, pointer]
    lib.asif_draws_free.argtypes = lib.asif_context_free.argtypes = [pointer]

    def evaluate(_, at, value, gradient, __):
        b = np.ctypeslib.as_array(at, (COEFFICIENTS,))
        z = x @ b
        value[0] = y @ z - np.logaddexp(0, z).sum() - b @ b / (2 * SCALE**2)
        if gradient:
            p = np.exp(-np.logaddexp(0, -z))
            np.ctypeslib.as_array(gradient, (COEFFICIENTS,))[:] = (y - p) @ x - b / SCALE**2
        return 0

    call = Evaluate(evaluate)
    density = (Density * chains)(*[Density(COEFFICIENTS, c.cast(call, pointer), True)] * chains)
    options = Options(c.sizeof(Options), 0, chains, 1000, draws, 1, 1, 0.8, 10, 0.1, None, None, None, None, 10.0)
    context, out = pointer(), pointer()
    if lib.asif_context_create(c.byref(context), None, None) != 0:
        sys.exit("no context")
    if lib.asif_sample(c.byref(out), context, density, c.byref(options), None) != 0:
        sys.exit("asif_sample failed")
    view = View(struct_size=c.sizeof(View))
    lib.asif_draws_get(out, c.byref(view), None)
    value = np.ctypeslib.as_array(view.value, (COEFFICIENTS, chains, draws)).copy()
    stat = np.ctypeslib.as_array(view.stat, (7, chains, draws)).copy()
    lib.asif_draws_free(out)
    lib.asif_context_free(context)
    return value, int(stat[5].sum()), stat[4].mean()


# ---- numpyro ----

def sample_numpyro(x, y, chains, draws):
    import jax
    jax.config.update("jax_enable_x64", True)
    import numpyro
    import numpyro.distributions as dist

    def model():
        b = numpyro.sample("b", dist.Normal(np.zeros(COEFFICIENTS), SCALE).to_event(1))
        numpyro.sample("y", dist.Bernoulli(logits=x @ b), obs=y)

    run = numpyro.infer.MCMC(numpyro.infer.NUTS(model, dense_mass=True), num_warmup=2000, num_samples=draws,
                             num_chains=chains, chain_method="sequential", progress_bar=False)
    run.run(jax.random.PRNGKey(3))
    return np.moveaxis(np.asarray(run.get_samples(group_by_chain=True)["b"]), 2, 0)


# ---- the comparison ----

def ess(chain):
    """Geyer's initial positive sequence."""
    n = len(chain)
    z = np.fft.rfft(chain - chain.mean(), 2 * n)
    r = np.fft.irfft(z * np.conj(z))[:n] / n
    pairs = r[0:n // 2 * 2:2] + r[1:n // 2 * 2:2]
    end = np.argmax(pairs <= 0) if (pairs <= 0).any() else len(pairs)
    return n * r[0] / (2 * np.minimum.accumulate(pairs[:end]).sum() - r[0])


def estimate(values):
    """Mean and its standard error; [chains][draws]."""
    return values.mean(), values.std() / np.sqrt(sum(ess(chain) for chain in values))


def main():
    x, y = data()
    ours, divergent, leaps = sample_asif(x, y, 4, int(os.environ.get("ASIF_DRAWS", 4000)))
    theirs = sample_numpyro(x, y, 4, int(os.environ.get("ASIF_REFERENCE_DRAWS", 25000)))
    worst = {"mean": 0, "variance": 0}
    for j in range(COEFFICIENTS):
        centre = theirs[j].mean()
        for what, f in (("mean", lambda v: v), ("variance", lambda v: (v - centre)**2)):
            (a, sa), (b, sb) = estimate(f(ours[j])), estimate(f(theirs[j]))
            worst[what] = max(worst[what], abs(a - b) / np.hypot(sa, sb), key=abs)
    least = min(sum(ess(chain) for chain in ours[j]) for j in range(COEFFICIENTS))
    print(f"asif: {ours[0].size} draws, at least {least:.0f} effective, {leaps:.1f} leaps each, {divergent} divergent")
    print(f"numpyro: {theirs[0].size} draws, at least "
          f"{min(sum(ess(chain) for chain in theirs[j]) for j in range(COEFFICIENTS)):.0f} effective")
    print(f"largest difference of {COEFFICIENTS} means: {worst['mean']:.2f} standard errors; "
          f"of their variances: {worst['variance']:.2f}")
    return max(worst.values()) > 4 or divergent > 0


if __name__ == "__main__":
    sys.exit(main())
