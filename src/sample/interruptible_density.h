/* A density as samplers see it: with the right to interrupt. */
#ifndef ASIF_SRC_SAMPLE_INTERRUPTIBLE_DENSITY_H
#define ASIF_SRC_SAMPLE_INTERRUPTIBLE_DENSITY_H

#include "asif/sample.h"

#include <math.h>

typedef struct {
    const asif_density *density;
    bool (*interrupt)(void *user); /* asked before every evaluation; true: stop */
    void *user;
    asif_error *error;
} asif_interruptible_density;

/* A point and what the density says of it. */
typedef struct {
    double *x, *gradient;
    double value;
} asif_point;

/* Where value or gradient are not numbers, the value is -inf. `gradient` of the point may be NULL. */
asif_status asif_interruptible_density_evaluate(const asif_interruptible_density *target, asif_point *point);

#endif
