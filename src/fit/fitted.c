#include "base/error.h"
#include "base/memory.h"
#include "fit/fit.h"
#include "theta/estimates.h"

asif_status asif_fitted_points(double *x, uint32_t *made, const asif_fitted *fitted, uint32_t count,
                               asif_error *error) {
    uint64_t n = asif_estimates_dimension(fitted->estimates);
    *made = 0;
    if (count == 0)
        return ASIF_OK;
    if (!fitted->draws) {
        if (!fitted->maximum)
            return asif_fail(error, ASIF_EUNSET, "the fit has neither draws nor a maximum");
        asif_estimates_locate(fitted->estimates, fitted->maximum, x);
        *made = 1;
        return ASIF_OK;
    }
    asif_draws_view view = {.struct_size = sizeof view};
    ASIF_TRY(asif_draws_get(fitted->draws, &view, error));
    uint64_t all = view.chains * view.draws;
    double *number = ASIF_ARRAY(fitted->context, view.columns, double);
    if (!number)
        return asif_fail_memory(error);
    *made = count < all ? count : (uint32_t)all;
    for (uint64_t d = 0; d < *made; d++) {
        for (uint32_t i = 0; i < view.columns; i++)
            number[i] = view.value[i * all + d * all / *made];
        asif_estimates_locate(fitted->estimates, number, x + d * n);
    }
    asif_free(fitted->context, number);
    return ASIF_OK;
}

asif_status asif_fitted_likelihood(const asif_fitted *fitted, bool actions, asif_error *error) {
    static const char *const helpers[] = {[ASIF_HELPER_SCORES] = "scores of episodes",
                                          [ASIF_HELPER_PAIRS] = "pairs of episodes",
                                          [ASIF_HELPER_BATCHES] = "batches of episodes",
                                          [ASIF_HELPER_ENVIRONMENTS] = "several environments"};
    const asif_inverse_info *inverse = fitted->inverse ? asif_inverse_named(fitted->inverse) : NULL;
    if (!inverse || (inverse->likelihood && !(actions && inverse->helper)))
        return ASIF_OK;
    if (!inverse->likelihood)
        asif_fail(error, ASIF_EUNSUPPORTED, "this is about log-likelihoods, and %s has none", inverse->name);
    else
        asif_fail(error, ASIF_EUNSUPPORTED, "this is about logs of actions alone, and %s also reads %s",
                  inverse->name, helpers[inverse->helper]);
    asif_error_hint(error, "`inverse: soft-policy-matching` has what is needed here");
    return ASIF_EUNSUPPORTED;
}
