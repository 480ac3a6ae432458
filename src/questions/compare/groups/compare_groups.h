/* The inside of contrasts, and the pieces that make them. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_GROUPS_COMPARE_GROUPS_H
#define ASIF_SRC_QUESTIONS_COMPARE_GROUPS_COMPARE_GROUPS_H

#include "questions/question.h"

/* One of the fits to be compared; borrowed during asif_compare_groups_run(). */
typedef struct {
    size_t struct_size;
    const char *name;          /* of the group */
    const asif_fitted *fitted; /* with its tree */
    bool trusted;              /* whether its computation can be trusted */
    bool missed;               /* predictive checks found something that its model misses */
    bool likelihood;           /* its maximum is that of the likelihood, without the prior */
    const char *people;        /* digest of asif_tree_by_subject(): groups with the same number their subjects
                                  alike; NULL: not known */
} asif_compare_groups_group;

/* How to compare. */
typedef struct {
    size_t struct_size;
    uint32_t first;     /* group that all others are compared with, default 0 */
    uint32_t draws;     /* of each fit whose behaviour is simulated, default 500 */
    uint64_t episodes;  /* simulated for a draw in each start class, default 1000; at least 2 */
    uint32_t max_steps; /* of a simulated episode; 0: 1000 where an action ends episodes, else as long as
                           those of the logs are on average */
    uint64_t seed;
    const char *title;  /* of the study; NULL: none */
    const char *column; /* column that defines the groups; NULL: none */
    bool numbers_only;  /* leave out what they do: nothing is simulated */
} asif_compare_groups_options;
#define ASIF_COMPARE_GROUPS_OPTIONS_INIT                                                                     \
    { sizeof(asif_compare_groups_options), 0, 500, 1000, 0, 0, NULL, NULL, false }

/* Contrasts between groups; immutable. */
typedef struct asif_compare_groups asif_compare_groups;

/*
 * Compare every group with one of them: what they do, simulated in the environment, each with its own case
 * mix and all with the pooled one; the same by start class; and their parameters. Every draw of one fit meets
 * every draw of the other, so that each contrast has a median, a 90 % interval and a probability. Fits
 * without draws have only the difference. A contrast is called a difference where its probability is at least
 * .99 either way after Holm's adjustment over its table.
 *
 * Where subjects have several episodes (the tree is one of asif_tree_by_subject()), a contrast is judged
 * against the spread between subjects: its standard error is clustered by subject (a one-step jackknife over
 * subjects of the maximum, delta method), or that of independent episodes if this is larger, its distribution
 * a t with Welch's degrees of freedom. A subject who is in both groups counts as a pair where `people` tells.
 * Fits without draws then have intervals, too. A group of one subject stands for this person.
 *
 * Behaviour is left out, with the reason, where actions or start classes are not the same in all settings;
 * case mixes are where the tree does not keep start classes (states that are seen).
 *
 * @param out   Owned by the caller; NULL on failure.
 * @param group      [groups].
 * @param groups     At least 2.
 * @param options    NULL: the defaults.
 * @param error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (options, fewer than two groups), ASIF_EUNSET (a fit with neither draws nor a
 * maximum), ASIF_EUNSUPPORTED (values that overflow), ASIF_EZEROPR, ASIF_ENOMEM or ASIF_ECANCELLED.
 *
 * Cost: groups * draws solves (and 2 * dimension more with ten times the episodes, where subjects are known)
 * and groups * start classes * draws * episodes simulated episodes, by the threads of the first group's
 * context; the result is the same for any number of them.
 *
 * Holm (1979), A simple sequentially rejective multiple test procedure. Bell and McCaffrey (2002), Bias
 * reduction in standard errors for linear regression with multi-stage samples.
 */
asif_status asif_compare_groups_run(asif_compare_groups **out, const asif_compare_groups_group *group,
                                    uint32_t groups, const asif_compare_groups_options *options,
                                    asif_error *error);
/* Free; NULL is allowed. */
void asif_compare_groups_free(asif_compare_groups *contrast);
/* All of it as JSON. @param out Text, owned by the caller (asif_memory_free()). @return ASIF_OK or
 * ASIF_ENOMEM. */
asif_status asif_compare_groups_json(char **out, const asif_compare_groups *contrast, asif_error *error);

/* For people, from the JSON. */
asif_question_teller asif_report_compare_groups;

#define ASIF_COMPARE_GROUPS_TAIL                                                                             \
    0.01 /* a difference is told where no more than this is on the other side                                \
          */

/* One number of one group, and its difference to that of the first. NaN: not known. */
typedef struct {
    bool there;              /* the group has such a number */
    double observed;         /* in the logs */
    double q05, q50, q95;    /* of the fitted agent */
    asif_identified verdict; /* of a parameter */
    bool compared;           /* the next are known */
    double d05, d50, d95;    /* of this minus the first */
    double larger;           /* probability that this is the larger */
    double tail;             /* on the other side, after Holm's adjustment */
    double error, degrees; /* standard error between subjects, and its degrees of freedom; NaN: not judged by
                              subjects */
    bool differs;
    uint32_t same_as; /* row that has the same contrast, but perhaps for its sign; ASIF_ANY: none */
} asif_compare_groups_cell;

typedef struct {
    uint32_t rows, groups;
    asif_compare_groups_cell *cell; /* [rows][groups] */
} asif_compare_groups_table;

/* What is not the same in the studies of a group and the first. */
typedef struct {
    uint32_t group;
    bool environment;          /* of the environment, which changes what is simulated; else of the agent */
    char *what, *first, *here; /* the last two may be NULL */
} asif_compare_groups_given;

