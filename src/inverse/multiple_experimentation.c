/* Multiple experimentation: one utility that makes the demonstrated actions optimal in each of several
 * environments (Amin, Singh 2016; Amin, Jiang, Singh 2017). The more environments, the fewer utilities
 * remain.
 *
 * The first programme is min_v sum_s max(0, max over environments and actions of A(s,u)), with v scaled to
 * [0, 1]: the distance from optimality, 0 if some utility explains all. A constant utility always does, and
 * so do many others. Among all that are equally good, the second programme chooses those with the largest
 * margin of the demonstrated actions over all others, the smallest of all environments. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "inverse/inverse.h"
#include "inverse/solve/widest.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <string.h>

#define NAME "multiple-experimentation"
#define AS_GOOD 1e-8 /* how far the sum may be from the best, with v scaled to [0, 1] */
#define KEPT_TO 1e-6 /* how far constraints may be missed */

typedef struct {
    const asif_context *context;
    asif_features features;
    asif_by_cell by_cell;
    uint32_t environments; /* number of environments with episodes */
    asif_demonstration *demonstration;
    double *x, *other;            /* [count] */
    double *v, *cell, *in_v;      /* [cells] */
    double *worst;                /* [states] */
    uint32_t *worst_of;           /* [states]: environment */
    uint64_t *worst_cell;         /* [states] */
    uint32_t *violation, *excess; /* [states]: columns of a programme */
    asif_widest_open open;
} several;

static void release(void *own) {
    several *m = own;
    if (!m)
        return;
    const asif_context *context = m->context;
    for (uint32_t i = 0; i < m->environments; i++)
        asif_demonstration_free(&m->demonstration[i]);
    void *const arrays[] = {m->demonstration, m->x,        m->other,      m->v,         m->cell,  m->in_v,
                            m->worst,         m->worst_of, m->worst_cell, m->violation, m->excess};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    if (m->by_cell.context)
        asif_by_cell_free(&m->by_cell);
    if (m->features.context)
        asif_features_free(&m->features);
    asif_free(context, m);
}

/* ---- environments of the episodes ---- */

static asif_status find_column(const asif_inverse_input *e, uint32_t *out, asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(e->tree);
    const char *name = asif_helper_column(ASIF_HELPER_ENVIRONMENTS, e->inverse_options);
    if (!e->inverse_options->environments) {
        asif_fail(error, ASIF_EINVALID, "%s needs environments, and the study has none", NAME);
        asif_error_hint(error,
                        "write `inverse: {name: %s, environment: COLUMN, environments: {LABEL: {...}, ...}}`",
                        NAME);
        return ASIF_EINVALID;
    }
    if (e->count)
        return asif_fail(error, ASIF_EUNSUPPORTED, "%s takes the logs as a whole, not by groups", NAME);
    for (*out = 0; view->units && *out < view->covariates; (*out)++)
        if (strcmp(asif_tree_covariate_name(e->tree, *out), name) == 0)
            return ASIF_OK;
    asif_fail(error, ASIF_EINVALID, "the logs do not tell the environment of each episode: there is no `%s`",
              asif_show(name).text);
    asif_error_hint(error, "read them with episodes as units and that column as a covariate");
    return ASIF_EINVALID;
}

static asif_status find_environment(const asif_inverse_input *e, uint64_t unit, uint32_t column,
                                    uint32_t *out, asif_error *error) {
    const asif_inverse_options *inverse_options = e->inverse_options;
    const char *label = asif_tree_covariate(e->tree, unit, column);
    for (*out = 0; *out < inverse_options->environments; (*out)++)
        if (strcmp(inverse_options->environment_name[*out], label) == 0)
            return ASIF_OK;
    const char *near =
        asif_nearest_word(label, inverse_options->environment_name, inverse_options->environments);
    asif_fail(error, ASIF_EINVALID,
              label[0] ? "there is no environment `%s` (episode %s)"
                       : "the environment%s of episode %s is missing",
              label[0] ? asif_show(label).text : "", asif_show(asif_tree_unit_name(e->tree, unit)).text);
    if (near)
        asif_error_hint(error, "did you mean `%s`?", near);
    else
        asif_error_hint(error, "the study names them under `environments`; the first is `%s`",
                        asif_show(inverse_options->environment_name[0]).text);
    return ASIF_EINVALID;
}

