/* Points near the posteriors of units that a table serves badly. Units whose posteriors are near each other
 * make a group, and share the points that it adds. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_UNITS_SERVE_H
#define ASIF_SRC_SAMPLE_POPULATION_UNITS_SERVE_H

#include "sample/population/units/weigh.h"

/* Units that are served badly, and their posteriors on the table as it is. */
typedef struct {
    uint64_t rows;
    double *effective;  /* [rows]: effective points; units with the fewest come first */
    double *mean;       /* [rows][dimension] */
    double *covariance; /* [rows][dimension][dimension] */
    bool *grouped;      /* [rows]: scratch */
} asif_unserved;

/* ASIF_ENOMEM. Call asif_unserved_close() in any case. */
asif_status asif_unserved_open(asif_unserved *unserved, const asif_context *context, uint64_t rows,
                               uint32_t dimension, asif_error *error);
void asif_unserved_close(asif_unserved *unserved, const asif_context *context);

/* Add points for groups of these units, to a table of at most `most_points`. `phi` is the population that
 * they come from. ASIF_ENOMEM, ASIF_EDOMAIN as asif_atoms_add(). */
asif_status asif_atoms_serve(asif_atoms *atoms, const asif_normal_population *population, const double *phi,
                             const asif_unserved *unserved, uint64_t most_points, asif_error *error);
/* The same for the rows that a population is fitted to, under its maximum: what the table knows badly of a
 * unit is an error of the population. */
asif_status asif_population_serve(asif_population_fit *fit, uint64_t most_points, asif_error *error);

#endif
