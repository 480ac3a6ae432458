/* Pareto-smoothed importance sampling: Vehtari, Simpson, Gelman, Yao and Gabry (2024), "Pareto smoothed
 * importance sampling", and Vehtari, Gelman and Gabry (2017), "Practical Bayesian model evaluation using
 * leave-one-out cross-validation and WAIC". What they leave open is done as in the authors' R package
 * `loo`. */
#include "sample/psis.h"

#include "base/error.h"
#include "base/memory.h"
#include "sample/effective.h"

#include <float.h>
#include <math.h>
#include <stdlib.h>

#define LEAST_TAIL 5   /* fewest draws in the tail; with fewer, k is infinite */
#define GRID 30        /* the grid of n draws has GRID + sqrt(n) points */
#define PRIOR_DRAWS 10 /* the prior on k counts as so many draws */
#define PRIOR_K 0.5    /* with this shape */
#define PRIOR_GRID 3.0 /* Zhang and Stephens (2009), below Equation 8 */
#define WORST_THRESHOLD 0.7

bool asif_psis_open(asif_psis_room *room, const asif_context *context, uint32_t chains, uint64_t draws) {
    uint64_t n = chains * draws;
    *room = (asif_psis_room){.context = context,
                             .chains = chains,
                             .draws = draws,
                             .order = ASIF_ARRAY(context, n, asif_psis_rank),
                             .weight = ASIF_ARRAY(context, n, double),
                             .ratio = ASIF_ARRAY(context, n, double),
                             .tail = ASIF_ARRAY(context, 2 * n + GRID, double),
                             .mean = ASIF_ARRAY(context, chains, double)};
    bool spectrum = asif_autocovariance_init(&room->spectrum, context, draws);
    return spectrum && room->order && room->weight && room->ratio && room->tail && room->mean;
}

void asif_psis_close(asif_psis_room *room) {
    void *const arrays[] = {room->order, room->weight, room->ratio, room->tail, room->mean};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(room->context, arrays[i]);
    asif_autocovariance_free(&room->spectrum);
}

static double largest(const double *x, uint64_t n) {
    double most = -INFINITY;
    for (uint64_t i = 0; i < n; i++)
        most = x[i] > most ? x[i] : most;
    return most;
}

double asif_log_sum(const double *x, const double *y, uint64_t n) {
    double most = -INFINITY, sum = 0;
    for (uint64_t i = 0; i < n; i++) {
        double term = x[i] + (y ? y[i] : 0);
        most = term > most ? term : most;
    }
    if (!isfinite(most))
        return most;
    for (uint64_t i = 0; i < n; i++)
        sum += exp(x[i] + (y ? y[i] : 0) - most);
    return most + log(sum);
}

/* ---- effective sample size ---- */

/* Relative efficiency of exp(log_value). Values are divided by the largest, which avoids underflow and does
 * not change the result. */
double asif_psis_efficiency(asif_psis_room *room, const double *log_value) {
    uint64_t n = room->chains * room->draws;
    double most = largest(log_value, n);
    if (room->draws < 2)
        return 1;
    for (uint64_t i = 0; i < n; i++)
        room->weight[i] = exp(log_value[i] - most);
    double size = asif_effective_size(&room->spectrum, room->weight, room->chains, room->mean);
    return isfinite(size) ? size / (double)n : 1;
}

double asif_psis_threshold(uint64_t draws) {
    return fmin(1 - 1 / log10((double)draws), WORST_THRESHOLD);
}

/* ---- the generalised Pareto distribution ---- */

/* The mean of log(1 - theta x), by logarithms of products: most of the time goes there. */
static double mean_log1p(double theta, const double *x, uint64_t n) {
    enum { FACTORS = 8 };
    double sum = 0;
    for (uint64_t first = 0; first < n; first += FACTORS) {
        uint64_t end = first + FACTORS < n ? first + FACTORS : n;
        double product = 1;
        for (uint64_t i = first; i < end; i++)
            product *= 1 - theta * x[i];
        if (product > 1e-200 && product < 1e200) {
            sum += log(product);
            continue;
        }
        for (uint64_t i = first; i < end; i++)
            sum += log1p(-theta * x[i]);
    }
    return sum / (double)n;
}

/* The j-th point of Zhang and Stephens's grid. */
static double grid_point(const double *x, uint64_t n, uint64_t points, uint64_t j) {
    double quarter = x[(uint64_t)floor((double)n / 4 + 0.5) - 1];
    return 1 / x[n - 1] + (1 - sqrt((double)points / ((double)j + 0.5))) / PRIOR_GRID / quarter;
}

/* Shape and scale of excesses `x`, ascending: the posterior mean of theta = -k / scale over the profile
 * likelihood on a grid (Zhang and Stephens, 2009), with a weak prior on k. INFINITY if the shape cannot be
 * estimated. `room` [GRID + sqrt(n)] is scratch. */
static double fit_tail(const double *x, uint64_t n, double *scale, double *room) {
    uint64_t points = GRID + (uint64_t)floor(sqrt((double)n));
    double theta = 0;
    for (uint64_t j = 0; j < points; j++) {
        double t = grid_point(x, n, points, j), k = mean_log1p(t, x, n);
        room[j] = (double)n * (log(-t / k) - k - 1);
    }
    double total = asif_log_sum(room, NULL, points);
    for (uint64_t j = 0; j < points; j++)
        theta += grid_point(x, n, points, j) * exp(room[j] - total);
    double k = mean_log1p(theta, x, n), count = (double)n + PRIOR_DRAWS;
    *scale = -k / theta;
    k = k * (double)n / count + PRIOR_DRAWS * PRIOR_K / count;
    return isnan(k) ? INFINITY : k;
}