/* What a difference is judged against. */
typedef enum {
    ASIF_SPREAD_EPISODES, /* each subject has one episode */
    ASIF_SPREAD_SUBJECTS,
    ASIF_SPREAD_ONE,    /* one subject: the group is this person */
    ASIF_SPREAD_UNKNOWN /* it is not known whose the episodes are: as if each were somebody else's */
} asif_spread_kind;

/* How each subject of a group moves its estimates, which is what the spread between subjects is known from.
 */
typedef struct {
    asif_spread_kind kind;
    uint64_t subjects; /* 0: not known */
    uint64_t shared;   /* of these, in the first group too */
    uint32_t dimension;
    bool located;       /* covariance is known */
    double *covariance; /* [dimension][dimension]: from the curvature at the maximum */
    double *influence;  /* [subjects][dimension]: by how much the estimates would fall without the subject;
                           NULL: none */
    uint64_t *person;   /* [subjects]: numbers that are the same in groups of the same logs */
    double *axis;       /* [dimension][dimension]: principal axes of the spread between subjects, a standard
                           deviation long; NULL: none */
} asif_spread;

typedef struct {
    char *name;
    bool trusted, drawn, missed;
    bool able; /* fitted by a likelihood, with a maximum */
    asif_spread spread;
    double episodes, decisions; /* weight; NaN: not known */
    double *share;              /* [classes]: of its episodes; NaN: not known */
} asif_compare_groups_info;

struct asif_compare_groups {
    const asif_context *context;
    asif_compare_groups_options options; /* title and column are those of the caller */
    char *title, *column;
    uint32_t groups, first;
    asif_compare_groups_info *group;
    bool people_known; /* groups number their subjects in the same way: one who is in two of them is known */
    uint64_t givens, given_room;
    asif_compare_groups_given *given;
    /* parameters: reported numbers of the first group */
    char **number, **parameter, **label;
    uint32_t numbers;
    asif_compare_groups_table parameters;
    /* behaviour */
    const char *silent; /* why there is none; NULL: there is */
    uint32_t measures, classes, actions;
    char **action;
    char **class_name, *class_column; /* NULL: one class without a name */
    double *pooled;                   /* [classes]; NaN: not known */
    asif_compare_groups_table own,
        same; /* as each group had its cases; with the pooled mix: no rows where there is one class */
    asif_compare_groups_table *by_class; /* [classes]; NULL where there is one */
};

/* ---- compare_groups_pairs.c ---- */
/* Quantile p of a - b over all pairs; both sorted. O((na + nb) log(1/precision)). */
double asif_pairs_quantile(const double *a, uint64_t na, const double *b, uint64_t nb, double p);
/* Probability that a is larger than b, ties by half. */
double asif_pairs_larger(const double *a, uint64_t na, const double *b, uint64_t nb);
/* Draws of a mean without the luck of its simulation, into `out`. Each draw was simulated twice, so that the
 * covariance of the two is the variance between draws; the spread around the mean is scaled to that, plus one
 * standard error of it. */
void asif_pairs_denoise(double *out, const double *one, const double *two, uint64_t n);
double asif_pairs_variance(const double *value, uint64_t n);
/* Sorts `value` [n]. */
void asif_pairs_sort(double *value, uint64_t n);
/* Contrast of sorted draws; with `drawn` false there is only the difference of two numbers. */
void asif_pairs_contrast(asif_compare_groups_cell *cell, const double *here, uint64_t n, const double *first,
                         uint64_t n_first, bool drawn);
/* Which contrasts of a table differ, by Holm's procedure over all of them. Those that are the same number
 * twice, or always 0, count once or not at all. */
asif_status asif_pairs_judge(asif_compare_groups_table *table, const asif_context *context,
                             asif_error *error);

/* ---- compare_groups.c ---- */
/* -1 where what is estimated is the logarithm of a parameter below 0. */
double asif_compare_groups_sign(const asif_fitted *fitted, const char *parameter);

/* ---- compare_groups_subjects.c ---- */
/* Finds the spread of every group, where one of them has subjects with several episodes. */
asif_status asif_spread_find(asif_compare_groups *contrast, const asif_compare_groups_group *group,
                             asif_error *error);
void asif_spread_free(asif_spread *spread, const asif_context *context);
/* A number of a group: how it moves with the coordinates, and its variance if episodes were independent. */
typedef struct {
    const double *slope; /* [dimension] */
    double variance;
} asif_spread_number;
/* Judges the difference of a number by subjects: interval and probability are those of a t with a standard
 * error clustered by subject, never smaller than that of independent episodes. Subjects in both groups are
 * paired. Leaves the cell as it is where neither group has several episodes a subject. */
void asif_spread_judge(asif_compare_groups_cell *cell, const asif_compare_groups *contrast, uint32_t group,
                       const asif_spread_number *here, const asif_spread_number *first);
/* Slopes of all reported numbers, as a reader knows them, at the maximum: `slope` [numbers][dimension]. */
asif_status asif_spread_slopes(double *slope, const asif_fitted *fitted, asif_error *error);
/* The slope of what was computed a standard deviation away from the maximum along the axes: `low` and `high`
 * [dimension]. */
void asif_spread_along(double *slope, const asif_spread *spread, const double *low, const double *high);
/* Variance of a number by the curvature at the maximum. */
double asif_spread_variance(const asif_spread *spread, const double *slope);

/* ---- compare_groups_given.c ---- */
/* What differs between the studies of the groups and that of the first. */
asif_status asif_compare_groups_givens(asif_compare_groups *contrast, const asif_compare_groups_group *group,
                                       asif_error *error);

/* ---- compare_groups_measures.c ---- */
/* Simulates, and fills all tables of behaviour. */
asif_status asif_compare_groups_behaviour(asif_compare_groups *contrast,
                                          const asif_compare_groups_group *group, asif_error *error);

#endif
