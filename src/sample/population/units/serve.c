#include "sample/population/units/serve.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/dense.h"
#include "base/os.h"

#include <math.h>
#include <string.h>

#define POINTS 512 /* of a group */
/* Groups of a round. Its cost is the number of its points times that of the units that are served badly: of
 * few units, each may have points of its own. */
#define FEWEST_GROUPS 8
#define MOST_GROUPS 256
#define ROUND ((uint64_t)1 << 24)
#define NEAR 2.  /* sds: units whose means are as near as this share points */
#define WIDER 2. /* covariance of new points, over a unit's own */
/* Of the population's covariance, added to it; the less, the more than FEW effective points a unit's own
 * covariance is known from. */
#define SHARE .05
#define FEW 10.

enum { D = ASIF_POPULATION_MOST };

asif_status asif_unserved_open(asif_unserved *u, const asif_context *context, uint64_t rows,
                               uint32_t dimension, asif_error *error) {
    uint64_t d = dimension;
    *u = (asif_unserved){.rows = rows,
                         .effective = ASIF_ARRAY(context, rows, double),
                         .mean = ASIF_ARRAY(context, rows * d, double),
                         .covariance = ASIF_ARRAY(context, rows * d * d, double),
                         .grouped = ASIF_ARRAY(context, rows, bool)};
    return u->effective && u->mean && u->covariance && u->grouped ? ASIF_OK : asif_fail_memory(error);
}

void asif_unserved_close(asif_unserved *u, const asif_context *context) {
    void *const arrays[] = {u->effective, u->mean, u->covariance, u->grouped};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    *u = (asif_unserved){0};
}

/* ---- groups ---- */

/* Most points of a round for so many rows. */
static uint64_t round_points(uint64_t rows) {
    uint64_t groups = rows ? ROUND / POINTS / rows : MOST_GROUPS;
    groups = groups < FEWEST_GROUPS ? FEWEST_GROUPS : groups > MOST_GROUPS ? MOST_GROUPS : groups;
    return groups * POINTS;
}

static double distance(const double *a, const double *b, const double *factor, uint32_t d) {
    double z[D], sum = 0;
    for (uint32_t i = 0; i < d; i++)
        z[i] = a[i] - b[i];
    asif_lower_solve(factor, d, z);
    for (uint32_t i = 0; i < d; i++)
        sum += z[i] * z[i];
    return sqrt(sum);
}

/* The unit with the fewest effective points that is in no group yet; `rows`: all are in groups. */
static uint64_t find_worst(const asif_unserved *u) {
    uint64_t worst = u->rows;
    for (uint64_t k = 0; k < u->rows; k++)
        if (!u->grouped[k] && (worst == u->rows || u->effective[k] < u->effective[worst]))
            worst = k;
    return worst;
}

/* The covariance of points near a unit, from its own and the factor of the population's. */
static void find_covariance(double *out, const double *covariance, double effective, const double *factor,
                            uint32_t d) {
    double share = SHARE * FEW / (FEW + effective);
    for (uint32_t i = 0; i < d; i++)
        for (uint32_t j = 0; j < d; j++) {
            double all = 0;
            for (uint32_t k = 0; k <= (i < j ? i : j); k++)
                all += factor[i * d + k] * factor[j * d + k];
            out[i * d + j] = WIDER * covariance[i * d + j] + share * all;
        }
}

/* Add points around a unit, and put all units near it into its group. `factor` is that of the population. */
static asif_status add_group(asif_atoms *atoms, const asif_unserved *u, uint64_t unit, const double *factor,
                             asif_error *error) {
    uint32_t d = atoms->base->dimension;
    const double *mean = u->mean + unit * d;
    double own[D * D];
    find_covariance(own, u->covariance + unit * d * d, u->effective[unit], factor, d);
    ASIF_TRY(asif_atoms_add(atoms, POINTS, mean, own, error));
    asif_cholesky(own, d);
    for (uint64_t k = 0; k < u->rows; k++)
        u->grouped[k] = u->grouped[k] || distance(u->mean + k * d, mean, own, d) < NEAR;
    return ASIF_OK;
}

