/* Comparison of groups: contrasts of every group with the first, in parameters and behaviour. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_GROUPS_COMPARE_GROUPS_H
#define ASIF_SRC_QUESTIONS_COMPARE_GROUPS_COMPARE_GROUPS_H

#include "questions/question.h"

/* A fit to be compared; borrowed during asif_compare_groups_run(). */
typedef struct {
    size_t struct_size;
    const char *name;          /* name of the group */
    const asif_fitted *fitted; /* fit, with its tree */
    bool trusted;              /* whether the computation can be trusted */
    bool missed;               /* whether predictive checks found something that the model misses */
    bool doubted;              /* whether some number has a doubt other than other assumptions */
    bool likelihood;           /* whether the maximum is that of the likelihood, without the prior */
    /* Digest of asif_tree_by_subject(): groups with the same digest number their subjects alike; NULL: not
     * known. */
    const char *people;
} asif_compare_groups_group;

/* Options of the comparison. */
typedef struct {
    size_t struct_size;
    uint32_t first;    /* index of the group with which all others are compared; default 0 */
    uint32_t draws;    /* draws of each fit whose behaviour is simulated; default 500 */
    uint64_t episodes; /* episodes simulated for each draw and start class, at least 2; default 1000 */
    /* Longest simulated episode; 0: 1000 if an action ends episodes, else the mean length in the logs. */
    uint32_t max_steps;
    uint64_t seed;
    const char *title;  /* title of the study; NULL: none */
    const char *column; /* column that defines the groups; NULL: none */
    bool numbers_only;  /* leave out behaviour, so that nothing is simulated */
} asif_compare_groups_options;
#define ASIF_COMPARE_GROUPS_OPTIONS_INIT                                                                     \
    { sizeof(asif_compare_groups_options), 0, 500, 1000, 0, 0, NULL, NULL, false }

/* The contrasts between groups; immutable. */
typedef struct asif_compare_groups asif_compare_groups;

/*
 * Compare every group with one of them: their behaviour, simulated in the environment, with the shares of
 * start classes of each group, with those of all groups together, and by start class; and their parameters.
 * Every draw of one fit is paired with every draw of the other, so that each contrast has a median, a 90 %
 * interval and a probability. Fits without draws have only the difference. A contrast is called a difference
 * if its probability is at least .99 either way, after Holm's adjustment over its table.
 *
 * If subjects have several episodes (the tree is one of asif_tree_by_subject()), a contrast is judged against
 * the spread between subjects: its standard error is clustered by subject (a one-step jackknife of the
 * maximum over subjects, delta method), or that of independent episodes if this is larger, and its
 * distribution is a t with Welch's degrees of freedom. A subject who is in both groups counts as a pair, if
 * `people` shows it. Fits without draws then have intervals too. A group of one subject represents only this
 * person.
 *
 * Behaviour is left out, with the reason, if actions or start classes are not the same in all settings.
 * Shares of start classes are left out if the tree does not keep them (where states are seen).
 *
 * @param out   Owned by the caller; NULL on failure.
 * @param group      [groups].
 * @param groups     At least 2.
 * @param options    NULL: the defaults.
 * @param error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (options, fewer than two groups), ASIF_EUNSET (a fit with neither draws nor a
 * maximum), ASIF_EUNSUPPORTED (values that overflow), ASIF_EZEROPR, ASIF_ENOMEM or ASIF_ECANCELLED.
 *
 * Cost: groups * draws solves (and 2 * dimension more, with ten times the episodes, if subjects are known)
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
/* Write everything as JSON. @param out Text, owned by the caller (asif_memory_free()). @return ASIF_OK or
 * ASIF_ENOMEM. */
asif_status asif_compare_groups_json(char **out, const asif_compare_groups *contrast, asif_error *error);

/* Writes the answer as text for people, from its JSON. */
asif_question_teller asif_report_compare_groups;

/* Largest probability of the other sign at which a contrast is called a difference. */
#define ASIF_COMPARE_GROUPS_TAIL 0.01

/* A number of a group, and its difference from that of the first group. NaN: not known. */
typedef struct {
    bool there;              /* whether the group has such a number */
    double observed;         /* value in the logs */
    double q05, q50, q95;    /* quantiles for the fitted agent */
    asif_identified verdict; /* of a parameter: whether it is identified */
    bool compared;           /* whether the following are known */
    double d05, d50, d95;    /* quantiles of the difference: this group minus the first */
    double larger;           /* probability that this group's number is larger */
    double tail;             /* probability of the other sign, after Holm's adjustment */
    /* Standard error between subjects, and its degrees of freedom; NaN: not judged by subjects. */
    double error, degrees;
    bool differs;
    uint32_t same_as; /* row with the same contrast, up to its sign; ASIF_ANY: none */
} asif_compare_groups_cell;

typedef struct {
    uint32_t rows, groups;
    asif_compare_groups_cell *cell; /* [rows][groups] */
} asif_compare_groups_table;

/* A difference between the studies of a group and the first. */
typedef struct {
    uint32_t group;
    /* Whether it is in the environment, which changes simulations; else it is in the agent. */
    bool environment;
    char *what, *first, *here; /* the last two may be NULL */
} asif_compare_groups_given;

/* The spread against which a difference is judged. */
typedef enum {
    ASIF_SPREAD_EPISODES, /* each subject has one episode */
    ASIF_SPREAD_SUBJECTS,
    ASIF_SPREAD_ONE,    /* one subject: the group is this person */
    ASIF_SPREAD_UNKNOWN /* subjects are not known: each episode counts as one of a different person */
} asif_spread_kind;

/* The influence of each subject on the estimates of a group, from which the spread between subjects
 * follows. */
