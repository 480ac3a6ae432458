/* The inside of predictive checks: what is counted, how it is replicated, how it is judged. */
#ifndef ASIF_SRC_CHECKS_PREDICTIVE_CHECKS_H
#define ASIF_SRC_CHECKS_PREDICTIVE_CHECKS_H

#include "asif/fit.h"
#include "base/data/json.h"
#include "base/random.h"

/* What is looked at. */
typedef enum {
    ASIF_CHECK_STEPS,       /* actions by step; conditional */
    ASIF_CHECK_BELIEFS,     /* actions by the agent's belief, binned in each draw by itself; conditional */
    ASIF_CHECK_STATES,      /* actions by state, where states are seen; conditional */
    ASIF_CHECK_HISTORIES,   /* actions after the most frequent histories; conditional */
    ASIF_CHECK_SWITCHES,    /* actions by the action before; conditional */
    ASIF_CHECK_LENGTHS,     /* lengths of episodes, number of different histories; simulated */
    ASIF_CHECK_ENVIRONMENT, /* what followed the actions; of the environment, without an agent */
    ASIF_CHECK_SUBJECTS     /* how much subjects differ; conditional, each at the own histories */
} asif_check_kind;
/* "steps", "beliefs", "states", "histories", "switches", "lengths", "environment" or "subjects"; NULL past
 * the last. */
const char *asif_check_text(asif_check_kind kind);

/* How to check. */
typedef struct {
    size_t struct_size;
    uint32_t draws;      /* of the fit, default 200; a fit without draws is checked at its maximum */
    uint32_t replicates; /* conditional ones and those of the environment, in all, default 1,000; at least
                            one a draw is made */
    uint32_t simulated;  /* logs to simulate, default 200; 0: none */
    uint32_t bins;       /* of beliefs, default 10 */
    uint32_t histories;  /* most frequent ones, default 8 */
    uint64_t seed;
    /* Episodes to simulate in all, at most; where fewer than 150 logs would come of it there are none. 0: no
     * limit. */
    uint64_t most_episodes;
} asif_predictive_checks_options;
#define ASIF_PREDICTIVE_CHECKS_OPTIONS_INIT                                                                  \
    { sizeof(asif_predictive_checks_options), 200, 1000, 200, 10, 8, 0, 0 }

/* A number that is compared: of decisions, episodes or observations, the share that is of one sort. */
typedef struct {
    double observed;
    double predicted; /* mean over draws */
    double q05, q95;  /* of the replicates; NaN without */
    double p;         /* two-sided tail probability of this number by itself; NaN without replicates */
    /* The share of replicates whose largest standardised difference in the family is at least this number's:
     * accounts for all numbers of the family that are looked at. */
    double adjusted;
    bool missed; /* adjusted is below the level of a family, and the difference matters: see
                    ASIF_CHECK_POINTS */
} asif_check_cell;
/* The chance, over all families that are judged, that anything is missed of logs of the fitted agent itself;
 * each family has its equal part of it as its level. */
#define ASIF_CHECK_P 0.05
/* A difference of shares that matters; of a mean or a number, ASIF_CHECK_PART of what is predicted. */
#define ASIF_CHECK_POINTS 0.02
#define ASIF_CHECK_PART 0.05

/* Numbers that belong together; what does not apply is ASIF_ANY or NaN. */
typedef struct {
    uint32_t step;        /* from 1; of steps, and of lengths (the number of decisions of the first cell) */
    bool later;           /* and all later ones (of lengths: the last cell is of all longer ones) */
    uint32_t node;        /* of the tree; of histories */
    uint32_t action;      /* of switches: that before; of the environment: the one that was taken */
    uint32_t observation; /* of the environment; ASIF_ANY: whatever was as likely, or (with a state) every
                             next state */
    uint32_t state; /* of states; ASIF_ANY: all others. Of beliefs: whose probability is binned; ASIF_ANY:
                       the largest */
    /* Of subjects: the estimated number in which they are compared, ASIF_CHECK_LIKELIHOOD or
     * ASIF_CHECK_LARGEST; else NULL. */
    const char *number;
    double low, high; /* of beliefs, and of the probability that the environment gives the observation */
    double count;   /* decisions, episodes, or times that an action was taken; of beliefs a mean over draws */
    bool amount;    /* cells are not shares but a mean or a number */
    uint32_t cells; /* one an action; of lengths one a length; of the environment one, or one a next state */
    const asif_check_cell *cell;
} asif_check_group;

/* How probable the decisions of each subject are. */
#define ASIF_CHECK_LIKELIHOOD "log_likelihood"
/* The subject that is farthest from what is expected, in whatever it is. */
#define ASIF_CHECK_LARGEST "largest"