asif_status asif_atoms_serve(asif_atoms *atoms, const asif_normal_population *population, const double *phi,
                             const asif_unserved *u, uint64_t most_points, asif_error *error) {
    double of_all[D], factor[D * D];
    uint64_t most = atoms->count + round_points(u->rows), worst;
    most = most < most_points ? most : most_points;
    asif_population_at(population, phi, of_all, factor);
    memset(u->grouped, 0, u->rows * sizeof *u->grouped);
    while ((worst = find_worst(u)) < u->rows && atoms->count + POINTS <= most)
        ASIF_TRY(add_group(atoms, u, worst, factor, error));
    return ASIF_OK;
}

/* ---- the rows that a population is fitted to ---- */

typedef struct {
    const asif_population_fit *fit;
    asif_weighing weighing;
    asif_weighing_room *room; /* [workers] */
    double *row;              /* [workers][points] */
    uint32_t workers;
    asif_unit_info *info; /* [rows] */
    asif_unserved all;    /* rows that are served, too */
} pass;

static void weigh(void *argument, uint32_t worker) {
    pass *p = argument;
    const asif_marginal *m = &p->fit->marginal;
    const asif_covariates *c = &p->fit->covariates;
    uint64_t d = p->weighing.dimension;
    double *row = p->row + worker * p->weighing.points;
    for (uint64_t r = worker; r < m->rows; r += p->workers) {
        asif_marginal_row(m, r, row);
        asif_weigh(NULL, &p->info[r], p->all.mean + r * d, p->all.covariance + r * d * d, &p->weighing,
                   &p->room[worker], row, p->weighing.shifted ? c->z + r * c->columns : NULL);
    }
}

static void report_nothing(void *user, const double *x, double *out) {
    (void)user, (void)x, (void)out;
}

static asif_status open_pass(pass *p, asif_error *error) {
    const asif_population_fit *fit = p->fit;
    p->workers = fit->context->options.threads ? fit->context->options.threads : 1;
    p->room = ASIF_ARRAY(fit->context, p->workers, asif_weighing_room);
    p->row = ASIF_ARRAY(fit->context, p->workers * fit->atoms.count, double);
    p->info = ASIF_ARRAY(fit->context, fit->marginal.rows, asif_unit_info);
    if (!p->room || !p->row || !p->info)
        return asif_fail_memory(error);
    ASIF_TRY(
        asif_unserved_open(&p->all, fit->context, fit->marginal.rows, fit->atoms.base->dimension, error));
    const asif_weighing_request r = {.atoms = &fit->atoms,
                                     .population = &fit->population,
                                     .phi = fit->maximum,
                                     .draws = 1,
                                     .report = report_nothing};
    ASIF_TRY(asif_weighing_open(&p->weighing, fit->context, &r, error));
    for (uint32_t i = 0; i < p->workers; i++)
        if (!asif_weighing_room_open(&p->room[i], &p->weighing))
            return asif_fail_memory(error);
    return ASIF_OK;
}

static void close_pass(pass *p) {
    const asif_context *context = p->fit->context;
    for (uint32_t i = 0; p->room && i < p->workers; i++)
        asif_weighing_room_close(&p->room[i], context);
    asif_weighing_close(&p->weighing);
    asif_unserved_close(&p->all, context);
    asif_free(context, p->room);
    asif_free(context, p->row);
    asif_free(context, p->info);
}

/* Move the rows that are served badly to the front. */
static void keep_unserved(pass *p) {
    uint64_t d = p->weighing.dimension, kept = 0;
    asif_unserved *u = &p->all;
    for (uint64_t r = 0; r < u->rows; r++) {
        if (p->info[r].served || !isfinite(p->info[r].log_likelihood))
            continue;
        u->effective[kept] = p->info[r].effective;
        memmove(u->mean + kept * d, u->mean + r * d, d * sizeof(double));
        memmove(u->covariance + kept * d * d, u->covariance + r * d * d, d * d * sizeof(double));
        kept++;
    }
    u->rows = kept;
}

asif_status asif_population_serve(asif_population_fit *fit, uint64_t most_points, asif_error *error) {
    pass p = {.fit = fit};
    if (fit->atoms.count + POINTS > most_points)
        return ASIF_OK;
    asif_status status = open_pass(&p, error);
    if (status == ASIF_OK) {
        asif_os_parallel(p.workers, p.workers, weigh, &p);
        keep_unserved(&p);
        status = asif_atoms_serve(&fit->atoms, &fit->population, fit->maximum, &p.all, most_points, error);
    }
    close_pass(&p);
    return status;
}
