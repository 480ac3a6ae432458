/* The units of a tree as rows of counts over (node, action). Units that decided alike, at the same histories
 * and as often, and have equal covariates, have equal rows: every row is kept once, with the number of its
 * units, since their likelihoods and posteriors are the same. */
#ifndef ASIF_SRC_PEOPLE_ROWS_H
#define ASIF_SRC_PEOPLE_ROWS_H

#include "asif/logs.h"

typedef struct {
    const asif_tree *tree; /* borrowed */
    uint64_t units, rows;
    uint64_t entries; /* of all different rows */
    uint64_t *unit;   /* [rows]: the first unit with this row */
    uint64_t *row;    /* [units] */
    uint64_t *same;   /* [rows]: number of units */
} asif_unit_rows;

/* `z` [units][columns] are covariates; NULL: none. `apart`: every unit has a row of its own. Rows are in the
 * order of their entries, so that rows near each other share nodes. ASIF_EINVALID if the tree has no units,
 * ASIF_ENOMEM. Call asif_unit_rows_close() in any case. Cost: sorting the units. */
asif_status asif_unit_rows_open(asif_unit_rows *rows, const asif_tree *tree, const double *z,
                                uint32_t columns, bool apart, asif_error *error);
void asif_unit_rows_close(asif_unit_rows *rows);

#endif
