/* The marginal likelihood of a population, by reweighting one table of points: with w_a(phi) = p(x_a | phi) /
 * q(x_a) and the likelihood L_ia of unit i at point a,
 *
 *   log L(phi) = sum_i n_i [ log sum_a w_a L_ia - log sum_a w_a ].
 *
 * The weights are self-normalised: without that the population collapses onto single points. What the table
 * can tell about a population is limited by its effective number of points, (sum w)^2 / sum w^2.
 *
 * Where covariates move the mean of the population, each unit has weights of its own, and the effective
 * number of points is that of the unit with the fewest. Where units are of several kinds, the likelihood is a
 * mixture (kinds.c), and the effective number is that of the kind with the fewest.
 *
 * The likelihoods of the units, which may be a sample of all, are kept in memory: rows times points numbers
 * in single precision, each row over its largest, which is kept in double precision. An evaluation reads all
 * of them, so that their size is its time, and populations that are known beforehand are evaluated together.
 */
#ifndef ASIF_SRC_SAMPLE_POPULATION_MARGINAL_H
#define ASIF_SRC_SAMPLE_POPULATION_MARGINAL_H

#include "asif/sample.h"
#include "sample/population/covariates.h"

/* Likelihoods at the points that were added together. */
typedef struct {
    uint64_t first, count;
    uint64_t stride; /* `count`, rounded up: all rows begin on a line of the cache */
    uint64_t before; /* sum of the strides of the blocks before */
    float *value;    /* [rows][stride], aligned: exp(log-likelihood - top), as asif_single() scales it */
    void *memory;    /* that `value` is in */
    double *top;     /* [rows]: the largest log-likelihood of the row; -inf: all are 0 */
} asif_likelihood_block;

typedef struct {
    const asif_context *context;
    const asif_atoms *atoms; /* borrowed */
    uint64_t rows;
    const double *times;               /* [rows]: how many units have each row; borrowed */
    double units;                      /* their sum */
    const asif_covariates *covariates; /* of the rows; borrowed; NULL: none */
    uint64_t blocks, capacity;
    asif_likelihood_block *block;
} asif_marginal;

void asif_marginal_open(asif_marginal *marginal, const asif_context *context, const asif_atoms *atoms,
                        uint64_t rows, const double *times);
void asif_marginal_close(asif_marginal *marginal);
/* Add a block for the first of the points that have none yet, at most `most` of them; ASIF_ENOMEM. The caller
 * then sets each of its rows. */
asif_status asif_marginal_add(asif_marginal *marginal, uint64_t most, asif_error *error);
/* Set a row of the last block from log-likelihoods [count of the block]. Threads may set different rows. */
void asif_marginal_set(asif_marginal *marginal, uint64_t row, const double *log_likelihood);
/* The log-likelihoods [points] of a row as they were set, to single precision; -inf below 1e-36 of the
 * largest of its block. */
void asif_marginal_row(const asif_marginal *marginal, uint64_t row, double *log_likelihood);

/* Populations that are evaluated together. */
#define ASIF_POPULATIONS 32

/* What an evaluation needs; one for each thread that evaluates. */
typedef struct {
    const asif_marginal *marginal;
    uint32_t threads;       /* threads that share one evaluation; the result does not depend on them */
    uint32_t without;       /* scramble whose points are left out; ASIF_SCRAMBLES: none */
    double least_effective; /* phi has density 0 where fewer points are effective */
    asif_densities densities;
    double *top;   /* [rows]: over all blocks */
    double *share; /* [blocks][rows]: exp(top of the block - top) */
    /* Of the populations that are evaluated: */
    const double *phi; /* [count][numbers]; borrowed during the call */
    uint32_t count;
    double *weight; /* [ASIF_POPULATIONS][points]: w_a over the largest */
    float *single;  /* [blocks][ASIF_POPULATIONS][stride], aligned: the same, as asif_single() scales it */
    void *memory;   /* that `single` is in */
    double sum[ASIF_POPULATIONS];
    double effective[ASIF_POPULATIONS]; /* effective number of points */
    double *z;                         /* [rows][ASIF_POPULATIONS]: sum_a w_a L_ia over the largest of both */
    double *values;                    /* [slots][ASIF_POPULATIONS]: of the rows of a slot */
    uint32_t slots;                    /* parts of the rows */
    float *pulls;                      /* [slots][points]: sums of the rows of a slot */
    double *pull;                      /* [points]: sum_i n_i L_ia / Z_i */
    bool pulled;                       /* the evaluation fills `pull`: gradients and moments need it */
    struct asif_shifted_work *shifted; /* NULL: no covariates */
    struct asif_kinds_work *mixed;     /* NULL: one kind */
} asif_marginal_work;