/* Why a family was not judged: only one action is ever followed by another. */
#define ASIF_CHECK_ONE_FOLLOWED "one_followed"

/* A family of checks, judged as one. */
typedef struct {
    asif_check_kind kind;
    double p;        /* of the largest standardised difference, against that of replicates; NaN without */
    bool judged;     /* false: `why` says why not, and nothing of it counts as missed */
    bool missed;     /* some cell is */
    const char *why; /* NULL: it was judged */
    const char
        *why_code;   /* ASIF_CHECK_ONE_FOLLOWED, which reveals a small count; NULL: another reason, or none */
    uint32_t groups; /* 0: it was left out */
    const asif_check_group *group;
    /* For the environment: among actions that end nothing, the share whose successor is not known. */
    double unseen;
    double impossible; /* of the environment: how often something followed that it does not allow */
    uint64_t subjects; /* of subjects: how many there are */
    uint64_t apart;    /* of subjects: those that stand out by themselves, at the level of a family */
} asif_check_family;

/* A number that is missed. */
typedef struct {
    uint32_t family, group, cell;
} asif_check_miss;

/* The result; immutable. */
typedef struct asif_predictive_checks asif_predictive_checks;

/* What it holds, borrowed. */
typedef struct {
    size_t struct_size;
    uint32_t families;
    const asif_check_family *family;
    uint32_t misses;
    const asif_check_miss *miss;           /* those that concern most decisions first */
    uint32_t draws, replicates, simulated; /* that were used */
    bool maximum;                          /* there are no draws: the agent is that of the maximum */
    double level; /* of a family: ASIF_CHECK_P over the number of those that are judged; NaN: none is */
} asif_predictive_checks_view;

/*
 * Check a fit against its logs.
 *
 * @param out   Owned by the caller; NULL on failure. Borrows `fitted`'s context, setting and tree.
 * @param fitted     With a tree, and draws or a maximum.
 * @param options    NULL: the defaults.
 * @param error May be NULL.
 * @return ASIF_OK, also where something is missed; ASIF_EUNSET (no logs, or neither draws nor maximum),
 * ASIF_EDOMAIN, ASIF_EINVALID, ASIF_ENOMEM or ASIF_ECANCELLED.
 *
 * Cost: for each draw a solution and a likelihood, and the simulation of as many episodes as there are in the
 * logs; for each replicate a walk over the tree. The same bits for any number of threads.
 */
asif_status asif_predictive_checks_run(asif_predictive_checks **out, const asif_fitted *fitted,
                                       const asif_predictive_checks_options *options, asif_error *error);
/* Free; NULL is allowed. */
void asif_predictive_checks_free(asif_predictive_checks *checks);
/* @param view Its struct_size must be set. */
asif_status asif_predictive_checks_get(const asif_predictive_checks *checks,
                                       asif_predictive_checks_view *view, asif_error *error);
/* What the checks have against the numbers of the fit: ASIF_DOUBT_NONE, ASIF_DOUBT_SUBJECTS or
 * ASIF_DOUBT_MISFIT. */
asif_doubt asif_predictive_checks_doubt(const asif_predictive_checks *checks);
/* All of it as JSON. @param out Text, owned by the caller (asif_memory_free()). */
asif_status asif_predictive_checks_json(char **out, const asif_predictive_checks *checks, asif_error *error);

#define ASIF_CHECK_KINDS 8
#define ASIF_CHECK_LENGTHS_KEPT 64 /* lengths of episodes that are counted separately while simulating */
#define ASIF_CHECK_CUT 0.01 /* share of unknown ends above which nothing is concluded from what is known */
#define ASIF_CHECK_MOST_COUNTS 20000000u /* numbers that replicates may take */
/* Tells of small counts: a page that withholds those finds it by these words. */

/* A family while it is made: groups and cells are owned. */
typedef struct {
    asif_check_family view;
    asif_check_group *group;
    asif_check_cell *cell;
    double *stands_out; /* [subjects]: p-values of each, ascending; NULL: not of subjects */
} asif_check_made;

struct asif_predictive_checks {
    const asif_context *context;
    const asif_setting *setting;
    const asif_tree *tree;
    asif_predictive_checks_view view;
    asif_check_made made[ASIF_CHECK_KINDS];
    asif_check_family family[ASIF_CHECK_KINDS]; /* what `made` shows */
    asif_check_miss *miss;
};

