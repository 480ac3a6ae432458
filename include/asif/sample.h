/**
 * @file
 * Sampling and maximising a log-density, and what can be said of the draws. Nothing here knows what the
 * density is about: it is a function over R^n with its gradient.
 */
#ifndef ASIF_SAMPLE_H
#define ASIF_SAMPLE_H

#include "asif/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the density ---- */

/**
 * A log-density over R^dimension, known up to a constant. One thread at a time: each chain has its own.
 *
 * If the bits of a value depend on what was evaluated before (a warm start), then `memory` numbers say all of
 * it: `save` and `load` let a chain that was interrupted go on to the same bits.
 */
typedef struct {
    uint32_t dimension;
    /** Value, and the gradient unless `gradient` is NULL. A value of -inf: the point is outside; the gradient
     * is then not read. Any other return than ASIF_OK ends the sampling and is its result. */
    asif_status (*evaluate)(void *user, const double *x, double *value, double *gradient, asif_error *error);
    bool has_gradient;
    uint32_t reported; /**< numbers that a draw reports; 0: x itself, named x.1, x.2, ... */
    /** [reported]: column names of letters, digits, underscores and dashes, with a dot before an index. */
    const char *const *name;
    void (*report)(void *user, const double *x, double *out); /**< out is [reported] */
    uint64_t memory;
    void (*save)(void *user, double *memory);
    void (*load)(void *user, const double *memory);
    void *user;
    bool smooth; /**< has no kinks: a search by gradients alone arrives */
    /** Values at many points at once, x [count][dimension] and value [count]; -inf outside. They are a
     * function of x alone, whatever was evaluated before. NULL: points are evaluated one by one. */
    asif_status (*evaluate_many)(void *user, const double *x, uint64_t count, double *value,
                                 asif_error *error);
} asif_density;

/* ---- draws ---- */

/** Numbers that a sampler notes of every draw, in the order of the columns of Stan's files. */
typedef enum {
    ASIF_STAT_LP,       /**< lp__: the log-density */
    ASIF_STAT_ACCEPT,   /**< accept_stat__ */
    ASIF_STAT_STEP,     /**< stepsize__ */
    ASIF_STAT_DEPTH,    /**< treedepth__ */
    ASIF_STAT_LEAPS,    /**< n_leapfrog__ */
    ASIF_STAT_DIVERGED, /**< divergent__: 1 or 0 */
    ASIF_STAT_ENERGY,   /**< energy__ */
    ASIF_STAT_COUNT
} asif_stat;

/** Draws of several chains; immutable. */
typedef struct asif_draws asif_draws;

/** How draws were made. */
typedef enum {
    ASIF_METHOD_NUTS,       /**< multinomial no-U-turn sampler, dense metric */
    ASIF_METHOD_METROPOLIS, /**< random walk whose covariance is tuned during warm-up */
    ASIF_METHOD_PUBLISHED,  /**< random walk with a fixed standard deviation of `step` in every coordinate,
                               never tuned */
    ASIF_METHOD_RIDGE       /**< importance sampling along the ridges of the density; not of asif_sample() */
} asif_method;

/** Which draws are wanted. */
typedef struct {
    size_t struct_size;
    asif_method method;
    uint32_t chains;       /**< default 4 */
    uint64_t warmup;       /**< steps before the draws, default 1000 */
    uint64_t draws;        /**< kept of each chain, default 1000 */
    uint64_t thin;         /**< steps for each draw, default 1 */
    uint64_t seed;         /**< default 1 */
    double target_accept;  /**< of NUTS, default 0.95 */
    uint32_t max_depth;    /**< of NUTS, default 10 */
    double step;           /**< of the published walk, default 0.1 */
    const double *start;   /**< [chains][dimension]; NULL: 0 */
    const double *metric;  /**< [dimension][dimension]: a first guess of the covariance; NULL: the identity */
    const char *folder;    /**< where checkpoints are kept, `checkpoint-K`; NULL: none are */
    const char *key;       /**< says what is sampled: a checkpoint of another key is refused; NULL: "" */
    double checkpoint_sec; /**< between checkpoints, default 10 */
    bool
        keep; /**< leave checkpoints of finished chains behind, for a caller who has more to do; default no */
} asif_sample_options;
#define ASIF_SAMPLE_OPTIONS_INIT                                                                             \
    {                                                                                                        \
        sizeof(asif_sample_options), ASIF_METHOD_NUTS, 4, 1000, 1000, 1, 1, 0.95, 10, 0.1, NULL, NULL, NULL, \
            NULL, 10.0, false                                                                                \
    }

