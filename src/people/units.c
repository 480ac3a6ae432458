/* The posteriors of all units, by weights on the table of the population. Rows that the table serves badly
 * are put into groups of similar posteriors, each of which adds points near its own posterior to the table,
 * until they are served or rounds run out. */
#include "people/people.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "sample/population/units/serve.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define DRAWS 256 /* of the population, over which a unit's posterior is averaged */
#define FEW 32    /* the same of many units */
#define MANY 5000 /* rows above which they are many */
#define ROUNDS 4  /* most rounds for units that are served badly */
/* Bytes of the likelihoods that are kept from round to round; of more rows they are computed anew. */
#define KEPT ((uint64_t)1 << 30)

typedef struct {
    asif_people *people;
    asif_weighing weighing;
    asif_weighing_room *room;  /* [workers] */
    const uint64_t *chosen;    /* rows that are weighed; NULL: all */
    double *mean, *covariance; /* of the points, by the order in `chosen`; NULL: not wanted */
} pass;

static void take(void *taker, uint32_t worker, uint64_t k, const double *log_likelihood) {
    pass *p = taker;
    asif_people *people = p->people;
    uint64_t row = p->chosen ? p->chosen[k] : k, d = p->weighing.dimension;
    asif_weigh(people->number + row * p->weighing.numbers, &people->info[row],
               p->mean ? p->mean + k * d : NULL, p->mean ? p->covariance + k * d * d : NULL, &p->weighing,
               &p->room[worker], log_likelihood, people->z ? people->z + row * people->design.columns : NULL);
}

static void report(void *user, const double *x, double *out) {
    asif_estimates_report(user, x, out);
}

/* Draws of the population that are evenly spread over the chains. */
static asif_status open_pass(pass *p, asif_people *people, asif_error *error) {
    const asif_population_fit *fit = &people->fit;
    uint64_t n = fit->numbers;
    uint32_t most = people->rows.rows > MANY ? FEW : DRAWS,
             draws = fit->count < most ? (uint32_t)fit->count : most,
             workers = asif_unit_workers(people->context);
    double *phi = ASIF_ARRAY(people->context, draws * n, double);
    p->people = people;
    p->room = ASIF_ARRAY(people->context, workers, asif_weighing_room);
    asif_status status = phi && p->room ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t k = 0; status == ASIF_OK && k < draws; k++)
        memcpy(phi + k * n, fit->phi + (2 * k + 1) * fit->count / (2 * draws) * n, n * sizeof *phi);
    if (status == ASIF_OK)
        status =
            asif_weighing_open(&p->weighing, people->context, &fit->atoms, &fit->population, phi, draws,
                               people->view.numbers, report, (void *)(uintptr_t)people->estimates, error);
    for (uint32_t i = 0; status == ASIF_OK && i < workers; i++)
        if (!asif_weighing_room_open(&p->room[i], &p->weighing))
            status = asif_fail_memory(error);
    asif_free(people->context, phi);
    return status;
}

static void close_pass(pass *p) {
    const asif_context *context = p->people->context;
    for (uint32_t i = 0; p->room && i < asif_unit_workers(context); i++)
        asif_weighing_room_close(&p->room[i], context);
    asif_free(context, p->room);
    asif_weighing_close(&p->weighing);
}

/* Weigh the chosen rows [count] with the table as it is. */
static asif_status weigh_rows(asif_people *people, const asif_work *work, const uint64_t *chosen,
                              uint64_t count, double *mean, double *covariance, asif_error *error) {
    const asif_atoms *atoms = &people->fit.atoms;
    pass p = {.chosen = chosen, .mean = mean, .covariance = covariance};
    asif_unit_likelihoods u = {.context = people->context,
                               .estimates = people->estimates,
                               .work = work,
                               .rows = &people->rows,
                               .chosen = chosen,
                               .count = count,
                               .what = "units",
                               .to = 1};
    asif_status status = open_pass(&p, people, error);
    if (status == ASIF_OK)
        status = asif_unit_likelihoods_evaluate(&u, atoms->x, atoms->count, take, &p, error);
    close_pass(&p);
    return status;
}

typedef struct {
    pass *pass;
    const asif_marginal *marginal;
    double *row; /* [workers][points] */
    uint32_t workers;
} kept_rows;

static void take_kept(void *argument, uint32_t worker) {
    kept_rows *k = argument;
    double *row = k->row + worker * k->marginal->atoms->count;
    for (uint64_t i = worker; i < k->marginal->rows; i += k->workers) {
        asif_marginal_row(k->marginal, i, row);
        take(k->pass, worker, i, row);
    }
}

