/**
 * @file
 * The setting (the paper's psi): spaces, the environment, the candidate worlds of the agent, and the form of
 * its utility. Parameters of the utility have their names here and their values in an ::asif_theta.
 */
#ifndef ASIF_SETTING_H
#define ASIF_SETTING_H

#include "asif/base.h"

#ifdef __cplusplus
extern "C" {
#endif

/** A finished setting; immutable. */
typedef struct asif_setting asif_setting;

/** Stands for every state, action or observation in place of an index; in outputs, for none. */
#define ASIF_ANY UINT32_MAX

/**
 * A matrix whose rows are probabilities, borrowed from its owner. Dense by rows if `offset` is NULL, else
 * compressed rows: entries offset[i] to offset[i+1] of `column` and `value`, columns ascending. A matrix with
 * `same_rows` stores one row, which is repeated.
 */
typedef struct {
    uint32_t rows, columns;
    bool same_rows;
    const uint64_t *offset;
    const uint32_t *column;
    const double *value;
} asif_matrix;

/**
 * One term of the utility: `coefficient` times a parameter (or times 1) for some actions and for some states
 * or observations. The utility is the sum of its terms.
 */
typedef struct {
    enum {
        ASIF_BY_STATE,       /**< v(s,u), averaged over the belief */
        ASIF_BY_OBSERVATION, /**< r(u,x), a reward that is seen */
        ASIF_BY_BELIEF       /**< applies, whole or in part, by `test` of the belief */
    } by;
    uint32_t parameter; /**< index of a named parameter; ASIF_ANY: none, the term is a constant */
    uint32_t action;    /**< index of an action, or ASIF_ANY */
    /** State or observation, or ASIF_ANY; for a belief term, the state whose probability is tested, or
     * ASIF_ANY for the largest probability (certainty). */
    uint32_t index;
    double coefficient; /**< factor of the parameter; for a constant, its value */
    /** Belief terms only. A ramp has no jump: none of the term applies at `threshold`, all of it at `full`,
     * and a share in proportion between them. */
    enum { ASIF_ABOVE, ASIF_AT_LEAST, ASIF_BELOW, ASIF_AT_MOST, ASIF_RAMP } test;
    double threshold; /**< belief terms only */
    double full;      /**< ramps only; not `threshold`, and may be below it */
} asif_utility_term;

/** A column of observations that are crossed from several columns. */
typedef struct {
    const char *name;
    uint32_t classes;
    const char *const *class_names; /**< [classes]; NULL: the numbers from 0 */
} asif_observation_column;

/** Specification of a setting; all arrays are borrowed during asif_setting_create(). */
typedef struct {
    size_t struct_size;
    const char *title; /**< may be NULL */
    uint32_t states, actions;
    uint32_t observations;          /**< 0: the agent sees the state (full observability) */
    uint32_t worlds;                /**< candidate worlds, at least 1 */
    uint32_t starts;                /**< start classes, at least 1 */
    uint32_t parameters;            /**< named parameters of the utility */
    const char *const *state_names; /**< NULL: the numbers from 0 */
    const char *const *action_names;
    const char *const *observation_names;
    const char *const *start_names; /**< NULL where there is one class */
    const char *start_column;       /**< column of the logs with the start class; NULL: none */
    const char *const *parameter_names;

    /** Number of matrices, to which the next arrays refer by index; several entries can share one. */
    uint32_t matrices;
    const asif_matrix *matrix;
    const uint32_t *transitions; /**< [worlds + 1][actions], states x states; the environment last */
    const uint32_t *emissions;   /**< [worlds + 1][actions], states x observations; row: state reached */

    const double *environment_start; /**< [starts][states] */
    const double *agent_start;       /**< [starts][states]; NULL: the environment's */
    const double *world_weights;     /**< [worlds], sigma0; NULL: equal */
    const double *action_prior;      /**< [actions], pi0; NULL: uniform */
    /** Rho0 over observations (or states, where they are seen); NULL: 1 for each class of observations
     * that lead to the same beliefs. */
    const double *belief_prior;
    const bool *ends; /**< [actions]: the action ends an episode of the log; NULL: none does */
    /** [states]: nothing follows the state; NULL: none. Only where states are seen; with a seen part, it is
     * the same for all hidden values. */
    const bool *terminal;
    double discount; /**< in [0, 1); also 1 with a horizon */

    uint64_t terms;
    const asif_utility_term *term;
    /** Constant utility of every (action, state), [actions][states], added to the terms; NULL: 0. It is for
     * large problems, in which one term for each cell would cost too much memory. */
    const double *utility;

    /** Columns that are crossed into the observations, in which case their classes multiply to
     * `observations`. The first column varies slowest: with two columns, observation x has the classes x / n
     * and x % n, where n is the number of classes of the second. 0: observations are not crossed. */
    uint32_t observation_columns;
    const asif_observation_column *observation_column; /**< [observation_columns] */
    /**
     * [worlds]: shares in [0, 1] of a uniform world; NULL: all 0. A world with a share above 0 is
     * (1 - share) times the environment plus `share` times a uniform world: its matrices are computed from
     * the environment's, and its entries of `transitions` and `emissions` are not read. By action, the
     * uniform world has the same probability for all columns (next states, observations) that the
     * environment can reach from some state, and 0 for the others.
     */
    const double *world_shares;
    /**
     * Number of values of the part of the state that the agent sees; 0 or 1: there is no such part. It
     * divides `states` and `observations`, and varies slowest in both: with H = states / seen values of the
     * hidden part and X = observations / seen, state s has the seen value s / H and the hidden value s % H,
     * and observation x shows the seen value x / X. Emissions of a state show its own seen value only. An
     * agent state is then a place followed by a belief over the hidden part, 1 + H numbers; the place is the
     * seen value. Needs observations, and no `world_shares`; the numbers of `belief_prior` need not sum to 1.
     */
    uint32_t seen;
    /**
     * Number of decisions of an episode; 0: no limit. The agent knows how many it has made: the place of its
     * state is seen * decisions + seen value (with `seen` 1 if there is no seen part). After the last
     * decision there is the reward of what is observed, but neither surprise nor future. Needs observations.
     */
    uint32_t horizon;
    /** [actions]: nothing follows the action but what is observed and its reward, as after the last decision
     * of a horizon; NULL: none. Needs observations. */
    const bool *stops;
    /** Labels of the seen values [seen], of the hidden values [states / seen], and of what is observed beside
     * the seen value [observations / seen]; NULL: numbers. Only with a seen part. */
    const char *const *seen_names, *const *hidden_names, *const *shown_names;
    /** Columns that are crossed into the seen part, as `observation_column`: the first varies slowest, and
     * their classes multiply to `seen`. 0: the seen part is one column. */
    uint32_t seen_columns;
    const asif_observation_column *seen_column; /**< [seen_columns] */
    /** [starts]: how likely an episode is to begin in each start class; NULL: not known. With a seen part, a
     * start class for each seen value lets logs tell with which one an episode begins. */
    const double *start_weights;
    /** [seen][actions]: whether the action can be taken with the seen value; NULL: every one can. The action
     * prior is renormalised over those that can. Only with a seen part, and every seen value needs an action
     * whose prior is positive. */
    const bool *available;
    /** How many of the seen columns, from the first on, are conditions: an episode never leaves its own. */
    uint32_t condition_columns;
    /**
     * Only where states are seen: the number of values of `seen_column`; 0 or 1: there are no such columns.
     * It divides `states` and varies slowest: state s has the value s / R of these columns, where R is states
     * / leading, and s % R of what logs call the state, whose labels are `hidden_names`.
     */
    uint32_t leading;
} asif_setting_spec;
#define ASIF_SETTING_SPEC_INIT                                                                               \
    { .struct_size = sizeof(asif_setting_spec), .worlds = 1, .starts = 1 }

/**
 * Check a specification and make a setting of it. Rows of probabilities must be non-negative and sum to 1
 * within 1e-5 and are then divided by their sum; weights are divided by theirs.
 *
 * @param[out] out   Owned by the caller.
 * @param context    Kept for the life of the setting.
 * @param spec       Copied.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_ENOMEM, ASIF_EDOMAIN or ASIF_EINVALID.
 *
 * Cost: linear in the size of the specification.
 */
ASIF_API asif_status asif_setting_create(asif_setting **out, const asif_context *context,
                                         const asif_setting_spec *spec, asif_error *error);
/** Free a setting; NULL is allowed. */
ASIF_API void asif_setting_free(asif_setting *setting);

/** The specification of a setting with normalised rows; borrowed. Pointers that were NULL now have their
 * defaults, except `title`, `start_column`, `start_names`, `belief_prior`, `utility`, `world_shares`,
 * `observation_column`, and names (see asif_setting_label()). The matrices of worlds with a share come last,
 * and are made anew if a setting is created from this specification with another environment. */
ASIF_API const asif_setting_spec *asif_setting_get(const asif_setting *setting);

/** Kinds of labels. */
typedef enum {
    ASIF_LABEL_STATE,
    ASIF_LABEL_ACTION,
    ASIF_LABEL_OBSERVATION, /**< where states are seen, the label of the observed state */
    ASIF_LABEL_PARAMETER,
    ASIF_LABEL_START,
    ASIF_LABEL_SEEN, /**< values of the part of the state that is seen, or of the leading columns */
    /** Values of the part that is hidden, or of the state beside the leading columns; without these, states.
     */
    ASIF_LABEL_HIDDEN,
    ASIF_LABEL_SHOWN /**< what is observed beside the seen value; without a seen part, observations */
} asif_label_kind;

#define ASIF_LABEL_SIZE 16
/**
 * Label of a state, action, observation, parameter or start class. Borrowed from the setting, or from
 * `buffer` (of at least ASIF_LABEL_SIZE bytes) where the setting has no names.
 */
ASIF_API const char *asif_setting_label(const asif_setting *setting, asif_label_kind kind, uint32_t i,
                                        char *buffer);
/** Index of a label, or ASIF_ANY if there is none. Cost: linear in the number of labels. */
ASIF_API uint32_t asif_setting_find(const asif_setting *setting, asif_label_kind kind, const char *label);
/** Number of labels of a kind; where states are seen, the number of observations is that of states. */
ASIF_API uint32_t asif_setting_count(const asif_setting *setting, asif_label_kind kind);
/**
 * Find the index of a label, with an error that lists the existing labels.
 * @param[out] out   ASIF_ANY on failure.
 * @param what       Noun phrase for the message, such as "an action".
 * @param[out] error May be NULL.
 * @return ASIF_OK or ASIF_EUNKNOWN.
 */
ASIF_API asif_status asif_setting_seek(uint32_t *out, const asif_setting *setting, asif_label_kind kind,
                                       const char *label, const char *what, asif_error *error);
/** A condition: a combination of values of the first `condition_columns` seen columns. */
typedef struct {
    uint32_t index;               /**< among the conditions, the last column varying fastest */
    uint32_t start, starts;       /**< first start class, and how many there are from it on */
    uint32_t first_state, states; /**< its states */
} asif_condition;
/** Number of conditions; 1 if the setting has none. */
ASIF_API uint32_t asif_setting_conditions(const asif_setting *setting);
/**
 * Find a condition by its text: COLUMN=VALUE,COLUMN=VALUE,... in the setting's order. The names of columns
 * may be left out, and `/` may stand for the comma.
 * @return ASIF_OK, or ASIF_EUNKNOWN with the conditions that there are.
 */
ASIF_API asif_status asif_setting_condition(asif_condition *out, const asif_setting *setting,
                                            const char *text, asif_error *error);
/**
 * Read a history from text such as "ACTION:OBSERVATION,ACTION:OBSERVATION", with states in place of
 * observations where states are seen.
 * @param[out] action, observation Arrays of `*events`, owned by the caller (asif_memory_free()); NULL on
 * failure.
 * @param[out] events   Number of events.
 * @param context       Allocates the arrays.
 * @param setting       Defines the labels.
 * @param text          NULL or empty: no events.
 * @param[out] error    May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN (no such label), ASIF_EPARSE or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_setting_read_history(uint32_t **action, uint32_t **observation, uint64_t *events,
                                               const asif_context *context, const asif_setting *setting,
                                               const char *text, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
