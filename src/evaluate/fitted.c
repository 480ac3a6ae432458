#include "base/error.h"
#include "base/memory.h"
#include "evaluate/fit.h"

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
