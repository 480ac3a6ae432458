/* `interruptible_density` is a density that samplers and searches evaluate, and whose evaluation a caller can
 * interrupt. */
#ifndef ASIF_SRC_SAMPLE_INTERRUPTIBLE_DENSITY_H
#define ASIF_SRC_SAMPLE_INTERRUPTIBLE_DENSITY_H

#include "asif/sample.h"

#include <math.h>

typedef struct {
    const asif_density *density;
    bool (*interrupt)(void *user); /* called before every evaluation; true: stop */
    void *user;
    asif_error *error;
} asif_interruptible_density;

/* A point, with the value and the gradient of the density there. */
typedef struct {
    double *x, *gradient;
    double value;
} asif_point;

/* Evaluate the density. The value is -inf if it or the gradient is not finite. `gradient` of the point may be
 * NULL. Returns ASIF_ECANCELLED after an interruption, or what the density returned. */
asif_status asif_interruptible_density_evaluate(const asif_interruptible_density *target, asif_point *point);

#endif