/* ASIF_ENOMEM. Call asif_marginal_work_close() in any case. After points were added, open it anew. */
asif_status asif_marginal_work_open(asif_marginal_work *work, const asif_marginal *marginal,
                                    const asif_normal_population *population, uint32_t threads,
                                    asif_error *error);
void asif_marginal_work_close(asif_marginal_work *work);

/* The cost of an evaluation: rows times points, and more with covariates. */
double asif_marginal_cost(const asif_marginal *marginal);
/* The log marginal likelihood at phi; its gradient is added unless it is NULL. -inf: fewer points than
 * `least_effective`, or a unit whose likelihood is 0, or below 1e-30 of its largest, under this population.
 */
double asif_marginal_at(asif_marginal_work *work, const double *phi, double *gradient);
/* The same at populations phi [count][numbers], with the same bits; one pass over the likelihoods serves
 * ASIF_POPULATIONS of them. */
void asif_marginal_at_many(asif_marginal_work *work, const double *phi, uint32_t count, double *value);
/* scrambles.c: the same without the points of each scramble in turn, and then with all: value [ASIF_SCRAMBLES
 * + 1][count]. It costs little more than the last of them where units have neither covariates nor kinds, and
 * else as much as all. ASIF_ENOMEM. */
asif_status asif_marginal_without_each(asif_marginal_work *work, const double *phi, uint32_t count,
                                       double *value, asif_error *error);
/* The effective numbers of points at phi [count][numbers], without a look at the units' likelihoods. */
void asif_marginal_effective(asif_marginal_work *work, const double *phi, uint64_t count, double *effective);
/* One step of EM: the mean [d] and covariance [d][d] of all units' posteriors under phi. Effects of
 * covariates count as 0. False where asif_marginal_at() is -inf. */
bool asif_marginal_moments(asif_marginal_work *work, const double *phi, double *mean, double *covariance);

#define ASIF_MARGINAL_TILE 1024 /* points whose weights stay in the cache while rows pass */
#define ASIF_MARGINAL_ROWS 8    /* that are multiplied together */
/* The weights of the points of a block under population k. */
float *asif_marginal_weights_of(const asif_marginal_work *work, uint64_t block, uint32_t k);
/* pass.c: steps of an evaluation: the weights of plain populations phi [count][asif_population_plain()];
 * then `z` of the rows of a slot under each of them; then the pull [points] of these rows on the points under
 * population k, where row i counts as part [i] units. */
void asif_marginal_weights(asif_marginal_work *work, const double *phi, uint32_t count);
void asif_marginal_fill_slot(asif_marginal_work *work, uint32_t slot);
/* The first row of a slot. */
uint64_t asif_marginal_first(const asif_marginal_work *work, uint32_t slot);
/* Both of population 0. */
void asif_marginal_fill_and_pull_slot(asif_marginal_work *work, uint32_t slot, const double *part,
                                      float *pull);
void asif_marginal_pull_slot(asif_marginal_work *work, uint32_t slot, uint32_t k, const double *part,
                             float *pull);

/* Several kinds (kinds.c): the likelihood of unit i is sum_k share_k Z_ik, where Z_ik = sum_a w_ka L_ia /
 * sum_a w_ka is its likelihood under kind k alone, each kind self-normalised on the table, so that one pass
 * over the likelihoods serves all kinds. */
/* What evaluations need in addition. */
typedef struct asif_kinds_work {
    double plain[ASIF_POPULATIONS * ASIF_POPULATION_NUMBERS]; /* kinds as populations */
    double share[ASIF_POPULATIONS];
    double *part;   /* [kinds][rows]: units of each row that are of each kind */
    double *values; /* [slots][ASIF_POPULATIONS]: of whole populations */
    double *units;  /* [slots][kinds]: units of each kind */
    float *pulls;   /* [slots][kinds][points] */
    uint32_t count; /* populations that are evaluated */
} asif_kinds_work;

/* As asif_marginal_work_open() and asif_marginal_work_close(). */
asif_status asif_kinds_open(asif_marginal_work *work, asif_error *error);
void asif_kinds_close(asif_marginal_work *work);
/* As asif_marginal_at_many() of at most ASIF_POPULATIONS and asif_marginal_at(). The effective number of
 * points is that of the kind with the fewest. `value` NULL: effective numbers alone. */
void asif_kinds_at(asif_marginal_work *work, const double *phi, uint32_t count, double *value);
double asif_kinds_slope(asif_marginal_work *work, const double *phi, double *gradient);

/* The posterior of phi as a density, with `user` an asif_marginal_work; `name` [numbers] is borrowed. */
asif_density asif_marginal_density(asif_marginal_work *work, const char *const *name);

#endif
