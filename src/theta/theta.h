/* The inside of a theta. */
#ifndef ASIF_SRC_THETA_THETA_H
#define ASIF_SRC_THETA_THETA_H

#include "asif/theta.h"

/* Coordinates are those of the operator: inverse temperatures, so that every limit is a number. */
struct asif_theta {
    const asif_context *context;
    const asif_setting *setting;
    double a;     /* 1/alpha: +-inf at alpha = +-0, 0 at alpha = inf; NaN: no value */
    double a_act; /* 1/act_alpha; NaN: a */
    double b;     /* 1/beta, optimism */
    double eta, discount;
    double *utility; /* [parameters] */
};

/* ASIF_EUNSET, naming all of them, if a parameter that the agent needs has no value. */
asif_status asif_theta_complete(const asif_theta *theta, asif_error *error);

#endif
