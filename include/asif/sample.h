/**
 * @file
 * Sampling and maximising a log-density, and diagnostics of the draws. Nothing here depends on what the
 * density means: it is a function over R^n with its gradient.
 */
#ifndef ASIF_SAMPLE_H
#define ASIF_SAMPLE_H

#include "asif/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the density ---- */

/**
 * A log-density over R^dimension, known up to a constant. It is used by one thread at a time: each chain
 * has its own.
 *
 * If the last bits of a value depend on earlier evaluations (a warm start), then `memory` is the number of
 * doubles that hold this state. With `save` and `load` an interrupted chain continues to the same bits.
 */
typedef struct {
    uint32_t dimension;
    /** Compute the value, and the gradient unless `gradient` is NULL. A value of -inf means that the point is
     * outside the support; the gradient is then not read. A return other than ASIF_OK stops the sampler,
     * which returns it. */
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
    bool smooth; /**< has no kinks, so that a search by gradients alone finds the maximum */
    /** Compute the values [count] at many points x [count][dimension]; -inf outside the support. They depend
     * on x alone, not on earlier evaluations. NULL: points are evaluated one by one. */
    asif_status (*evaluate_many)(void *user, const double *x, uint64_t count, double *value,
                                 asif_error *error);
} asif_density;

/* ---- draws ---- */

/** Statistics that a sampler records for every draw, in the order of the columns of Stan's files. */
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

/** Sampling methods. */
typedef enum {
    ASIF_METHOD_NUTS,       /**< multinomial no-U-turn sampler, dense metric */
    ASIF_METHOD_METROPOLIS, /**< random walk whose covariance is tuned during warm-up */
    ASIF_METHOD_PUBLISHED,  /**< random walk with a fixed standard deviation of `step` in every coordinate,
                               never tuned */
    /** Importance sampling along the ridges of the density; not available in asif_sample(). */
    ASIF_METHOD_RIDGE
} asif_method;

/** Options of a sampler. */
typedef struct {
    size_t struct_size;
    asif_method method;
    uint32_t chains;      /**< default 4 */
    uint64_t warmup;      /**< steps before the draws, default 1000 */
    uint64_t draws;       /**< draws kept from each chain, default 1000 */
    uint64_t thin;        /**< steps per draw kept, default 1 */
    uint64_t seed;        /**< default 1 */
    double target_accept; /**< of NUTS, default 0.95 */
    uint32_t max_depth;   /**< of NUTS, default 10 */
    double step;          /**< of the published walk, default 0.1 */
    const double *start;  /**< [chains][dimension]; NULL: 0 */
    const double *metric; /**< [dimension][dimension]: a first guess of the covariance; NULL: the identity */
    const char *folder;   /**< where checkpoints are kept, `checkpoint-K`; NULL: none are */
    const char *key; /**< identifies what is sampled: a checkpoint with another key is refused; NULL: "" */
    double checkpoint_sec; /**< seconds between checkpoints, default 10 */
    bool keep;             /**< keep the checkpoints of finished chains after success; default no */
    /** [guesses][dimension]: points that are spread about as the density is, for NUTS. The first covariance,
     * and how the ridge bends, are learnt from them; `metric` is used if they are too few. NULL: none. */
    const double *guess;
    uint64_t guesses;
    bool settled; /**< the covariance is good: warm-up of NUTS only tunes the step size */
} asif_sample_options;
#define ASIF_SAMPLE_OPTIONS_INIT                                                                             \
    {                                                                                                        \
        sizeof(asif_sample_options), ASIF_METHOD_NUTS, 4, 1000, 1000, 1, 1, 0.95, 10, 0.1, NULL, NULL, NULL, \
            NULL, 10.0, false, NULL, 0, false                                                                \
    }

