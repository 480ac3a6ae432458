/* Covariates of rows, and the weights of points under a population whose mean they move. Rows with equal
 * covariates are a group: they have the same weights.
 *
 * In a population without covariates all rows share one vector of weights. With them each group has its own,
 * w_ga = p(x_a | phi, z_g) / q(x_a), and they are computed anew in every evaluation, as many numbers as there
 * are likelihoods. So this is in single precision. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_COVARIATES_H
#define ASIF_SRC_SAMPLE_POPULATION_COVARIATES_H

#include "sample/population/densities.h"

typedef struct {
    const asif_context *context;
    uint32_t columns;
    uint64_t rows, groups;
    double *z;       /* [groups][columns] */
    double *size;    /* [groups]: units */
    uint64_t *first; /* [groups + 1]: rows of each group in the next array */
    uint64_t *row;   /* [rows] */
    uint64_t *group; /* [rows]: group of each row */
} asif_covariates;

/* Find the groups of rows with covariates z [rows][columns]; `times` [rows]: units of each row. ASIF_ENOMEM.
 * Call asif_covariates_close() in any case. Cost: sorting the rows. */
asif_status asif_covariates_open(asif_covariates *covariates, const asif_context *context, const double *z,
                                 uint64_t rows, uint32_t columns, const double *times, asif_error *error);
void asif_covariates_close(asif_covariates *covariates);
/* The mean [d] and covariance [d][d] of all units: those of the population where covariates are 0, moved and
 * widened by the covariates of the units. `covariates` NULL: none. */
void asif_covariates_spread(const asif_covariates *covariates, const asif_normal_population *population,
                            const double *phi, double *mean, double *covariance);

/* The points of a table in single precision. */
typedef struct {
    const asif_context *context;
    const asif_normal_population *population; /* borrowed */
    uint64_t points;
    float *feature; /* [1 + d][points]: 1, and u = (x - centre)/scale */
    float *plus;    /* [points]: -log q */
} asif_single_points;

/* ASIF_ENOMEM. Call asif_single_points_close() in any case. It is of the points that the table has now. */
asif_status asif_single_points_open(asif_single_points *points, const asif_context *context,
                                    const asif_atoms *atoms, const asif_normal_population *population,
                                    asif_error *error);
void asif_single_points_close(asif_single_points *points);

/* A population in the coordinates u. */
typedef struct {
    const double *phi;                                         /* borrowed */
    float factor[ASIF_POPULATION_MOST * ASIF_POPULATION_MOST]; /* inverse of the covariance's lower factor */
} asif_single_population;
void asif_single_population_at(asif_single_population *out, const asif_normal_population *population,
                               const double *phi);
/* The weights [points] of units with covariates z, over the largest of them and times ASIF_SINGLE_SCALE;
 * returned is their sum, without that factor. `effective` is (sum w)^2 / sum w^2. `plus` [points] is that of
 * the points, or another. Threads may call at once. */
double asif_single_weights(float *weight, double *effective, const asif_single_points *points,
                           const asif_single_population *at, const double *z, const float *plus);

#endif
