/* The inside of what asif_identify_run() finds. */
#ifndef ASIF_SRC_QUESTIONS_IDENTIFY_IDENTIFY_H
#define ASIF_SRC_QUESTIONS_IDENTIFY_IDENTIFY_H

#include "questions/question.h"

/* Nats between two explanations that count as being sure: odds of 22,000 to 1. */
#define ASIF_SURE_NATS 10.0

/* Another explanation. All of it is borrowed while asif_identify_run() runs; `name` and `estimates` for the
 * life of the result. */
typedef struct {
    size_t struct_size;
    const char *name;                /* for people and messages: "optimism=0" */
    const asif_work *work;           /* of its planner and setting, whose labels are the agent's; cloned */
    const asif_theta *given;         /* values of what is given; where nothing is free, of everything */
    const asif_estimates *estimates; /* what is free; NULL: nothing is */
    const char *inverse;             /* name; NULL: the default */
} asif_rival;
#define ASIF_RIVAL_INIT                                                                                      \
    { .struct_size = sizeof(asif_rival) }

/* What to find out. */
typedef struct {
    size_t struct_size;
    const char *title; /* of the study, borrowed for the life of the result; NULL: none */
    const asif_theta
        *agent; /* the agent as stated, complete; NULL: the one fitted to the logs (its maximum) */
    const asif_fit_options *fit; /* how to fit; its method draws. NULL: the defaults of NUTS */
    bool rivals_only;  /* nothing is drawn: no verdicts, and the agent of logs is found by its maximum alone
                        */
    uint64_t episodes; /* logs of a design, simulated where there are none; default 1,000 */
    uint64_t rival_episodes; /* logs simulated for the rivals; default 100,000 */
    uint32_t max_steps;      /* of a simulated log; 0: the longest of the logs, else 1,000 */
    uint32_t starts;         /* of the search for a rival's best; default 9 */
} asif_identify_options;
#define ASIF_IDENTIFY_OPTIONS_INIT                                                                           \
    { sizeof(asif_identify_options), NULL, NULL, NULL, false, 1000, 100000, 0, 9 }

/* How a rival fared. */
typedef struct {
    const char *name;
    double nats;         /* per 1,000 logs that the agent is ahead; inf: it does what the rival never would */
    double nats_error;   /* standard error of it, by simulation */
    bool told;           /* nats is more than two standard errors above 0 */
    double needed;       /* logs for ASIF_SURE_NATS; NaN where rival and agent cannot be distinguished */
    double needed_least; /* the same with nats two standard errors higher; inf: no number of logs would do */
    double needed_most;  /* two standard errors lower; inf where they cannot be distinguished */
    double impossible;   /* times in a log that something is done which the rival never does */
    double log_likelihood;           /* of all these logs under the rival at its best, as expected */
    double agent_log_likelihood;     /* under the agent */
    const asif_estimates *estimates; /* what was free, borrowed from the caller; NULL: nothing */
    const double *best;              /* [reported]: the free numbers at their best */
    const asif_theta *theta;         /* all values there */
    asif_maximum_info search;        /* of that best; all 0 where nothing was free */
} asif_rival_result;

/* What was found; immutable. */
typedef struct asif_identify asif_identify;

/*
 * Find out what such logs would tell.
 *
 * Where `fitted` has logs, the fit is to them, and the agent that is simulated for the rivals is the maximum
 * of the posterior. Where it has none, the agent must be stated: its logs are simulated and fitted, and so
 * are many more for the rivals. Start classes come in the shares of the logs, without logs in equal ones. The
 * same bits for any number of threads.
 *
 * A rival is brought to the maximum of its likelihood on the simulated logs, from several starts, one of them
 * the agent's own values. Of these logs only what was seen is by chance: at each decision the agent's
 * probabilities stand for the action it drew. So nats are the mean over logs of the divergence of the rival's
 * policy from the agent's, summed over the decisions of a log.
 *
 * @param out   Owned by the caller; NULL on failure.
 * @param fitted     Setting, work, estimates, seed and, if there are any, logs; its draws and maximum are not
 * looked at. Its context and estimates are borrowed for the life of the result, its tree too. Estimates may
 * be NULL if only rivals are asked for of a stated agent.
 * @param options    NULL: the defaults.
 * @param rival      [rivals].
 * @param rivals     May be 0.
 * @param problems   Warnings of the fit are added; may be NULL.
 * @param error May be NULL; the name of a rival stands in the place of a file.
 * @return ASIF_OK; ASIF_EUNSET (neither logs nor an agent, or an agent that lacks a value); ASIF_EINVALID (a
 * rival with other labels; a method that does not draw); ASIF_EDOMAIN, ASIF_EZEROPR (an observation that a
 * rival holds impossible), ASIF_ENOMEM, ASIF_ECANCELLED, or what asif_fit_estimate() returned.
 *
 * Cost: a fit, and for each rival about a thousand likelihoods on the tree of `rival_episodes` logs.
 */
asif_status asif_identify_run(asif_identify **out, const asif_fitted *fitted,
                              const asif_identify_options *options, const asif_rival *rival, uint32_t rivals,
                              asif_problems *problems, asif_error *error);
/* Free; NULL is allowed. */
void asif_identify_free(asif_identify *identify);

/* What was found, borrowed. */
typedef struct {
    size_t struct_size;
    const asif_fit *fit;     /* NULL: nothing was drawn */
    const asif_theta *agent; /* that was simulated; NULL: none was */
    bool stated;             /* it was stated, not fitted */
    const double
        *truth; /* [numbers of the fit]: of the stated agent; NaN: not defined. NULL: not stated, or no fit */
    uint32_t rivals;
    const asif_rival_result *rival;
} asif_identify_view;
/* @param view Its struct_size must be set. */
asif_status asif_identify_get(const asif_identify *identify, asif_identify_view *view, asif_error *error);

/* All of it as JSON, which asif_report_identify() makes a text of. @param out Text, owned by the caller
 * (asif_memory_free()).
 * @return ASIF_OK or ASIF_ENOMEM. */
asif_status asif_identify_json(char **out, const asif_identify *made, asif_error *error);

/* For people, from the JSON. */
asif_question_teller asif_report_identify;

struct asif_identify {
    const asif_context *context;
    const asif_estimates *estimates;
    const asif_tree *logs; /* that were fitted */
    asif_theta *given;     /* what the agent is given, what is estimated without a value */
    const char *title;
    uint64_t seed, rival_episodes, rival_decisions;
    uint32_t max_steps;
    uint32_t starts;  /* of the rivals' searches */
    bool simulated;   /* `logs` are */
    asif_tree *grown; /* `logs`, where they were simulated */
    asif_fit *fit;    /* NULL: nothing was drawn */
    asif_doubt doubt; /* what predictive checks have against it */
    asif_theta *agent;
    double *truth;
    asif_rival_result *rival;
    asif_identify_view view;
};

#endif
