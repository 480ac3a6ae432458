/* One chain: warm-up, draws, and the state that it needs to continue after an interruption. */
#ifndef ASIF_SRC_SAMPLE_CHAINS_CHAIN_H
#define ASIF_SRC_SAMPLE_CHAINS_CHAIN_H

#include "base/sha256.h"
#include "sample/chains/adapt.h"
#include "sample/chains/nuts.h"
#include "sample/chains/ridge_map.h"
#include "sample/draws.h"

typedef struct asif_chain asif_chain;

/* The functions of a method. `prepare` is called before the first step, and again after the metric changed;
 * `learn` tunes after each step of warm-up. */
typedef struct {
    bool gradient;
    asif_status (*prepare)(asif_chain *chain,
                           const asif_interruptible_density *target); /* NULL: nothing to do */
    asif_status (*step)(asif_chain *chain, const asif_interruptible_density *target);
    asif_status (*learn)(asif_chain *chain); /* NULL: no tuning */
} asif_chain_method;

struct asif_chain {
    const asif_context *context;
    const asif_sample_options *options; /* borrowed; all are set */
    const asif_density *density;
    const asif_chain_method *method;
    asif_draws *draws; /* draws of all chains, borrowed; this chain fills its own */
    uint32_t number;   /* from 0 */
    asif_windows windows;
    asif_nuts *nuts;       /* NULL: a random walk */
    asif_density straight; /* the density in the coordinates in which the chain moves */
    double *lower, *spare; /* Cholesky factor of the metric, and scratch for the next one */
    double *tried, *straightened, *scratch, *row;
    double stat[ASIF_STAT_COUNT]; /* statistics of the last step */

    /* The state that checkpoints save, all but `begun`. */
    uint64_t done;       /* steps */
    bool begun;          /* the density has been evaluated at x; true of every saved chain */
    uint64_t prepared;   /* 1: prepared since the metric changed */
    asif_ridge_map bend; /* map from the coordinates in which the chain moves to those of the density */
    asif_point at;       /* the current point, in the coordinates in which the chain moves */
    asif_tuning tuning;
    asif_moments moments;
    double *window; /* [windows.end - windows.begin][n]: draws of the current window */
    double *metric; /* [n][n]: covariance, in the coordinates in which the chain moves */
    double *memory; /* memory of the density, as it was after the last step */
};

/* Make a chain. @param[out] out Owned by the caller. Every option must be set and within its domain; options,
 * density and draws are borrowed. Fails with ASIF_ENOMEM, or ASIF_EDOMAIN if the metric is not positive
 * definite. */
asif_status asif_chain_create(asif_chain **out, const asif_context *context,
                              const asif_sample_options *options, const asif_density *density,
                              asif_draws *draws, uint32_t number, asif_error *error);
void asif_chain_free(asif_chain *chain);

uint64_t asif_chain_length(const asif_sample_options *options); /* steps in all */
uint64_t asif_chain_kept(const asif_chain *chain);              /* draws so far */
/* Do the next piece of work: evaluate the start, prepare the method, or take a step. Returns ASIF_EDOMAIN
 * (the density is not finite at the start), ASIF_ENOMEM, ASIF_ECANCELLED, or what the density returned. After
 * a failure of the density or a cancellation the chain is as it was before, but the memory of the density is
 * not. */
asif_status asif_chain_advance(asif_chain *chain, const asif_interruptible_density *target);
/* Store the settings of the sampler with the draws, after warm-up. Calling it again changes nothing. */
void asif_chain_settle(asif_chain *chain);
/* Use a covariance as the metric. False, and nothing changes, if it is not positive definite. */
bool asif_chain_use_metric(asif_chain *chain, const double *covariance);

/* ---- checkpoint.c ---- */

/* A digest of the density's shape, the options and the key. A run may continue only from checkpoints with the
 * same digest. */
void asif_checkpoint_identity(uint8_t digest[ASIF_SHA256_SIZE], const asif_sample_options *options,
                              const asif_density *density, const asif_draws *draws);
/* Write the chain's checkpoint to the folder of the options; an old one is replaced. Fails with ASIF_EIO or
 * ASIF_ENOMEM. */
asif_status asif_checkpoint_save(asif_chain *chain, const uint8_t identity[ASIF_SHA256_SIZE],
                                 asif_error *error);
/* Read the chain's checkpoint, if there is one. Fails with ASIF_EPARSE (it is damaged), ASIF_EINVALID (it
 * belongs to another run), ASIF_EIO or ASIF_ENOMEM. */
asif_status asif_checkpoint_load(asif_chain *chain, const uint8_t identity[ASIF_SHA256_SIZE],
                                 asif_error *error);
/* Remove the chain's checkpoint. Fails with ASIF_EIO or ASIF_ENOMEM. */
asif_status asif_checkpoint_remove(const asif_chain *chain, asif_error *error);

#endif
