/* One chain: warm-up, draws, and the state that it needs to continue after an interruption. */
#ifndef ASIF_SRC_SAMPLE_CHAINS_CHAIN_H
#define ASIF_SRC_SAMPLE_CHAINS_CHAIN_H

#include "base/sha256.h"
#include "sample/chains/adapt.h"
#include "sample/chains/nuts.h"
#include "sample/chains/ridge_map.h"
#include "sample/draws.h"

typedef struct asif_chain asif_chain;

/* What a method does differently. */
typedef struct {
    bool gradient;
    asif_status (*prepare)(asif_chain *chain,
                           const asif_interruptible_density *target); /* NULL: nothing to do */
    asif_status (*step)(asif_chain *chain, const asif_interruptible_density *target);
    asif_status (*learn)(asif_chain *chain); /* NULL: never tuned */
} asif_chain_method;

struct asif_chain {
    const asif_context *context;
    const asif_sample_options *options; /* all set */
    const asif_density *density;
    const asif_chain_method *method;
    asif_draws *draws; /* of all chains; this one fills its own */
    uint32_t number;   /* from 0 */
    asif_windows windows;
    asif_nuts *nuts;       /* NULL: a walk */
    asif_density straight; /* the density in the coordinates in which the chain moves */
    double *lower, *spare; /* Cholesky factor of the metric; room for the next */
    double *tried, *straightened, *scratch, *row;
    double stat[ASIF_STAT_COUNT]; /* of the last step */

    /* What is saved. */
    uint64_t done;       /* steps */
    bool begun;          /* the density is known at x: so it is in a chain that was saved */
    uint64_t prepared;   /* 1: the step size has been found since the metric changed */
    asif_ridge_map bend; /* from the coordinates in which the chain moves to those of the density */
    asif_point at;       /* in the former */
    asif_tuning tuning;
    asif_moments moments;
    double *window; /* [windows.end - windows.begin][n]: draws of the window; NULL where no bend is learnt */
    double *metric; /* [n][n], of the coordinates in which the chain moves */
    double *memory; /* of the density, when it was last at x */
};

/* Every option is set and within its domain. */
asif_status asif_chain_create(asif_chain **out, const asif_context *context,
                              const asif_sample_options *options, const asif_density *density,
                              asif_draws *draws, uint32_t number, asif_error *error);
void asif_chain_free(asif_chain *chain);

uint64_t asif_chain_length(const asif_sample_options *options); /* steps in all */
uint64_t asif_chain_kept(const asif_chain *chain);              /* draws so far */
/* The next piece of work: the start, preparing a step, or a step. After anything but ASIF_OK the chain is as
 * it was before, and its density's memory is out of step with it. */
asif_status asif_chain_advance(asif_chain *chain, const asif_interruptible_density *target);
/* After warm-up, store the settings of the sampler with the draws. Calling it again changes nothing. */
void asif_chain_settle(asif_chain *chain);
/* Move by a covariance; false where it is not positive definite, and nothing changes. */
bool asif_chain_use_metric(asif_chain *chain, const double *covariance);

/* ---- checkpoint.c ---- */

/* A digest of what is sampled and how. A run may continue from the checkpoints of another run with the same
 * digest. */
void asif_checkpoint_identity(uint8_t digest[ASIF_SHA256_SIZE], const asif_sample_options *options,
                              const asif_density *density, const asif_draws *draws);
asif_status asif_checkpoint_save(asif_chain *chain, const uint8_t identity[ASIF_SHA256_SIZE],
                                 asif_error *error);
/* Nothing happens if there is none. */
asif_status asif_checkpoint_load(asif_chain *chain, const uint8_t identity[ASIF_SHA256_SIZE],
                                 asif_error *error);
asif_status asif_checkpoint_remove(const asif_chain *chain, asif_error *error);

#endif