/* The next family, without groups. */
asif_check_made *asif_check_add(asif_predictive_checks *checks, asif_check_kind kind);
/* Room for groups, all with nothing that applies; each is to have `cells` cells. */
asif_status asif_check_groups(asif_predictive_checks *checks, asif_check_made *family, uint32_t groups,
                              uint32_t cells, asif_error *error);

/* Whether any family was judged. */
bool asif_predictive_checks_judged(const asif_predictive_checks *checks);

/* ---- what is being checked ---- */

typedef struct {
    asif_predictive_checks *checks;
    const asif_fitted *fitted;
    asif_predictive_checks_options options;
    const asif_tree_view *tree;
    const asif_setting_spec *spec;
    double *decisions;     /* [nodes] */
    double *followed;      /* [nodes][actions]: decisions at the nodes below */
    double *followed_seen; /* [nodes][actions]: those where something was seen on the way */
    double *unseen; /* [actions]: share of decisions, among those that others followed, after which nothing
                       was seen */
    bool whole;     /* counts are whole numbers: there are replicates */
    bool begun;     /* something was seen before the first action */
    uint32_t points;
    double *x; /* [points][dimension] */
    uint32_t times, simulated;
    double *lengths; /* [simulated][ASIF_CHECK_LENGTHS_KEPT + 2], see predictive_checks_lengths.c */
} asif_checking;

/* ---- predictive_checks_draw.c: counts at random ---- */

/* Successes of n trials, exact for n < 2^52; takes numbers of the stream from *counter on. */
double asif_check_binomial(const asif_stream *stream, uint32_t *counter, double n, double p);
/* How n fall on `sorts` with probabilities p, which sum to 1. */
void asif_check_multinomial(const asif_stream *stream, uint32_t *counter, double n, const double *p,
                            uint32_t sorts, double *drawn);

/* ---- predictive_checks_judge.c: observed against replicates ---- */

typedef struct {
    const asif_context *context;
    uint32_t points, times; /* replicates of each point */
    uint64_t cells, groups;
    double *observed, *expected, *variance; /* [points][cells] */
    double *size;                           /* [points][groups] */
    double *replicate;                      /* [points * times][cells] */
} asif_check_table;

/* `times` is lowered where the replicates would take too much. */
asif_status asif_check_table_create(asif_check_table *out, const asif_context *context, uint32_t points,
                                    uint32_t times, uint64_t cells, uint64_t groups, asif_error *error);
void asif_check_table_free(asif_check_table *table);
/* Numbers and p-values of a family whose groups and cells begin there in the table. Differences are
 * standardised by sqrt(variance + slack). */
asif_status asif_check_judge(asif_check_made *family, const asif_check_table *table, uint64_t first_group,
                             uint64_t first_cell, double slack, asif_error *error);
/* Cells that are missed, of all families, worst first. */
asif_status asif_check_find_misses(asif_predictive_checks *checks, asif_error *error);

/* ---- predictive_checks_groups.c: which decisions belong together ---- */

typedef struct {
    asif_check_made *family;
    uint32_t *of; /* [nodes]: group, ASIF_ANY: none. NULL: by belief, which depends on the draw */
    uint64_t first_group, first_cell;
} asif_check_grouping;

/* All conditional families. `out` has room for ASIF_CHECK_KINDS; `of` of each is the caller's. */
asif_status asif_check_grouping_make(asif_check_grouping *out, uint32_t *count, const asif_checking *c,
                                     asif_error *error);
/* Bin of a belief. */
uint32_t asif_check_bin(const double *belief, uint32_t states, uint32_t bins);

/* ---- predictive_checks_agent.c ---- */
/* Conditional families, and the simulated logs. */
asif_status asif_check_agent(asif_checking *c, asif_error *error);

/* ---- predictive_checks_lengths.c ---- */
/* Whether episodes are to be simulated: NULL, or why not; how long they may get. */
const char *asif_check_lengths_refuse(const asif_checking *c, uint32_t *max_steps);
/* Lengths and different histories of a tree, [ASIF_CHECK_LENGTHS_KEPT + 2]. */
void asif_check_lengths_of(const asif_tree_view *tree, double *row);
asif_status asif_check_lengths(asif_checking *c, const char *refused, asif_error *error);

/* ---- predictive_checks_environment.c ---- */
asif_status asif_check_environment(asif_checking *c, asif_error *error);

/* ---- predictive_checks_subjects.c ---- */
asif_status asif_check_subjects(asif_checking *c, asif_error *error);

/* ---- predictive_checks_json.c ---- */
/* As a member of an object; `brief`: of the groups only those in which something is missed. NULL is null. */
void asif_predictive_checks_write(asif_json *json, const char *key, const asif_predictive_checks *checks,
                                  bool brief);

#endif