/* Weigh all rows by the likelihoods that the population was fitted with: no agent is solved again. */
static asif_status weigh_kept(asif_people *people, asif_error *error) {
    pass p = {0};
    kept_rows k = {
        .pass = &p, .marginal = &people->fit.marginal, .workers = asif_unit_workers(people->context)};
    k.row = ASIF_ARRAY(people->context, k.workers * people->fit.atoms.count, double);
    asif_status status = open_pass(&p, people, error);
    if (status == ASIF_OK && !k.row)
        status = asif_fail_memory(error);
    if (status == ASIF_OK)
        asif_os_parallel(k.workers, k.workers, take_kept, &k);
    close_pass(&p);
    asif_free(people->context, k.row);
    return status;
}

/* ---- units that are served badly ---- */

static uint64_t list_unserved(const asif_people *people, uint64_t *list) {
    uint64_t count = 0;
    for (uint64_t r = 0; r < people->rows.rows; r++)
        if (!people->info[r].served && isfinite(people->info[r].log_marginal)) {
            if (list)
                list[count] = r;
            count++;
        }
    return count;
}

/* ---- their likelihoods, which are kept from round to round: only new points are solved ---- */

typedef struct {
    asif_people *people;
    const asif_work *work;
    uint64_t rows, *row; /* [rows], ascending */
    uint32_t blocks;
    struct likelihood_block {
        uint64_t first, count; /* points */
        double *value;         /* [rows][count] */
    } block[ROUNDS + 1];
} likelihoods;

static void take_block(void *taker, uint32_t worker, uint64_t k, const double *log_likelihood) {
    struct likelihood_block *b = taker;
    (void)worker;
    memcpy(b->value + k * b->count, log_likelihood, b->count * sizeof *b->value);
}

/* Evaluate the rows at the points that were added last. */
static asif_status evaluate_new(likelihoods *l, asif_error *error) {
    const asif_atoms *atoms = &l->people->fit.atoms;
    struct likelihood_block *last = l->blocks ? &l->block[l->blocks - 1] : NULL, *b = &l->block[l->blocks];
    asif_unit_likelihoods u = {.context = l->people->context,
                               .estimates = l->people->estimates,
                               .work = l->work,
                               .rows = &l->people->rows,
                               .chosen = l->row,
                               .count = l->rows,
                               .what = "units",
                               .to = 1};
    b->first = last ? last->first + last->count : 0;
    b->count = atoms->count - b->first;
    if (b->count == 0)
        return ASIF_OK;
    b->value = ASIF_ARRAY(l->people->context, l->rows * b->count, double);
    if (!b->value)
        return asif_fail_memory(error);
    l->blocks++;
    return asif_unit_likelihoods_evaluate(&u, atoms->x + b->first * atoms->base->dimension, b->count,
                                          take_block, b, error);
}

static void close_likelihoods(likelihoods *l) {
    for (uint32_t b = 0; b < l->blocks; b++)
        asif_free(l->people->context, l->block[b].value);
    asif_free(l->people->context, l->row);
}

typedef struct {
    pass *pass;
    const likelihoods *likelihoods;
    uint64_t count;
    double *row; /* [workers][points] */
    uint32_t workers;
} some_rows;

static void take_some(void *argument, uint32_t worker) {
    some_rows *s = argument;
    const likelihoods *l = s->likelihoods;
    double *row = s->row + worker * l->people->fit.atoms.count;
    for (uint64_t i = worker, at = 0; i < s->count; i += s->workers) {
        while (l->row[at] < s->pass->chosen[i])
            at++;
        for (uint32_t b = 0; b < l->blocks; b++)
            memcpy(row + l->block[b].first, l->block[b].value + at * l->block[b].count,
                   l->block[b].count * sizeof *row);
        take(s->pass, worker, i, row);
    }
}

/* As weigh_rows(), of rows whose likelihoods are kept. */
static asif_status weigh_some(const likelihoods *l, const uint64_t *chosen, uint64_t count, double *mean,
                              double *covariance, asif_error *error) {
    asif_people *people = l->people;
    pass p = {.chosen = chosen, .mean = mean, .covariance = covariance};
    some_rows s = {
        .pass = &p, .likelihoods = l, .count = count, .workers = asif_unit_workers(people->context)};
    s.row = ASIF_ARRAY(people->context, s.workers * people->fit.atoms.count, double);
    asif_status status = open_pass(&p, people, error);
    if (status == ASIF_OK && !s.row)
        status = asif_fail_memory(error);
    if (status == ASIF_OK)
        asif_os_parallel(s.workers, s.workers, take_some, &s);
    close_pass(&p);
    asif_free(people->context, s.row);
    return status;
}

