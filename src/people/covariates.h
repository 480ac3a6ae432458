/* Covariates of units, as the columns of a regression: numbers in standard deviations from their mean,
 * labels as one column for each but the first, in natural order. Every such column has mean 0 over units, so
 * that the population's mean is that of these people. Groups have a column each, which is 1 for their units
 * and 0 for others: then the population's mean is that of the groups. */
#ifndef ASIF_SRC_PEOPLE_COVARIATES_H
#define ASIF_SRC_PEOPLE_COVARIATES_H

#include "asif/people.h"
#include "sample/population/normal.h"

typedef struct {
    const char *name;              /* of the covariate; borrowed, as are the next two */
    const char *level, *reference; /* this label is compared with that one; NULL: a number, or a group */
    double mean, sd;               /* that the column is centred and divided by; sd of labels: NaN */
    double share;                  /* of units that have the label; of numbers NaN */
} asif_design_column;

typedef struct {
    const asif_context *context;
    uint32_t columns, effects; /* 0: no covariates */
    uint32_t pools;            /* of the effects of groups */
    double *z;                 /* [units][columns] */
    asif_design_column column[ASIF_EFFECTS_MOST];
    asif_effect effect[ASIF_EFFECTS_MOST];
} asif_unit_design;

/* Columns that were made for other units. */
typedef struct {
    uint32_t columns;
    asif_design_column column[ASIF_EFFECTS_MOST];
} asif_design_columns;

/* Code the covariates that `effect` [effects] names: as in `given`, or if that is NULL, by their values in
 * the tree. ASIF_EUNKNOWN (a parameter that is not estimated, or a covariate that the tree does not have),
 * ASIF_EINVALID (missing values, equal ones, too many columns; values that the given columns do not have),
 * ASIF_ENOMEM. Call asif_unit_design_close() in any case. */
asif_status asif_unit_design_open(asif_unit_design *design, const asif_tree *tree,
                                  const asif_estimates *estimates, const asif_people_effect *effect,
                                  uint32_t effects, const asif_design_columns *given, asif_error *error);
void asif_unit_design_close(asif_unit_design *design);

#endif
