/* The posterior of one unit on a table of points: normalised weights, moments, quantiles, and how many points
 * carry it. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_UNITS_WEIGH_H
#define ASIF_SRC_SAMPLE_POPULATION_UNITS_WEIGH_H

#include "sample/population/population.h"
#include "sample/psis.h"

/* What a unit needs to be served by a table. */
#define ASIF_SERVED_EFFECTIVE 100
#define ASIF_SERVED_KHAT 0.7

/* Draws of the population whose densities are taken together. */
#define ASIF_WEIGHED_TOGETHER 8

/* Reported numbers at the points of a table, and a population's weights there, which all units share.
 * The population is a mixture over `draws` of its numbers phi, each of which is a mixture of its kinds, each
 * self-normalised on the table. Densities are in single precision: every unit reads all of them twice. */
typedef struct {
    const asif_context *context;
    uint64_t points;
    uint32_t numbers, dimension, draws, kinds;
    double *column;  /* [dimension][points]: the points themselves */
    double *value;   /* [numbers][points] */
    uint32_t *order; /* [numbers][points]: points by ascending value */
    /* [draws][kinds][points]: p(x_a | phi_k) / q(x_a) over the largest, as asif_single() scales it */
    float *density;
    double *sum;   /* [draws][kinds]: of the same, not scaled */
    double *share; /* [draws][kinds] */
    /* With covariates, units have densities of their own, and there are no such arrays. */
    bool shifted;
    asif_single_points single;
    double *phi;                /* [draws][numbers of the population] */
    asif_single_population *at; /* [draws] */
} asif_weighing;

/* What units are weighed by. */
typedef struct {
    const asif_atoms *atoms;
    const asif_normal_population *population;
    const double *phi; /* [draws][numbers of the population] */
    uint32_t draws, numbers;
    void (*report)(void *user, const double *x, double *out); /* writes the reported numbers of a point */
    void *user;
} asif_weighing_request;

/* Nothing of the request is needed afterwards. ASIF_ENOMEM. Call asif_weighing_close() in any case. */
asif_status asif_weighing_open(asif_weighing *weighing, const asif_context *context,
                               const asif_weighing_request *request, asif_error *error);
void asif_weighing_close(asif_weighing *weighing);

/* One reported number of a unit. */
typedef struct {
    double mean, sd, q05, q50, q95;
} asif_unit_number;

typedef struct {
    double log_likelihood; /* log of the unit's likelihood under the population, averaged over its draws */
    double effective, khat;
    float kind[ASIF_KINDS_MOST]; /* probability that the unit is of each kind */
    bool served;
} asif_unit_info;

/* Scratch, one for each thread. */
typedef struct {
    double *weight, *log_weight, *smooth; /* [points]; `smooth` is also where products are */
    float *likelihood, *mixed;            /* [points] */
    float *own;                           /* [ASIF_WEIGHED_TOGETHER][points], with covariates */
    asif_psis_room psis;
} asif_weighing_room;
bool asif_weighing_room_open(asif_weighing_room *room, const asif_weighing *weighing);
void asif_weighing_room_close(asif_weighing_room *room, const asif_context *context);

/* Weigh the points by log-likelihoods [points], of which some are finite: fills `number` [numbers] and
 * `info`. Where all are -inf, numbers are NaN and the unit is not served. Unless they are NULL, `mean`
 * [dimension] and `covariance` [dimension][dimension] are those of the points themselves. `z` [columns] are
 * the unit's covariates, NULL where the population has none. */
void asif_weigh(asif_unit_number *number, asif_unit_info *info, double *mean, double *covariance,
                const asif_weighing *weighing, asif_weighing_room *room, const double *log_likelihood,
                const double *z);
/* The mean [dimension] and covariance [dimension][dimension] of the points with the weights in `room`. */
void asif_weighted_moments(double *mean, double *covariance, const asif_weighing *weighing,
                           asif_weighing_room *room);

#endif
