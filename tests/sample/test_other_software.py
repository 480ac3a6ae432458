"""ArviZ and cmdstanpy read our chains with their own readers and find the numbers that we wrote; ArviZ's
diagnostics are ours.

Needs `arviz<1` (later versions have no reader of such files); cmdstanpy is tried where it is installed.
tests/long/arviz.sh installs both and runs this.
"""
import logging
import warnings

from draws import STATS, Draws, cases, np, stan_text
from common import Checks, Folder, skip

with warnings.catch_warnings():
    warnings.simplefilter("ignore")
    try:
        import arviz
    except ImportError:
        skip("ArviZ is not installed")
if not hasattr(arviz, "from_cmdstan"):
    skip("this ArviZ has no reader of Stan CSV files")
logging.disable(logging.WARNING)

checks, folder, lib = Checks("chains and diagnostics in other software"), Folder(), Draws()
rng = np.random.default_rng(20210719)
OURS = {
    "mean": "mean",
    "sd": "sd",
    "r_hat": "rhat",
    "ess_bulk": "ess_bulk",
    "ess_tail": "ess_tail",
    "mcse_mean": "mcse_mean",
    "mcse_sd": "mcse_sd",
}
largest = {}


def same(what, got, want):
    checks.true(np.array_equal(np.asarray(got, float), want, equal_nan=True), what + " has other numbers")


# ------------------------------------------------------------------ diagnostics
def arviz_differs(field, chains, draws):
    """Where ArviZ does another thing than R's posterior, which we follow."""
    half = draws // 2
    return (
        (field == "r_hat" and chains == 1)  # not defined there
        or (field == "ess_tail" and (chains * draws - 1) % 20 == 0)  # it misses the draw that is the quantile
        or (field not in ("mean", "sd", "r_hat") and half % 2 == 1)  # one more pair at the end of all lags
        or (field not in ("mean", "sd", "r_hat") and half < 6)  # too few lags for a pair
    )


compared = 0
for name, x in cases(rng):
    got = lib.summary(x)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        table = arviz.summary({"x": x}, round_to="none", kind="all")
    for field, ours in OURS.items():
        want = float(table[field].iloc[0])
        if arviz_differs(field, *x.shape) or not np.isfinite(want):
            continue
        if np.isnan(got[ours]) and x.min() == x.max():
            continue  # ArviZ counts the draws of a constant
        if ours == "ess_tail" and np.isnan(got[ours]):  # and of a constant indicator
            low, high = np.quantile(x, [0.05, 0.95])
            checks.true((x <= high).all() or (x <= low).all() or not (x <= low).any(), name)
            continue
        compared += 1
        scale = abs(want) if field != "mean" else max(abs(want), x.std())
        if checks.near("%s: %s" % (name, field), got[ours], want, atol=1e-6 * scale) and scale > 0:
            largest[field] = max(largest.get(field, 0.0), abs(got[ours] - want) / scale)
checks.true(compared > 500, "only %d numbers were compared" % compared)
print("ArviZ %s: largest relative differences" % arviz.__version__)
for field, difference in largest.items():
    print("  %-9s %.1e" % (field, difference))

# ------------------------------------------------------------------ files
NAMES = ["alpha", "wrong", "start.1", "start.2", "start.3"]
CHAINS, DRAWS = 4, 50
ARVIZ_STATS = ["lp", "acceptance_rate", "step_size", "tree_depth", "n_steps", "diverging", "energy"]


def make(method):
    """Values and statistics [chains, draws, columns], and the paths of the files that we write of them."""
    values = rng.normal(size=(CHAINS, DRAWS, len(NAMES))) * 10.0 ** rng.integers(-8, 8, len(NAMES))
    stats = rng.normal(size=(CHAINS, DRAWS, len(STATS) if method == "nuts" else 2))
    if method == "nuts":
        stats[..., 3:6] = rng.integers(0, [11, 1024, 2], (CHAINS, DRAWS, 3))
    metric = np.cov(rng.normal(size=(3, 10))) if method != "published" else None
    texts = [stan_text(NAMES, values[c], stats[c], method, 0.25 + c, metric) for c in range(CHAINS)]
    written = enumerate(lib.chains(texts, "a_model"))
    return values, stats, metric, [folder.file("%s-%d.csv" % (method, c + 1), text) for c, text in written]


def check_arviz(method, values, stats, paths):
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        data = arviz.from_cmdstan(paths)
    posterior = data.posterior
    checks.true(set(posterior.data_vars) == {"alpha", "wrong", "start"}, "%s: %s" % (method, list(posterior)))
    same(method + " alpha", posterior["alpha"], values[..., 0])
    same(method + " wrong", posterior["wrong"], values[..., 1])
    same(method + " start", posterior["start"], values[..., 2:])
    for i in range(stats.shape[2]):
        same("%s %s" % (method, ARVIZ_STATS[i]), data.sample_stats[ARVIZ_STATS[i]], stats[..., i])


def check_cmdstanpy(method, values, stats, metric, paths):
    fit = cmdstanpy.from_csv(paths)
    draws = fit.draws()
    checks.true(fit.chains == CHAINS and fit.num_draws_sampling == DRAWS, method + " in cmdstanpy: size")
    same(method + " in cmdstanpy", np.moveaxis(draws, 0, 1), np.concatenate([stats, values], 2))
    same(method + " start in cmdstanpy", fit.stan_variable("start"), values[..., 2:].reshape(-1, 3))
    if method == "nuts":
        same("step sizes in cmdstanpy", fit.step_size, 0.25 + np.arange(CHAINS))
        same("metric in cmdstanpy", fit.inv_metric, np.broadcast_to(metric, (CHAINS, 3, 3)))
        # Version 1.3 leaves out the first draw when it counts.
        count = stats[:, 1:, 5].sum(1)
        checks.true(
            ((fit.divergences == count) | (fit.divergences == count + stats[:, 0, 5])).all(),
            "divergences in cmdstanpy: %s" % fit.divergences,
        )
        checks.true(fit.metric_type == "dense_e", "metric in cmdstanpy: %s" % fit.metric_type)
    checks.true(fit.metadata.cmdstan_config["num_warmup"] == 500, "warm-up in cmdstanpy")


try:
    import cmdstanpy

    cmdstanpy.utils.get_logger().setLevel(logging.ERROR)
    print("cmdstanpy %s reads the chains too" % cmdstanpy.__version__)
except ImportError:
    cmdstanpy = None
    print("cmdstanpy is not installed: not tried")
for method in ("nuts", "metropolis", "published"):
    values, stats, metric, paths = make(method)
    check_arviz(method, values, stats, paths)
    if cmdstanpy:
        try:
            check_cmdstanpy(method, values, stats, metric, paths)
        except Exception as error:  # whatever a reader may raise
            checks.fail("%s in cmdstanpy: %s: %s" % (method, error, error.__cause__))
checks.finish()
