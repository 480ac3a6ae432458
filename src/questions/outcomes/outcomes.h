/* Outcomes of a fit: what the agents do in the environment, and what their bounds cost. */
#ifndef ASIF_SRC_QUESTIONS_OUTCOMES_OUTCOMES_H
#define ASIF_SRC_QUESTIONS_OUTCOMES_OUTCOMES_H

#include "acting/agents.h"
#include "acting/evidence.h"
#include "acting/ideals.h"
#include "base/data/json.h"
#include "questions/question.h"

/* Utility lost because of a bound, discounted over an infinite horizon. Below 0 if the bound helps. */
typedef struct {
    const char *bound; /* "consistency", "optimism", "surprise" or "worlds" */
    /* Its share of the whole loss: the mean over all orders in which bounds can be removed (Shapley). */
    asif_outcome loss;
    asif_outcome per_decision; /* (1 - discount) times the loss */
    asif_outcome last;         /* gained by removing only this bound */
    asif_outcome alone;        /* lost by an agent that knows the environment and has only this bound */
    double helps;              /* share of draws in which the loss is below 0 */
} asif_outcome_loss;

/* How good the evidence of an action is: the probability of guessing the state from one observation, if all
 * states are equally likely. */
typedef struct {
    uint32_t action;
    double environment; /* in the environment */
    double neutral;     /* averaged over the agent's worlds */
    /* As the agent weighs its worlds, averaged over the beliefs at which it takes the action. */
    asif_outcome perceived;
} asif_outcome_evidence;

/* Options of the simulation. */
typedef struct {
    size_t struct_size;
    uint32_t draws;          /* draws of the fit */
    uint32_t episodes;       /* episodes of each draw and start class */
    uint32_t ideal_episodes; /* episodes of agents that are the same for all draws */
    uint32_t loss_draws;     /* draws of the fit for the losses, which cost the most; 0: no losses */
    uint32_t runs;           /* fewest infinite runs of each agent without some of the bounds */
    /* An episode that has not ended is cut after this many steps. 0: 1,000 if an action ends episodes, else
     * the mean length of those in the logs. */
    uint32_t max_steps;
    /* Most frequent histories of the logs to report; 0: none, nor runs of the same evidence. */
    uint32_t histories;
    uint64_t seed;
} asif_outcomes_options;
#define ASIF_OUTCOMES_OPTIONS_INIT                                                                           \
    { sizeof(asif_outcomes_options), 100, 400, 20000, 100, 20, 0, 8, 0 }
/* Options of a fit: fewer draws and episodes. */
#define ASIF_OUTCOMES_OPTIONS_BRIEF                                                                          \
    { sizeof(asif_outcomes_options), 40, 100, 4000, 16, 16, 0, 0, 0 }

/* Outcomes of a fit; immutable. */
typedef struct asif_outcomes asif_outcomes;

/* A view of the outcomes, borrowed. */
typedef struct {
    size_t struct_size;
    uint32_t draws;
    uint32_t rows;        /* start classes and last their mix as in the logs; with one class only that row */
    uint32_t measures;    /* ASIF_OUTCOME_ACTIONS and the actions */
    const double *weight; /* [rows]: share of the episodes in the logs; 1 for the last */
    const asif_outcome *number; /* [rows][ASIF_AGENT_COUNT][measures] */
    const double *observed;     /* [rows][measures]: in the logs; NaN: not known */
    uint32_t losses;            /* 0: not computed, or the agent has no bounds */
    const asif_outcome_loss *loss;
    /* Value of the agent, and of one that knows the environment. */
    asif_outcome value, ideal_value;
    asif_outcome whole_loss, whole_per_decision; /* their difference, which is the sum of the losses */
    uint32_t evidences;
    const asif_outcome_evidence *evidence;
    uint32_t histories;
    const asif_outcome_history *history;
    const char *note; /* what was left out and why; NULL: nothing */
    asif_bayes_info bayes;
} asif_outcomes_view;

