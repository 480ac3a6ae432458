/**
 * @file
 * Many decision-makers: a posterior for each, and the population that they come from.
 *
 * Solving an agent depends on its parameters only, not on whose logs are explained, so one table of points
 * serves everybody. The population is normal in the sampled coordinates of the estimates (log alpha,
 * optimism, eta, utilities), with a standard deviation of at least 0.05 of the prior's, and is fitted by
 * reweighting the table. It may be a mixture of several kinds of units. A unit's posterior is the table
 * weighted by its likelihood and by the population, so that units with little data are drawn towards the
 * others.
 */
#ifndef ASIF_PEOPLE_H
#define ASIF_PEOPLE_H

#include "asif/inverse.h"

#ifdef __cplusplus
extern "C" {
#endif

/** How the values of a covariate are read. */
typedef enum {
    ASIF_EFFECT_VALUES, /**< as numbers if all of them are numbers, else as labels */
    ASIF_EFFECT_LABELS, /**< as labels */
    /** As labels of groups of units, such as hospitals: the groups' means are normally distributed around
     * that of all, with a standard deviation that is estimated. */
    ASIF_EFFECT_GROUPS
} asif_effect_kind;

/** A covariate on which the mean of a parameter depends. */
typedef struct {
    const char *parameter; /**< name of an estimated number, as in a study: `alpha`, `optimism`, `gain` */
    const char *column;    /**< covariate of the tree's units */
    asif_effect_kind kind;
} asif_people_effect;

/** How to fit a population. */
typedef struct {
    size_t struct_size;
    uint64_t seed;     /**< default 1 */
    bool uncorrelated; /**< the population's numbers are independent of each other */
    uint64_t points;   /**< points of the table in its first round, default 2048 */
    /** The table is not made larger; default 0: as many as 3 GB of likelihoods allow, at most 131,072. */
    uint64_t most_points;
    /** Units that the population is fitted to, drawn at random if there are more; default 20,000. Half as
     * many, or fewer, but at least 4,000, where the error of the largest table would be too large otherwise.
     */
    uint64_t sample;
    uint32_t chains;        /**< default 4 */
    uint64_t warmup, draws; /**< of each chain, default 200 and 250 */
    /** Covariates, default none. The population's mean of a sampled coordinate is then linear in them:
     * numbers are taken in standard deviations from their mean over units, and labels have a coefficient for
     * each but the first in natural order. Coefficients have a normal prior of mean 0, with the standard
     * deviation of the coordinate's prior. Of groups, each has a coefficient, the difference of its mean from
     * that of all; these have a normal prior whose standard deviation has a half-normal prior, with the
     * standard deviation of the coordinate's prior. At most 64 coefficients, and at most 8 such standard
     * deviations. */
    uint32_t effects;
    const asif_people_effect *effect; /**< [effects]; borrowed during the call */
    /** Most kinds of units, 1 (default) to 4, and 1 with covariates. The population is then a mixture of
     * normals with means of their own and the same standard deviations and correlations, of as many kinds as
     * describe the units best: one more is tried as long as BIC falls. Beforehand all shares of the kinds are
     * equally likely. */
    uint32_t kinds;
    const char *title; /**< of the study, for its JSON; borrowed for the life of the result; NULL: none */
    /** Digest of what the population depends on beside the logs (asif_key_make()), for asif_people_table();
     * borrowed for the life of the result. */
    const char *key;
    /** How probable the decisions of each unit are under the population is wanted, too (`log_likelihood` of
     * ::asif_person_info); default no. */
    bool predictive;
    /** Fits of the population to the same units with their covariates permuted, on the table of one without
     * covariates; default 0. They need covariates, and a population that is fitted to all units. */
    uint64_t permutations;
} asif_people_options;
#define ASIF_PEOPLE_OPTIONS_INIT                                                                             \
    { sizeof(asif_people_options), 1, false, 2048, 0, 20000, 4, 200, 250, 0, NULL, 1, NULL, NULL, false, 0 }

/** One number of the population: a mean, a standard deviation, a correlation or a coefficient of a covariate,
 * in sampled coordinates. */
typedef struct {
    /** Such as `mean_log_alpha`, `sd_optimism`, `cor_log_alpha_optimism`, `coef_optimism_age`; of groups
     * `coef_optimism_hospital_A` and their standard deviation `between_optimism_hospital`; of several kinds
     * `mean_log_alpha_kind_1`, `share_kind_2`. */
    const char *name;
    /** Posterior; standard deviation and quantiles contain the error of the table. */
    double mean, sd, q05, q50, q95;
    double table_error; /**< standard deviation of the error that the table of points makes */
    /** Of the draws. From importance sampling, rhat is NaN and ess is Kish's effective number. */
    double rhat, ess;
} asif_population_number;

/** How well a number of kinds describes the units. */
typedef struct {
    uint32_t numbers;      /**< of the population */
    double log_likelihood; /**< log marginal likelihood of the sampled units at the maximum */
    double bic;            /**< numbers * log(units) - 2 log_likelihood: less is better */
} asif_kinds_compared;

/** What became of a coefficient in the fits to permuted covariates. */
typedef struct {
    const char *name;
    uint64_t without_zero; /**< fits in which the 90 % interval does not contain 0 */
    uint64_t as_far;       /**< fits in which its mean is at least as far from 0 as without permutation */
} asif_people_permuted;

/** One number of one unit, as fits report it. */
typedef struct {
    double mean, sd, q05, q50, q95;
} asif_person_number;

/** How well the table serves a unit. */
typedef struct {
    double effective; /**< effective number of points */
    double khat;      /**< see asif_psis() */
    bool served;      /**< at least 100 effective points, and khat below 0.7 */
    uint64_t same;    /**< units with the same decisions, this one included */
    double kind[4];   /**< probability that the unit is of each kind */
    /** Log-probability of the unit's decisions under the population, averaged over its draws: the log
     * predictive density where the population was fitted to others. NaN: it was not asked for. */
    double log_likelihood;
} asif_person_info;

/** A fitted population with the posteriors of its units; immutable. */
typedef struct asif_people asif_people;

/** Size and quality of a fit; arrays are borrowed. */
typedef struct {
    size_t struct_size;
    uint64_t units;
    uint64_t rows;    /**< units that differ in their decisions */
    uint64_t sampled; /**< units that the population was fitted to */
    uint64_t served;  /**< units that the table serves */
    uint64_t points;  /**< points of the table; of many units, posteriors use about 8,192 of them */
    uint32_t rounds;  /**< rounds in which points were added */
    /** The table carries this population. If false, there are no draws and no posteriors of units. Then
     * either `effective` or, for more than 1 % of the draws, `least_effective` is below 200, or `worst_error`
     * is above 0.5. */
    bool usable;
    double effective;       /**< effective number of points of the population at its maximum */
    double least_effective; /**< the same, the least over the draws that are not left out; NaN: not drawn */
    double worst_error;     /**< largest error of the table, over a posterior standard deviation */
    uint32_t worst;         /**< number of the population with that error */
    double log_likelihood;  /**< log marginal likelihood of the sampled units at the maximum */
    uint32_t numbers;       /**< numbers of a unit, as asif_estimates_get() describes them */
    uint32_t population_numbers;
    const asif_population_number *population; /**< [population_numbers] */
    const double *between;   /**< [numbers]: standard deviation of the units' posterior means */
    const double *within;    /**< [numbers]: root mean square of the units' posterior standard deviations */
    const asif_draws *draws; /**< of the population's numbers; NULL: none */
    /** Draws of the population with fewer than 200 effective points, at most 1 % of all where the fit is
     * usable: the draw before is in their place. */
    uint64_t left_out;
    uint32_t kinds; /**< of units, that were found */
    /** [kinds_compared]: 1, 2, ... kinds, on the same table. NULL where one kind was asked for, or the fit is
     * not usable. */
    const asif_kinds_compared *compared;
    uint32_t kinds_compared;
    /** Fits to permuted covariates that the table carried, and those that it did not. */
    uint64_t permutations, permutations_refused;
    const asif_people_permuted *permuted; /**< [coefficients]; NULL: none were asked for */
    uint32_t coefficients;
} asif_people_view;

/**
 * Fit a population and the posteriors of its units.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Kept for the life of the result, as are `estimates` and `tree`.
 * @param work       Workspace of the planner: cloned.
 * @param estimates  What differs between units: at most 8 sampled coordinates, with proper priors.
 * @param tree       Logs whose units are the decision-makers.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, also where the table does not carry the population (`usable` of ::asif_people_view);
 * ASIF_EINVALID (no units, other labels, improper priors, fewer than 2 units, covariates that are missing for
 * a unit or the same for all), ASIF_EUNKNOWN (no such parameter or covariate), ASIF_EDOMAIN (options; a unit
 * whose likelihood is 0 everywhere), ASIF_EZEROPR (an observation that no world allows), ASIF_ECANCELLED,
 * ASIF_ENOMEM, or as the planner does.
 *
 * Cost: for each different row of decisions, its nodes times the points of the table, twice for those that
 * the population is fitted to if they are a sample of all; and for the population, the sampled rows times the
 * points for each evaluation.
 * Memory: sampled rows times points floats, and later up to 2 GB of the likelihoods of all rows at a time.
 * The result is the same for any number of threads.
 */
ASIF_API asif_status asif_people_fit(asif_people **out, const asif_context *context, const asif_work *work,
                                     const asif_estimates *estimates, const asif_tree *tree,
                                     const asif_people_options *options, asif_error *error);
/** What posteriors of further units need, as JSON: draws of the population, and how its table of points was
 * made. @param[out] out Owned by the caller (asif_memory_free()). @return ASIF_OK, ASIF_EDOMAIN (the fit is
 * not usable) or ASIF_ENOMEM. */
ASIF_API asif_status asif_people_table(char **out, const asif_people *people, asif_error *error);
/**
 * The posteriors of units given a population that was fitted before. The posterior of a unit does not depend
 * on the other units of the tree, to the last bit. So units can be divided between processes.
 *
 * Takes and returns what asif_people_fit() does, and needs the same estimates; the result has no numbers of
 * the population.
 * @param options Its title, key, effects and `predictive` are used, and the first three must be those of the
 * population. No key: it is not compared. NULL: the defaults. Covariates are coded as those of the population
 * were.
 * @param table   Of asif_people_table().
 * @param length  Its bytes.
 * @return As asif_people_fit(); also ASIF_EPARSE (not such a table) and ASIF_EINVALID (of another study; a
 * label that nobody of the population had).
 */
ASIF_API asif_status asif_people_given(asif_people **out, const asif_context *context, const asif_work *work,
                                       const asif_estimates *estimates, const asif_tree *tree,
                                       const asif_people_options *options, const char *table, uint64_t length,
                                       asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_people_free(asif_people *people);
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_people_get(const asif_people *people, asif_people_view *view, asif_error *error);
/** The posterior of a unit, in the order of asif_tree_unit_name(). @param[out] number [numbers] of the
 * caller; may be NULL. @param[out] info May be NULL. @return ASIF_OK; ASIF_EDOMAIN: no such unit, or the fit
 * is not usable. */
ASIF_API asif_status asif_people_unit(const asif_people *people, uint64_t unit, asif_person_number *number,
                                      asif_person_info *info, asif_error *error);

/** Takes text in pieces; a return other than ASIF_OK stops and is returned. */
typedef asif_status asif_take_text(void *user, const char *data, uint64_t length);

/**
 * Simulate many decision-makers, whose parameters are drawn from the priors of the estimates, and write their
 * logs as CSV: as asif_simulate_csv(), with a column `subject` before the others. People are numbered from 1,
 * and episodes from 1 over all of them. What a person does depends on the seed and the person's number only.
 *
 * @param work           Workspace of the planner: cloned.
 * @param estimates      What differs between people.
 * @param people         How many.
 * @param options        Of the simulation: `episodes` are those of each person. NULL: the defaults.
 * @param write          Takes the logs.
 * @param user           Passed to `write`.
 * @param truth          Takes the parameters of each person as a CSV table, `subject` and the names of
 * asif_estimates_get(); NULL: not wanted.
 * @param truth_user     Passed to `truth`.
 * @param[out] simulated What was written; may be NULL.
 * @param[out] error     May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (options; a person whose parameters the planner does not take), what `write`
 * returned, ASIF_ECANCELLED, ASIF_ENOMEM, or as the planner does. Cost: a solve for each person.
 */
ASIF_API asif_status asif_simulate_people_csv(const asif_work *work, const asif_estimates *estimates,
                                              uint64_t people, const asif_simulate_options *options,
                                              asif_take_text *write, void *user, asif_take_text *truth,
                                              void *truth_user, asif_simulated *simulated, asif_error *error);

/** The population and the quality of the fit as JSON. @param[out] out Owned by the caller
 * (asif_memory_free()). */
ASIF_API asif_status asif_people_json(char **out, const asif_people *people, asif_error *error);
/** The posteriors of all units as a CSV table: `unit`, then `NAME`, `NAME_sd`, `NAME_q05`, `NAME_q50` and
 * `NAME_q95` for each number, `kind_1`, `kind_2`, ... where there are several kinds (the probability of
 * each), `effective`, `khat` and `served`. @param[out] out Owned by the caller (asif_memory_free()). @return
 * ASIF_OK, ASIF_EDOMAIN (the fit is not usable) or ASIF_ENOMEM. */
ASIF_API asif_status asif_people_csv(char **out, const asif_people *people, asif_error *error);
/** The population in words and a table, for a terminal. @param[out] out Owned by the caller
 * (asif_memory_free()). */
ASIF_API asif_status asif_people_text(char **out, const asif_people *people, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
