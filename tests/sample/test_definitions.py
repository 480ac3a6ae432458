"""R-hat, effective sample sizes and Monte Carlo errors against the definitions, written down anew with NumPy.

Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), equations 1 to 4 and 10 to 14; Geyer (1992).
"""
from draws import FIELDS, Draws, cases, np
from common import Checks
from scipy.stats import norm, rankdata

checks, lib = Checks("diagnostics against their definitions"), Draws()


def split(x):
    half = x.shape[1] // 2
    return np.vstack([x[:, :half], x[:, x.shape[1] - half :]])


def normalised(x):
    """Equation 14: normal scores of the ranks of all draws together."""
    return norm.ppf((rankdata(x) - 3 / 8) / (x.size + 1 / 4)).reshape(x.shape)


def rhat(x):
    """Equations 1 to 4."""
    n = x.shape[1]
    within = x.var(axis=1, ddof=1).mean()
    between = n * x.mean(axis=1).var(ddof=1)
    with np.errstate(divide="ignore"):
        return np.sqrt(((n - 1) / n * within + between / n) / within) if np.ptp(x) else np.nan


def ess(x):
    """Equations 10 to 13. Of the pair at which the sequence ends the first half counts, if it is not a
    negative half of a negative pair; the sequence ends before the last lags at the latest. Both as in the
    authors' implementation."""
    m, n = x.shape
    if not np.ptp(x):
        return np.nan
    centred = x - x.mean(axis=1, keepdims=True)
    covariance = np.mean([np.correlate(c, c, "full")[n - 1 :] / n for c in centred], axis=0)
    within = covariance[0] * n / (n - 1)
    rho = 1 - (within - covariance) / (covariance[0] + x.mean(axis=1).var(ddof=1))
    rho[0] = 1
    pairs = rho[0 : n - 1 : 2] + rho[1:n:2]
    last = max(0, (n - 4) // 2)
    positive = int(np.argmax(np.append(pairs[:last] <= 0, True)))
    if positive == 0:
        tau = 2.0
    else:
        end = rho[2 * positive]
        end = max(end, 0) if pairs[positive] < 0 else end
        tau = -1 + 2 * np.minimum.accumulate(pairs[:positive]).sum() + end
    return m * n / max(tau, 1 / np.log10(m * n))


def summary(x):
    deviation = x - x.mean()
    sd, variance = x.std(ddof=1), x.var()
    quantiles = np.quantile(x, [0.05, 0.5, 0.95])
    squares = deviation**2
    return {
        "mean": x.mean(),
        "sd": sd,
        "q05": quantiles[0],
        "q50": quantiles[1],
        "q95": quantiles[2],
        "rhat": np.maximum(
            rhat(normalised(split(x))), rhat(normalised(split(np.abs(x - np.median(x)))))
        ),
        "ess_bulk": ess(normalised(split(x))),
        "ess_tail": np.minimum(*(ess(split((x <= q) * 1.0)) for q in quantiles[[0, 2]])),
        "mcse_mean": sd / np.sqrt(ess(split(x))),
        "mcse_sd": np.sqrt(((squares**2).mean() - variance**2) / ess(split(squares)) / variance / 4),
    }


compared = {name: 0 for name in FIELDS}
largest = dict(compared)
for name, x in cases(np.random.default_rng(20210718)):
    got, want = lib.summary(x), summary(x)
    for field in FIELDS:
        what = "%s: %s" % (name, field)
        if np.isnan(want[field]):
            checks.true(np.isnan(got[field]), "%s is %g, and not defined" % (what, got[field]))
            continue
        compared[field] += 1
        scale = (x.std() if field in ("mean", "q05", "q50", "q95") else abs(want[field])) or 1.0
        if checks.near(what, got[field], want[field], atol=1e-8 * scale) and np.isfinite(want[field]):
            largest[field] = max(largest[field], abs(got[field] - want[field]) / scale)
for field in FIELDS:
    print("  %-9s %d compared, largest relative difference %.1e" % (field, compared[field], largest[field]))
    checks.true(compared[field] > 100, "%s was compared %d times" % (field, compared[field]))
checks.finish()
