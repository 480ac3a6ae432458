/* Fit a normal population to many units from their likelihoods alone, by reweighting one table of points.
 *
 * The table begins with points of the base density. EM then moves the population to where the units are, and
 * each further round adds points around it (four in five, from a Student t) and from the base density (one in
 * five), until the table is fine enough: the population has at least ASIF_POPULATION_EFFECTIVE effective
 * points, and the error that the table itself makes in each of the population's numbers is at most half of
 * their posterior standard deviation. Units of which the table knows little, since
 * their posteriors are narrow, get points near these: a bad likelihood of a unit is an error of the
 * population, and mostly makes it too narrow. A last round puts points around populations drawn from the
 * posterior, so that the table carries those too. Where more than one draw in a hundred has too few effective
 * points, the table doubles around such draws; fewer are left out, and counted. That error is common to all
 * units, does not average out, and is the jackknife over the scrambles of the table (one Newton step for
 * each). The maximum is found by BFGS with exact gradients; draws of the population's numbers are by NUTS,
 * or, where an evaluation is costly, by importance sampling around the maximum. */
#ifndef ASIF_SRC_SAMPLE_POPULATION_POPULATION_H
#define ASIF_SRC_SAMPLE_POPULATION_POPULATION_H

#include "sample/population/marginal.h"

#define ASIF_POPULATION_EFFECTIVE 200 /* least effective number of points at the maximum and at any draw */
#define ASIF_POPULATION_ERROR 0.5     /* most error of the table, over the posterior sd */
#define ASIF_POPULATION_LEFT_OUT .01  /* most draws that the table may carry badly, over all */

/* Receives the log-likelihoods [points] of a row. Several workers may call at once, each for different rows.
 */
typedef void asif_take_row(void *taker, uint32_t worker, uint64_t row, const double *log_likelihood);

typedef struct {
    const asif_base_density *base;
    bool correlated;
    uint64_t rows;
    const double *times; /* [rows]: units with each row */
    /* Covariates that move the mean, see normal.h: at most ASIF_EFFECTS_MOST columns and effects. */
    uint32_t columns, effects;
    const double *z; /* [rows][columns] */
    const asif_effect *effect;
    /* Most kinds of units, at most ASIF_KINDS_MOST, and 1 where there are effects; 0: 1. The population has
     * as many as describe the units best: one more is tried as long as that is better (asif_kinds_score). */
    uint32_t kinds;
    /* Told the number of kinds before there are draws; NULL: nobody is told. */
    void (*decided)(void *decider, uint32_t kinds);
    void *decider;
    /* Compute the log-likelihoods of all rows at points x [count][dimension] and hand them over. */
    asif_status (*evaluate)(void *user, const double *x, uint64_t count, asif_take_row *take, void *taker,
                            asif_error *error);
    void *user;
    /* [numbers]: of means, sds, correlations, effects, and means and shares of further kinds; NULL: x.1, ...
     */
    const char *const *name;
    uint64_t seed;
    uint64_t points;      /* points of the first round */
    uint64_t most_points; /* the table is not made larger than this; at least ASIF_SCRAMBLES */
    uint32_t chains;
    uint64_t warmup, draws; /* of each chain */
    bool nuts;              /* do not try importance sampling first */
    uint64_t many;          /* cost of an evaluation above which NUTS would take too long, and is not tried */
    /* A pilot of many units finds where points are needed: it ends with the maximum. */
    bool pilot;
    /* The pilot, of one kind, whose table and maximum the fit begins with: the table is taken from it. NULL:
     * there is none. */
    struct asif_population_fit *from;
    /* A fit to the same rows, of one kind and with the same correlations, whose points and likelihoods are
     * taken as they are: nothing is evaluated. Borrowed for the life of the result. NULL: there is none. */
    const struct asif_population_fit *again;
} asif_population_request;

/* How well a number of kinds describes the units. */
typedef struct {
    uint32_t numbers;    /* of the population */
    double log_marginal; /* at its maximum */
    /* log_marginal - numbers log(units) / 2: minus half of BIC, at the maximum of the posterior as in Fraley
     * and Raftery (2007), since that of the likelihood may be a kind of a single unit */
    double score;
} asif_kinds_score;

