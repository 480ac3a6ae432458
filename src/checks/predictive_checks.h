/* Predictive checks: numbers of the logs are compared with replicates of them under the fitted model. A
 * family has groups of decisions, and a group has cells, each of which is one compared number. */
#ifndef ASIF_SRC_CHECKS_PREDICTIVE_CHECKS_H
#define ASIF_SRC_CHECKS_PREDICTIVE_CHECKS_H

#include "asif/fit.h"
#include "base/data/json.h"
#include "base/random.h"

/* Families of checks. Conditional: replicates are drawn at the histories of the logs. Simulated: whole logs
 * are simulated. */
typedef enum {
    ASIF_CHECK_STEPS,       /* actions by step; conditional */
    ASIF_CHECK_BELIEFS,     /* actions by the agent's belief, which is binned in each draw; conditional */
    ASIF_CHECK_STATES,      /* actions by state, if states are observed; conditional */
    ASIF_CHECK_HISTORIES,   /* actions after the most frequent histories; conditional */
    ASIF_CHECK_SWITCHES,    /* actions by the previous action; conditional */
    ASIF_CHECK_LENGTHS,     /* lengths of episodes, and number of different histories; simulated */
    ASIF_CHECK_ENVIRONMENT, /* observations or states after the actions, under the environment; no agent is
                               needed */
    ASIF_CHECK_SUBJECTS     /* how much subjects differ; conditional on each subject's histories */
} asif_check_kind;
/* The name of a family: "steps", "beliefs", "states", "histories", "switches", "lengths", "environment" or
 * "subjects"; NULL past the last. */
const char *asif_check_text(asif_check_kind kind);

/* Options of the checks. */
typedef struct {
    size_t struct_size;
    uint32_t draws;      /* draws of the fit, default 200; a fit without draws is checked at its maximum */
    uint32_t replicates; /* conditional replicates, and those of the environment, in all, default 1,000; at
                            least one for each draw */
    uint32_t simulated;  /* logs to simulate, default 200; 0: none */
    uint32_t bins;       /* bins of beliefs, default 10 */
    uint32_t histories;  /* most frequent ones, default 8 */
    uint64_t seed;
    /* Most episodes to simulate in all; 0: no limit. If the limit leaves fewer than 150 logs, none are
     * simulated. */
    uint64_t most_episodes;
    /* The draws are from the prior: numbers are compared with the replicates of all draws together, beliefs,
     * which depend on the draw, are left out, and so are subjects, of which a refit would explain a part. */
    bool prior;
} asif_predictive_checks_options;
#define ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT                                                                  \
    { sizeof(asif_predictive_checks_options), 200, 1000, 200, 10, 8, 0, 0, false }

/* A compared number: a share of decisions, episodes or observations, or an amount. */
typedef struct {
    double observed;
    double predicted; /* mean over draws */
    double q05, q95;  /* quantiles of the replicates; NaN: there are none */
    double p;         /* two-sided tail probability of this number by itself; NaN without replicates */
    /* The share of replicates in which the largest standardised difference of the family is at least this
     * cell's; takes into account that all cells of the family are compared. */
    double adjusted;
    bool missed; /* adjusted is below the level of a family, and the difference is large enough to matter */
} asif_check_cell;
/* The probability, over all judged families, that any cell is missed although the logs are those of the
 * fitted agent; each family has an equal part of it as its level. */
#define ASIF_CHECK_P 0.05
/* The smallest difference of shares that matters; of amounts, ASIF_CHECK_PART of the prediction. */
#define ASIF_CHECK_POINTS 0.02
#define ASIF_CHECK_PART 0.05

/* A group of cells. Members that do not apply are ASIF_ANY or NaN. */
typedef struct {
    uint32_t step;        /* steps: the step, from 1; lengths: the number of decisions of the first cell */
    bool later;           /* and all later steps; lengths: the last cell includes all longer ones */
    uint32_t node;        /* histories: node of the tree */
    uint32_t action;      /* switches: the previous action; environment: the action that was taken */
    uint32_t observation; /* environment: the observation; ASIF_ANY: any in a bin of probability, or (with a
                             state) every next state */
    uint32_t state; /* states: the state; ASIF_ANY: all others. Beliefs: the hidden value whose probability
                       is binned; ASIF_ANY: the likeliest */
    /* Subjects: the name of the estimated number, ASIF_CHECK_LIKELIHOOD or ASIF_CHECK_LARGEST; else NULL. */
    const char *number;
    double low, high; /* beliefs: limits of the bin; environment: limits of the predicted probability */
    double count;   /* number of decisions or episodes, or of times that an action was taken; beliefs: a mean
                       over draws */
    bool amount;    /* cells are means or numbers, not shares */
    uint32_t cells; /* one for each action; lengths: for each length; environment: one, or one for each next
                       state */
    const asif_check_cell *cell;
} asif_check_group;

