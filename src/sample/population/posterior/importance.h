/* Draws from the posterior of a population's numbers by importance sampling, from mixtures of Student t's
 * that follow the posterior stage by stage (adaptive multiple importance sampling: Cornuet, Marin, Mira and
 * Robert, 2012). The points of all stages count, each over the density of all of them together. Evaluations
 * are few and come in batches, where those of NUTS come one after another. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_POSTERIOR_IMPORTANCE_H
#define ASIF_SRC_SAMPLE_POPULATION_POSTERIOR_IMPORTANCE_H

#include "sample/population/population.h"

/* Fill phi, carried, khat and kish of the fit, from its maximum and covariance. *good: the weights can be
 * trusted; else phi and carried are undefined. ASIF_ECANCELLED, ASIF_ENOMEM. */
asif_status asif_population_importance(asif_population_fit *fit, asif_marginal_work *work, uint64_t seed,
                                       bool *good, asif_error *error);

#endif
