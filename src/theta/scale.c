/* What leaves behaviour as it is: a scale, or a constant added to all utilities; warnings about them and
 * about posteriors that are improper. */
#include "theta/estimates.h"

#include "base/error.h"

#include <math.h>
#include <string.h>

#define MOST_LOOKS 1e7 /* at terms of the utility */

static bool estimated(const asif_estimates *e, size_t theta_at, uint32_t utility) {
    for (uint32_t i = 0; i < e->parts; i++)
        if (e->part[i].number && e->part[i].number->theta_at == theta_at && e->part[i].utility == utility)
            return true;
    return false;
}

/* Whether a number that is not estimated fixes the scale: it must change when everything is multiplied by a
 * constant, as 0 and infinities do not. */
static bool fixes(const asif_estimates *e, double given, size_t theta_at, uint32_t utility) {
    return isfinite(given) && given != 0 && !estimated(e, theta_at, utility);
}

static bool utility_fixes(const asif_estimates *e) {
    const asif_setting_spec *s = asif_setting_get(e->given->setting);
    for (uint64_t i = 0; i < s->terms; i++) {
        const asif_utility_term *term = &s->term[i];
        if (term->coefficient == 0)
            continue;
        if (term->parameter == ASIF_ANY ||
            fixes(e, e->given->utility[term->parameter], offsetof(asif_theta, utility), term->parameter))
            return true;
    }
    for (uint64_t i = 0; s->utility && i < (uint64_t)s->actions * s->states; i++)
        if (s->utility[i] != 0)
            return true;
    return false;
}

bool asif_estimates_scale_is_free(const asif_estimates *e) {
    const asif_theta *t = e->given;
    return !asif_theta_has_means(t) && !fixes(e, t->a, offsetof(asif_theta, a), ASIF_ANY) &&
           !fixes(e, t->a_act, offsetof(asif_theta, a_act), ASIF_ANY) &&
           !fixes(e, t->b, offsetof(asif_theta, b), ASIF_ANY) &&
           !fixes(e, t->eta, offsetof(asif_theta, eta), ASIF_ANY) && !utility_fixes(e);
}

/* The sum of the coefficients of all parameters at an action and a state. */
static double coefficients_at(const asif_setting_spec *s, uint32_t action, uint32_t state) {
    double sum = 0;
    for (uint64_t i = 0; i < s->terms; i++) {
        const asif_utility_term *term = &s->term[i];
        bool here = (term->action == ASIF_ANY || term->action == action) &&
                    (term->index == ASIF_ANY || term->index == state);
        sum += here && term->parameter != ASIF_ANY ? term->coefficient : 0;
    }
    return sum;
}

bool asif_estimates_shift_is_free(const asif_estimates *e) {
    const asif_setting_spec *s = asif_setting_get(e->given->setting);
    for (uint64_t i = 0; i < s->terms; i++)
        if (s->term[i].by != ASIF_BY_STATE ||
            (s->term[i].parameter != ASIF_ANY &&
             !estimated(e, offsetof(asif_theta, utility), s->term[i].parameter)))
            return false;
    if (asif_theta_has_means(e->given) || s->terms == 0 ||
        (double)s->actions * s->states * (double)s->terms > MOST_LOOKS)
        return false;
    for (uint32_t i = 0; s->terminal && i < s->states; i++)
        if (s->terminal[i])
            return false;
    for (uint32_t u = 0; u < s->actions; u++)
        if (s->stops[u])
            return false;
    double first = coefficients_at(s, 0, 0);
    for (uint32_t u = 0; u < s->actions; u++)
        for (uint32_t k = 0; k < s->states; k++)
            if (coefficients_at(s, u, k) != first)
                return false;
    return first != 0;
}

/* Adds a warning unless the list has it already: reading a study also warns of the priors that it states. */
static void warn(asif_problems *problems, const char *message, const char *hint) {
    asif_error warning = ASIF_ERROR_INIT;
    for (uint32_t i = 0; problems && i < asif_problems_count(problems); i++)
        if (strcmp(asif_problems_get(problems, i, NULL)->message, message) == 0)
            return;
    asif_fail(&warning, ASIF_OK, "%s", message);
    asif_error_hint(&warning, "%s", hint);
    asif_problems_add(problems, ASIF_PROBLEM_WARNING, &warning);
}

void asif_estimates_warn(const asif_estimates *e, asif_problems *problems) {
    bool improper = false;
    for (uint32_t i = 0; i < e->dimension; i++)
        improper = improper || e->coordinate[i].prior.kind == ASIF_PRIOR_FLAT;
    if (improper)
        warn(problems, "a flat prior gives a posterior that is improper",
             "leave the prior out for the default, which is weakly informative");
    if (asif_estimates_scale_is_free(e))
        warn(
            problems,
            "only the priors fix the scale: alpha, beta, eta and all utilities times a constant are the same "
            "agent",
            "give one of the utilities a value");
}