/* The log-likelihood of each subject's decisions. */
#define ASIF_CHECK_LIKELIHOOD "log_likelihood"
/* The largest deviation of any subject in any column. */
#define ASIF_CHECK_LARGEST "largest"

/* Code of a reason why a family was not judged: only one action is ever followed by another. */
#define ASIF_CHECK_ONE_FOLLOWED "one_followed"

/* A family of checks, judged together. */
typedef struct {
    asif_check_kind kind;
    double p;             /* p-value of the largest standardised difference; NaN: there are no replicates */
    bool judged;          /* false: for the reason `why`; then no cell counts as missed */
    bool missed;          /* some cell is missed; environment: also if something impossible followed */
    const char *why;      /* NULL: it was judged */
    const char *why_code; /* ASIF_CHECK_ONE_FOLLOWED, which reveals a small count; else NULL */
    uint32_t groups;      /* 0: the family was left out */
    const asif_check_group *group;
    /* Environment: share of unknown successors, among actions that do not end an episode. */
    double unseen;
    double impossible; /* environment: number of observations that it does not allow */
    uint64_t subjects; /* subjects: their number */
    uint64_t apart;    /* subjects: how many stand out individually, at the level of a family */
} asif_check_family;

/* A missed cell, by its indices. */
typedef struct {
    uint32_t family, group, cell;
} asif_check_miss;

/* The result; immutable. */
typedef struct asif_predictive_checks asif_predictive_checks;

/* The contents, borrowed. */
typedef struct {
    size_t struct_size;
    uint32_t families;
    const asif_check_family *family;
    uint32_t misses;
    const asif_check_miss *miss;           /* the misses that concern most decisions first */
    uint32_t draws, replicates, simulated; /* numbers that were used */
    bool maximum;                          /* there are no draws: the agent at the maximum is checked */
    bool prior;                            /* see the options */
    double level; /* level of a family: ASIF_CHECK_P over the number of judged ones; NaN: none */
} asif_predictive_checks_view;

/* Check a fit against its logs.
 *
 * @param[out] out   Owned by the caller; NULL on failure. Borrows `fitted`'s context, setting and tree.
 * @param fitted     With a tree, and draws or a maximum.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, also if something is missed; ASIF_EUNSET (no logs, or neither draws nor maximum),
 * ASIF_EDOMAIN, ASIF_EINVALID, ASIF_ENOMEM, ASIF_ECANCELLED, or what asif_target_create() returned.
 *
 * Costs, for each draw, a solution and a likelihood, and the simulation of as many episodes as there are in
 * the logs; for each replicate, a pass over the tree. The result has the same bits for any number of
 * threads. */
asif_status asif_predictive_checks_run(asif_predictive_checks **out, const asif_fitted *fitted,
                                       const asif_predictive_checks_options *options, asif_error *error);
/* Free; NULL is allowed. */
void asif_predictive_checks_free(asif_predictive_checks *checks);
/* @param view Its struct_size must be set. */
asif_status asif_predictive_checks_get(const asif_predictive_checks *checks,
                                       asif_predictive_checks_view *view, asif_error *error);
/* The doubt that follows from the checks: ASIF_DOUBT_NONE, ASIF_DOUBT_SUBJECTS or ASIF_DOUBT_MISFIT. */
asif_doubt asif_predictive_checks_doubt(const asif_predictive_checks *checks);
/* Write all checks as JSON. @param[out] out Owned by the caller (asif_memory_free()). */
asif_status asif_predictive_checks_json(char **out, const asif_predictive_checks *checks, asif_error *error);

#define ASIF_CHECK_KINDS 8
#define ASIF_CHECK_LENGTHS_KEPT 64 /* lengths of episodes that are counted separately while simulating */
#define ASIF_CHECK_CUT 0.01        /* largest share of unknown ends at which conclusions are drawn */
#define ASIF_CHECK_MOST_COUNTS 20000000u /* most numbers in the replicates of a table */

/* A family under construction: it owns its groups and cells. */
typedef struct {
    asif_check_family view;
    asif_check_group *group;
    asif_check_cell *cell;
    double *stands_out; /* [subjects]: p-values, ascending; NULL: not the family of subjects */
} asif_check_made;

struct asif_predictive_checks {
    const asif_context *context;
    const asif_setting *setting;
    const asif_tree *tree;
    asif_predictive_checks_view view;
    asif_check_made made[ASIF_CHECK_KINDS];
    asif_check_family family[ASIF_CHECK_KINDS]; /* views of `made` */
    asif_check_miss *miss;
};

/* Add a family without groups. */
asif_check_made *asif_check_add(asif_predictive_checks *checks, asif_check_kind kind);
/* Make groups of `cells` cells each, whose members are all ASIF_ANY or NaN. Fails with ASIF_ENOMEM. */
asif_status asif_check_groups(asif_predictive_checks *checks, asif_check_made *family, uint32_t groups,
                              uint32_t cells, asif_error *error);

