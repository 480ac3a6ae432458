#include "asif/sample.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/special.h"
#include "base/sort.h"
#include "sample/draws.h"
#include "sample/effective.h"
#include "sample/ridge/ridge.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Diagnostics of Vehtari, Gelman, Simpson, Carpenter and Bürkner (2021), "Rank-normalization, folding, and
 * localization: an improved R-hat for assessing convergence of MCMC". What the paper leaves open is done as
 * in the authors' R package `posterior`: chains are split into halves without the middle draw of an odd
 * number; medians, quantiles and means are those of all draws. */

enum { LEAST_HALF = 4 }; /* fewest draws in half a chain for diagnostics */

typedef struct {
    double value;
    uint64_t index;
} ranked;

typedef struct {
    const asif_context *context;
    const double *values; /* [chains][draws] */
    uint64_t chains, draws, all;
    uint64_t halves, half, split; /* number of half-chains, their length, and draws in all of them */
    double *sorted;               /* [all] */
    double *x, *z;                /* [halves][half] */
    double *mean;                 /* [halves] */
    ranked *order;                /* [split] */
    asif_autocovariance spectrum;
} work;

static void work_free(work *w) {
    void *const arrays[] = {w->sorted, w->x, w->z, w->mean, w->order};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(w->context, arrays[i]);
    asif_autocovariance_free(&w->spectrum);
}

static bool work_init(work *w, const asif_context *context, const double *values, uint64_t chains,
                      uint64_t draws) {
    uint64_t half = draws / 2, split = 2 * chains * half;
    *w = (work){.context = context,
                .values = values,
                .chains = chains,
                .draws = draws,
                .all = chains * draws,
                .halves = 2 * chains,
                .half = half,
                .split = split,
                .sorted = ASIF_ARRAY(context, chains * draws, double),
                .x = ASIF_ARRAY(context, split, double),
                .z = ASIF_ARRAY(context, split, double),
                .mean = ASIF_ARRAY(context, 2 * chains, double),
                .order = ASIF_ARRAY(context, split, ranked)};
    bool spectrum = asif_autocovariance_init(&w->spectrum, context, half);
    return spectrum && w->sorted && w->x && w->z && w->mean && w->order;
}

static int ascending_ranked(const void *a, const void *b) {
    return asif_ascending(&((const ranked *)a)->value, &((const ranked *)b)->value);
}

/* ---- simple statistics ---- */

double asif_quantile(const double *sorted, uint64_t n, double p) {
    if (n == 0 || !(p >= 0 && p <= 1))
        return NAN;
    double at = (double)(n - 1) * p, low = floor(at), share = at - low;
    uint64_t i = (uint64_t)low;
    if (i + 1 >= n || share == 0 || sorted[i] == sorted[i + 1])
        return sorted[i];
    return (1 - share) * sorted[i] + share * sorted[i + 1];
}

/* ---- R-hat and effective sample size ---- */

typedef double transform(double value, double parameter);

static double same(double value, double parameter) {
    (void)parameter;
    return value;
}

static double folded(double value, double median) {
    return fabs(value - median);
}

static double squared(double value, double mean) {
    return (value - mean) * (value - mean);
}

static double not_above(double value, double bound) {
    return value <= bound;
}

static void split_chains(work *w, transform *f, double parameter) {
    for (uint64_t c = 0; c < w->chains; c++) {
        const double *first = w->values + c * w->draws, *second = first + w->draws - w->half;
        double *to = w->x + 2 * c * w->half;
        for (uint64_t i = 0; i < w->half; i++) {
            to[i] = f(first[i], parameter);
            to[w->half + i] = f(second[i], parameter);
        }
    }
}

/* Set z from x: normal quantiles of the ranks; equal values share the mean of their ranks. */
static void rank_normalise(work *w) {
    uint64_t n = w->split;
    for (uint64_t i = 0; i < n; i++)
        w->order[i] = (ranked){w->x[i], i};
    qsort(w->order, (size_t)n, sizeof *w->order, ascending_ranked);
    for (uint64_t from = 0, to; from < n; from = to) {
        for (to = from + 1; to < n && w->order[to].value == w->order[from].value;)
            to++;
        double rank = 0.5 * (double)(from + 1 + to);
        double z = asif_normal_quantile((rank - 0.375) / ((double)n + 0.25));
        for (uint64_t i = from; i < to; i++)
            w->z[w->order[i].index] = z;
    }
}

static double rhat(work *w, const double *x) {
    if (asif_range(x, w->split) == 0)
        return NAN;
    double n = (double)w->half, within = 0;
    asif_chain_means(w->mean, x, w->halves, w->half);
    for (uint64_t h = 0; h < w->halves; h++)
        within += asif_variance(x + h * w->half, w->half, w->mean[h]);
    within /= (double)w->halves;
    double between = n * asif_variance(w->mean, w->halves, asif_mean(w->mean, w->halves));
    return sqrt((between / within + n - 1) / n);
}

/* Effective sample size of the half-chains in x. */
static double ess(work *w, const double *x) {
    return asif_effective_size(&w->spectrum, x, w->halves, w->mean);
}

/* The larger, and the smaller; NaN if either is NaN. */
static double larger(double a, double b) {
    return isnan(a) || a > b ? a : b;
}

static double smaller(double a, double b) {
    return isnan(a) || a < b ? a : b;
}