static asif_status divide(several *m, const asif_inverse_input *e, uint32_t *of, asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(e->tree);
    uint32_t column = 0;
    ASIF_TRY(find_column(e, &column, error));
    for (uint64_t i = 0; i < view->units; i++)
        ASIF_TRY(find_environment(e, i, column, &of[i], error));
    m->demonstration = ASIF_ARRAY(m->context, e->inverse_options->environments, asif_demonstration);
    return m->demonstration ? ASIF_OK : asif_fail_memory(error);
}

static asif_status demonstrate(several *m, const asif_inverse_input *e, const uint32_t *of, bool *chosen,
                               double *count, asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(e->tree);
    for (uint32_t k = 0; k < e->inverse_options->environments; k++) {
        bool any = false;
        for (uint64_t i = 0; i < view->units; i++)
            any = (chosen[i] = of[i] == k) || any;
        if (!any)
            continue;
        ASIF_TRY(asif_tree_counts(e->tree, chosen, count, error));
        ASIF_TRY(asif_demonstration_create(&m->demonstration[m->environments], m->context,
                                           e->inverse_options->environment[k],
                                           asif_estimates_given(e->estimates), e->tree, count, error));
        m->environments++;
    }
    return ASIF_OK;
}

static asif_status read_demonstrations(several *m, const asif_inverse_input *e, asif_error *error) {
    const asif_tree_view *view = asif_tree_inside(e->tree);
    uint32_t *of = ASIF_ARRAY(m->context, view->units, uint32_t);
    bool *chosen = ASIF_ARRAY(m->context, view->units, bool);
    double *count = ASIF_ARRAY(m->context, (uint64_t)view->nodes * view->actions, double);
    asif_status status = of && chosen && count ? divide(m, e, of, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = demonstrate(m, e, of, chosen, count, error);
    asif_free(m->context, of);
    asif_free(m->context, chosen);
    asif_free(m->context, count);
    return status;
}

static asif_status fill(several *m, const asif_behavior *behavior, const asif_inverse_input *e,
                        asif_error *error) {
    const asif_context *c = m->context;
    ASIF_TRY(asif_loglik_check(behavior, e->tree, error));
    ASIF_TRY(asif_features_create(&m->features, c, behavior->setting, e->estimates, NAME, error));
    ASIF_TRY(asif_by_cell_create(&m->by_cell, &m->features, error));
    ASIF_TRY(read_demonstrations(m, e, error));
    uint64_t cells = m->features.cells;
    uint32_t states = m->features.states;
    m->x = ASIF_ARRAY(c, m->features.count, double);
    m->other = ASIF_ARRAY(c, m->features.count, double);
    m->v = ASIF_ARRAY(c, cells, double);
    m->cell = ASIF_ARRAY(c, cells, double);
    m->in_v = ASIF_ARRAY(c, cells, double);
    m->worst = ASIF_ARRAY(c, states, double);
    m->worst_of = ASIF_ARRAY(c, states, uint32_t);
    m->worst_cell = ASIF_ARRAY(c, states, uint64_t);
    m->violation = ASIF_ARRAY(c, states, uint32_t);
    m->excess = ASIF_ARRAY(c, states, uint32_t);
    return m->x && m->other && m->v && m->cell && m->in_v && m->worst && m->worst_of && m->worst_cell &&
                   m->violation && m->excess
               ? ASIF_OK
               : asif_fail_memory(error);
}

static asif_status prepare(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error) {
    several *m = ASIF_NEW(behavior->context, several);
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

/* Compute the derivative in v of minus the sum: a state contributes through the environment in which it is
 * worst. */
static asif_status pull(several *m, asif_error *error) {
    memset(m->in_v, 0, m->features.cells * sizeof *m->in_v);
    for (uint32_t k = 0; k < m->environments; k++) {
        memset(m->cell, 0, m->features.cells * sizeof *m->cell);
        for (uint32_t s = 0; s < m->features.states; s++)
            if (m->worst[s] > 0 && m->worst_of[s] == k)
                m->cell[m->worst_cell[s]] = -1;
        ASIF_TRY(asif_demonstration_pull(&m->demonstration[k], m->cell, m->in_v, error));
    }
    return ASIF_OK;
}

/* Compute how far x is from making the demonstrated actions optimal, and the worst action of each state. */
static asif_status find_violation(several *m, const double *x, double *sum, asif_error *error) {
    uint32_t states = m->features.states;
    asif_features_utility(&m->features, x, m->v);
    memset(m->worst, 0, states * sizeof *m->worst);
    for (uint32_t k = 0; k < m->environments; k++) {
        asif_demonstration *d = &m->demonstration[k];
        ASIF_TRY(asif_demonstration_advantages(d, m->v, m->cell, error));
        for (uint64_t i = 0; i < m->features.cells; i++) {
            uint32_t s = (uint32_t)(i % states);
            if (d->did[s] == ASIF_ANY || m->cell[i] <= m->worst[s])
                continue;
            m->worst[s] = m->cell[i];
            m->worst_of[s] = k;
            m->worst_cell[s] = i;
        }
    }
    *sum = 0;
    for (uint32_t s = 0; s < states; s++)
        *sum += m->worst[s];
    return ASIF_OK;
}

static asif_status objective(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error) {
    (void)evidence;
    several *m = own;
    double sum = 0;
    asif_features_gather(&m->features, asif_theta_utilities(behavior->theta), m->x);
    ASIF_TRY(find_violation(m, m->x, &sum, error));
    *value = -sum;
    if (gradient) {
        ASIF_TRY(pull(m, error));
        asif_theta_gradient_clear(gradient, behavior->setting);
        asif_features_expect(&m->features, m->in_v, m->x);
        asif_features_scatter(&m->features, m->x, gradient->utility);
    }
    return ASIF_OK;
}

/* ---- the linear programmes ---- */

typedef struct {
    bool found;
    double violation, margin;
    double *x; /* [count] */
    asif_widest_open open;
} scaled;

/* Bound the estimated utilities so that all cells lie in [low, low + 1]. `low` is 0 or, if shifted, such that
 * 0 and fixed utilities may lie inside. */
static void scale(const several *m, asif_lp *lp, bool shifted) {
    const asif_features *f = &m->features;
    double least = 0, most = 0;
    for (uint64_t i = 0; i < f->cells && shifted; i++) {
        least = fmin(least, f->constant[i]);
        most = fmax(most, f->constant[i]);
    }
    for (uint32_t k = 0; k < f->count; k++)
        asif_lp_column(lp, 0, -(double)INFINITY, (double)INFINITY);
    uint32_t low = asif_lp_column(lp, 0, shifted ? least - 1 : 0, most);
    for (uint64_t i = 0; i < f->cells; i++) {
        uint32_t row = asif_lp_row(lp, -f->constant[i], 1 - f->constant[i]);
        asif_by_cell_add(&m->by_cell, lp, row, 0, i, 1);
        asif_lp_entry(lp, row, low, -1);
    }
}

static void scale_unit(const void *self, asif_lp *lp) {
    scale(self, lp, false);
}

static void scale_span(const void *self, asif_lp *lp) {
    scale(self, lp, true);
}

/* Find the least sum of violations; `found` stays false if no utilities fit the scale. */
static asif_status least_violation(const several *m, const asif_widest *w, scaled *out, asif_error *error) {
    asif_lp lp;
    asif_lp_begin(&lp, m->context);
    w->scale(w->self, &lp);
    asif_status status = asif_widest_sum(w, &lp, 1, 0, (double)INFINITY, m->violation, error);
    if (status == ASIF_OK)
        status = asif_lp_solve(&lp, error);
    out->found = status == ASIF_OK && lp.outcome == ASIF_LP_OPTIMAL;
    out->violation = lp.objective;
    if (out->found)
        memcpy(out->x, lp.x, m->features.count * sizeof *out->x);
    asif_lp_free(&lp);
    return status;
}

/* If no utility explains all: among those with the least sum of violations, find the largest sum of margins.
 * Excesses are minus the margins, and at most the violations. */
static asif_status largest_sum(several *m, const asif_widest *w, scaled *out, asif_error *error) {
    double largest = 0;
    const double infinity = (double)INFINITY;
    asif_lp lp;
    asif_lp_begin(&lp, m->context);
    w->scale(w->self, &lp);
    uint32_t sum = asif_lp_row(&lp, -infinity, out->violation + AS_GOOD);
    asif_status status = asif_widest_sum(w, &lp, 1, -infinity, infinity, m->excess, error);
    for (uint32_t s = 0; s < m->features.states; s++) {
        if (m->excess[s] == ASIF_ANY)
            continue;
        uint32_t violation = asif_lp_column(&lp, 0, 0, infinity), row = asif_lp_row(&lp, 0, infinity);
        asif_lp_entry(&lp, sum, violation, 1);
        asif_lp_entry(&lp, row, violation, 1);
        asif_lp_entry(&lp, row, m->excess[s], -1);
    }
    if (status == ASIF_OK)
        status = asif_widest_choose(w, &lp, out->x, &largest, &out->open, error);
    out->margin = -largest;
    asif_lp_free(&lp);
    return status;
}

static asif_status solve(several *m, bool shifted, scaled *out, asif_error *error) {
    asif_widest widest = {m->context,
                          NAME,
                          &m->features,
                          &m->by_cell,
                          m->environments,
                          m->demonstration,
                          shifted ? scale_span : scale_unit,
                          m};
    ASIF_TRY(least_violation(m, &widest, out, error));
    if (!out->found)
        return ASIF_OK;
    if (out->violation <= AS_GOOD)
        ASIF_TRY(asif_widest_smallest(&widest, out->x, &out->margin, &out->open, error));
    return out->margin > 0 ? ASIF_OK : largest_sum(m, &widest, out, error);
}

/* Check the estimate by policy evaluation, without the programmes: it is no further from optimal than they
 * state, and has a span of 1. */
static asif_status check(several *m, const scaled *best, asif_error *error) {
    double sum = 0, low = (double)INFINITY, high = -(double)INFINITY;
    ASIF_TRY(find_violation(m, best->x, &sum, error));
    for (uint64_t i = 0; i < m->features.cells; i++) {
        low = fmin(low, m->v[i]);
        high = fmax(high, m->v[i]);
    }
    ASIF_TRY(asif_must_keep(NAME, "it falls short of the best", sum - best->violation, KEPT_TO, error));
    return asif_must_keep(NAME, "the span of the utilities exceeds 1", high - low - 1, KEPT_TO, error);
}

/* Compute the estimate: between 0 and 1 if nothing is lost by that; else only its span is 1. */
static asif_status answer(double *utility, const asif_behavior *behavior, const asif_inverse_input *evidence,
                          void *own, asif_error *error) {
    (void)behavior;
    (void)evidence;
    several *m = own;
    scaled unit = {.x = m->x}, span = {.x = m->other};
    ASIF_TRY(solve(m, true, &span, error));
    if (!span.found) {
        asif_fail(error, ASIF_EINVALID,
                  "%s scales utilities to a span of 1, which those that are given exceed", NAME);
        asif_error_hint(error, "estimate all utilities, or give the others in a smaller unit");
        return ASIF_EINVALID;
    }
    ASIF_TRY(solve(m, false, &unit, error));
    bool shifts = unit.found && unit.violation <= span.violation + 10 * AS_GOOD &&
                  unit.margin >= span.margin - 1e-6 * (1 + fabs(span.margin));
    const scaled *best = shifts ? &unit : &span;
    m->open = best->open;
    ASIF_TRY(check(m, best, error));
    asif_features_scatter(&m->features, best->x, utility);
    return ASIF_OK;
}

static asif_status warn(asif_problems *problems, const asif_behavior *behavior,
                        const asif_inverse_input *evidence, void *own, asif_error *error) {
    (void)behavior, (void)evidence, (void)error;
    asif_widest_warn(&((const several *)own)->open, NAME, problems);
    return ASIF_OK;
}

const asif_inverse_ops asif_inverse_multiple_experimentation = {
    .info = {.name = NAME,
             .summary = "finds one utility that makes what was done the best in each of several environments",
             .sees = ASIF_SEES_STATES,
             .purposeful = true,
             .helper = ASIF_HELPER_ENVIRONMENTS,
             .paper = "Multiple Experimentation"},
    .prepare = prepare,
    .release = release,
    .objective = objective,
    .answer = answer,
    .warn = warn,
};
