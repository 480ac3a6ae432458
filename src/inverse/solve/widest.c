#include "inverse/solve/widest.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define ENOUGH 1e-4 /* margin up to which margins count, when it is decided which can be positive */
#define AT_LEAST 1e-7
#define KEPT_TO 1e-7 /* how far margins may be missed, over the size of the values */

/* Find the actions that can be strictly worse than the demonstrated ones, under one utility for all: slack
 * [demonstrations][cells] has a column for each. The sum of margins, each up to ENOUGH, is maximised, so that
 * as many as possible are above 0. */
static asif_status find_strict(const asif_widest *w, uint32_t *slack, bool *strict, bool *found,
                               asif_widest_open *open, asif_error *error) {
    uint64_t cells = w->features->cells;
    asif_lp lp;
    asif_lp_begin(&lp, w->context);
    w->scale(w->self, &lp);
    for (uint32_t k = 0; k < w->demonstrations; k++)
        for (uint64_t i = 0; i < cells; i++)
            if (asif_demonstration_other(&w->demonstration[k], i))
                slack[k * cells + i] = asif_lp_column(&lp, -1, 0, ENOUGH);
    for (uint32_t k = 0; k < w->demonstrations; k++)
        asif_demonstration_rows(&w->demonstration[k], &lp, w->features, w->by_cell, 0, slack + k * cells, -1,
                                0);
    asif_status status = asif_lp_solve(&lp, error);
    *found = false;
    if (status == ASIF_EDOMAIN) {
        open->strict = true;
        lp.outcome = ASIF_LP_INFEASIBLE;
        status = ASIF_OK;
    }
    for (uint64_t i = 0; status == ASIF_OK && lp.outcome == ASIF_LP_OPTIMAL && i < w->demonstrations * cells;
         i++) {
        strict[i] = slack[i] != ASIF_ANY && lp.x[slack[i]] > AT_LEAST;
        *found = *found || strict[i];
    }
    asif_lp_free(&lp);
    return status;
}

/* Check that the demonstrated actions are no worse than any other, and better by the margin than those that
 * are strictly worse. */
static asif_status check(const asif_widest *w, const bool *strict, const double *x, double margin,
                         asif_error *error) {
    uint64_t cells = w->features->cells;
    double *v = ASIF_ARRAY(w->context, cells, double), *advantage = ASIF_ARRAY(w->context, cells, double);
    double missed = 0, size = 1;
    asif_status status = v && advantage ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        asif_features_utility(w->features, x, v);
    for (uint32_t k = 0; status == ASIF_OK && k < w->demonstrations; k++) {
        asif_demonstration *d = &w->demonstration[k];
        status = asif_demonstration_advantages(d, v, advantage, error);
        for (uint32_t s = 0; status == ASIF_OK && s < d->states; s++)
            size = fmax(size, fabs(d->values[s]));
        for (uint64_t i = 0; status == ASIF_OK && i < cells; i++)
            if (asif_demonstration_other(d, i))
                missed = fmax(missed, advantage[i] + (strict[k * cells + i] ? margin : 0));
    }
    asif_free(w->context, v);
    asif_free(w->context, advantage);
    return status == ASIF_OK ? asif_must_keep(w->who, "it misses a margin", missed, KEPT_TO * size, error)
                             : status;
}

static asif_status widen(const asif_widest *w, uint32_t *slack, const bool *strict, double *x, double *margin,
                         asif_error *error) {
    uint64_t cells = w->features->cells;
    asif_lp lp;
    asif_lp_begin(&lp, w->context);
    w->scale(w->self, &lp);
    uint32_t smallest = asif_lp_column(&lp, -1, 0, (double)INFINITY);
    for (uint64_t i = 0; i < w->demonstrations * cells; i++)
        slack[i] = strict[i] ? smallest : ASIF_ANY;
    for (uint32_t k = 0; k < w->demonstrations; k++)
        asif_demonstration_rows(&w->demonstration[k], &lp, w->features, w->by_cell, 0, slack + k * cells, -1,
                                0);
    asif_status status = asif_lp_solve(&lp, error);
    if (status == ASIF_OK && lp.outcome != ASIF_LP_OPTIMAL)
        status = asif_fail(
            error, ASIF_EDOMAIN,
            "%s: utilities with margins were found, but the programme of the widest has no answer", w->who);
    if (status == ASIF_OK) {
        memcpy(x, lp.x, w->features->count * sizeof *x);
        *margin = lp.x[smallest];
        status = check(w, strict, x, *margin, error);
    }
    asif_lp_free(&lp);
    return status;
}

