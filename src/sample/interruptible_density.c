#include "sample/interruptible_density.h"

#include "base/error.h"

static bool all_finite(const double *x, uint32_t n) {
    for (uint32_t i = 0; i < n; i++)
        if (!isfinite(x[i]))
            return false;
    return true;
}

asif_status asif_interruptible_density_evaluate(const asif_interruptible_density *target, asif_point *point) {
    const asif_density *density = target->density;
    if (target->interrupt && target->interrupt(target->user))
        return asif_fail(target->error, ASIF_ECANCELLED, "sampling was cancelled");
    if (!all_finite(point->x, density->dimension)) {
        point->value = -INFINITY;
        return ASIF_OK;
    }
    ASIF_TRY(density->evaluate(density->user, point->x, &point->value, point->gradient, target->error));
    if (!isfinite(point->value) || (point->gradient && !all_finite(point->gradient, density->dimension)))
        point->value = -INFINITY;
    return ASIF_OK;
}
