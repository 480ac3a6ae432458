/* Maximum margin: utilities under which no policy is much better than the demonstrated one.
 *
 * With v = constant + sum w_k feature_k and w in the simplex, min_w max_pi <v, mu_pi - mu_E> is a game
 * between weights and policies. Its value is that of a linear programme over occupancies (Syed, Bowling,
 * Schapire 2008), whose duals are weights: one corner of often many that are equally good. Among these, the
 * weights with the largest margin of the demonstrated policy over all others are chosen. The variant
 * ng-russell is the linear programme of Ng and Russell (2000). */
#include "base/error.h"
#include "base/memory.h"
#include "inverse/inverse.h"
#include "inverse/solve/widest.h"
#include "logs/likelihood.h"

#include <math.h>
#include <string.h>

#define NAME "maximum-margin"
#define AS_GOOD 1e-8 /* how far weights may be from the best value, over the size of the utility */
#define KEPT_TO 1e-6 /* how far constraints may be missed */

typedef struct {
    const asif_context *context;
    asif_features features;
    asif_by_cell by_cell;
    asif_demonstration demonstration;
    double *shares;          /* [states][actions]: demonstrated policy */
    double *mu;              /* [cells]: its occupancy */
    double *expected;        /* [count]: its expected features */
    double *x, *v, *cell;    /* [count], [cells], [cells] */
    double *policy, *values; /* best response [states][actions], and its values [states] */
    const double *start;     /* [states] */
    double most;             /* largest loss that weights may have */
    asif_widest_open open;
} margin;

static void release(void *own) {
    margin *m = own;
    if (!m)
        return;
    const asif_context *context = m->context;
    void *const arrays[] = {m->shares, m->mu, m->expected, m->x, m->v, m->cell, m->policy, m->values};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    if (m->by_cell.context)
        asif_by_cell_free(&m->by_cell);
    if (m->features.context)
        asif_features_free(&m->features);
    asif_demonstration_free(&m->demonstration);
    asif_free(context, m);
}

static asif_status fill(margin *m, const asif_behavior *behavior, const asif_inverse_input *e,
                        asif_error *error) {
    const asif_context *c = m->context;
    const asif_theta *given = asif_estimates_given(e->estimates);
    ASIF_TRY(asif_loglik_check(behavior, e->tree, error));
    ASIF_TRY(asif_features_create(&m->features, c, behavior->setting, e->estimates, NAME, error));
    ASIF_TRY(asif_by_cell_create(&m->by_cell, &m->features, error));
    ASIF_TRY(
        asif_demonstration_create(&m->demonstration, c, behavior->setting, given, e->tree, e->count, error));
    uint64_t cells = m->features.cells;
    m->shares = ASIF_ARRAY(c, cells, double);
    m->mu = ASIF_ARRAY(c, cells, double);
    m->expected = ASIF_ARRAY(c, m->features.count, double);
    m->x = ASIF_ARRAY(c, m->features.count, double);
    m->v = ASIF_ARRAY(c, cells, double);
    m->cell = ASIF_ARRAY(c, cells, double);
    m->policy = ASIF_ARRAY(c, cells, double);
    m->values = ASIF_ARRAY(c, m->features.states, double);
    if (!m->shares || !m->mu || !m->expected || !m->x || !m->v || !m->cell || !m->policy || !m->values)
        return asif_fail_memory(error);
    m->start = asif_setting_get(behavior->setting)->environment_start;
    asif_demonstrated(e->tree, e->count, m->shares, NULL);
    ASIF_TRY(asif_flow_occupancy(&m->demonstration.flow, m->shares, NULL, m->mu, error));
    asif_features_expect(&m->features, m->mu, m->expected);
    return ASIF_OK;
}