typedef struct asif_population_fit {
    const asif_context *context;
    asif_normal_population population;
    uint32_t numbers;
    uint32_t rounds;
    asif_atoms atoms;
    bool borrowed;              /* the atoms and likelihoods are those of another fit */
    asif_covariates covariates; /* groups 0: none */
    asif_marginal marginal;     /* the rows' likelihoods at the points that the population was fitted with */
    double *maximum;            /* [numbers]: phi */
    double *covariance;         /* [numbers][numbers]: inverse curvature at the maximum */
    double units;               /* that the population was fitted to */
    bool known;                 /* a covariance that is about right is there already */
    double *table_error;        /* [numbers]: error of the reported numbers that the table makes */
    double log_marginal;        /* at the maximum, without the prior */
    double effective;           /* points, at the maximum */
    double worst_error;         /* largest error of the table over a posterior sd */
    uint32_t worst;             /* whose */
    asif_draws *draws;          /* reported numbers; NULL until drawn */
    double *phi;                /* [count][numbers]: the same draws as phi */
    uint64_t count;
    double *carried;   /* [count]: effective points of each draw, also of those left out */
    uint64_t left_out; /* draws with too few; where the fit is usable, the draw before is in their place */
    double least_effective; /* points, over all draws that are not left out */
    double khat;            /* of importance sampling; NaN: NUTS */
    double kish;            /* its effective number of draws; NaN: NUTS */
    bool usable;            /* false: the table does not carry this population, see `effective` and `worst` */
    /* Of 1, 2, ... kinds as far as they were tried, on the same table; none where one kind is asked for, or
     * the fit is not usable. */
    asif_kinds_score score[ASIF_KINDS_MOST];
    uint32_t scored;
} asif_population_fit;

/* A population without effects and further kinds, whose coordinates are centred and scaled by the base
 * density: its numbers phi mean the same wherever the base density is the same. */
void asif_population_place(asif_normal_population *population, const asif_base_density *base,
                           bool correlated);
/* maximum.c: climb from phi [numbers] to the maximum, and fill maximum, covariance, log_marginal and
 * effective. ASIF_ECANCELLED, ASIF_ENOMEM. */
asif_status asif_population_climb(asif_population_fit *fit, asif_marginal_work *work, const double *phi,
                                  asif_error *error);
/* The same of phi alone, by at most `evaluations` of them: phi becomes what was found, and `value` its
 * log-posterior, -inf where the table does not carry phi. */
asif_status asif_population_search(const asif_population_fit *fit, asif_marginal_work *work, double *phi,
                                   uint64_t evaluations, double *value, asif_error *error);
/* Fill table_error, worst and worst_error; costs a gradient for each scramble. */
void asif_population_judge_table(asif_population_fit *fit, asif_marginal_work *work);
/* The same from the numbers without each scramble, `at`, and their sds: a jackknife. */
void asif_population_take_error(asif_population_fit *fit, double (*at)[ASIF_POPULATION_NUMBERS],
                                const double *sd);
/* posterior/judge.c: the same over the posterior, of which there are draws; costs as much as some hundred
 * draws, see asif_marginal_without_each(). ASIF_ENOMEM. */
asif_status asif_population_judge_draws(asif_population_fit *fit, asif_marginal_work *work,
                                        asif_error *error);
/* posterior/draw.c: draws of the population's numbers. */
asif_status asif_population_draw(asif_population_fit *fit, const asif_marginal *marginal,
                                 const asif_population_request *request, asif_error *error);

/* @return ASIF_OK, also where the table is not fine enough (`usable` is false and there are no draws);
 * ASIF_EDOMAIN (a unit whose likelihood is 0 everywhere; a dimension too large), ASIF_ENOMEM,
 * ASIF_ECANCELLED, or what `evaluate` returned. Call asif_population_fit_close() in any case. */
asif_status asif_population_estimate(asif_population_fit *out, const asif_context *context,
                                     const asif_population_request *request, asif_error *error);
void asif_population_fit_close(asif_population_fit *fit);
/* thin.c: keep at most about `most` points of the table of a fit, evenly of all proposals, so that it can be
 * used again at less cost. ASIF_ENOMEM: it is as before. */
asif_status asif_population_thin(asif_population_fit *fit, uint64_t most, asif_error *error);

#endif
