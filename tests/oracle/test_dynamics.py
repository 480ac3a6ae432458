"""Hidden dynamics against an independent implementation: likelihoods, expected counts, maxima, standard errors."""
import json
import os
import time

from common import Checks, np
from dynamics import DEMENTIA, of_structure, oracle, to_tables

iohmm, cohort = oracle()
checks = Checks("hidden dynamics")
facts = json.load(open(os.path.join(DEMENTIA, "FACTS.json")))
truth = {k: np.array(facts["truth"][k]) for k in ("start", "tau", "cdr", "mri")}
scans = iohmm.Structure(3, 2, 12, tie_tau=True, factor=cohort.FACTOR)


# ---- random problems: the tree against episode by episode ----
rng = np.random.default_rng(3)
for seed in range(12):
    S, U, X = int(rng.integers(2, 8)), int(rng.integers(1, 4)), int(rng.integers(2, 7))
    mask = rng.random((U, 1, X)) < .8
    mask[:, :, 0] = True
    st = iohmm.Structure(S, U, X, tie_tau=bool(seed % 2), mask_omega=mask)
    p = st.random(rng)
    start, tau, omega = st.build(p)
    us, xs = [], []
    for _ in range(200):
        T = int(rng.integers(1, 7))
        us.append(rng.integers(0, U, T).tolist())
        xs.append([-1 if rng.random() < .15 else int(rng.choice(np.flatnonzero(mask[u, 0]))) for u in us[-1]])
    w = rng.integers(1, 4, len(us)).astype(float) if seed % 3 else rng.random(len(us)) + .1
    model = of_structure(st, us, xs, weight=w)
    value, count = model.loglik(to_tables(st, p))
    want, *n = iohmm.estep_sequences(us, xs, start, tau, omega, w)
    checks.near("seed %d: log-likelihood" % seed, value, want, rtol=1e-12, kind="likelihood")
    # The move after the last decision is not in the tree where nothing was seen after it: its expected counts are left out.
    cut = [(u[:-1], x[:-1], v) if x[-1] < 0 else (u, x, v) for u, x, v in zip(us, xs, w)]
    n = iohmm.estep_sequences([c[0] for c in cut], [c[1] for c in cut], start, tau, omega, [c[2] for c in cut])
    for k, v in to_tables(st, st.collect(*n[1:])).items():
        checks.near("seed %d: expected counts of %s" % (seed, k), count[k], v, atol=1e-10 * sum(w), kind="counts")
    model.close()

# ---- the synthetic cohort ----
small = cohort.load(os.path.join(DEMENTIA, "cohort_small.csv"))
model = of_structure(scans, *small[:2])
checks.near("small cohort at the truth", model.loglik(to_tables(scans, truth))[0], -283.68939427473, atol=1e-8)
checks.true(model.histories == facts["small"]["nodes_with_ends"], "%d histories" % model.histories)
model.close()

us, xs, *_ = cohort.load(os.path.join(DEMENTIA, "cohort_synthetic.csv"))
model = of_structure(scans, us, xs)
checks.near("cohort at the truth", model.loglik(to_tables(scans, truth))[0], -8622.92342097, atol=1e-8)
checks.true(model.histories == facts["nodes_with_ends"], "%d histories" % model.histories)
checks.true(model.free == 20, "%d free numbers" % model.free)
begun = time.process_time()
iohmm.estep_sequences(us, xs, *scans.build(truth), np.ones(len(us)))
one_by_one = time.process_time() - begun
for prior in 0.0, 1.0:
    known = facts["observation_loglik"]["tied_factored, prior %.1f" % prior]
    begun = time.process_time()
    fit = model.learn(prior=prior)
    took = time.process_time() - begun
    print("  prior %g: %.4f, %d of 20 starts agree, %d passes, %.2f s" % (prior, fit["log_posterior"], fit["agree"], fit["passes"], took))
    checks.near("maximum, prior %g" % prior, fit["log_likelihood"], known["loglik"], atol=1e-3)
    checks.near("log-posterior, prior %g" % prior, fit["log_posterior"], known["log_posterior"], atol=1e-3)
    checks.true(fit["agree"] >= 15, "only %d starts agree" % fit["agree"])
    checks.true(took < 10 * one_by_one, "20 starts took %.1f s, the oracle %.2f s for one step over all episodes" % (took, one_by_one))
    want = to_tables(scans, {k: np.array(v) for k, v in known["estimate"].items()})
    for k, v in want.items():
        checks.near("prior %g: %s" % (prior, k), fit["point"][k], v, atol=1e-3, kind="estimates")
    # Cells at 0 are impossible to the independent implementation, which would lose their whole row.
    at_zero = fit["kind"]["tau"] == 3
    inner = iohmm.Structure(3, 2, 12, tie_tau=True, factor=cohort.FACTOR, mask_tau=~at_zero[:, None])
    at = {"start": fit["point"]["start"], "tau": fit["point"]["tau"], "cdr": fit["point"]["cdr"], "mri": fit["point"]["mri"][:, 1:]}
    errors, _ = iohmm.standard_errors(iohmm.Tree(us, xs), inner, at, prior, cap=60)
    errors["mri"] = np.hstack([np.full((3, 1), np.nan), errors["mri"]])
    checks.true(at_zero.sum() == (1 if prior == 0 else 0), "%d transitions are at 0" % at_zero.sum())
    for k, v in errors.items():
        inside = fit["kind"][k] == 0
        checks.near("prior %g: standard errors of %s" % (prior, k), fit["error"][k], v, rtol=1e-4, atol=1e-7, where=inside, kind="errors")
        checks.true(np.array_equal(inside, ~np.isnan(fit["error"][k])), "standard errors of %s that should not be there" % k)
two = of_structure(scans, us, xs, threads=2)
again = two.learn(prior=0.0, starts=6)
alone = model.learn(prior=0.0, starts=6)
checks.true(all(np.array_equal(again["point"][k], alone["point"][k]) for k in again["point"]), "threads change the estimates")
checks.finish()