/**
 * Draw samples from a density, with chains in the threads of the context. The draws do not depend on the
 * number of threads, nor on interruptions: if the folder holds checkpoints with the same key, sampling
 * continues from them. After success they are removed, or, with `keep`, kept, so that the next call returns
 * the same draws at once. Progress is reported with the largest R-hat so far; cancelling leaves a checkpoint.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Kept for the life of the draws.
 * @param density    [chains], which differ only in `user`.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EDOMAIN (options, or a start at which the density is -inf or not a number);
 * ASIF_EUNSUPPORTED (NUTS without a gradient); ASIF_EINVALID (a checkpoint with another key); ASIF_EPARSE (a
 * damaged checkpoint); ASIF_EIO, ASIF_ENOMEM, ASIF_ETOOBIG, ASIF_ECANCELLED, or what `evaluate`
 * returned: if it failed in several chains, the failure at the earliest step and, among those, in the first
 * chain.
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
    uint64_t draws;          /**< number of draws in each chain */
    const char *const *name; /**< [columns] */
    const double *value;     /**< [columns][chains][draws] */
    const double *stat;      /**< [ASIF_STAT_COUNT][chains][draws] */
    const double *step;      /**< [chains]: step size of NUTS after warm-up, else 0 */
    const double
        *metric; /**< [chains][dimension][dimension]: covariance used after warm-up; NULL: not known */
    uint64_t warmup, thin, seed;
    uint32_t max_depth;
    /** Diagnostics of ASIF_METHOD_RIDGE (this and the next three members), from the weighted points before
     * they were resampled; not known for draws read from files. */
    double khat;          /**< Pareto shape of the tail of the weights, see asif_psis(); NaN: not known */
    double kish;          /**< Kish's effective sample size of the weights; NaN: not known */
    uint64_t evaluations; /**< total number of evaluations of the density; 0: not known */
    /** Every known maximum is inside the proposal, and no walk along a ridge stopped too early. */
    bool inside;
} asif_draws_view;
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_draws_get(const asif_draws *draws, asif_draws_view *view, asif_error *error);

/** Write a chain as a Stan CSV file, which cmdstanpy, ArviZ and posterior can read. The same draws give the
 * same bytes, and ::asif_draws_view reads back to the same bits, except that for a random walk only the first
 * two of ::asif_stat are written.
 * @param[out] out Text, owned by the caller (asif_memory_free()).
 * @param chain    From 0.
 * @param model    Name of the model in the file; characters other than letters, digits, `_`, `-` and `.`
 * become
 * `_`. May be NULL.
 * @return ASIF_OK; ASIF_EDOMAIN (no such chain, or a name that readers do not take); ASIF_ENOMEM. */
ASIF_API asif_status asif_draws_csv(char **out, const asif_draws *draws, uint32_t chain, const char *model,
                                    asif_error *error);
/** Read chains from Stan CSV files, asif's own or Stan's; their columns, numbers of draws and settings must
 * agree (the seed is that of the first file). Saved warm-up is left out, and so are sampler columns (`...__`)
 * that ::asif_stat does not list. A file of other software counts as ASIF_METHOD_NUTS if it has `energy__`,
 * else as ASIF_METHOD_METROPOLIS. A diagonal metric becomes a matrix; one of more than 1,000 numbers counts
 * as not known. @param[out] out Owned by the caller.
 * @param chains Number of paths. @return ASIF_OK, ASIF_EPARSE with the place, ASIF_EDOMAIN (no files),
 * ASIF_EIO or ASIF_ENOMEM. */
ASIF_API asif_status asif_draws_read(asif_draws **out, const asif_context *context, const char *const *path,
                                     uint32_t chains, asif_error *error);
/** Read chains from text in memory; otherwise as asif_draws_read(). @param name [chains], for messages. */
ASIF_API asif_status asif_draws_read_text(asif_draws **out, const asif_context *context,
                                          const char *const *text, const uint64_t *length,
                                          const char *const *name, uint32_t chains, asif_error *error);

/* ---- diagnostics ---- */

/** Summary of one column of draws. R-hat, ESS and MCSE are those of Vehtari, Gelman, Simpson, Carpenter and
 * Bürkner (2021); NaN where they are not defined (too few draws; a column that never changes). */
typedef struct {
    double mean, sd, q05, q50, q95;
    double rhat; /**< rank-normalised, split, the larger of bulk and folded */
    double ess_bulk, ess_tail;
    double mcse_mean;
    double mcse_sd;
} asif_column_summary;
/** Summarise one column. @param values [chains][draws]. Cost: O(n log n). @return ASIF_OK or ASIF_ENOMEM. */
ASIF_API asif_status asif_summarise(asif_column_summary *out, const asif_context *context,
                                    const double *values, uint32_t chains, uint64_t draws, asif_error *error);
