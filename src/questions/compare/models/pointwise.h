/* Units of logs, what each did, and how likely that is at every draw of a fit. */
#ifndef ASIF_SRC_QUESTIONS_COMPARE_MODELS_POINTWISE_H
#define ASIF_SRC_QUESTIONS_COMPARE_MODELS_POINTWISE_H

#include "asif/compare_models.h"

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
