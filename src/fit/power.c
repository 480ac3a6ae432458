/* Power-scaling sensitivity: how much the posterior changes if prior or likelihood count a little more or a
 * little less. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "fit/per_alpha.h"
#include "theta/estimates.h"

#include <math.h>

#define MATTERS 0.05 /* sensitivity above which a part matters (Kallioinen et al. 2024) */

const char *asif_power_text(const asif_fit_parameter *p) {
    if (!(p->prior_sensitivity >= MATTERS))
        return NULL;
    return p->likelihood_sensitivity >= MATTERS ? "conflict" : "strong_prior";
}

/* Compute log prior and log-likelihood of every draw, the latter up to a constant. The log-density that
 * chains record is in the coordinates in which they move, so its Jacobian is removed. */
static asif_status split(const asif_fit *fit, const asif_draws_view *view, bool plain, double *prior,
                         double *likelihood, asif_error *error) {
    uint64_t all = view->chains * view->draws;
    asif_per_alpha how;
    bool moved = !plain && asif_per_alpha_find(&how, fit->estimates);
    double *number = ASIF_ARRAY(fit->context, (uint64_t)view->columns + fit->dimension, double);
    if (!number)
        return asif_fail_memory(error);
    double *x = number + view->columns;
    for (uint64_t i = 0; i < all; i++) {
        for (uint32_t c = 0; c < view->columns; c++)
            number[c] = view->value[c * all + i];
        asif_estimates_locate(fit->estimates, number, x);
        prior[i] = asif_estimates_log_prior(fit->estimates, x, NULL);
        likelihood[i] =
            view->stat[ASIF_STAT_LP * all + i] - prior[i] - (moved ? asif_per_alpha_log_volume(&how, x) : 0);
    }
    asif_free(fit->context, number);
    return ASIF_OK;
}

static bool all_finite(const double *value, uint64_t count) {
    for (uint64_t i = 0; i < count; i++)
        if (!isfinite(value[i]))
            return false;
    return true;
}

asif_status asif_fit_power(asif_fit *fit, bool plain, asif_error *error) {
    asif_draws_view view = {.struct_size = sizeof view};
    ASIF_TRY(asif_draws_get(fit->draws, &view, error));
    uint64_t all = view.chains * view.draws;
    double *prior = ASIF_ARRAY(fit->context, 2 * all + view.columns, double);
    if (!prior)
        return asif_fail_memory(error);
    double *likelihood = prior + all, *out = likelihood + all;
    asif_status status = split(fit, &view, plain, prior, likelihood, error);
    bool known = status == ASIF_OK && all_finite(prior, 2 * all);
    for (int k = 0; k < 2 && known && status == ASIF_OK; k++) {
        status = asif_power_scaling(out, fit->context, view.value, view.columns, view.chains, view.draws,
                                    k ? likelihood : prior, error);
        for (uint32_t i = 0; i < view.columns && status == ASIF_OK; i++)
            *(k ? &fit->parameter[i].likelihood_sensitivity : &fit->parameter[i].prior_sensitivity) = out[i];
    }
    asif_free(fit->context, prior);
    return status;
}
