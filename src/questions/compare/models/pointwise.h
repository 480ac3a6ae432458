/* Units of logs, and the log-likelihood of each at every draw of a fit. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_MODELS_POINTWISE_H
#define ASIF_SRC_QUESTIONS_COMPARE_MODELS_POINTWISE_H

#include "asif/fit.h"

/* ---- tables of other models ---- */

/* The log-likelihoods or elpd of another model by unit; immutable. */
typedef struct asif_pointwise asif_pointwise;

/*
 * Read a table (CSV) of a model that was fitted elsewhere. Lines that begin with # are skipped. It has either
 *
 * - a row for each unit, with a column elpd_loo or elpd and perhaps `unit` (its name), p_loo, and k (or
 * pareto_k, influence_pareto_k, as R's loo calls it); or
 * - a row for each draw and a column of log-likelihoods for each unit: those whose names begin with log_lik
 * if there are any (Stan's files), else all but .chain, .iteration, .draw, a column without a name, and those
 * that end with two underscores. The column .chain assigns rows to chains; without it draws count as
 * independent.
 *
 * @param out   Owned by the caller; NULL on failure.
 * @param context    Borrowed for the life of the table.
 * @param path       "-" is standard input.
 * @param error May be NULL.
 * @return ASIF_OK, ASIF_EPARSE with the place, ASIF_EIO, ASIF_ETOOBIG or ASIF_ENOMEM.
 */
asif_status asif_pointwise_read(asif_pointwise **out, const asif_context *context, const char *path,
                                asif_error *error);
/* Read a table from text in memory, as asif_pointwise_read() does. */
asif_status asif_pointwise_read_text(asif_pointwise **out, const asif_context *context, const char *text,
                                     uint64_t length, const char *name, asif_error *error);
/* Free; NULL is allowed. */
void asif_pointwise_free(asif_pointwise *table);

/* A view of a table, borrowed. */
typedef struct {
    size_t struct_size;
    uint64_t units;
    bool named;          /* whether asif_pointwise_unit() has names */
    uint32_t chains;     /* 0: the table has elpd, and no draws */
    uint64_t draws;      /* draws of a chain */
    bool independent;    /* whether the table does not say which draws belong to which chain */
    const double *value; /* [units][chains][draws]: log-likelihoods; NULL: the table has elpd */
    /* [units]; p and k are NaN if they are not in the table; NULL: the table has draws. */
    const double *elpd, *p, *k;
} asif_pointwise_view;
/* Fill a view. @param view Its struct_size must be set. */
asif_status asif_pointwise_get(const asif_pointwise *table, asif_pointwise_view *view, asif_error *error);
/* The name of a unit of the table, borrowed; NULL: it has none. */
const char *asif_pointwise_unit(const asif_pointwise *table, uint64_t unit);

/* ---- pointwise_units.c ---- */
/* The units that count, on a tree of only these. Units with equal decisions are of one kind. */
typedef struct {
    const asif_context *context;
    const asif_tree *logs; /* with all units and their names; borrowed */
    asif_tree *tree;
    uint64_t units;
    uint64_t *number;       /* [units]: index of the unit in the logs */
    uint64_t *begin;        /* [units + 1]: first entry of each unit */
    uint32_t *node;         /* [entries]: node of `tree` */
    const uint32_t *action; /* actions of the logs' entries, borrowed; indexed by `at` */
    uint64_t *at;           /* [entries]: index of the entry in the logs */
    const double *count;
    uint64_t kinds;
    uint64_t *kind;    /* [units]: kind of each unit */
    uint64_t *example; /* [kinds]: first unit of each kind */
} asif_units;

/* Find the units; `chosen` is [units of the logs], or NULL for all. Call asif_units_free() in either case.
 * ASIF_EINVALID if there are fewer than two; ASIF_ENOMEM. */
asif_status asif_units_create(asif_units *out, const asif_tree *logs, const bool *chosen, asif_error *error);
void asif_units_free(asif_units *units);
const char *asif_units_name(const asif_units *units, uint64_t unit);
/* Whether these units have the decisions that another tree counts. */
bool asif_units_agree(const asif_units *units, const asif_tree *tree);

/* ---- pointwise_draws.c ---- */
/* Compute the log-likelihood of each kind of unit, for decisions at nodes with step[node] == only (`step`
 * NULL: all decisions): `value` [kinds][chains][draws]. ASIF_EDOMAIN if one is not finite. Cost: a solution
 * for every draw. */
asif_status asif_pointwise_draws(double *value, const asif_fitted *fitted, const asif_draws *draws,
                                 const asif_units *units, const uint32_t *step, uint32_t only,
                                 asif_error *error);

/* ---- pointwise_table.c ---- */
/* Set the place of an error to where a unit of the table is named (or stands). */
void asif_pointwise_at(const asif_pointwise *table, uint64_t unit, asif_error *error);
/* Find the unit of the table for each unit of the logs, `match` [units]: by name or, if none of the names is
 * in the logs, by order. ASIF_EINVALID if they do not match. */
asif_status asif_pointwise_match(uint64_t *match, const asif_pointwise *table, const asif_units *units,
                                 asif_error *error);

#endif
