/* Identification: what logs of a study can determine, and which rival explanations they can rule out. */
#ifndef ASIF_SRC_QUESTIONS_IDENTIFY_IDENTIFY_H
#define ASIF_SRC_QUESTIONS_IDENTIFY_IDENTIFY_H

#include "questions/question.h"

/* Difference in nats at which one explanation counts as certain: odds of 22,000 to 1. */
#define ASIF_SURE_NATS 10.0

/* A rival explanation. Everything is borrowed while asif_identify_run() runs; `name` and `estimates` for the
 * life of the result. */
typedef struct {
    size_t struct_size;
    const char *name; /* name in texts and messages: "optimism=0" */
    /* Workspace of its planner and setting, with the same labels as the agent's; it is cloned. */
    const asif_work *work;
    const asif_theta *given;         /* values of the fixed parameters; of all parameters if none is free */
    const asif_estimates *estimates; /* free parameters; NULL: none */
    const char *inverse;             /* name of the inverse planner; NULL: the default */
} asif_rival;
#define ASIF_RIVAL_INIT                                                                                      \
    { .struct_size = sizeof(asif_rival) }

/* Options of identification. */
typedef struct {
    size_t struct_size;
    const char *title; /* title of the study, borrowed for the life of the result; NULL: none */
    /* The agent as stated, complete; NULL: the one fitted to the logs (its maximum). */
    const asif_theta *agent;
    const asif_fit_options *fit; /* how to fit, with a method that draws; NULL: the defaults of NUTS */
    bool rivals_only;            /* no draws and no verdicts; the agent of logs is found as a maximum only */
    uint64_t episodes;           /* number of logs to simulate where there are none; default 1,000 */
    uint64_t rival_episodes;     /* number of logs to simulate for the rivals; default 100,000 */
    uint32_t max_steps;          /* longest simulated log; 0: the longest of the logs, else 1,000 */
    uint32_t starts;             /* starts of the search for a rival's maximum; default 9 */
} asif_identify_options;
#define ASIF_IDENTIFY_OPTIONS_INIT                                                                           \
    { sizeof(asif_identify_options), NULL, NULL, NULL, false, 1000, 100000, 0, 9 }

/* The comparison of a rival with the agent. */
typedef struct {
    const char *name;
    /* Advantage of the agent per 1,000 logs; inf: it takes actions that the rival never takes. */
    double nats;
    double nats_error; /* standard error of `nats`, from simulation */
    /* Whether `nats` exceeds 0 by more than two standard errors, so that the two can be distinguished. */
    bool told;
    /* Logs needed for ASIF_SURE_NATS; NaN if rival and agent cannot be distinguished. */
    double needed;
    /* The same, if `nats` is two standard errors higher; inf: no number of logs is enough. */
    double needed_least;
    double needed_most;    /* the same, if two standard errors lower; inf if they cannot be distinguished */
    double impossible;     /* actions per log that the rival never takes */
    double log_likelihood; /* expected, of all these logs, under the rival at its maximum */
    double agent_log_likelihood;     /* expected, under the agent */
    const asif_estimates *estimates; /* free parameters, borrowed from the caller; NULL: none */
    const double *best;              /* [reported]: free numbers at the maximum */
    const asif_theta *theta;         /* all values at the maximum */
    asif_maximum_info search;        /* search for the maximum; all 0 if nothing is free */
} asif_rival_result;

/* The result; immutable. */
typedef struct asif_identify asif_identify;

/*
 * Find out what such logs can determine.
 *
 * If `fitted` has logs, they are fitted, and the agent that is simulated for the rivals is the maximum of the
 * posterior. If it has none, the agent must be stated: its logs are simulated and fitted, and many more are
 * simulated for the rivals. Start classes have the shares of the logs, or equal shares without logs. The
 * result has the same bits for any number of threads.
 *
 * A rival is taken at the maximum of its likelihood on the simulated logs, which is searched for from several
 * starts, one of them at the agent's own values. Only the observations in these logs are random: at each
 * decision the probabilities of the agent take the place of the drawn action. So `nats` is the mean over logs
 * of the divergence of the rival's policy from the agent's, summed over the decisions of a log.
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

/* A view of the result, borrowed. */
typedef struct {
    size_t struct_size;
    const asif_fit *fit;     /* NULL: there are no draws */
    const asif_theta *agent; /* the agent that was simulated; NULL: none was */
    bool stated;             /* whether the agent was stated, not fitted */
    /* [numbers of the fit]: true values of the stated agent; NaN: not defined. NULL: not stated, or no fit.
     */
    const double *truth;
    uint32_t rivals;
    const asif_rival_result *rival;
} asif_identify_view;
/* @param view Its struct_size must be set. */
asif_status asif_identify_get(const asif_identify *identify, asif_identify_view *view, asif_error *error);

/* Write everything as JSON, from which asif_report_identify() makes a text. @param out Text, owned by the
 * caller (asif_memory_free()).
 * @return ASIF_OK or ASIF_ENOMEM. */
asif_status asif_identify_json(char **out, const asif_identify *made, asif_error *error);

/* Writes the answer as text for people, from its JSON. */
asif_question_teller asif_report_identify;

struct asif_identify {
    const asif_context *context;
    const asif_estimates *estimates;
    const asif_tree *logs; /* the logs that were fitted */
    asif_theta *given;     /* fixed values of the agent; estimated parameters have none */
    const char *title;
    uint64_t seed, rival_episodes, rival_decisions;
    uint32_t max_steps;
    uint32_t starts;  /* starts of the searches for the rivals */
    bool simulated;   /* whether `logs` are simulated */
    asif_tree *grown; /* owns `logs` if they are simulated */
    asif_fit *fit;    /* NULL: there are no draws */
    asif_doubt doubt; /* doubt that predictive checks raise about the fit */
    asif_theta *agent;
    double *truth;
    asif_rival_result *rival;
    asif_identify_view view;
};

#endif