static asif_status prepare(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error) {
    margin *m = ASIF_NEW(behavior->context, margin);
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

static double times(const double *a, const double *b, uint64_t n) {
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += a[i] * b[i];
    return sum;
}

/* ---- the objective ---- */

static void hand_over(const margin *m, const double *in_v, asif_theta_gradient *gradient,
                      const asif_setting *setting) {
    asif_theta_gradient_clear(gradient, setting);
    asif_features_expect(&m->features, in_v, m->x);
    asif_features_scatter(&m->features, m->x, gradient->utility);
}

/* Compute minus the advantage of the best policy over the demonstrated one; the derivative is at this
 * policy. */
static asif_status game(double *value, asif_theta_gradient *gradient, margin *m, const asif_setting *setting,
                        asif_error *error) {
    uint64_t cells = m->features.cells;
    asif_flow *flow = &m->demonstration.flow;
    ASIF_TRY(
        asif_best_response(flow, m->v, NULL, m->policy, m->values, m->cell, m->demonstration.reward, error));
    ASIF_TRY(asif_flow_occupancy(flow, m->policy, NULL, m->cell, error));
    for (uint64_t i = 0; i < cells; i++)
        m->cell[i] = m->mu[i] - m->cell[i];
    *value = times(m->v, m->cell, cells);
    if (gradient)
        hand_over(m, m->cell, gradient, setting);
    return ASIF_OK;
}

/* Compute the sum of the margins to the second best action, minus the penalty; -inf if the utilities violate
 * the constraints. */
static asif_status ng_russell(double *value, asif_theta_gradient *gradient, margin *m, double penalty,
                              const asif_setting *setting, asif_error *error) {
    asif_demonstration *d = &m->demonstration;
    uint64_t cells = m->features.cells;
    double *in_v = m->policy; /* scratch of the same size */
    bool inside = true;
    *value = 0;
    ASIF_TRY(asif_demonstration_advantages(d, m->v, m->cell, error));
    memset(in_v, 0, cells * sizeof *in_v);
    for (uint64_t i = 0; i < cells; i++) {
        *value -= penalty * fabs(m->v[i]);
        inside = inside && fabs(m->v[i]) <= 1 + KEPT_TO;
    }
    double *weight = d->q; /* the q-values are no longer needed */
    memset(weight, 0, cells * sizeof *weight);
    for (uint32_t s = 0; s < d->states && d->actions > 1; s++) {
        uint64_t worst = UINT64_MAX;
        for (uint32_t u = 0; u < d->actions && d->did[s] != ASIF_ANY; u++) {
            uint64_t cell = (uint64_t)u * d->states + s;
            if (u != d->did[s] && (worst == UINT64_MAX || m->cell[cell] > m->cell[worst]))
                worst = cell;
        }
        if (worst == UINT64_MAX)
            continue;
        inside = inside && m->cell[worst] <= KEPT_TO;
        *value -= m->cell[worst];
        weight[worst] = -1;
    }
    if (gradient) {
        ASIF_TRY(asif_demonstration_pull(d, weight, in_v, error));
        for (uint64_t i = 0; i < cells; i++)
            in_v[i] -= penalty * ((m->v[i] > 0) - (m->v[i] < 0));
        hand_over(m, in_v, gradient, setting);
    }
    if (!inside)
        *value = -(double)INFINITY;
    return ASIF_OK;
}

static asif_status objective(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error) {
    margin *m = own;
    asif_features_gather(&m->features, asif_theta_utilities(behavior->theta), m->x);
    asif_features_utility(&m->features, m->x, m->v);
    return evidence->inverse_options->ng_russell
               ? ng_russell(value, gradient, m, evidence->inverse_options->weight, behavior->setting, error)
               : game(value, gradient, m, behavior->setting, error);
}

/* ---- the linear programmes ---- */

static asif_status must_be_optimal(const asif_lp *lp, asif_error *error) {
    if (lp->outcome == ASIF_LP_OPTIMAL)
        return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "%s: no values of the estimated utilities satisfy the linear programme",
              NAME);
    asif_error_hint(error,
                    "utilities that are given as numbers leave no room: estimate them, or scale them down");
    return ASIF_EINVALID;
}

/* Solve the game over occupancies: max <constant, mu> + t subject to t <= <feature_k, mu - mu_E> for all k.
 * The result is the weights, in x, and the value. */
