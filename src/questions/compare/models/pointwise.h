/* Units of logs, what each did, and how likely that is at every draw of a fit. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_MODELS_POINTWISE_H
#define ASIF_SRC_QUESTIONS_COMPARE_MODELS_POINTWISE_H

#include "asif/fit.h"

/* ---- tables from elsewhere ---- */

/* What another model says of each unit; immutable. */
typedef struct asif_pointwise asif_pointwise;

/*
 * Read a table (CSV) of a model that was made elsewhere. Lines that begin with # are skipped. Either
 *
 * - one row a unit, with a column elpd_loo or elpd and, if there are, `unit` (its name), p_loo, and k (or
 * pareto_k, influence_pareto_k, as R's loo calls it); or
 * - one row a draw and one column a unit, log-likelihoods: those whose names begin with log_lik if there are
 * any (Stan's files), else all but .chain, .iteration, .draw, a column without a name, and those that end
 * with two underscores. Rows belong to chains by .chain; without it they count as independent.
 *
 * @param out   Owned by the caller; NULL on failure.
 * @param context    Borrowed for the life of the table.
 * @param path       "-" is standard input.
 * @param error May be NULL.
 * @return ASIF_OK, ASIF_EPARSE with the place, ASIF_EIO, ASIF_ETOOBIG or ASIF_ENOMEM.
 */
asif_status asif_pointwise_read(asif_pointwise **out, const asif_context *context, const char *path,
                                asif_error *error);
/* The same from text in memory. */
asif_status asif_pointwise_read_text(asif_pointwise **out, const asif_context *context, const char *text,
                                     uint64_t length, const char *name, asif_error *error);
/* Free; NULL is allowed. */
void asif_pointwise_free(asif_pointwise *table);

/* Arrays of a table, borrowed. */
typedef struct {
    size_t struct_size;
    uint64_t units;
    bool named;                 /* asif_pointwise_unit() gives names */
    uint32_t chains;            /* 0: elpd is given, there are no draws */
    uint64_t draws;             /* of a chain */
    bool independent;           /* the table does not say which draws belong to which chain */
    const double *value;        /* [units][chains][draws]: log-likelihoods; NULL: elpd is given */
    const double *elpd, *p, *k; /* [units]: given, p and k NaN where they are not; NULL: there are draws */
} asif_pointwise_view;
/* @param view Its struct_size must be set. */
asif_status asif_pointwise_get(const asif_pointwise *table, asif_pointwise_view *view, asif_error *error);
/* Name of a unit of the table, borrowed; NULL: it has none. */
const char *asif_pointwise_unit(const asif_pointwise *table, uint64_t unit);

/* ---- pointwise_units.c ---- */
/* Units that count, on the tree of only them. Those that did the same are of one kind. */
typedef struct {
    const asif_context *context;
    const asif_tree *logs; /* with all units, and their names */
    asif_tree *tree;
    uint64_t units;
    uint64_t *number;       /* [units]: which unit of the logs it is */
    uint64_t *begin;        /* [units + 1]: of its entries */
    uint32_t *node;         /* of `tree` */
    const uint32_t *action; /* borrowed from the logs, through `at` */
    uint64_t *at;           /* [entries]: which entry of the logs it is */
    const double *count;
    uint64_t kinds;
    uint64_t *kind;    /* [units] */
    uint64_t *example; /* [kinds]: a unit of it */
} asif_units;

/* `chosen` [units of the logs] or NULL. asif_units_free() whether it fails or not. */
asif_status asif_units_create(asif_units *out, const asif_tree *logs, const bool *chosen, asif_error *error);
void asif_units_free(asif_units *units);
const char *asif_units_name(const asif_units *units, uint64_t unit);
/* Whether these are the decisions that another tree counts. */
bool asif_units_agree(const asif_units *units, const asif_tree *tree);

/* ---- pointwise_draws.c ---- */
/* Log-likelihood of what each kind of unit did at the levels [from, to) of the tree, [kinds][chains][draws].
 * ASIF_EDOMAIN where it is not finite. */
asif_status asif_pointwise_draws(double *value, const asif_fitted *fitted, const asif_draws *draws,
                                 const asif_units *units, uint32_t from, uint32_t to, asif_error *error);

/* ---- pointwise_table.c ---- */
/* An error's place: where a unit of a table is named (or stands). */
void asif_pointwise_at(const asif_pointwise *table, uint64_t unit, asif_error *error);
/* Which unit of the table each unit of the logs is, `match` [units]: by name, else by order. */
asif_status asif_pointwise_match(uint64_t *match, const asif_pointwise *table, const asif_units *units,
                                 asif_error *error);

#endif
