"""Leave-one-out against an implementation that follows the papers in NumPy, without an eye on ours."""
from loo_cases import Library, cases, np
from common import Checks


def autocovariance(x):
    n = len(x)
    x = x - x.mean()
    return np.array([np.dot(x[: n - t], x[t:]) / n for t in range(n)])


def relative_efficiency(x):
    """Geyer's initial monotone sequence on chains that are not split, [chains, draws]."""
    chains, n = x.shape
    if x.max() == x.min():
        return 1
    cov = np.mean([autocovariance(c) for c in x], 0)
    within = cov[0] * n / (n - 1)
    total = within * (n - 1) / n + (x.mean(1).var(ddof=1) if chains > 1 else 0)
    rho = 1 - (within - cov) / total
    rho[0] = 1
    kept, t = [], 0
    while t + 5 < n and rho[t] + rho[t + 1] > 0:
        kept.append(rho[t] + rho[t + 1])
        t += 2
    kept = np.minimum.accumulate(kept) if kept else np.zeros(0)
    last = rho[t] if rho[t] > 0 or rho[t] + rho[t + 1] >= 0 else 0
    tau = 2 * kept.sum() - 1 + last if t else 2
    size = chains * n
    return 1 / max(tau, 1 / np.log10(size))


def fit_pareto(x):
    """Zhang and Stephens (2009), and the prior of Vehtari et al. (2024)."""
    n = len(x)
    m = 30 + int(np.sqrt(n))
    with np.errstate(all="ignore"):
        b = 1 / x[-1] + (1 - np.sqrt(m / (np.arange(1, m + 1) - 0.5))) / (3 * x[int(n / 4 + 0.5) - 1])
        k = np.log1p(-b[:, None] * x).mean(1)
        likelihood = n * (np.log(-b / k) - k - 1)
        weight = np.array([1 / np.exp(likelihood - at).sum() for at in likelihood])
        b = (b * weight).sum()
        k = np.log1p(-b * x).mean()
        sigma = -k / b
    return (k * n + 5) / (n + 10), sigma


def psis_loo(values, efficiency):
    flat = values.ravel()
    s = len(flat)
    lw = -flat - (-flat).max()
    tail = int(np.ceil(min(0.2 * s, 3 * np.sqrt(s / efficiency))))
    shape = np.inf
    if tail >= 5:
        order = np.argsort(lw, kind="stable")
        last, cutoff = order[-tail:], np.exp(lw[order[-tail - 1]])
        if lw[last].max() > lw[last].min():
            shape, sigma = fit_pareto(np.exp(lw[last]) - cutoff)
            if np.isnan(shape):
                shape = np.inf
            else:
                p = (np.arange(1, tail + 1) - 0.5) / tail
                lw[last] = np.minimum(np.log(cutoff + sigma * np.expm1(-shape * np.log1p(-p)) / shape), 0)
    w = np.exp(lw - lw.max())
    top = flat.max()
    elpd = np.log((w / w.sum() * np.exp(flat - top)).sum()) + top
    lpd = np.log(np.exp(flat - top).mean()) + top
    return elpd, lpd - elpd, shape


checks, lib = Checks("leave-one-out against NumPy"), Library()
largest = {}
for name, matrix in cases(np.random.default_rng(20240602)):
    for unit, values in enumerate(matrix):
        for given in (1.0, None):
            want_efficiency = given or relative_efficiency(np.exp(values - values.max()))
            want = psis_loo(values, want_efficiency)
            got = lib.loo(values, np.nan if given is None else given)
            for what, a, b, tol in zip(
                ("elpd", "p", "k", "efficiency"),
                (got.elpd, got.p, got.k, got.efficiency),
                (*want, want_efficiency),
                (1e-8, 1e-8, 1e-6, 1e-8),
            ):
                off = 0 if a == b else abs(a - b)
                largest[what] = max(largest.get(what, 0), off)
                checks.true(off <= tol, "%s, unit %d: %s is %.12g, not %.12g" % (name, unit, what, a, b))
print({what: "%.1e" % off for what, off in largest.items()})
checks.finish()
