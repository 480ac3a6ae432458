/* Agents that are compared (the fitted one and ideal ones), and the measures of how they act. */
#ifndef ASIF_SRC_ACTING_AGENTS_H
#define ASIF_SRC_ACTING_AGENTS_H

#include "asif/fit.h"

/* Whose outcomes. */
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
/* "fitted", "without_bounds", "ideal_bayes", "ideal_true"; NULL past the last. */
const char *asif_agent_text(asif_agent agent);

/* How well the Bayes-optimal agent is known. */
typedef struct {
    bool computed; /* else its numbers are NaN */
    bool apart; /* the worlds differ; otherwise it equals the agent without bounds, and nothing is computed */
    uint32_t draws;   /* of the fit for which it was computed; 1 where they make no difference */
    uint64_t beliefs; /* visited for the first draw */
    double gap; /* the widest gap between the bounds on its value at the start, as a fraction of the span of
                   utilities */
    double low, up; /* these bounds for the first draw: discounted utility of an endless run */
} asif_bayes_info;

/* Measures of an episode, each a mean over episodes; NaN where the problem has no such thing. */
typedef enum {
    ASIF_OUTCOME_DECISIONS,
    ASIF_OUTCOME_BEFORE_END, /* decisions that end nothing: tests, visits */
    ASIF_OUTCOME_WRONG,   /* share of wrong endings: another final action would have scored higher, given the
                             true state */
    ASIF_OUTCOME_UTILITY, /* sum over the episode, not discounted */
    ASIF_OUTCOME_NOT_ENDED, /* share of episodes that have not ended at `max_steps` */
    ASIF_OUTCOME_ACTIONS    /* and those after it: times that each action is taken */
} asif_outcome_measure;

/* A mean with its interval over draws and its simulation error. */
typedef struct {
    double mean;     /* over draws of the fit */
    double q05, q95; /* of the draws; NaN: it does not depend on them, or there are none */
    double error;    /* standard error of the mean by simulation; 0: none */
} asif_outcome;

/* What is done after something was seen. */
typedef struct {
    bool run;       /* one observation again and again; else one of the most frequent histories of the logs */
    uint32_t start; /* class */
    uint32_t state; /* where states are seen, the state; ASIF_ANY: they are not */
    uint32_t events;
    const uint32_t *action, *observation; /* [events]; an observation of ASIF_ANY: nothing was seen */
    double decisions;                     /* in the logs; NaN: not known */
    const double *observed; /* [actions]: shares in the logs; NaN where the history does not occur */
    const asif_outcome
        *policy; /* [ASIF_AGENT_COUNT][actions]; NaN where the history is impossible for an agent */
} asif_outcome_history;

#endif