/*
 * Let draws of a fit act in the environment: measures what they do and its results, what ideal agents would
 * do, and what each bound costs. The Bayes-optimal agent is followed exactly, for as many draws as are cheap.
 * For the others, simulation only corrects the solution of a linear system, so that intervals are those of
 * expected values. The result has the same bits for any number of threads.
 *
 * @param out   Owned by the caller; NULL on failure.
 * @param fitted     Its context, setting and tree are borrowed for the life of the outcomes.
 * @param options    NULL: the defaults.
 * @param error May be NULL.
 * @return ASIF_OK; ASIF_EUNSET (a fit without draws or maximum), ASIF_EZEROPR (the environment shows what all
 * worlds of the agent rule out), ASIF_EUNSUPPORTED (no finite values), ASIF_EDOMAIN, ASIF_ECANCELLED,
 * ASIF_ENOMEM.
 *
 * Cost: of each draw, a solve, a linear system and its episodes; of each draw of the losses, up to 12 of
 * them. Episodes share what is computed in the same situation. DIAG: less than a second in all.
 */
asif_status asif_outcomes_run(asif_outcomes **out, const asif_fitted *fitted,
                              const asif_outcomes_options *options, asif_error *error);
/* Free; NULL is allowed. */
void asif_outcomes_free(asif_outcomes *outcomes);
/* Fill a view. @param view Its struct_size must be set. */
asif_status asif_outcomes_get(const asif_outcomes *outcomes, asif_outcomes_view *view, asif_error *error);
/* Write everything as JSON. @param out Text, owned by the caller (asif_memory_free()). */
asif_status asif_outcomes_json(char **out, const asif_outcomes *outcomes, asif_error *error);

/* Writes the answer as text for people, from its JSON. */
asif_question_teller asif_report_outcomes;

struct asif_outcomes {
    const asif_context *context;
    const asif_setting *setting;
    const asif_tree *tree; /* NULL: there are no logs */
    asif_outcomes_options options;
    asif_outcomes_view view; /* owns all its arrays */
    double *weight, *observed;
    asif_outcome *number;
    asif_outcome_loss loss[ASIF_BOUND_COUNT];
    asif_outcome_evidence *evidence;
    asif_outcome_history *history;
    asif_outcome *policy;   /* [histories][ASIF_AGENT_COUNT][actions] */
    double *history_shares; /* [histories][actions] */
    uint32_t *events;       /* of each history: its actions, then its observations */
    char note[256];
};

/* ---- outcomes_logs.c: measures of the logs ---- */
/* Compute `weight` and `observed`; view.rows and view.measures must be set. ASIF_ENOMEM. */
asif_status asif_outcomes_observe(asif_outcomes *o, asif_error *error);
/* Choose the histories to look at: runs of the same evidence, and the most frequent histories.
 * ASIF_ENOMEM. */
asif_status asif_outcomes_histories(asif_outcomes *o, const asif_evidence *evidence, asif_error *error);
/* Compute the policy of an agent after a history, [actions]; NaN if the history is impossible for it. `state`
 * [width] is working space. */
asif_status asif_outcomes_policy(const asif_outcome_history *history, const asif_behavior *behavior,
                                 double *state, double *policy, asif_error *error);

/* ---- outcomes_table.c: the numbers of all draws ---- */
typedef struct {
    const asif_context *context;
    uint32_t numbers, draws;
    double *value, *error; /* [numbers][draws]; if fixed, only the first draw is used */
    bool *fixed;           /* [numbers]: whether the number is the same for all draws */
} asif_outcome_table;
/* Allocate a table. ASIF_ENOMEM. Call asif_outcome_table_free() in either case. */
asif_status asif_outcome_table_create(asif_outcome_table *out, const asif_context *context, uint32_t numbers,
                                      uint32_t draws, asif_error *error);
void asif_outcome_table_free(asif_outcome_table *table);
/* Set a number at a draw, with its standard error from simulation. */
void asif_outcome_table_set(asif_outcome_table *table, uint32_t number, uint32_t draw, double value,
                            double error);
/* The mean and interval over the first `draws`; changes their order. */
asif_outcome asif_outcome_table_sum(const asif_outcome_table *table, uint32_t number, uint32_t draws);

/* ---- outcomes_json.c ---- */
/* Add the outcomes as a member `key` of an object, or as the whole document (NULL). */
void asif_outcomes_add(asif_json *json, const char *key, const asif_outcomes *outcomes);

#endif