/** Quantile of sorted values by linear interpolation (type 7), p in [0, 1]. */
ASIF_API double asif_quantile(const double *sorted, uint64_t n, double p);

/** Limits beyond which draws are not trusted. */
#define ASIF_GOOD_RHAT 1.01     /**< R-hat is below this */
#define ASIF_GOOD_ESS 100       /**< the effective sample size is at least this times the number of chains */
#define ASIF_GOOD_DIVERGENT 200 /**< at most one draw in this many diverged */
#define ASIF_GOOD_EBFMI 0.3     /**< E-BFMI is at least this */
#define ASIF_GOOD_KHAT 0.7      /**< for weighted points: khat is below this */
#define ASIF_GOOD_KISH 1000     /**< for weighted points: Kish's effective sample size is at least this */

/** Diagnostics that decide whether draws can be trusted. */
typedef struct {
    double worst_rhat;     /**< largest R-hat of any column; NaN if one is not defined */
    uint32_t worst_column; /**< column with the largest R-hat */
    double least_ess;      /**< smallest bulk or tail ESS of any column */
    uint32_t least_column;
    uint64_t divergent, deepest; /**< draws that diverged, or reached the largest tree depth */
    double least_ebfmi;          /**< smallest E-BFMI of any chain; NaN: not a Hamiltonian sampler */
    double accept;               /**< mean acceptance */
    /** R-hat, ESS, divergent draws and E-BFMI are within the limits above; for ASIF_METHOD_RIDGE, khat and
     * kish are, each chain has ASIF_GOOD_ESS draws, and `inside` of ::asif_draws_view is true. */
    bool good;
    double khat, kish; /**< see ::asif_draws_view */
} asif_trust;

/* ---- maximising ---- */

/** Options of the maximiser. */
typedef struct {
    size_t struct_size;
    uint32_t starts;          /**< points to start from, default 1 */
    const double *start;      /**< [starts][dimension]; NULL: 0 */
    const double *scale;      /**< [dimension]: a natural step in each coordinate; NULL: 1 */
    uint64_t max_evaluations; /**< limit for each start and each expedition, default 10,000 */
    double tol;               /**< tolerance on the value, default 1e-9 */
    bool no_polish;           /**< leave out the derivative-free polish that crosses kinks */
    /** Output, [ASIF_MAXIMISE_ENDS(starts)][dimension + 1]: the end of each climb and the value there
     * (-inf: it found no finite value or did not take place), first of the starts, then of the expeditions.
     * NULL: not wanted. */
    double *ends;
    bool no_expeditions; /**< leave out the expeditions: the starts are near all maxima that matter */
} asif_maximise_options;
#define ASIF_MAXIMISE_OPTIONS_INIT                                                                           \
    { sizeof(asif_maximise_options), 1, NULL, NULL, 10000, 1e-9, false, NULL, false }
/** Number of climbs: one from each start, and two in each of two expeditions. */
#define ASIF_MAXIMISE_ENDS(starts) ((uint64_t)(starts) + 4)

/** Result of a maximisation. */
typedef struct {
    double value;
    uint64_t evaluations;
    uint32_t best_start; /**< start that led to the maximum */
    uint32_t agree;  /**< number of starts that came within 1e-3 of the value; 0: an expedition found it */
    double gradient; /**< largest |gradient * scale| at the maximum; NaN without gradients */
} asif_maximum_info;

