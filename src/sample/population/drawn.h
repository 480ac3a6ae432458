/* Populations from their prior, and units from a population: for simulations whose truth is known. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_DRAWN_H
#define ASIF_SRC_SAMPLE_POPULATION_DRAWN_H

#include "sample/population/normal.h"

/* Draw phi [asif_population_numbers()] of one kind without effects from its prior; the same seed gives the
 * same phi. */
void asif_population_invent(const asif_normal_population *population, uint64_t seed, double *phi);
/* Draw unit number `unit` of such a population: x [d]. */
void asif_population_invent_unit(const asif_normal_population *population, const double *phi, uint64_t seed,
                                 uint64_t unit, double *x);

#endif
