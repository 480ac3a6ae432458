/* The data structures of simulation-based calibration. */
#ifndef ASIF_SRC_QUESTIONS_CALIBRATE_SBC_H
#define ASIF_SRC_QUESTIONS_CALIBRATE_SBC_H

#include "questions/calibrate/replicates/replicate.h"

/* The histogram of the ranks of one quantity. */
typedef struct {
    uint32_t count;
    double *bin; /* [bins] */
    double chi_square, p;
    /* Deviations from uniform in standard errors: of the mean rank, and of the spread around the middle. */
    double lean, spread;
} asif_rank_histogram;

struct asif_sbc {
    asif_replicates replicates;
    /* Estimates with wrong priors, if the fits use them; NULL: those of the draws. */
    asif_estimates *wrong;
    asif_rank_histogram *histogram; /* [numbers + 1]: the last is that of the log-likelihood */
    double *bins;
};

/* Fill a histogram from `count` ranks from 0 to `most`, which are `step` elements apart; NaN is left out.
 * `bins` must divide most + 1. */
void asif_rank_count(asif_rank_histogram *out, const double *rank, uint64_t step, uint32_t count,
                     uint32_t most, uint32_t bins);

/* sbc_prior.c: make the estimates of `fitted` with priors whose standard deviation is multiplied by `factor`,
 * to be freed by asif_estimates_free(). ASIF_EUNSUPPORTED if a prior has no spread. */
asif_status asif_prior_scaled(asif_estimates **out, const asif_fitted *fitted, double factor,
                              asif_error *error);

#endif
