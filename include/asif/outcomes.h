/**
 * @file
 * Outcomes: what an agent does in the environment, what ideal agents would do there, and what each of its
 * bounds costs.
 */
#ifndef ASIF_OUTCOMES_H
#define ASIF_OUTCOMES_H

#include "asif/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/** Whose outcomes. */
typedef enum {
    ASIF_AGENT_FITTED,
    /** The same model without bounds. It draws its world anew at every step, so that it is not the best that
       can be done. */
    ASIF_AGENT_WITHOUT_BOUNDS,
    /** The Bayes-optimal agent: the world stays the same within an episode, and it learns which one holds. */
    ASIF_AGENT_BAYES,
    ASIF_AGENT_TRUE, /**< the ideal that knows the environment */
    ASIF_AGENT_COUNT
} asif_agent;
/** "fitted", "without_bounds", "ideal_bayes", "ideal_true"; NULL past the last. */
ASIF_API const char *asif_agent_text(asif_agent agent);

/** How well the Bayes-optimal agent is known. */
typedef struct {
    bool computed; /**< else its numbers are NaN */
    bool apart; /**< the worlds differ; else it is the agent without bounds, and nothing had to be computed */
    uint32_t draws;   /**< of the fit for which it was computed; 1 where they make no difference */
    uint64_t beliefs; /**< that were looked at, at the first of them */
    double gap;       /**< between the bounds on its value at the start, the widest, as a part of the span of
                         utilities */
    double low, up;   /**< these bounds, at the first: discounted, of going on for ever */
} asif_bayes_info;

/** Measures of an episode, each a mean over episodes; NaN where the problem has no such thing. */
typedef enum {
    ASIF_OUTCOME_DECISIONS,
    ASIF_OUTCOME_BEFORE_END, /**< decisions that end nothing: tests, visits */
    ASIF_OUTCOME_WRONG,      /**< share that ends with an action which another ending one would have beaten */
    ASIF_OUTCOME_UTILITY,    /**< sum over the episode, not discounted */
    ASIF_OUTCOME_NOT_ENDED,  /**< share that goes on at `max_steps` */
    ASIF_OUTCOME_ACTIONS     /**< and those after it: times that each action is taken */
} asif_outcome_measure;

/** A number with what is not known of it. */
typedef struct {
    double mean;     /**< over draws of the fit */
    double q05, q95; /**< of the draws; NaN: it does not depend on them, or there are none */
    double error;    /**< standard error of the mean by simulation; 0: none */
} asif_outcome;

/** Utility lost because of a bound: discounted, of going on for ever. Below 0 where the bound helps. */
typedef struct {
    const char *bound; /**< "consistency", "optimism", "surprise" or "worlds" */
    asif_outcome loss; /**< its share of the whole loss: the mean over all orders in which bounds can be
                                    taken away (Shapley) */
    asif_outcome per_decision; /**< (1 - discount) times it */
    asif_outcome last;         /**< gained by taking away this bound only */
    asif_outcome alone;        /**< lost by who knows the environment and has this bound only */
    double helps;              /**< share of draws in which the loss is below 0 */
} asif_outcome_loss;

/** How good an action's evidence is: the chance to guess the state right from one observation, all states
 * being equally likely. */
typedef struct {
    uint32_t action;
    double environment;     /**< as it is */
    double neutral;         /**< on average over the agent's worlds */
    asif_outcome perceived; /**< as the agent weighs its worlds, on average over the beliefs at which it takes
                               the action */
} asif_outcome_evidence;

/** What is done after something was seen. */
typedef struct {
    bool run; /**< one observation again and again; else one of the most frequent histories of the logs */
    uint32_t start; /**< class */
    uint32_t state; /**< where states are seen, the state; ASIF_ANY: they are not */
    uint32_t events;
    const uint32_t *action, *observation; /**< [events]; an observation of ASIF_ANY: nothing was seen */
    double decisions;                     /**< in the logs; NaN: not known */
    const double *observed;               /**< [actions]: shares; NaN where nobody was there */
    const asif_outcome *policy; /**< [ASIF_AGENT_COUNT][actions]; NaN where an agent holds it impossible */
} asif_outcome_history;

