/* A unit that a table serves badly gets points of its own, near its posterior. Unlike those of serve.h they
 * are for this unit alone, so that its posterior does not depend on which other units there are. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_UNITS_OWN_H
#define ASIF_SRC_SAMPLE_POPULATION_UNITS_OWN_H

#include "sample/population/units/weigh.h"

typedef struct {
    const asif_context *context;
    const asif_weighing_request *weighed;
    /* Compute the unit's log-likelihoods at points x [count][dimension]. */
    asif_status (*evaluate)(void *user, const double *x, uint64_t count, double *log_likelihood,
                            asif_error *error);
    void *user;
    bool whole;    /* the unit's likelihood under the population is wanted, too */
    double wanted; /* effective points, at least those of a unit that is served */
} asif_own_request;

/* Weigh a unit until it is served and has as many effective points as are wanted, or rounds run out.
 * `log_likelihood` is at the points of the table, and some are finite. @return ASIF_OK, also where the unit
 * is not served; ASIF_ENOMEM, or as `evaluate` does. */
asif_status asif_weigh_own(asif_unit_number *number, asif_unit_info *info, const asif_own_request *request,
                           const double *log_likelihood, const double *z, asif_error *error);

#endif