/* Whether any family was judged. */
bool asif_predictive_checks_judged(const asif_predictive_checks *checks);

/* ---- the workspace ---- */

typedef struct {
    asif_predictive_checks *checks;
    const asif_fitted *fitted;
    asif_predictive_checks_options options;
    const asif_tree_view *tree;
    const asif_setting_spec *spec;
    double *decisions;     /* [nodes] */
    double *followed;      /* [nodes][actions]: decisions at the nodes that follow */
    double *followed_seen; /* [nodes][actions]: those of them before which something was observed */
    double *unseen;        /* [actions]: share without an observation, among decisions that others followed */
    bool whole;            /* counts are whole numbers, so that there are replicates */
    bool begun;            /* something was observed before the first action */
    uint32_t points;
    double *x; /* [points][dimension] */
    uint32_t times, simulated;
    double *lengths; /* [simulated][ASIF_CHECK_LENGTHS_KEPT + 2], see predictive_checks_lengths.c */
} asif_checking;

/* ---- predictive_checks_draw.c: random counts ---- */

/* Draw the successes of n trials, exact for n < 2^52; takes numbers of the stream from *counter on. */
double asif_check_binomial(const asif_stream *stream, uint32_t *counter, double n, double p);
/* Draw how n trials fall on `sorts` outcomes with probabilities p, which sum to 1. */
void asif_check_multinomial(const asif_stream *stream, uint32_t *counter, double n, const double *p,
                            uint32_t sorts, double *drawn);

/* ---- predictive_checks_judge.c: observed against replicates ---- */

typedef struct {
    const asif_context *context;
    uint32_t points, times; /* points, and replicates of each point */
    uint64_t cells, groups;
    double *observed, *expected, *variance; /* [points][cells] */
    double *size;                           /* [points][groups] */
    double *replicate;                      /* [points * times][cells] */
} asif_check_table;

/* Make a table of zeros. `times` is lowered if the replicates would take too much memory. Fails with
 * ASIF_ENOMEM; call asif_check_table_free() also then. */
asif_status asif_check_table_create(asif_check_table *out, const asif_context *context, uint32_t points,
                                    uint32_t times, uint64_t cells, uint64_t groups, asif_error *error);
/* Take expected numbers and variances over the replicates of all points together. */
void asif_check_table_mix(asif_check_table *table);
void asif_check_table_free(asif_check_table *table);
/* Compute the numbers and p-values of a family whose groups and cells begin at these places of the table.
 * Differences are standardised by sqrt(variance + slack). Fails with ASIF_ENOMEM. */
asif_status asif_check_judge(asif_check_made *family, const asif_check_table *table, uint64_t first_group,
                             uint64_t first_cell, double slack, asif_error *error);
/* Find the missed cells of all families, the worst first. Fails with ASIF_ENOMEM. */
asif_status asif_check_find_misses(asif_predictive_checks *checks, asif_error *error);

/* ---- predictive_checks_groups.c: groups of decisions ---- */

typedef struct {
    asif_check_made *family;
    uint32_t *of; /* [nodes]: group; ASIF_ANY: none. NULL: the bin of the belief, which depends on the draw */
    uint64_t first_group, first_cell;
} asif_check_grouping;

/* Make all conditional families. `out` has room for ASIF_CHECK_KINDS; the caller frees `of` of each. Fails
 * with ASIF_ENOMEM. */
asif_status asif_check_grouping_make(asif_check_grouping *out, uint32_t *count, const asif_checking *c,
                                     asif_error *error);
/* The bin of a belief. */
uint32_t asif_check_bin(const double *belief, uint32_t states, uint32_t bins);

/* ---- predictive_checks_agent.c ---- */
/* Check the conditional families, and simulate logs. */
asif_status asif_check_agent(asif_checking *c, asif_error *error);

/* ---- predictive_checks_lengths.c ---- */
/* Decide whether episodes are simulated: NULL, or the reason why not; `*max_steps` is how long they may
 * get. */
const char *asif_check_lengths_refuse(const asif_checking *c, uint32_t *max_steps);
/* Set row [ASIF_CHECK_LENGTHS_KEPT + 2] to the numbers of a tree: of episodes with 1, 2, ... decisions (the
 * last: or more), of decisions, and of different histories. */
void asif_check_lengths_of(const asif_tree_view *tree, double *row);
asif_status asif_check_lengths(asif_checking *c, const char *refused, asif_error *error);

/* ---- predictive_checks_environment.c ---- */
asif_status asif_check_environment(asif_checking *c, asif_error *error);

/* ---- predictive_checks_subjects.c ---- */
asif_status asif_check_subjects(asif_checking *c, asif_error *error);

/* ---- predictive_checks_json.c ---- */
/* Write the checks as a member of an object; `brief`: without groups, and with at most 10 misses. NULL
 * becomes null. */
void asif_predictive_checks_write(asif_json *json, const char *key, const asif_predictive_checks *checks,
                                  bool brief);

#endif