static asif_status solve_game(margin *m, double *value, asif_error *error) {
    const asif_features *f = &m->features;
    const asif_flow *flow = &m->demonstration.flow;
    asif_lp lp;
    asif_lp_begin(&lp, m->context);
    for (uint64_t i = 0; i < f->cells; i++)
        asif_lp_column(&lp, -f->constant[i], 0, (double)INFINITY);
    uint32_t t = asif_lp_column(&lp, -1, -(double)INFINITY, (double)INFINITY);
    for (uint32_t s = 0; s < f->states; s++) {
        double begin = (1 - flow->discount) * m->start[s];
        asif_lp_row(&lp, begin, begin);
    }
    asif_flow_rows(flow, &lp);
    uint32_t weights = lp.rows;
    for (uint32_t k = 0; k < f->count; k++) {
        uint32_t row = asif_lp_row(&lp, m->expected[k], (double)INFINITY);
        asif_lp_entry(&lp, row, t, -1);
        for (uint64_t i = f->offset[k]; i < f->offset[k + 1]; i++)
            asif_lp_entry(&lp, row, (uint32_t)f->cell[i], f->value[i]);
    }
    asif_status status = asif_lp_solve(&lp, error);
    if (status == ASIF_OK)
        status = must_be_optimal(&lp, error);
    if (status == ASIF_OK) {
        *value = -lp.objective - times(f->constant, m->mu, f->cells);
        for (uint32_t k = 0; k < f->count; k++)
            m->x[k] = lp.dual[weights + k] > 0 ? lp.dual[weights + k] : 0;
    }
    asif_lp_free(&lp);
    return status;
}

/* Add rows for weights of the simplex that lose at most `most`: V(s) >= Q(s,u), and <start, V> is the value
 * of the best policy. */
static void as_good(const void *self, asif_lp *lp) {
    const margin *m = self;
    const asif_features *f = &m->features;
    const asif_flow *flow = &m->demonstration.flow;
    for (uint32_t k = 0; k < f->count; k++)
        asif_lp_column(lp, 0, 0, 1);
    uint32_t one = asif_lp_row(lp, 1, 1);
    uint32_t lose = asif_lp_row(lp, -(double)INFINITY, m->most + times(f->constant, m->mu, f->cells));
    for (uint32_t k = 0; k < f->count; k++) {
        asif_lp_entry(lp, one, k, 1);
        asif_lp_entry(lp, lose, k, -m->expected[k]);
    }
    uint32_t values = asif_bellman_rows(flow, lp, f, &m->by_cell, 0);
    for (uint32_t s = 0; s < f->states; s++)
        asif_lp_entry(lp, lose, values + s, (1 - flow->discount) * m->start[s]);
}

static asif_widest among(margin *m) {
    return (asif_widest){m->context, NAME, &m->features, &m->by_cell, 1, &m->demonstration, as_good, m};
}

/* Find the weights with the largest sum of margins, some of which are negative: for demonstrated policies
 * that are not optimal. */
static asif_status largest_sum(margin *m, uint32_t *excess, asif_error *error) {
    asif_lp lp;
    double sum = 0;
    asif_widest widest = among(m);
    asif_lp_begin(&lp, m->context);
    as_good(m, &lp);
    asif_status status = asif_widest_sum(&widest, &lp, 1, -(double)INFINITY, (double)INFINITY, excess, error);
    if (status == ASIF_OK)
        status = asif_widest_choose(&widest, &lp, m->x, &sum, &m->open, error);
    asif_lp_free(&lp);
    return status;
}

/* Solve the programme of Ng and Russell: the largest sum of margins minus the penalty, with the demonstrated
 * policy optimal and |v| <= 1. */
static asif_status solve_ng_russell(margin *m, double penalty, uint32_t *excess, asif_error *error) {
    const asif_features *f = &m->features;
    const double infinity = (double)INFINITY;
    asif_lp lp;
    asif_lp_begin(&lp, m->context);
    for (uint32_t k = 0; k < f->count; k++)
        asif_lp_column(&lp, 0, -infinity, infinity);
    for (uint64_t i = 0; i < f->cells; i++) {
        uint32_t size = asif_lp_column(&lp, penalty, 0, 1); /* >= |v| */
        for (int sign = -1; sign <= 1; sign += 2) {
            uint32_t row = asif_lp_row(&lp, -sign * f->constant[i], infinity);
            asif_lp_entry(&lp, row, size, 1);
            asif_by_cell_add(&m->by_cell, &lp, row, 0, i, sign);
        }
    }
    asif_widest widest = among(m);
    asif_status status = asif_widest_sum(&widest, &lp, 1, -infinity, 0, excess, error);
    if (status == ASIF_OK)
        status = asif_lp_solve(&lp, error);
    if (status == ASIF_OK)
        status = must_be_optimal(&lp, error);
    if (status == ASIF_OK) {
        memcpy(m->x, lp.x, f->count * sizeof *m->x);
        m->most = lp.objective;
    }
    asif_lp_free(&lp);
    return status;
}