/**
 * Draw from a density, chains in threads of the context. The same draws for any number of threads,
 * interrupted and resumed or not: if the folder holds checkpoints of the same key, sampling goes on from
 * them; when it ends well, they are removed (or kept, and all draws are there at once the next time).
 * Progress is reported with the largest R-hat so far; a caller who cancels finds a checkpoint.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Borrowed for the life of the draws.
 * @param density    [chains], alike but for their `user`.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EDOMAIN (options, or a start at which the density is -inf or not a number);
 * ASIF_EUNSUPPORTED (NUTS without a gradient); ASIF_EINVALID (a checkpoint of something else); ASIF_EPARSE (a
 * damaged one); ASIF_EIO, ASIF_ENOMEM, ASIF_ETOOBIG, ASIF_ECANCELLED, or what `evaluate` returned: if it
 * failed in several chains, the failure at the earliest step, and of those the first chain's.
 *
 * Hoffman and Gelman (2014); Betancourt (2017), multinomial variant.
 */
ASIF_API asif_status asif_sample(asif_draws **out, const asif_context *context, const asif_density *density,
                                 const asif_sample_options *options, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_draws_free(asif_draws *draws);

/** Arrays of draws, borrowed. */
typedef struct {
    size_t struct_size;
    asif_method method;
    uint32_t chains, columns, dimension;
    uint64_t draws;          /**< of each chain */
    const char *const *name; /**< [columns] */
    const double *value;     /**< [columns][chains][draws] */
    const double *stat;      /**< [ASIF_STAT_COUNT][chains][draws] */
    const double *step;      /**< [chains]: of NUTS after warm-up, else 0 */
    const double
        *metric; /**< [chains][dimension][dimension]: covariance used after warm-up; NULL: not known */
    uint64_t warmup, thin, seed;
    uint32_t max_depth;
    /** Of ASIF_METHOD_RIDGE, before the weighted points were resampled; not known of draws that were read. */
    double khat;          /**< shape of the tail of the weights, see asif_psis(); NaN: not known */
    double kish;          /**< Kish's effective number of the weights; NaN: not known */
    uint64_t evaluations; /**< of the density, in all; 0: not known */
    bool inside; /**< every maximum that is known lies inside the proposal, and no ridge was left too early */
} asif_draws_view;
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_draws_get(const asif_draws *draws, asif_draws_view *view, asif_error *error);

/** A chain as a Stan CSV file, which cmdstanpy, ArviZ and posterior read; the same bytes for the same draws.
 * What
 * ::asif_draws_view holds reads back to the same bits, but of a random walk only the first two of ::asif_stat
 * are written.
 * @param[out] out Text, owned by the caller (asif_memory_free()).
 * @param chain    From 0.
 * @param model    Written as the model's name, other characters than letters, digits, `_`, `-` and `.` as
 * `_`; may be NULL.
 * @return ASIF_OK; ASIF_EDOMAIN (no such chain, or a name that readers do not take); ASIF_ENOMEM. */
ASIF_API asif_status asif_draws_csv(char **out, const asif_draws *draws, uint32_t chain, const char *model,
                                    asif_error *error);
/** Read chains from Stan CSV files, asif's own or Stan's; their columns, numbers of draws and settings must
 * agree (the seed is the first one's). Warm-up that was saved is left out, and so are columns of a sampler
 * (`...__`) that ::asif_stat does not know. Of files that are not asif's, those with `energy__` count as
 * ASIF_METHOD_NUTS, others as ASIF_METHOD_METROPOLIS. A diagonal metric becomes a matrix; one of more than
 * 1,000 numbers counts as not known.
 * @param chains How many paths. @return ASIF_OK, ASIF_EPARSE with the place, ASIF_EDOMAIN (no files),
 * ASIF_EIO or ASIF_ENOMEM. */
ASIF_API asif_status asif_draws_read(asif_draws **out, const asif_context *context, const char *const *path,
                                     uint32_t chains, asif_error *error);
/** The same from text in memory. @param name For messages, [chains]. */
ASIF_API asif_status asif_draws_read_text(asif_draws **out, const asif_context *context,
                                          const char *const *text, const uint64_t *length,
                                          const char *const *name, uint32_t chains, asif_error *error);

/* ---- diagnostics ---- */

/** What can be said of one column of draws. R-hat, ESS and MCSE as in Vehtari, Gelman, Simpson, Carpenter and
 * Bürkner (2021); NaN where they are not defined (too few draws; a column that never changes). */
typedef struct {
    double mean, sd, q05, q50, q95;
    double rhat; /**< rank-normalised, split, the larger of bulk and folded */
    double ess_bulk, ess_tail;
    double mcse_mean;
    double mcse_sd;
} asif_column_summary;
/** @param values [chains][draws]. Cost: O(n log n). @return ASIF_OK or ASIF_ENOMEM. */
ASIF_API asif_status asif_summarise(asif_column_summary *out, const asif_context *context,
                                    const double *values, uint32_t chains, uint64_t draws, asif_error *error);
/** Quantile of sorted values by linear interpolation (type 7), p in [0, 1]. */
ASIF_API double asif_quantile(const double *sorted, uint64_t n, double p);

/** Limits beyond which draws are not trusted. */
#define ASIF_GOOD_RHAT 1.01     /**< R-hat is below this */
#define ASIF_GOOD_ESS 100       /**< the effective sample size is at least this, for each chain */
#define ASIF_GOOD_DIVERGENT 200 /**< at most one draw in so many diverged */
#define ASIF_GOOD_EBFMI 0.3     /**< E-BFMI is at least this */
#define ASIF_GOOD_KHAT 0.7      /**< of weighted points: khat is below this */
#define ASIF_GOOD_KISH 1000     /**< and their effective sample size at least this */

/** Whether the draws can be trusted. */
typedef struct {
    double worst_rhat;     /**< NaN if any is not defined */
    uint32_t worst_column; /**< that has it */
    double least_ess;      /**< the smaller of bulk and tail, over the columns */
    uint32_t least_column;
    uint64_t divergent, deepest; /**< draws that diverged, or reached the largest tree depth */
    double least_ebfmi;          /**< over the chains; NaN: not a Hamiltonian sampler */
    double accept;               /**< mean acceptance */
    /** R-hat, ESS, divergent draws and E-BFMI keep to the limits above; of ASIF_METHOD_RIDGE, khat and the
     * number of effective draws do, and every maximum is inside. */
    bool good;
    double khat, kish; /**< see ::asif_draws_view */
} asif_trust;

/* ---- maximising ---- */

/** How to maximise. */
typedef struct {
    size_t struct_size;
    uint32_t starts;          /**< points to start from, default 1 */
    const double *start;      /**< [starts][dimension]; NULL: 0 */
    const double *scale;      /**< [dimension]: a natural step in each coordinate; NULL: 1 */
    uint64_t max_evaluations; /**< of each start and each expedition, default 10,000 */
    double tol;               /**< on the value, default 1e-9 */
    bool no_polish;           /**< leave out the derivative-free polish that crosses kinks */
    double *ends; /**< [ASIF_MAXIMISE_ENDS(starts)][dimension + 1] of the caller, filled: where each climb
                   * ended, and the value there (-inf: nowhere); the starts' first, then the expeditions'.
                   * NULL: not wanted */
} asif_maximise_options;
#define ASIF_MAXIMISE_OPTIONS_INIT                                                                           \
    { sizeof(asif_maximise_options), 1, NULL, NULL, 10000, 1e-9, false, NULL }
/** How many climbs there are. */
#define ASIF_MAXIMISE_ENDS(starts) ((uint64_t)(starts) + 4)

/** How it went. */
typedef struct {
    double value;
    uint64_t evaluations;
    uint32_t best_start; /**< that led there */
    uint32_t agree;      /**< starts that came within 1e-3 of the value; 0: an expedition found it */
    double gradient;     /**< largest |gradient * scale| there; NaN without gradients */
} asif_maximum_info;

/**
 * A maximum of a density that may have small kinks: quasi-Newton from every start; two expeditions, 3 and 6
 * standard deviations both ways along the flattest direction at the best point, because a ridge may have
 * several tops; then a derivative-free polish of the best and of those within half a nat of it. Starts are
 * taken by the threads of the context. Without gradients, the simplex of Nelder and Mead in place of
 * quasi-Newton. Where the density rises towards infinity, the point where it stopped gaining.
 *
 * @param[out] x     [dimension].
 * @param density    [densities], alike but for their `user`; start i uses density i modulo `densities`, in
 * turn, so that the result does not depend on the number of threads; each finds its `memory` as it was before
 * the call.
 * @param options    NULL: the defaults.
 * @param[out] info  May be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (options, or the density is -inf or not a number at every start),
 * ASIF_ENOMEM, ASIF_ECANCELLED, or what `evaluate` returned.
 *
 * Lewis and Overton (2013) for the line search.
 */
ASIF_API asif_status asif_maximise(double *x, const asif_context *context, const asif_density *density,
                                   uint32_t densities, const asif_maximise_options *options,
                                   asif_maximum_info *info, asif_error *error);

/**
 * Curvature at a point: minus the matrix of second derivatives, by central differences of the exact gradient.
 * Steps are about a tenth of a standard deviation along the axes of the covariance, found from `scale`, so
 * that small kinks of a piecewise smooth density are averaged over. Without gradients: second differences of
 * values over half a standard deviation.
 *
 * @param[out] curvature  [dimension][dimension], symmetric.
 * @param[out] covariance [dimension][dimension]: its inverse; where the curvature is not positive, directions
 * are limited to `scale`. May be NULL.
 * @param[out] positive   Whether the curvature is positive definite; may be NULL.
 * @param x               [dimension].
 * @param scale           [dimension], as in asif_maximise_options; NULL: 1.
 * @return ASIF_OK, ASIF_EDOMAIN (the density is -inf or not a number at x), ASIF_ENOMEM, ASIF_ECANCELLED, or
 * what `evaluate` returned.
 */
ASIF_API asif_status asif_curvature(double *curvature, double *covariance, bool *positive,
                                    const asif_context *context, const asif_density *density, const double *x,
                                    const double *scale, asif_error *error);

/* ---- importance weights, and one observation left out ---- */

/**
 * Pareto-smoothed importance weights: the largest ones are replaced by quantiles of the generalised Pareto
 * distribution that fits them, and none is above the largest raw one.
 *
 * @param[out] log_weight [chains * draws]: normalised, their exponentials sum to 1. May be `log_ratio`.
 * @param[out] k          Shape of that distribution: above asif_psis_threshold(), what the weights give is
 * not to be relied on. Infinite where it cannot be had (fewer than 25 draws; largest weights that are all the
 * same).
 * @param context         See asif_context_create().
 * @param log_ratio       [chains][draws]: finite.
 * @param chains          At least 1.
 * @param draws           Of a chain.
 * @param efficiency      Effective draws for each draw, from which the length of the tail follows; 1: they
 * are independent; NaN: found from the chains, for the ratios.
 * @param[out] error      May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN or ASIF_ENOMEM. Cost: O(n log n).
 *
 * Vehtari, Simpson, Gelman, Yao and Gabry (2024); Zhang and Stephens (2009). The numbers are those of R's
 * package loo.
 */
ASIF_API asif_status asif_psis(double *log_weight, double *k, const asif_context *context,
                               const double *log_ratio, uint32_t chains, uint64_t draws, double efficiency,
                               asif_error *error);
/** The largest shape with which weights can be relied on, min(1 - 1/log10(draws), 0.7). @param draws Of all
 * chains. */
ASIF_API double asif_psis_threshold(uint64_t draws);

/** An observation as the rest predicts it. */
typedef struct {
    double elpd; /**< log predictive density of the observation, given the others */
    double p; /**< what it would gain by having been seen: its part of the effective number of parameters */
    double k; /**< see asif_psis() */
    double efficiency; /**< effective draws of its density for each draw; of independent ones, 1 */
    bool constant;     /**< all draws say the same of it: elpd is exact, whatever k is */
} asif_loo;
/**
 * Leave one observation out, by Pareto-smoothed importance sampling from the posterior that has it.
 *
 * @param[out] out     See ::asif_loo.
 * @param context      See asif_context_create().
 * @param log_density  [chains][draws] of the observation, at each draw; finite.
 * @param chains       At least 1.
 * @param draws        Of a chain.
 * @param efficiency   As in asif_psis(), but for the density itself; NaN: found from the chains, as loo's
 * relative_eff() does.
 * @param[out] error   May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN or ASIF_ENOMEM. Cost: O(n log n).
 *
 * Vehtari, Gelman and Gabry (2017).
 */
ASIF_API asif_status asif_leave_one_out(asif_loo *out, const asif_context *context, const double *log_density,
                                        uint32_t chains, uint64_t draws, double efficiency,
                                        asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
