/**
 * @file
 * Learning the dynamics of states that nobody sees, from actions and observations: a hidden Markov model
 * whose inputs are the actions. The start is drawn from a table, an action moves the state, and the state
 * reached emits an observation. Probabilities of actions are no part of it.
 *
 * All numbers of a model are the cells of its *tables*, one after the other: table 0 by rows, then table 1,
 * and so on. A *point* is an array of all cells.
 */
#ifndef ASIF_DYNAMICS_H
#define ASIF_DYNAMICS_H

#include "asif/logs.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- the model ---- */

/** A table of distributions, one in each row. */
typedef struct {
    const char *name;       /**< for readers; may be NULL */
    uint32_t rows, columns; /**< rows: start classes or states; columns: states or classes of a column */
    const bool *possible;   /**< [rows][columns]: false is a probability of 0; NULL: all are possible */
    /** [rows][columns]: probabilities that are known; a row that begins with NaN is learnt. NULL: all are. */
    const double *fixed;
} asif_dynamics_table;

/** Which tables a model consists of. Several actions can share a table. */
typedef struct {
    size_t struct_size;
    uint32_t states, actions, observations;
    uint32_t starts;  /**< start classes, default 1 */
    uint32_t columns; /**< columns of an observation, independent given the state; default 1 */
    const uint32_t
        *classes; /**< [columns]: number of classes of each; NULL: one column of all observations */
    /** [observations][columns]: class of the observation in each column; NULL: the observation itself. */
    const uint32_t *code;
    uint32_t tables;
    const asif_dynamics_table *table;
    uint32_t start;              /**< table [starts][states] */
    const uint32_t *transitions; /**< [actions]: tables [states][states], row: from */
    const uint32_t *emissions;   /**< [actions][columns]: tables [states][classes], row: state reached */
} asif_dynamics_spec;
#define ASIF_DYNAMICS_SPEC_INIT                                                                              \
    { .struct_size = sizeof(asif_dynamics_spec), .starts = 1, .columns = 1 }

/** A model with the data that it is learnt from; immutable. */
typedef struct asif_dynamics asif_dynamics;

/**
 * Make a model for the histories of a tree.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param context    Kept for the life of the model.
 * @param spec       Copied.
 * @param tree       Must have ends (`ends_known`), hidden states, and the model's numbers of labels; its
 * counts are copied. All rows of an episode must have the same weight.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (a specification that contradicts itself), ASIF_EINVALID (the tree),
 * ASIF_EUNSUPPORTED (states are seen) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_dynamics_create(asif_dynamics **out, const asif_context *context,
                                          const asif_dynamics_spec *spec, const asif_tree *tree,
                                          asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_dynamics_free(asif_dynamics *dynamics);
/** Whether the tree that the model was made for has labels of the hidden state (#ASIF_ROLE_LABEL). */
ASIF_API bool asif_dynamics_labelled(const asif_dynamics *dynamics);
/** The specification, with defaults filled in; borrowed. */
ASIF_API const asif_dynamics_spec *asif_dynamics_get(const asif_dynamics *dynamics);
/** Number of cells of all tables. */
ASIF_API uint64_t asif_dynamics_cells(const asif_dynamics *dynamics);
/** Index of the first cell of a table. */
ASIF_API uint64_t asif_dynamics_first(const asif_dynamics *dynamics, uint32_t table);
/** Number of free numbers: possible cells of learnt tables, less one in each row. */
ASIF_API uint32_t asif_dynamics_free_numbers(const asif_dynamics *dynamics);
/** Number of histories in the data, ends included. */
ASIF_API uint64_t asif_dynamics_histories(const asif_dynamics *dynamics);

/**
 * Log-likelihood of the observations at a point, and the expected number of times that each cell was used,
 * which is also the gradient in the logarithm of the cell.
 *
 * @param[out] value -inf if the data are impossible.
 * @param[out] count [cells]; may be NULL. Not set where the value is -inf.
 * @param dynamics   The model.
 * @param point      [cells]; cells of fixed rows and impossible cells are not read.
 * @param[out] error May be NULL.
 * @return ASIF_OK or ASIF_ENOMEM. Cost: one pass down the histories, and one up for the counts.
 */
ASIF_API asif_status asif_dynamics_loglik(double *value, double *count, const asif_dynamics *dynamics,
                                          const double *point, asif_error *error);

/**
 * Compare states with the labels of the hidden state, which play no part in the likelihood. At each labelled
 * visit, a state is as probable as the history says up to its observation, and not by what follows.
 *
 * @param[out] likeliest [labels][states]: weight of the visits with this label at which this state is the
 * most probable one; of several, the first. The number of labels is that of the states.
 * @param[out] expected  [labels][states]: sum of the probabilities of the state at the visits with the label.
 * @param dynamics       The model.
 * @param point          [cells], as in asif_dynamics_loglik().
 * @param[out] error     May be NULL.
 * @return ASIF_OK, ASIF_EINVALID (there are no labels) or ASIF_ENOMEM. Cost: one pass down the histories.
 */
ASIF_API asif_status asif_dynamics_agreement(double *likeliest, double *expected,
                                             const asif_dynamics *dynamics, const double *point,
                                             asif_error *error);

/* ---- learning ---- */

/** How states are put in order. */
typedef enum {
    ASIF_ORDER_MEAN_CLASS, /**< by the mean class of the first column of observations, averaged over actions
                            */
    ASIF_ORDER_STRUCTURE,  /**< not at all: the tables distinguish the states */
    ASIF_ORDER_LABELS /**< by the labels: the permutation under which the most probable state has the name of
                         the label at the most visits */
} asif_state_order;

