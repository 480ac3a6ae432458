/* Minimum perturbation: the utilities nearest to standard values, in a norm, under which the demonstrated
 * actions are better than all others by a margin (inverse optimisation: Heuberger 2004; Ahuja, Orlin
 * 2001). */
#include "base/error.h"
#include "base/memory.h"
#include "base/programmes/qp.h"
#include "inverse/evidence/demonstration.h"
#include "inverse/inverse.h"
#include "logs/likelihood.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define NAME "minimum-perturbation"
#define USUAL_MARGIN 0.01 /* default margin, over the span of the utility */
#define KEPT_TO 1e-7      /* how far the margin may be missed, over the size of the utility */
#define MOST_CUTS 1000    /* most rounds of cuts */

typedef struct {
    const asif_context *context;
    asif_features features;
    asif_by_cell by_cell;
    asif_demonstration demonstration;
    double margin, span;
    double *standard, *x; /* [count] */
    double *v, *cell;     /* [cells] */
} nearest;

static void release(void *own) {
    nearest *m = own;
    if (!m)
        return;
    const asif_context *context = m->context;
    void *const arrays[] = {m->standard, m->x, m->v, m->cell};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    if (m->by_cell.context)
        asif_by_cell_free(&m->by_cell);
    if (m->features.context)
        asif_features_free(&m->features);
    asif_demonstration_free(&m->demonstration);
    asif_free(context, m);
}

static asif_status fill(nearest *m, const asif_behavior *behavior, const asif_inverse_input *e,
                        asif_error *error) {
    const asif_context *c = m->context;
    const asif_theta *given =
        asif_estimates_given(e->estimates); /* estimated parameters have their standard values */
    ASIF_TRY(asif_loglik_check(behavior, e->tree, error));
    ASIF_TRY(asif_features_create(&m->features, c, behavior->setting, e->estimates, NAME, error));
    ASIF_TRY(asif_by_cell_create(&m->by_cell, &m->features, error));
    ASIF_TRY(
        asif_demonstration_create(&m->demonstration, c, behavior->setting, given, e->tree, e->count, error));
    m->span = asif_estimates_span(e->estimates);
    m->margin = e->inverse_options->margin >= 0 ? e->inverse_options->margin : USUAL_MARGIN * m->span;
    if (m->margin == 0 && e->inverse_options->margin < 0) {
        asif_fail(error, ASIF_EINVALID,
                  "the margin is a hundredth of the span of the utility, which is 0 at the standard values");
        asif_error_hint(error, "write `inverse: {name: %s, margin: NUMBER}`", NAME);
        return ASIF_EINVALID;
    }
    m->standard = ASIF_ARRAY(c, m->features.count, double);
    m->x = ASIF_ARRAY(c, m->features.count, double);
    m->v = ASIF_ARRAY(c, m->features.cells, double);
    m->cell = ASIF_ARRAY(c, m->features.cells, double);
    if (!m->standard || !m->x || !m->v || !m->cell)
        return asif_fail_memory(error);
    asif_features_gather(&m->features, asif_theta_utilities(given), m->standard);
    return ASIF_OK;
}

static asif_status prepare(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error) {
    nearest *m = ASIF_NEW(behavior->context, nearest);
    if (!m)
        return asif_fail_memory(error);
    m->context = behavior->context;
    asif_status status = fill(m, behavior, evidence, error);
    if (status != ASIF_OK) {
        release(m);
        return status;
    }
    *own = m;
    return ASIF_OK;
}

/* ---- the objective ---- */

static double distance(const double *a, const double *b, uint32_t n, double p) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++) {
        double away = fabs(a[i] - b[i]);
        sum = isinf(p) ? fmax(sum, away) : sum + (p == 1 ? away : away * away);
    }
    return p == 2 ? sqrt(sum) : sum;
}

static void distance_pull(const double *a, const double *b, uint32_t n, double p, double *out) {
    double d = distance(a, b, n, p);
    bool found = false;
    for (uint32_t i = 0; i < n; i++) {
        double away = a[i] - b[i], sign = (away > 0) - (away < 0);
        if (isinf(p)) {
            out[i] = !found && d > 0 && fabs(away) == d ? sign : 0;
            found = found || out[i] != 0;
        } else {
            out[i] = p == 1 ? sign : d > 0 ? away / d : 0;
        }
    }
}