/* Whether likelihoods of these rows may be kept, at all points that there can be. */
static bool fits_memory(const asif_people *people, uint64_t rows) {
    uint64_t points = people->fit.atoms.count + ROUNDS * asif_serving_points(rows);
    return rows <= KEPT / sizeof(double) / points;
}

/* Weigh the rows with the table as it is; new points are evaluated first. */
static asif_status weigh_again(likelihoods *l, const uint64_t *list, uint64_t count, double *mean,
                               double *covariance, asif_error *error) {
    if (!l->row)
        return weigh_rows(l->people, l->work, list, count, mean, covariance, error);
    ASIF_TRY(evaluate_new(l, error));
    return weigh_some(l, list, count, mean, covariance, error);
}

static asif_status serve(likelihoods *l, const uint64_t *list, asif_unserved *u, asif_error *error) {
    asif_people *people = l->people;
    ASIF_TRY(weigh_again(l, list, u->rows, u->mean, u->covariance, error));
    for (uint64_t k = 0; k < u->rows; k++)
        u->effective[k] = people->info[list[k]].effective;
    ASIF_TRY(asif_atoms_serve(&people->fit.atoms, &people->fit.population, people->fit.maximum, u,
                              people->most_points, error));
    people->fit.rounds++;
    return weigh_again(l, list, u->rows, NULL, NULL, error);
}

static asif_status serve_all(asif_people *people, const asif_work *work, asif_error *error) {
    uint64_t count = list_unserved(people, NULL);
    const asif_context *context = people->context;
    if (!count)
        return ASIF_OK;
    uint64_t *list = ASIF_ARRAY(context, count, uint64_t);
    asif_unserved u;
    likelihoods l = {.people = people, .work = work, .rows = count};
    bool keep = fits_memory(people, count);
    l.row = keep ? ASIF_ARRAY(context, count, uint64_t) : NULL;
    asif_status status = asif_unserved_open(&u, context, count, people->fit.atoms.base->dimension, error);
    if (status == ASIF_OK && (!list || (keep && !l.row)))
        status = asif_fail_memory(error);
    if (status == ASIF_OK && keep)
        list_unserved(people, l.row);
    for (int round = 0; status == ASIF_OK && round < ROUNDS && (u.rows = list_unserved(people, list));
         round++)
        status = serve(&l, list, &u, error);
    close_likelihoods(&l);
    asif_unserved_close(&u, context);
    asif_free(context, list);
    return status;
}

/* ---- all units ---- */

/* How units differ, and how uncertain they are: the two parts of the spread of a number. */
static void fill_spread(asif_people *people) {
    uint32_t n = people->view.numbers;
    for (uint32_t k = 0; k < n; k++) {
        double count = 0, mean = 0, square = 0, within = 0;
        for (int turn = 0; turn < 2; turn++)
            for (uint64_t r = 0; r < people->rows.rows; r++) {
                const asif_unit_number *x = &people->number[r * n + k];
                double same = (double)people->rows.same[r];
                if (!people->info[r].served)
                    continue;
                if (turn == 0) {
                    count += same;
                    mean += same * x->mean;
                    within += same * x->sd * x->sd;
                } else {
                    square += same * (x->mean - mean / count) * (x->mean - mean / count);
                }
            }
        people->spread[k] = count > 1 ? sqrt(square / count) : NAN;
        people->spread[n + k] = count > 0 ? sqrt(within / count) : NAN;
    }
}

asif_status asif_people_weigh(asif_people *people, const asif_work *work, asif_error *error) {
    uint64_t n = people->view.numbers, rows = people->rows.rows;
    people->number = ASIF_ARRAY(people->context, rows * n, asif_unit_number);
    people->info = ASIF_ARRAY(people->context, rows, asif_unit_info);
    people->spread = ASIF_ARRAY(people->context, 2 * n, double);
    if (!people->number || !people->info || !people->spread)
        return asif_fail_memory(error);
    ASIF_TRY(people->fitted == rows ? weigh_kept(people, error)
                                    : weigh_rows(people, work, NULL, rows, NULL, NULL, error));
    asif_marginal_close(&people->fit.marginal);
    ASIF_TRY(serve_all(people, work, error));
    fill_spread(people);
    people->view.between = people->spread;
    people->view.within = people->spread + n;
    for (uint64_t r = 0; r < rows; r++)
        people->view.served += people->info[r].served ? people->rows.same[r] : 0;
    return ASIF_OK;
}