/** How to simulate. */
typedef struct {
    size_t struct_size;
    uint32_t draws;          /**< of the fit */
    uint32_t episodes;       /**< of each draw, and of each start class */
    uint32_t ideal_episodes; /**< of agents that are the same for all draws */
    uint32_t loss_draws;     /**< of the fit, for the losses, which cost the most; 0: no losses */
    uint32_t runs;           /**< endless ones of each agent without some of the bounds, at least */
    /** An episode that has not ended is cut here. 0: 1,000 where an action ends episodes, else the mean
     * length of those in the logs. */
    uint32_t max_steps;
    uint32_t histories; /**< most frequent ones of the logs; 0: none at all, nor runs of the same evidence */
    uint64_t seed;
} asif_outcomes_options;
#define ASIF_OUTCOMES_OPTIONS_INIT                                                                           \
    { sizeof(asif_outcomes_options), 100, 400, 20000, 100, 20, 0, 8, 0 }
/** What `asif fit` does: fewer draws and episodes. */
#define ASIF_OUTCOMES_OPTIONS_BRIEF                                                                          \
    { sizeof(asif_outcomes_options), 40, 100, 4000, 16, 16, 0, 0, 0 }

/** Outcomes of a fit; immutable. */
typedef struct asif_outcomes asif_outcomes;

/** What they hold, borrowed. */
typedef struct {
    size_t struct_size;
    uint32_t draws;
    uint32_t rows;     /**< start classes and, last, their mix as in the logs; with one class only that row */
    uint32_t measures; /**< ASIF_OUTCOME_ACTIONS and the actions */
    const double *weight;       /**< [rows]: share of the episodes in the logs; of the last 1 */
    const asif_outcome *number; /**< [rows][ASIF_AGENT_COUNT][measures] */
    const double *observed;     /**< [rows][measures] in the logs; NaN: they do not tell */
    uint32_t losses;            /**< 0: not computed, or the agent has no bounds */
    const asif_outcome_loss *loss;
    asif_outcome value, ideal_value;             /**< of the agent, and of who knows the environment */
    asif_outcome whole_loss, whole_per_decision; /**< their difference, the sum of the losses */
    uint32_t evidences;
    const asif_outcome_evidence *evidence;
    uint32_t histories;
    const asif_outcome_history *history;
    const char *note; /**< what was left out and why; NULL: nothing */
    asif_bayes_info bayes;
} asif_outcomes_view;

/**
 * Let draws of a fit act in the environment: what they do, what comes of it, what ideal agents would do, what
 * each bound costs. The Bayes-optimal agent is followed exactly, for as many draws as that is cheap. Of the
 * others simulation only corrects what a solved linear system gets wrong, so that intervals are those of
 * expected values. The same bits for any number of threads.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param fitted     Its context, setting and tree are borrowed for the life of the outcomes.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EUNSET (a fit without draws or maximum), ASIF_EZEROPR (the environment shows what all
 * worlds of the agent rule out), ASIF_EUNSUPPORTED (no finite values), ASIF_EDOMAIN, ASIF_ECANCELLED,
 * ASIF_ENOMEM.
 *
 * Cost: of each draw, a solve and its episodes; of each draw of the losses, up to 16 of them. DIAG: about a
 * second, and five for the losses.
 */
ASIF_API asif_status asif_outcomes_run(asif_outcomes **out, const asif_fitted *fitted,
                                       const asif_outcomes_options *options, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_outcomes_free(asif_outcomes *outcomes);
/** @param[out] view Its struct_size must be set. */
ASIF_API asif_status asif_outcomes_get(const asif_outcomes *outcomes, asif_outcomes_view *view,
                                       asif_error *error);
/** All of it as JSON. @param[out] out Text, owned by the caller (asif_memory_free()). */
ASIF_API asif_status asif_outcomes_json(char **out, const asif_outcomes *outcomes, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