/* The largest utility of a cell under any weights of the simplex. */
static double largest_utility(const asif_features *f) {
    double constant = 0, feature = 0;
    for (uint64_t i = 0; i < f->cells; i++)
        constant = fmax(constant, fabs(f->constant[i]));
    for (uint64_t i = 0; i < f->offset[f->count]; i++)
        feature = fmax(feature, fabs(f->value[i]));
    return constant + feature;
}

/* Solve the game, then choose among weights that are equally good. */
static asif_status solve_occupancy(margin *m, uint32_t *excess, asif_error *error) {
    double value = 0, smallest = 0;
    asif_widest widest = among(m);
    ASIF_TRY(solve_game(m, &value, error));
    m->most = value + AS_GOOD * largest_utility(&m->features);
    ASIF_TRY(asif_widest_smallest(&widest, m->x, &smallest, &m->open, error));
    return smallest > 0 ? ASIF_OK : largest_sum(m, excess, error);
}

/* Check the estimate by policy evaluation, without the programmes: x loses no more than they state, and its
 * weights are in the simplex. */
static asif_status check(margin *m, const asif_inverse_input *evidence, const asif_setting *setting,
                         asif_error *error) {
    double value = 0, size = 1, sum = 0, below = 0;
    bool ng = evidence->inverse_options->ng_russell;
    asif_features_utility(&m->features, m->x, m->v);
    for (uint64_t i = 0; i < m->features.cells; i++)
        size = fmax(size, fabs(m->v[i]));
    ASIF_TRY(ng ? ng_russell(&value, NULL, m, evidence->inverse_options->weight, setting, error)
                : game(&value, NULL, m, setting, error));
    for (uint32_t k = 0; k < m->features.count && !ng; k++) {
        sum += m->x[k];
        below = fmin(below, m->x[k]);
    }
    ASIF_TRY(asif_must_keep(NAME, ng ? "its objective is missed" : "it falls short of the best",
                            -value - m->most, KEPT_TO * size, error));
    return ng ? ASIF_OK
              : asif_must_keep(NAME, "weights leave the simplex", fmax(fabs(sum - 1), -below), KEPT_TO,
                               error);
}

static asif_status answer(double *utility, const asif_behavior *behavior, const asif_inverse_input *evidence,
                          void *own, asif_error *error) {
    margin *m = own;
    m->open = (asif_widest_open){0};
    uint32_t *excess = ASIF_ARRAY(m->context, m->features.states, uint32_t);
    if (!excess)
        return asif_fail_memory(error);
    asif_status status = evidence->inverse_options->ng_russell
                             ? solve_ng_russell(m, evidence->inverse_options->weight, excess, error)
                             : solve_occupancy(m, excess, error);
    if (status == ASIF_OK)
        status = check(m, evidence, behavior->setting, error);
    if (status == ASIF_OK)
        asif_features_scatter(&m->features, m->x, utility);
    asif_free(m->context, excess);
    return status;
}

static asif_status warn(asif_problems *problems, const asif_behavior *behavior,
                        const asif_inverse_input *evidence, void *own, asif_error *error) {
    (void)behavior, (void)evidence, (void)error;
    asif_widest_warn(&((const margin *)own)->open, NAME, problems);
    return ASIF_OK;
}

const asif_inverse_ops asif_inverse_maximum_margin = {
    .info = {.name = NAME,
             .summary = "minimises how much better than what was done one could do",
             .sees = ASIF_SEES_STATES,
             .purposeful = true,
             .paper = "Maximum Margin"},
    .prepare = prepare,
    .release = release,
    .objective = objective,
    .answer = answer,
    .warn = warn,
};
