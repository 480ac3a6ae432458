/* Autocovariances of many chains at once. */
#ifndef ASIF_SRC_SAMPLE_AUTOCOVARIANCE_H
#define ASIF_SRC_SAMPLE_AUTOCOVARIANCE_H

#include "asif/base.h"

/* Room for chains of one length, used again and again. */
typedef struct {
    const asif_context *context;
    uint64_t length; /* of a chain */
    uint64_t size;   /* of the transform: a power of 2, at least twice the length */
    double *cosine, *sine, *real, *imaginary, *power;
} asif_autocovariance;

/* false: no memory; free in any case. */
bool asif_autocovariance_init(asif_autocovariance *a, const asif_context *context, uint64_t length);
void asif_autocovariance_free(asif_autocovariance *a);

void asif_autocovariance_begin(asif_autocovariance *a);
/* Two chains, about their means; `second` may be NULL. */
void asif_autocovariance_add(asif_autocovariance *a, const double *first, double first_mean,
                             const double *second, double second_mean, double scale);
/* The sums over all chains added, divided by the length at every lag; [length], borrowed. Overwritten by
 * what begins next. */
const double *asif_autocovariance_end(asif_autocovariance *a);

#endif
