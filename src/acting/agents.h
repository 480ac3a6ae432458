/* Agents that are compared (the fitted one and ideal ones), and measures of how they act. */
#ifndef ASIF_SRC_ACTING_AGENTS_H
#define ASIF_SRC_ACTING_AGENTS_H

#include "asif/fit.h"

/* The agents. */
typedef enum {
    ASIF_AGENT_FITTED,
    /* The same model without bounds. It draws its world again at every step, so it is not the best possible
       agent. */
    ASIF_AGENT_WITHOUT_BOUNDS,
    /* The Bayes-optimal agent: the world stays the same within an episode, and it learns which one holds. */
    ASIF_AGENT_BAYES,
    ASIF_AGENT_TRUE, /* the ideal that knows the environment */
    ASIF_AGENT_COUNT
} asif_agent;
/* Name of an agent: "fitted", "without_bounds", "ideal_bayes", "ideal_true"; NULL past the last. */
const char *asif_agent_text(asif_agent agent);

/* How precisely the Bayes-optimal agent was computed. */
typedef struct {
    bool computed; /* false: its numbers are NaN */
    bool apart; /* the worlds differ; otherwise it equals the agent without bounds, and nothing is computed */
    bool unknown; /* not computed, because places can come again or there are too many, see asif_bayes_flat */
    uint32_t draws;   /* draws of the fit for which it was computed; 1 if they make no difference */
    uint64_t beliefs; /* beliefs that were visited for the first draw */
    double gap; /* the widest gap between the bounds on its value at the start, as a fraction of the span of
                   utilities */
    double low, up; /* bounds for the first draw: discounted utility of an endless run */
} asif_bayes_info;

/* Measures of an episode, each a mean over episodes; NaN: not defined for the problem. */
typedef enum {
    ASIF_OUTCOME_DECISIONS,
    ASIF_OUTCOME_BEFORE_END, /* decisions that do not end the episode: tests, visits */
    ASIF_OUTCOME_WRONG,   /* share of wrong endings: another final action would have scored much higher, given
                             the   true state */
    ASIF_OUTCOME_UTILITY, /* undiscounted sum over the episode */
    ASIF_OUTCOME_NOT_ENDED, /* share of episodes that have not ended at `max_steps` */
    ASIF_OUTCOME_ACTIONS    /* this and later numbers: how often each action is taken */
} asif_outcome_measure;

/* A mean with its interval over draws and its simulation error. */
typedef struct {
    double mean;     /* mean over draws of the fit */
    double q05, q95; /* quantiles over draws; NaN: the number does not depend on them, or there are none */
    double error;    /* simulation error of the mean; 0: none */
} asif_outcome;

/* A history, and what each agent does after it. */
typedef struct {
    bool run; /* the same observation again and again; else one of the most frequent histories of the logs */
    uint32_t start; /* start class */
    uint32_t state; /* the state, if states are observed; else ASIF_ANY */
    uint32_t events;
    const uint32_t *action, *observation; /* [events]; an observation of ASIF_ANY: nothing was seen */
    double decisions;                     /* number in the logs; NaN: not known */
    const double *observed;               /* [actions]: shares in the logs; NaN: the history does not occur */
    const asif_outcome *policy;           /* [ASIF_AGENT_COUNT][actions]; NaN: impossible */
} asif_outcome_history;

#endif