/** How to learn. */
typedef struct {
    size_t struct_size;
    uint32_t starts; /**< random points to start from, default 20 */
    uint64_t seed;   /**< default 1 */
    /** Pseudo-count of every possible cell: the prior of a row is Dirichlet(1 + prior). Default 1; 0 is
     * maximum likelihood, at which cells can reach 0. */
    double prior;
    /** The order of the states where the tables do not distinguish them: by mean class (default) or by
     * labels, of which the tree must have some; these are for at most 16 states. */
    asif_state_order order;
} asif_dynamics_options;
#define ASIF_DYNAMICS_OPTIONS_INIT                                                                           \
    { sizeof(asif_dynamics_options), 20, 1, 1.0, ASIF_ORDER_MEAN_CLASS }

/** Why a cell has no standard error. */
typedef enum {
    ASIF_CELL_FREE,        /**< it has one */
    ASIF_CELL_FIXED,       /**< its row is not learnt */
    ASIF_CELL_IMPOSSIBLE,  /**< or the only one that is possible in its row */
    ASIF_CELL_BOUNDARY,    /**< its estimate is 0, or all others in its row are */
    ASIF_CELL_UNDETERMINED /**< the likelihood is flat: the data do not determine it */
} asif_cell_kind;

/** Learnt dynamics, borrowed. */
typedef struct {
    size_t struct_size;
    double log_likelihood;
    double log_posterior;       /**< with prior * log of each free cell; up to a constant */
    const double *point;        /**< [cells]: the estimates */
    const double *count;        /**< [cells]: expected counts there, without the prior */
    const double *error;        /**< [cells]: standard errors; NaN where there are none */
    const asif_cell_kind *kind; /**< [cells] */
    /** [cells]: 1 - (standard error / prior standard deviation)^2; 0 where undetermined, NaN where there is
     * no standard error for another reason. */
    const double *contraction;
    uint32_t starts;
    const double *start_value; /**< [starts]: log-posterior that each start reached */
    uint32_t agree;            /**< starts that came within 1e-3 of the best */
    double runner_up;          /**< best value of the starts that do not agree; -inf: all agree */
    uint32_t free;             /**< free numbers */
    uint64_t passes;           /**< passes over the data, of all starts */
    asif_state_order order;
} asif_dynamics_estimate;

/** Result of learning; immutable. */
typedef struct asif_dynamics_fit asif_dynamics_fit;

/**
 * Maximise the posterior: from every start by expectation-maximisation with acceleration (SQUAREM; Varadhan
 * and Roland, 2008) until a cycle gains less than 1e-6, then by BFGS. The threads of the context share the
 * starts; the result does not depend on their number. States are put in order, and standard errors computed
 * from the observed information (differences of the exact gradient) by the delta method.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param dynamics   Borrowed for the life of the fit.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (options), ASIF_EINVALID (an order by labels that are not there),
 * ASIF_EZEROPR (the data are impossible at every start), ASIF_ENOMEM or ASIF_ECANCELLED.
 */
ASIF_API asif_status asif_dynamics_learn(asif_dynamics_fit **out, const asif_dynamics *dynamics,
                                         const asif_dynamics_options *options, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_dynamics_fit_free(asif_dynamics_fit *fit);
/** @param[out] estimate Its struct_size must be set. */
ASIF_API asif_status asif_dynamics_fit_get(const asif_dynamics_fit *fit, asif_dynamics_estimate *estimate,
                                           asif_error *error);

/* ---- draws from the posterior ---- */

/** How to draw. */
typedef struct {
    size_t struct_size;
    uint64_t draws;  /**< draws in all, default 40 */
    uint32_t chains; /**< default 4 */
    uint64_t warmup; /**< sweeps of each chain before the first draw, default 200 */
    uint64_t thin;   /**< sweeps between draws, default 50 */
    uint64_t seed;   /**< default 1 */
    double prior;    /**< as in ::asif_dynamics_options, default 1 */
} asif_dynamics_draw_options;
#define ASIF_DYNAMICS_DRAW_OPTIONS_INIT                                                                      \
    { sizeof(asif_dynamics_draw_options), 40, 4, 200, 50, 1, 1.0 }

/** How well the chains mixed. */
typedef struct {
    double least_ess;  /**< smallest effective sample size of a free cell, over the sweeps after warm-up */
    uint64_t cell;     /**< that cell */
    double worst_rhat; /**< largest R-hat of a free cell; NaN: one chain, or too few sweeps */
    uint64_t sweeps;   /**< sweeps after warm-up, of all chains */
} asif_dynamics_draw_info;

/**
 * Draw points from the posterior by Gibbs sampling: states of all episodes given the point (forward
 * filtering, backward sampling, of all episodes with the same history at once), then the rows given the
 * counts of the states (Dirichlet). The states of every draw are in the order of `point`: that under which
 * emissions are nearest.
 *
 * @param[out] out   [draws][cells].
 * @param dynamics   Its weights must be whole numbers.
 * @param point      [cells]: where the chains start, usually the estimates.
 * @param options    NULL: the defaults.
 * @param[out] info  May be NULL.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (options), ASIF_EINVALID (weights that are not whole), ASIF_EZEROPR (the
 * data are impossible at the point), ASIF_ENOMEM or ASIF_ECANCELLED. The draws do not depend on the number of
 * threads.
 */
ASIF_API asif_status asif_dynamics_draw(double *out, const asif_dynamics *dynamics, const double *point,
                                        const asif_dynamics_draw_options *options,
                                        asif_dynamics_draw_info *info, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
