/* The marginal likelihood of a population whose mean depends on covariates: see marginal.h, which calls this.
 * Each group of rows with equal covariates has weights of its own. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_SHIFTED_H
#define ASIF_SRC_SAMPLE_POPULATION_SHIFTED_H

#include "sample/population/marginal.h"

/* What evaluations need in addition. */
typedef struct asif_shifted_work {
    asif_single_points points;
    asif_single_population at[ASIF_POPULATIONS];
    const float *plus; /* [points]: -log q, also of the points that are left out: `without` */
    float *kept;       /* [points]: the same, where points are left out */
    uint32_t workers;
    float *weight;   /* [workers][ASIF_POPULATIONS][points] */
    float *pull;     /* [workers][points] */
    double *moment;  /* [groups][1 + d]: sum_a g_a (1, u_a) */
    double *least;   /* [slots][ASIF_POPULATIONS]: effective points of the group with the fewest */
    uint64_t *few;   /* [slots][ASIF_POPULATIONS]: that group */
    uint64_t worst;  /* the same of all groups, for the first population that was evaluated last */
    bool with_units; /* else effective numbers alone are wanted */
} asif_shifted_work;

/* As asif_marginal_work_open() and asif_marginal_work_close(). */
asif_status asif_shifted_open(asif_marginal_work *work, asif_error *error);
void asif_shifted_close(asif_marginal_work *work);
/* As asif_marginal_at_many() of at most ASIF_POPULATIONS, asif_marginal_at() and asif_marginal_effective(),
 * which leaves its numbers in `work`. */
void asif_shifted_at(asif_marginal_work *work, const double *phi, uint32_t count, double *value);
double asif_shifted_slope(asif_marginal_work *work, const double *phi, double *gradient);
void asif_shifted_effective(asif_marginal_work *work, const double *phi, uint32_t count);

#endif