/**
 * Maximise a density that may have small kinks. A quasi-Newton search climbs from every start (without
 * gradients, the simplex method of Nelder and Mead). Two expeditions then climb from points 3 and 6 standard
 * deviations away, both ways along the flattest direction at the best point, because a ridge may have several
 * maxima. Finally a derivative-free search polishes the best point and those within half a nat of it. The
 * threads of the context share the starts. If the density increases towards infinity, the result is the point
 * where it stopped increasing noticeably.
 *
 * @param[out] x     [dimension].
 * @param density    [densities], which differ only in `user`. Start i uses density i modulo `densities`, and
 * each climb begins with the `memory` from before the call, so that the result does not depend on the number
 * of threads.
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
 * Compute the curvature at a point: minus the matrix of second derivatives, by central differences of the
 * exact gradient. Steps are about a tenth of a standard deviation along the axes of the covariance, found
 * from `scale`, so that small kinks of a piecewise smooth density are averaged over. Without gradients:
 * second differences of values over half a standard deviation.
 *
 * @param[out] curvature  [dimension][dimension], symmetric.
 * @param[out] covariance [dimension][dimension]: inverse of the curvature; along directions without positive
 * curvature, standard deviations are limited to `scale`. May be NULL.
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
 * Compute Pareto-smoothed importance weights: the largest weights are replaced by quantiles of the
 * generalised Pareto distribution that fits them, and none is above the largest raw one.
 *
 * @param[out] log_weight [chains * draws]: normalised, their exponentials sum to 1. May be `log_ratio`.
 * @param[out] k          Shape of that distribution: above asif_psis_threshold(), estimates from the
 * weights are not reliable. Infinite if it cannot be computed (fewer than 25 draws; largest weights that are
 * all equal).
 * @param context         See asif_context_create().
 * @param log_ratio       [chains][draws]: finite.
 * @param chains          At least 1.
 * @param draws           Of a chain.
 * @param efficiency      Effective sample size per draw, which determines the length of the tail; 1:
 * independent draws; NaN: computed from the ratios in the chains.
 * @param[out] error      May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN or ASIF_ENOMEM. Cost: O(n log n).
 *
 * Vehtari, Simpson, Gelman, Yao and Gabry (2024); Zhang and Stephens (2009). The numbers are those of R's
 * package loo.
 */
ASIF_API asif_status asif_psis(double *log_weight, double *k, const asif_context *context,
                               const double *log_ratio, uint32_t chains, uint64_t draws, double efficiency,
                               asif_error *error);
/** The largest shape k at which weights are reliable: min(1 - 1/log10(draws), 0.7). @param draws Draws of all
 * chains together. */
ASIF_API double asif_psis_threshold(uint64_t draws);

/** Leave-one-out prediction of one observation from the others. */
typedef struct {
    double elpd; /**< log predictive density of the observation, given the others */
    /** Log predictive density with the observation minus that without it: its part of the effective number
     * of parameters. */
    double p;
    double k;          /**< see asif_psis() */
    double efficiency; /**< effective sample size per draw, for its density; 1 for independent draws */
    bool constant;     /**< its density is the same in all draws: elpd is exact, whatever k is */
} asif_loo;
/**
 * Predict one observation from the others, by Pareto-smoothed importance sampling from the posterior that
 * includes it.
 *
 * @param[out] out     See ::asif_loo.
 * @param context      See asif_context_create().
 * @param log_density  [chains][draws] of the observation, at each draw; finite.
 * @param chains       At least 1.
 * @param draws        Of a chain.
 * @param efficiency   As in asif_psis(), but for the density itself; NaN: computed from the chains, as
 * relative_eff() of loo does.
 * @param[out] error   May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN or ASIF_ENOMEM. Cost: O(n log n).
 *
 * Vehtari, Gelman and Gabry (2017).
 */
ASIF_API asif_status asif_leave_one_out(asif_loo *out, const asif_context *context, const double *log_density,
                                        uint32_t chains, uint64_t draws, double efficiency,
                                        asif_error *error);

/**
 * Power-scaling sensitivity: how much the distribution of each column changes when a part of the posterior
 * (the prior, or the likelihood) is raised to a power near 1. It is the cumulative Jensen-Shannon distance
 * between the draws and the same with Pareto-smoothed importance weights, for each doubling of the power, the
 * mean of the powers .99 and 1.01. Above .05 the part matters.
 *
 * @param[out] out   [columns].
 * @param context    See asif_context_create().
 * @param value      [columns][chains][draws].
 * @param columns    Any number.
 * @param chains     At least 1.
 * @param draws      Of a chain.
 * @param log_part   [chains][draws]: log-density of the part at each draw, up to a constant; finite.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN or ASIF_ENOMEM. Cost: O(columns n log n).
 *
 * Kallioinen, Paananen, Buerkner and Vehtari (2024).
 */
ASIF_API asif_status asif_power_scaling(double *out, const asif_context *context, const double *value,
                                        uint32_t columns, uint32_t chains, uint64_t draws,
                                        const double *log_part, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
