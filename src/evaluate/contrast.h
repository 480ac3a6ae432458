/* The inside of contrasts, and the pieces that make them. */
#ifndef ASIF_SRC_EVALUATE_CONTRAST_H
#define ASIF_SRC_EVALUATE_CONTRAST_H

#include "asif/contrast.h"

#define ASIF_CONTRAST_TAIL 0.01 /* a difference is told where no more than this is on the other side */

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
    bool differs;
    uint32_t same_as; /* row that has the same contrast, but perhaps for its sign; ASIF_ANY: none */
} asif_contrast_cell;

typedef struct {
    uint32_t rows, groups;
    asif_contrast_cell *cell; /* [rows][groups] */
} asif_contrast_table;

/* What is not the same in the studies of a group and the first. */
typedef struct {
    uint32_t group;
    bool environment;          /* of the environment, which changes what is simulated; else of the agent */
    char *what, *first, *here; /* the last two may be NULL */
} asif_contrast_given;

typedef struct {
    char *name;
    bool trusted, drawn;
    double episodes, decisions; /* weight; NaN: not known */
    double *share;              /* [classes]: of its episodes; NaN: not known */
} asif_contrast_info;

struct asif_contrast {
    const asif_context *context;
    asif_contrast_options options; /* title and column are those of the caller */
    char *title, *column;
    uint32_t groups, first;
    asif_contrast_info *group;
    uint64_t givens, given_room;
    asif_contrast_given *given;
    /* parameters: reported numbers of the first group */
    char **number, **parameter, **label;
    uint32_t numbers;
    asif_contrast_table parameters;
    /* behaviour */
    const char *silent; /* why there is none; NULL: there is */
    uint32_t measures, classes, actions;
    char **action;
    char **class_name, *class_column; /* NULL: one class without a name */
    double *pooled;                   /* [classes]; NaN: not known */
    asif_contrast_table own,
        same; /* as each group had its cases; with the pooled mix: no rows where there is one class */
    asif_contrast_table *by_class; /* [classes]; NULL where there is one */
};

/* ---- contrast_pairs.c ---- */
/* Quantile p of a - b over all pairs; both sorted. O((na + nb) log(1/precision)). */
double asif_pairs_quantile(const double *a, uint64_t na, const double *b, uint64_t nb, double p);
/* Probability that a is larger than b, ties by half. */
double asif_pairs_larger(const double *a, uint64_t na, const double *b, uint64_t nb);
/* Draws of a mean without the luck of its simulation, into `out`. Each draw was simulated twice, so that the covariance of the two
 * is the variance between draws; the spread around the mean is scaled to that, plus one standard error of it. */
void asif_pairs_denoise(double *out, const double *one, const double *two, uint64_t n);
/* Sorts `value` [n]. */
void asif_pairs_sort(double *value, uint64_t n);
/* Contrast of sorted draws; with `drawn` false there is only the difference of two numbers. */
void asif_pairs_contrast(asif_contrast_cell *cell, const double *here, uint64_t n, const double *first,
                         uint64_t n_first, bool drawn);
/* Which contrasts of a table differ, by Holm's procedure over all of them. Those that are the same number twice, or always 0, count once
 * or not at all. */
asif_status asif_pairs_judge(asif_contrast_table *table, const asif_context *context, asif_error *error);

/* ---- contrast_given.c ---- */
/* What differs between the studies of the groups and that of the first. */
asif_status asif_contrast_compare_given(asif_contrast *contrast, const asif_contrast_group *group,
                                        asif_error *error);

/* ---- contrast_conduct.c ---- */
/* Simulates, and fills all tables of behaviour. */
asif_status asif_contrast_behaviour(asif_contrast *contrast, const asif_contrast_group *group,
                                    asif_error *error);

#endif