typedef struct {
    asif_spread_kind kind;
    uint64_t subjects; /* 0: not known */
    uint64_t shared;   /* number of these that are also in the first group */
    uint32_t dimension;
    bool located;       /* whether the covariance is known */
    double *covariance; /* [dimension][dimension]: from the curvature at the maximum */
    /* [subjects][dimension]: decrease of the estimates without the subject; NULL: none. */
    double *influence;
    uint64_t *person; /* [subjects]: numbers of the persons, the same in all groups of the same logs */
    /* [dimension][dimension]: principal axes of the spread between subjects, each one standard deviation
     * long; NULL: none. */
    double *axis;
} asif_spread;

typedef struct {
    char *name;
    bool trusted, drawn, missed, doubted;
    bool able; /* whether it was fitted by a likelihood and has a maximum */
    asif_spread spread;
    double episodes, decisions; /* weights; NaN: not known */
    double *share;              /* [classes]: shares of the start classes; NaN: not known */
} asif_compare_groups_info;

struct asif_compare_groups {
    const asif_context *context;
    asif_compare_groups_options options; /* title and column are the caller's */
    char *title, *column;
    uint32_t groups, first;
    asif_compare_groups_info *group;
    /* Whether groups number their subjects alike, so that persons in two groups are recognised. */
    bool people_known;
    uint64_t givens, given_room;
    asif_compare_groups_given *given;
    /* Parameters: the reported numbers of the first group. */
    char **number, **parameter, **label;
    uint32_t numbers;
    asif_compare_groups_table parameters;
    /* Behaviour. */
    const char *silent; /* why there is none; NULL: there is */
    uint32_t measures, classes, actions;
    char **action;
    char **class_name, *class_column; /* NULL: there is one class without a name */
    double *pooled;                   /* [classes]: shares in all groups together; NaN: not known */
    /* With each group's own shares of classes; with the pooled shares (no rows if there is one class). */
    asif_compare_groups_table own, same;
    asif_compare_groups_table *by_class; /* [classes]; NULL if there is only one */
};

/* ---- compare_groups_pairs.c ---- */
/* The quantile p of a - b over all pairs; both are sorted. Cost: O((na + nb) log(1/precision)). */
double asif_pairs_quantile(const double *a, uint64_t na, const double *b, uint64_t nb, double p);
/* The probability that a is larger than b; ties count half. */
double asif_pairs_larger(const double *a, uint64_t na, const double *b, uint64_t nb);
/* Remove the noise of simulation from draws of a mean. Each draw was simulated twice, so the covariance of
 * the two is the variance between draws; the spread around the mean is scaled to it, plus one standard
 * error. */
void asif_pairs_denoise(double *out, const double *one, const double *two, uint64_t n);
double asif_pairs_variance(const double *value, uint64_t n);
/* Sort `value` [n]. */
void asif_pairs_sort(double *value, uint64_t n);
/* Compute the contrast of sorted draws; if not `drawn`, only the difference of two numbers. */
void asif_pairs_contrast(asif_compare_groups_cell *cell, const double *here, uint64_t n, const double *first,
                         uint64_t n_first, bool drawn);
/* Decide which contrasts of a table differ, by Holm's procedure over all of them. Contrasts that repeat
 * another count once; those that are always 0 do not count. ASIF_ENOMEM. */
asif_status asif_pairs_judge(asif_compare_groups_table *table, const asif_context *context,
                             asif_error *error);

/* ---- compare_groups.c ---- */
/* The sign of a parameter whose logarithm is estimated: -1 if the parameter is below 0. */
double asif_compare_groups_sign(const asif_fitted *fitted, const char *parameter);

/* ---- compare_groups_subjects.c ---- */
/* Find the spread of every group, if one of them has subjects with several episodes. ASIF_ENOMEM,
 * ASIF_ECANCELLED, or as a likelihood fails. */
asif_status asif_spread_find(asif_compare_groups *contrast, const asif_compare_groups_group *group,
                             asif_error *error);
void asif_spread_free(asif_spread *spread, const asif_context *context);
/* A number of a group: its derivatives in the coordinates, and its variance if episodes were independent. */
typedef struct {
    const double *slope; /* [dimension] */
    double variance;
} asif_spread_number;
/* Judge the difference of a number by subjects: interval and probability are those of a t distribution with a
 * standard error clustered by subject, never smaller than that of independent episodes. Subjects in both
 * groups are paired. The cell is unchanged if no subject of either group has several episodes. */
void asif_spread_judge(asif_compare_groups_cell *cell, const asif_compare_groups *contrast, uint32_t group,
                       const asif_spread_number *here, const asif_spread_number *first);
/* Compute the derivatives of all reported numbers, on the scale that readers know, at the maximum: `slope`
 * [numbers][dimension]. */
asif_status asif_spread_slopes(double *slope, const asif_fitted *fitted, asif_error *error);
/* Compute derivatives from values at one standard deviation from the maximum along the axes: `low` and `high`
 * [dimension]. */
void asif_spread_along(double *slope, const asif_spread *spread, const double *low, const double *high);
/* The variance of a number from the curvature at the maximum. */
double asif_spread_variance(const asif_spread *spread, const double *slope);

/* ---- compare_groups_given.c ---- */
/* Find the differences between the studies of the groups and that of the first. ASIF_ENOMEM. */
asif_status asif_compare_groups_givens(asif_compare_groups *contrast, const asif_compare_groups_group *group,
                                       asif_error *error);

/* ---- compare_groups_measures.c ---- */
/* Simulate the groups, and fill all tables of behaviour. Fails as asif_compare_groups_run() does. */
asif_status asif_compare_groups_behaviour(asif_compare_groups *contrast,
                                          const asif_compare_groups_group *group, asif_error *error);

#endif