/* How far the margin may be missed at utilities v, because of rounding. */
static double allowed(const nearest *m) {
    double size = m->span;
    for (uint64_t i = 0; i < m->features.cells; i++)
        size = fmax(size, fabs(m->v[i]));
    return KEPT_TO * size;
}

/* Compute minus the distance; -inf if the demonstrated actions are not the best by the margin. */
static asif_status objective(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error) {
    nearest *m = own;
    uint32_t n = m->features.count;
    asif_features_gather(&m->features, asif_theta_utilities(behavior->theta), m->x);
    asif_features_utility(&m->features, m->x, m->v);
    ASIF_TRY(asif_demonstration_advantages(&m->demonstration, m->v, m->cell, error));
    *value = -distance(m->x, m->standard, n, evidence->inverse_options->p);
    for (uint64_t i = 0; i < m->features.cells; i++)
        if (asif_demonstration_other(&m->demonstration, i) && m->cell[i] > -m->margin + allowed(m))
            *value = -(double)INFINITY;
    if (gradient) {
        asif_theta_gradient_clear(gradient, behavior->setting);
        distance_pull(m->standard, m->x, n, evidence->inverse_options->p, m->x);
        asif_features_scatter(&m->features, m->x, gradient->utility);
    }
    return ASIF_OK;
}

/* ---- the programmes ---- */

static asif_status none(const nearest *m, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              "no values of the estimated utilities make what was done better than everything else by %g",
              m->margin);
    asif_error_hint(error, "lower `margin` in the study's `inverse` section, or estimate more utilities");
    return ASIF_EINVALID;
}

/* Solve for p = 1 and p = inf: minimise the sum or the largest of bounds on |x - standard|. */
static asif_status by_lp(nearest *m, bool largest, asif_error *error) {
    const double infinity = (double)INFINITY;
    uint32_t n = m->features.count;
    asif_lp lp;
    asif_lp_begin(&lp, m->context);
    for (uint32_t k = 0; k < n; k++)
        asif_lp_column(&lp, 0, -infinity, infinity);
    uint32_t size = n;
    for (uint32_t k = 0; k < n; k++) {
        if (k == 0 || !largest)
            size = asif_lp_column(&lp, 1, 0, infinity); /* >= |x - standard| */
        for (int sign = -1; sign <= 1; sign += 2) {
            uint32_t row = asif_lp_row(&lp, -sign * m->standard[k], infinity);
            asif_lp_entry(&lp, row, size, 1);
            asif_lp_entry(&lp, row, k, -sign);
        }
    }
    asif_demonstration_rows(&m->demonstration, &lp, &m->features, &m->by_cell, 0, NULL, 0, m->margin);
    asif_status status = asif_lp_solve(&lp, error);
    if (status == ASIF_OK && lp.outcome != ASIF_LP_OPTIMAL)
        status = none(m, error);
    if (status == ASIF_OK)
        memcpy(m->x, lp.x, n * sizeof *m->x);
    asif_lp_free(&lp);
    return status;
}

/* Cuts: rows G x <= h, which are constraints A(s,u) <= -margin with the policy elsewhere held fixed. */
typedef struct {
    uint64_t rows, g_room, h_room;
    double *g, *h, *columns; /* columns [count + 1][cells]: advantages of features and constant */
} cuts;

static asif_status advantages(nearest *m, double *columns, asif_error *error) {
    const asif_features *f = &m->features;
    for (uint32_t k = 0; k < f->count; k++) {
        memset(m->v, 0, f->cells * sizeof *m->v);
        for (uint64_t i = f->offset[k]; i < f->offset[k + 1]; i++)
            m->v[f->cell[i]] = f->value[i];
        ASIF_TRY(asif_demonstration_held(&m->demonstration, m->v, columns + k * f->cells, error));
    }
    return asif_demonstration_held(&m->demonstration, f->constant, columns + f->count * f->cells, error);
}

