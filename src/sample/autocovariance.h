/* Autocovariances of many chains at once. */
#ifndef ASIF_SRC_SAMPLE_AUTOCOVARIANCE_H
#define ASIF_SRC_SAMPLE_AUTOCOVARIANCE_H

#include "asif/base.h"

/* A workspace for chains of one length; it may be used again and again. */
typedef struct {
    const asif_context *context;
    uint64_t length; /* length of a chain */
    uint64_t size;   /* size of the transform: a power of 2, at least twice the length */
    double *cosine, *sine, *real, *imaginary, *power;
} asif_autocovariance;

/* False: no memory. Call asif_autocovariance_free() in any case. */
bool asif_autocovariance_init(asif_autocovariance *a, const asif_context *context, uint64_t length);
void asif_autocovariance_free(asif_autocovariance *a);

/* Begin a sum over chains. */
void asif_autocovariance_begin(asif_autocovariance *a);
/* Add two chains times `scale`, about their means; `second` may be NULL. Costs O(length log length). */
void asif_autocovariance_add(asif_autocovariance *a, const double *first, double first_mean,
                             const double *second, double second_mean, double scale);
/* The autocovariances [length]: summed over the chains that were added, and divided by the length at every
 * lag. Borrowed until the next call. */
const double *asif_autocovariance_end(asif_autocovariance *a);

#endif