static void diagnose(asif_column_summary *out, work *w) {
    split_chains(w, same, 0);
    out->mcse_mean = out->sd / sqrt(ess(w, w->x));
    rank_normalise(w);
    out->ess_bulk = ess(w, w->z);
    double bulk = rhat(w, w->z);

    split_chains(w, folded, out->q50);
    rank_normalise(w);
    out->rhat = larger(bulk, rhat(w, w->z));

    split_chains(w, not_above, out->q05);
    double low = ess(w, w->x);
    split_chains(w, not_above, out->q95);
    out->ess_tail = smaller(low, ess(w, w->x));

    split_chains(w, squared, out->mean);
    double second = 0, fourth = 0, count = (double)w->all;
    for (uint64_t i = 0; i < w->all; i++) {
        double square = squared(w->values[i], out->mean);
        second += square / count;
        fourth += square * square / count;
    }
    out->mcse_sd = sqrt((fourth - second * second) / ess(w, w->x) / second / 4);
}

asif_status asif_summarise(asif_column_summary *out, const asif_context *context, const double *values,
                           uint32_t chains, uint64_t draws, asif_error *error) {
    *out = (asif_column_summary){NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN, NAN};
    uint64_t n = chains * draws;
    bool number = n > 0, finite = true;
    for (uint64_t i = 0; i < n; i++) {
        number = number && !isnan(values[i]);
        finite = finite && isfinite(values[i]);
    }
    if (!number)
        return ASIF_OK;
    work w;
    if (!work_init(&w, context, values, chains, draws)) {
        work_free(&w);
        return asif_fail_memory(error);
    }
    memcpy(w.sorted, values, (size_t)n * sizeof *values);
    asif_sort(w.sorted, n);
    out->mean = asif_mean(values, n);
    out->sd = sqrt(asif_variance(values, n, out->mean));
    out->q05 = asif_quantile(w.sorted, n, 0.05);
    out->q50 = asif_quantile(w.sorted, n, 0.5);
    out->q95 = asif_quantile(w.sorted, n, 0.95);
    if (finite && w.half >= LEAST_HALF)
        diagnose(out, &w);
    work_free(&w);
    return ASIF_OK;
}

/* ---- trust ---- */

/* E-BFMI of Betancourt (2016), "Diagnosing suboptimal cotangent disintegrations in Hamiltonian Monte
 * Carlo". */
static double energy_fraction(const double *energy, uint64_t n) {
    double mean = asif_mean(energy, n), steps = 0, spread = 0;
    for (uint64_t i = 0; i < n; i++) {
        steps += i > 0 ? (energy[i] - energy[i - 1]) * (energy[i] - energy[i - 1]) : 0;
        spread += (energy[i] - mean) * (energy[i] - mean);
    }
    return steps / spread;
}

static void judge_columns(asif_trust *out, const asif_column_summary *summary, uint32_t columns) {
    out->worst_rhat = out->least_ess = columns ? INFINITY : NAN;
    for (uint32_t i = 0; i < columns; i++) {
        double least = smaller(summary[i].ess_bulk, summary[i].ess_tail);
        if (!isnan(out->worst_rhat) && (i == 0 || !(summary[i].rhat <= out->worst_rhat))) {
            out->worst_rhat = summary[i].rhat;
            out->worst_column = i;
        }
        if (!isnan(out->least_ess) && !(least >= out->least_ess)) {
            out->least_ess = least;
            out->least_column = i;
        }
    }
}

asif_status asif_draws_trust(asif_trust *out, const asif_draws *draws, const asif_column_summary *summary,
                             asif_error *error) {
    const asif_draws_view *v = &draws->view;
    uint64_t n = v->chains * v->draws;
    bool nuts = v->method == ASIF_METHOD_NUTS;
    const double *accept = v->stat + ASIF_STAT_ACCEPT * n, *depth = v->stat + ASIF_STAT_DEPTH * n;
    const double *diverged = v->stat + ASIF_STAT_DIVERGED * n, *energy = v->stat + ASIF_STAT_ENERGY * n;
    (void)error;
    *out = (asif_trust){.least_ebfmi = NAN, .accept = asif_mean(accept, n), .khat = v->khat, .kish = v->kish};
    judge_columns(out, summary, v->columns);
    if (v->method == ASIF_METHOD_RIDGE) {
        out->good =
            v->inside && v->khat < ASIF_GOOD_KHAT && v->kish >= ASIF_GOOD_KISH && v->draws >= ASIF_GOOD_ESS;
        return ASIF_OK;
    }
    for (uint64_t i = 0; nuts && i < n; i++) {
        out->divergent += diverged[i] != 0;
        out->deepest += v->max_depth > 0 && depth[i] >= v->max_depth;
    }
    for (uint32_t c = 0; nuts && c < v->chains; c++) {
        double fraction = energy_fraction(energy + c * v->draws, v->draws);
        out->least_ebfmi = c == 0 ? fraction : smaller(out->least_ebfmi, fraction);
    }
    out->good = out->worst_rhat < ASIF_GOOD_RHAT && out->least_ess >= (double)ASIF_GOOD_ESS * v->chains &&
                out->divergent * ASIF_GOOD_DIVERGENT <= n && (!nuts || out->least_ebfmi >= ASIF_GOOD_EBFMI);
    return ASIF_OK;
}
