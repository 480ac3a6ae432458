/* The private members of draws. */
#ifndef ASIF_SRC_SAMPLE_DRAWS_H
#define ASIF_SRC_SAMPLE_DRAWS_H

#include "asif/sample.h"

#define ASIF_MOST_CHAINS (1u << 16)

struct asif_draws {
    const asif_context *context;
    asif_draws_view view; /* every pointer is owned */
};

/* Make draws of zeros, with copies of the names (NULL: x.1, x.2, ...). With a dimension of 0 there is no
 * metric. @param[out] out Owned by the caller. Fails with ASIF_ENOMEM. */
asif_status asif_draws_create(asif_draws **out, const asif_context *context, uint32_t chains, uint64_t draws,
                              uint32_t columns, const char *const *names, uint32_t dimension,
                              asif_error *error);

/* Writable arrays of one chain; the metric may be NULL. */
static inline double *asif_draws_values(asif_draws *d, uint32_t column, uint32_t chain) {
    return (double *)(uintptr_t)d->view.value + ((uint64_t)column * d->view.chains + chain) * d->view.draws;
}
static inline double *asif_draws_stats(asif_draws *d, asif_stat stat, uint32_t chain) {
    return (double *)(uintptr_t)d->view.stat + ((uint64_t)stat * d->view.chains + chain) * d->view.draws;
}
static inline double *asif_draws_metric(asif_draws *d, uint32_t chain) {
    uint64_t n = d->view.dimension;
    return d->view.metric ? (double *)(uintptr_t)d->view.metric + chain * n * n : NULL;
}
static inline double *asif_draws_step(asif_draws *d, uint32_t chain) {
    return (double *)(uintptr_t)d->view.step + chain;
}

/* Name of a method: "nuts", "metropolis", "published" or "ridge". */
const char *asif_method_text(asif_method method);
/* Judge draws by their diagnostics. @param summary [columns], each filled by asif_summarise(). Always
 * ASIF_OK. */
asif_status asif_draws_trust(asif_trust *out, const asif_draws *draws, const asif_column_summary *summary,
                             asif_error *error);

#endif