static asif_status cut(nearest *m, cuts *c, uint64_t cell, asif_error *error) {
    const asif_features *f = &m->features;
    while (c->g_room < (c->rows + 1) * f->count)
        if (!asif_grow(m->context, &c->g, c->g_room, &c->g_room, sizeof *c->g))
            return asif_fail_memory(error);
    if (!asif_grow(m->context, &c->h, c->rows, &c->h_room, sizeof *c->h))
        return asif_fail_memory(error);
    for (uint32_t k = 0; k < f->count; k++)
        c->g[c->rows * f->count + k] = c->columns[k * f->cells + cell];
    c->h[c->rows++] = -m->margin - c->columns[f->count * f->cells + cell];
    return ASIF_OK;
}

/* Make one round: compute the best response to x elsewhere, and add the cuts that x violates with it; `all`:
 * every cut. */
static asif_status add_cuts(nearest *m, cuts *c, bool all, bool *added, asif_error *error) {
    const asif_features *f = &m->features;
    *added = false;
    asif_features_utility(f, m->x, m->v);
    ASIF_TRY(asif_demonstration_advantages(&m->demonstration, m->v, m->cell, error));
    for (uint64_t i = 0; i < f->cells; i++)
        if (asif_demonstration_other(&m->demonstration, i))
            *added = *added || m->cell[i] > -m->margin + 0.1 * allowed(m);
    if (!*added && !all)
        return ASIF_OK;
    ASIF_TRY(advantages(m, c->columns, error));
    for (uint64_t i = 0; i < f->cells; i++)
        if (asif_demonstration_other(&m->demonstration, i) && (all || m->cell[i] > -m->margin))
            ASIF_TRY(cut(m, c, i, error));
    return ASIF_OK;
}

/* Solve for p = 2: the nearest point of the polyhedron. Rows of states that the demonstrated policy does not
 * reach are added when they are needed. */
static asif_status by_qp(nearest *m, asif_error *error) {
    const asif_features *f = &m->features;
    cuts c = {.columns = ASIF_ARRAY(m->context, (f->count + 1) * f->cells, double)};
    asif_status status = c.columns ? ASIF_OK : asif_fail_memory(error);
    bool added = true, feasible = true;
    memcpy(m->x, m->standard, f->count * sizeof *m->x);
    for (uint32_t round = 0; status == ASIF_OK && added && feasible; round++) {
        status = round < MOST_CUTS ? add_cuts(m, &c, round == 0, &added, error)
                                   : asif_fail(error, ASIF_EDOMAIN, "%s found no end of constraints", NAME);
        if (status == ASIF_OK && added)
            status = asif_qp_nearest(m->context, f->count, m->standard, c.rows, c.g, c.h, m->x, NULL,
                                     &feasible, error);
    }
    asif_free(m->context, c.g);
    asif_free(m->context, c.h);
    asif_free(m->context, c.columns);
    return status == ASIF_OK && !feasible ? none(m, error) : status;
}

/* Check the estimate by policy evaluation, without the programmes. */
static asif_status check(nearest *m, asif_error *error) {
    double missed = 0;
    asif_features_utility(&m->features, m->x, m->v);
    ASIF_TRY(asif_demonstration_advantages(&m->demonstration, m->v, m->cell, error));
    for (uint64_t i = 0; i < m->features.cells; i++)
        if (asif_demonstration_other(&m->demonstration, i))
            missed = fmax(missed, m->cell[i] + m->margin);
    return asif_must_keep(NAME, "it misses the margin", missed, allowed(m), error);
}

static asif_status answer(double *utility, const asif_behavior *behavior, const asif_inverse_input *evidence,
                          void *own, asif_error *error) {
    (void)behavior;
    nearest *m = own;
    double p = evidence->inverse_options->p;
    if (!(p == 1 || p == 2 || isinf(p)))
        return asif_fail(error, ASIF_EDOMAIN, "%s has norms with p of 1, 2 or inf, not %g", NAME, p);
    ASIF_TRY(p == 2 ? by_qp(m, error) : by_lp(m, isinf(p), error));
    ASIF_TRY(check(m, error));
    asif_features_scatter(&m->features, m->x, utility);
    return ASIF_OK;
}

const asif_inverse_ops asif_inverse_minimum_perturbation = {
    .info = {.name = NAME,
             .summary = "changes standard utilities as little as makes what was done the best by a margin",
             .sees = ASIF_SEES_STATES,
             .purposeful = true,
             .paper = "Minimum Perturbation"},
    .prepare = prepare,
    .release = release,
    .objective = objective,
    .answer = answer,
};
