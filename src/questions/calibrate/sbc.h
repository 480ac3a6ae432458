/* The inside of simulation-based calibration. */
#ifndef ASIF_SRC_QUESTIONS_CALIBRATE_SBC_H
#define ASIF_SRC_QUESTIONS_CALIBRATE_SBC_H

#include "questions/calibrate/replicates/replicate.h"

/* Ranks of one quantity. */
typedef struct {
    uint32_t count;
    double *bin; /* [bins] */
    double chi_square, p;
    /* Away from uniform in standard errors: the mean rank, and its spread around the middle. */
    double lean, spread;
} asif_rank_histogram;

struct asif_sbc {
    asif_replicates replicates;
    asif_estimates *wrong;          /* what was fitted, if not what was drawn from */
    asif_rank_histogram *histogram; /* [numbers + 1]: the last is the log-likelihood's */
    double *bins;
};

/* Fill `out` from ranks in 0 ... most, NaN: left out; `step` is from one to the next. `bins` divides most
 * + 1. */
void asif_rank_count(asif_rank_histogram *out, const double *rank, uint64_t step, uint32_t count,
                     uint32_t most, uint32_t bins);

/* sbc_prior.c: the estimates of `fitted` under priors whose standard deviation is multiplied by `factor`. */
asif_status asif_prior_scaled(asif_estimates **out, const asif_fitted *fitted, double factor,
                              asif_error *error);

#endif
