#include "inverse/solve/regression.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/programmes/lp.h"

#include <math.h>
#include <string.h>

#define REFINEMENTS 4

asif_status asif_regression_create(asif_regression *out, const asif_context *context,
                                   const asif_features *features, uint64_t rows, asif_error *error) {
    uint32_t n = features->count;
    *out = (asif_regression){
        .context = context, .features = features, .rows = rows, .normal = {.context = context}};
    out->row = ASIF_ARRAY(context, rows * n, double);
    out->target = ASIF_ARRAY(context, rows, double);
    out->miss = ASIF_ARRAY(context, rows, double);
    out->x = ASIF_ARRAY(context, n, double);
    out->right = ASIF_ARRAY(context, n, double);
    if (out->row && out->target && out->miss && out->x && out->right)
        return ASIF_OK;
    asif_regression_free(out);
    return asif_fail_memory(error);
}

void asif_regression_free(asif_regression *r) {
    void *const arrays[] = {r->row, r->target, r->miss, r->x, r->right};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(r->context, arrays[i]);
    asif_normal_free(&r->normal);
    *r = (asif_regression){.context = r->context, .normal = {.context = r->context}};
}

static void find_misses(asif_regression *r) {
    uint32_t n = r->features->count;
    for (uint64_t i = 0; i < r->rows; i++) {
        const double *row = r->row + i * n;
        double sum = 0;
        for (uint32_t k = 0; k < n; k++)
            sum += row[k] * r->x[k];
        r->miss[i] = r->target[i] - sum;
    }
}

static double itself(double miss) {
    return miss;
}

static double sign(double miss) {
    return (miss > 0) - (miss < 0);
}

/* Sum of the rows, each weighted by its miss. */
static void gather(asif_regression *r, double (*weight)(double miss)) {
    uint32_t n = r->features->count;
    memset(r->right, 0, n * sizeof *r->right);
    for (uint64_t i = 0; i < r->rows; i++)
        for (uint32_t k = 0; k < n; k++)
            r->right[k] += weight(r->miss[i]) * r->row[i * n + k];
}

asif_status asif_regression_objective(asif_regression *r, double p, double *value,
                                      asif_theta_gradient *gradient, const asif_behavior *behavior) {
    const asif_features *f = r->features;
    uint64_t worst = 0;
    asif_features_gather(f, asif_theta_utilities(behavior->theta), r->x);
    find_misses(r);
    *value = 0;
    for (uint64_t i = 0; i < r->rows; i++) {
        double size = fabs(r->miss[i]);
        *value -= p == 2 ? size * size : p == 1 ? size : 0;
        worst = size > fabs(r->miss[worst]) ? i : worst;
    }
    if (isinf(p))
        *value = -fabs(r->miss[worst]);
    if (!gradient)
        return ASIF_OK;
    asif_theta_gradient_clear(gradient, behavior->setting);
    gather(r, p == 2 ? itself : sign);
    for (uint32_t k = 0; k < f->count; k++)
        gradient->utility[f->which[k]] =
            isinf(p) ? sign(r->miss[worst]) * r->row[worst * f->count + k] : (p == 2 ? 2 : 1) * r->right[k];
    return ASIF_OK;
}

static asif_status decompose(asif_regression *r, const char *who, asif_error *error) {
    uint32_t n = r->features->count;
    bool fits = n <= ASIF_NORMAL_MOST;
    double *gram = fits ? ASIF_ARRAY(r->context, (uint64_t)n * n, double) : NULL;
    if (fits && !gram)
        return asif_fail_memory(error);
    for (uint64_t h = 0; fits && h < r->rows; h++) {
        const double *row = r->row + h * n;
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t j = 0; row[i] != 0 && j < n; j++)
                gram[(uint64_t)i * n + j] += row[i] * row[j];
    }
    asif_normal_free(&r->normal);
    asif_status status = asif_normal_create(&r->normal, r->context, n, gram, who, error);
    asif_free(r->context, gram);
    return status;
}

/* Solve by least squares; each further step removes the rounding error of the one before. */
static void least_squares(asif_regression *r) {
    for (uint32_t i = 0; i < REFINEMENTS; i++) {
        find_misses(r);
        gather(r, itself);
        asif_normal_step(&r->normal, r->right, r->x);
    }
}

/* Write the programme: min sum_i e_i, or min e, with -e_i <= target_i - row_i x <= e_i. */
static void write_programme(const asif_regression *r, bool largest, asif_lp *lp) {
    uint32_t n = r->features->count, bound = n;
    for (uint32_t k = 0; k < n; k++)
        asif_lp_column(lp, 0, -INFINITY, INFINITY);
    for (uint64_t i = 0; i < r->rows; i++) {
        if (i == 0 || !largest)
            bound = asif_lp_column(lp, 1, 0, INFINITY);
        uint32_t above = asif_lp_row(lp, r->target[i], INFINITY);
        uint32_t below = asif_lp_row(lp, -INFINITY, r->target[i]);
        asif_lp_entry(lp, above, bound, 1);
        asif_lp_entry(lp, below, bound, -1);
        for (uint32_t k = 0; k < n; k++) {
            double value = r->row[i * n + k];
            if (value == 0)
                continue;
            asif_lp_entry(lp, above, k, value);
            asif_lp_entry(lp, below, k, value);
        }
    }
}

static asif_status solve_programme(asif_regression *r, bool largest, const char *who, asif_error *error) {
    asif_lp lp;
    asif_lp_begin(&lp, r->context);
    write_programme(r, largest, &lp);
    asif_status status = asif_lp_solve(&lp, error);
    if (status == ASIF_OK && lp.outcome != ASIF_LP_OPTIMAL)
        status = asif_fail(error, ASIF_EDOMAIN, "%s: the linear programme has no answer", who);
    if (status == ASIF_OK)
        memcpy(r->x, lp.x, r->features->count * sizeof *r->x);
    asif_lp_free(&lp);
    return status;
}

asif_status asif_regression_answer(asif_regression *r, double p, const asif_estimates *estimates,
                                   const char *who, double *utility, asif_error *error) {
    const double *usual = asif_theta_utilities(asif_estimates_given(estimates));
    ASIF_TRY(decompose(r, who, error));
    asif_features_gather(r->features, usual, r->x);
    if (p == 2)
        least_squares(r);
    else
        ASIF_TRY(solve_programme(r, isinf(p), who, error));
    asif_features_gather(r->features, usual, r->right);
    asif_normal_settle(&r->normal, r->right, r->x);
    asif_features_scatter(r->features, r->x, utility);
    return ASIF_OK;
}