static double quantile(double p, double k, double scale) {
    return k == 0 ? -scale * log1p(-p) : scale * expm1(-k * log1p(-p)) / k;
}

/* ---- weights ---- */

static int ascending(const void *a, const void *b) {
    const asif_psis_rank *x = a, *y = b;
    if (x->value != y->value)
        return x->value < y->value ? -1 : 1;
    return (x->index > y->index) - (x->index < y->index);
}

/* Put the `tail` largest of n to the end, in order; those before them stay in any order. */
static void order_tail(asif_psis_rank *x, uint64_t n, uint64_t tail) {
    uint64_t low = 0, high = n, first = n - tail;
    while (high - low > 64) { /* quickselect: `first` is in [low, high) */
        asif_psis_rank pivot = x[low + (high - low) / 2];
        uint64_t i = low, j = high - 1;
        for (;; i++, j--) {
            while (ascending(&x[i], &pivot) < 0)
                i++;
            while (ascending(&x[j], &pivot) > 0)
                j--;
            if (i >= j)
                break;
            asif_psis_rank kept = x[i];
            x[i] = x[j];
            x[j] = kept;
        }
        /* all before i are at most the pivot, all after j at least it */
        if (first <= j)
            high = j + 1;
        else
            low = j + 1;
    }
    qsort(x + low, (size_t)(n - low), sizeof *x, ascending);
}

/* Replace the largest log weights, at the end of room->order, by quantiles of the Pareto distribution that
 * fits them; returns its shape. */
static double smooth_tail(asif_psis_room *room, uint64_t n, uint64_t length) {
    const asif_psis_rank *tail = room->order + n - length;
    double cutoff = exp(tail[-1].value), scale, *excess = room->tail, *grid = room->tail + length;
    if (tail[length - 1].value - tail[0].value < DBL_EPSILON / 100)
        return INFINITY;
    for (uint64_t i = 0; i < length; i++)
        excess[i] = exp(tail[i].value) - cutoff;
    double k = fit_tail(excess, length, &scale, grid);
    for (uint64_t i = 0; isfinite(k) && scale > 0 && i < length; i++) {
        double weight = log(quantile(((double)i + 0.5) / (double)length, k, scale) + cutoff);
        room->weight[tail[i].index] = fmin(weight, 0); /* at most the largest raw weight */
    }
    return k;
}

double asif_psis_smooth(asif_psis_room *room, const double *log_ratio, double efficiency,
                        double *log_weight) {
    uint64_t n = room->chains * room->draws;
    double most = largest(log_ratio, n), k = INFINITY;
    double length = ceil(fmin(0.2 * (double)n, 3 * sqrt((double)n / efficiency)));
    for (uint64_t i = 0; i < n; i++) {
        room->weight[i] = log_ratio[i] - most;
        room->order[i] = (asif_psis_rank){room->weight[i], i};
    }
    if (length >= LEAST_TAIL) {
        order_tail(room->order, n, (uint64_t)length + 1); /* and the one before, the cutoff */
        k = smooth_tail(room, n, (uint64_t)length);
    }
    double total = asif_log_sum(room->weight, NULL, n);
    for (uint64_t i = 0; i < n; i++)
        log_weight[i] = room->weight[i] - total;
    return k;
}

void asif_psis_loo(asif_loo *out, asif_psis_room *room, const double *log_density, double efficiency) {
    uint64_t n = room->chains * room->draws;
    double everything = asif_log_sum(log_density, NULL, n) - log((double)n);
    out->efficiency = isnan(efficiency) ? asif_psis_efficiency(room, log_density) : efficiency;
    out->constant = asif_range(log_density, n) == 0;
    for (uint64_t i = 0; i < n; i++)
        room->ratio[i] = -log_density[i];
    out->k = asif_psis_smooth(room, room->ratio, out->efficiency, room->ratio);
    out->elpd = asif_log_sum(log_density, room->ratio, n);
    out->p = everything - out->elpd;
}

/* ---- public functions ---- */

static asif_status check(const double *x, uint64_t n, double efficiency, asif_error *error) {
    if (n == 0)
        return asif_fail(error, ASIF_EDOMAIN, "there are no draws");
    if (!isnan(efficiency) && !(efficiency > 0 && isfinite(efficiency)))
        return asif_fail(error, ASIF_EDOMAIN, "a relative efficiency is above 0");
    for (uint64_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return asif_fail(error, ASIF_EDOMAIN, "a logarithm is not finite at draw %llu",
                             (unsigned long long)i + 1);
    return ASIF_OK;
}

asif_status asif_psis(double *log_weight, double *k, const asif_context *context, const double *log_ratio,
                      uint32_t chains, uint64_t draws, double efficiency, asif_error *error) {
    asif_psis_room room;
    ASIF_TRY(check(log_ratio, chains * draws, efficiency, error));
    asif_status status = ASIF_OK;
    if (asif_psis_open(&room, context, chains, draws)) {
        if (isnan(efficiency))
            efficiency = asif_psis_efficiency(&room, log_ratio);
        *k = asif_psis_smooth(&room, log_ratio, efficiency, log_weight);
    } else {
        status = asif_fail_memory(error);
    }
    asif_psis_close(&room);
    return status;
}

asif_status asif_leave_one_out(asif_loo *out, const asif_context *context, const double *log_density,
                               uint32_t chains, uint64_t draws, double efficiency, asif_error *error) {
    asif_psis_room room;
    ASIF_TRY(check(log_density, chains * draws, efficiency, error));
    asif_status status = ASIF_OK;
    if (asif_psis_open(&room, context, chains, draws))
        asif_psis_loo(out, &room, log_density, efficiency);
    else
        status = asif_fail_memory(error);
    asif_psis_close(&room);
    return status;
}