asif_status asif_widest_smallest(const asif_widest *w, double *x, double *margin, asif_widest_open *open,
                                 asif_error *error) {
    bool found = false;
    uint64_t all = w->demonstrations * w->features->cells;
    uint32_t *slack = ASIF_ARRAY(w->context, all, uint32_t);
    bool *strict = ASIF_ARRAY(w->context, all, bool);
    *margin = 0;
    asif_status status = slack && strict ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t i = 0; status == ASIF_OK && i < all; i++)
        slack[i] = ASIF_ANY;
    if (status == ASIF_OK)
        status = find_strict(w, slack, strict, &found, open, error);
    if (status == ASIF_OK && found)
        status = widen(w, slack, strict, x, margin, error);
    asif_free(w->context, slack);
    asif_free(w->context, strict);
    return status;
}

asif_status asif_widest_sum(const asif_widest *w, asif_lp *lp, double cost, double low, double high,
                            uint32_t *excess, asif_error *error) {
    uint64_t cells = w->features->cells;
    uint32_t states = w->features->states;
    uint32_t *slack = ASIF_ARRAY(w->context, cells, uint32_t);
    if (!slack)
        return asif_fail_memory(error);
    for (uint32_t s = 0; s < states; s++) {
        bool acted = false;
        for (uint32_t k = 0; k < w->demonstrations; k++)
            acted = acted || w->demonstration[k].did[s] != ASIF_ANY;
        excess[s] = acted && w->features->actions > 1 ? asif_lp_column(lp, cost, low, high) : ASIF_ANY;
    }
    for (uint32_t u = 0; u < w->features->actions; u++)
        memcpy(slack + (uint64_t)u * states, excess, states * sizeof *slack);
    for (uint32_t k = 0; k < w->demonstrations; k++)
        asif_demonstration_rows(&w->demonstration[k], lp, w->features, w->by_cell, 0, slack, 1, 0);
    asif_free(w->context, slack);
    return ASIF_OK;
}

asif_status asif_widest_choose(const asif_widest *w, asif_lp *lp, double *x, double *objective,
                               asif_widest_open *open, asif_error *error) {
    asif_status status = asif_lp_solve(lp, error);
    if (status == ASIF_EDOMAIN || (status == ASIF_OK && lp->outcome != ASIF_LP_OPTIMAL)) {
        open->choice = true;
        return ASIF_OK;
    }
    if (status == ASIF_OK) {
        memcpy(x, lp->x, w->features->count * sizeof *x);
        *objective = lp->objective;
    }
    return status;
}

void asif_widest_warn(const asif_widest_open *open, const char *who, asif_problems *problems) {
    asif_error warning = ASIF_ERROR_INIT;
    if (open->strict) {
        asif_fail(&warning, ASIF_EDOMAIN,
                  "%s could not decide whether any utilities make what was done optimal: rounding decides it",
                  who);
        asif_error_hint(&warning, "the answer has the largest sum of margins, some of which may be negative");
        asif_problems_add(problems, ASIF_PROBLEM_WARNING, &warning);
    }
    if (open->choice) {
        asif_fail(&warning, ASIF_EDOMAIN,
                  "%s could not choose among utilities that are equally good: the answer is one of them",
                  who);
        asif_error_hint(&warning,
                        "do not read more into its numbers than that what was done is as near to optimal "
                        "as it can be");
        asif_problems_add(problems, ASIF_PROBLEM_WARNING, &warning);
    }
}
