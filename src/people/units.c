/* The posteriors of all units, by weights on the table of the population. A row with too few effective points
 * gets points of its own, so that no posterior depends on which other units there are. */
#include "people/people.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "sample/population/units/own.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

/* Draws of the population over which a unit's posterior is averaged. Few units leave much doubt about the
 * population, which is part of all their posteriors. */
#define DRAWS 256
#define MOST_DRAWS 1024
#define SHARED_DRAWS 51200 /* of all rows together, if that gives each more */
#define FEW 64             /* of many units */
#define MANY 5000          /* rows above which they are many */
/* Effective points of all rows together, and the most of one. The standard deviation of a posterior is known
 * to 1 / sqrt(2 n) of itself from n. */
#define WANTED 12000
#define MOST_WANTED 600
/* Points of the table on which the posteriors of many units are: more would make their population's numbers
 * more precise, not them. */
#define POINTS 8192

typedef struct {
    asif_people *people;
    double *phi; /* draws of the population, evenly spread over the chains */
    asif_weighing_request weighed;
    asif_weighing weighing;
    asif_weighing_room *room;           /* [workers] */
    asif_status *status;                /* [workers] */
    asif_error *error;                  /* [workers] */
    asif_unit_likelihoods *likelihoods; /* NULL: rows get no points of their own */
    const uint64_t *chosen;             /* rows that are weighed; NULL: all */
} pass;

/* ---- one row ---- */

typedef struct {
    const asif_unit_likelihoods *likelihoods;
    uint32_t worker;
} further;

static asif_status evaluate_further(void *user, const double *x, uint64_t count, double *log_likelihood,
                                    asif_error *error) {
    const further *f = user;
    return asif_unit_likelihoods_more(f->likelihoods, f->worker, x, count, log_likelihood, error);
}

double asif_people_wanted(uint64_t fitted) {
    return fmax(ASIF_SERVED_EFFECTIVE, fmin(MOST_WANTED, WANTED / fmax((double)fitted, 1)));
}

uint64_t asif_people_every(const asif_people *people) {
    uint64_t every = people->fit.atoms.count / POINTS;
    return people->rows.rows > MANY && every > 1 ? every : 1;
}

static bool is_fine(const asif_people *people, const asif_unit_info *info) {
    return (info->served && info->effective >= people->wanted) || !isfinite(info->log_likelihood);
}

static void take(void *taker, uint32_t worker, uint64_t k, const double *log_likelihood) {
    pass *p = taker;
    asif_people *people = p->people;
    uint64_t row = p->chosen ? p->chosen[k] : k;
    asif_unit_number *number = people->number + row * p->weighing.numbers;
    asif_unit_info *info = &people->info[row];
    const double *z = people->z ? people->z + row * people->design.columns : NULL;
    if (p->status[worker] != ASIF_OK)
        return;
    asif_weigh(number, info, NULL, NULL, &p->weighing, &p->room[worker], log_likelihood, z);
    if (!p->likelihoods || is_fine(people, info))
        return;
    further f = {p->likelihoods, worker};
    const asif_own_request own = {.context = people->context,
                                  .weighed = &p->weighed,
                                  .evaluate = evaluate_further,
                                  .user = &f,
                                  .whole = people->options.predictive,
                                  .wanted = people->wanted};
    p->status[worker] = asif_weigh_own(number, info, &own, log_likelihood, z, &p->error[worker]);
}

/* ---- a pass over rows ---- */

static void report(void *user, const double *x, double *out) {
    asif_estimates_report(user, x, out);
}

uint32_t asif_people_draws(const asif_people *people) {
    double rows = (double)people->rows.rows, count = (double)people->fit.count;
    double most = rows > MANY ? FEW : fmin(fmax(SHARED_DRAWS / fmax(rows, 1), DRAWS), MOST_DRAWS);
    return (uint32_t)(people->given ? count : fmin(count, most)); /* a given population has its draws */
}

const double *asif_people_draw(const asif_people *people, uint32_t k) {
    const asif_population_fit *fit = &people->fit;
    uint64_t draws = asif_people_draws(people);
    return fit->phi + (2 * (uint64_t)k + 1) * fit->count / (2 * draws) * fit->numbers;
}

static asif_status open_pass(pass *p, asif_people *people, asif_error *error) {
    const asif_population_fit *fit = &people->fit;
    uint64_t n = fit->numbers;
    uint32_t draws = asif_people_draws(people), workers = asif_unit_workers(people->context);
    p->people = people;
    p->phi = ASIF_ARRAY(people->context, draws * n, double);
    p->room = ASIF_ARRAY(people->context, workers, asif_weighing_room);
    p->status = ASIF_ARRAY(people->context, workers, asif_status);
    p->error = ASIF_ARRAY(people->context, workers, asif_error);
    if (!p->phi || !p->room || !p->status || !p->error)
        return asif_fail_memory(error);
    for (uint32_t k = 0; k < draws; k++)
        memcpy(p->phi + k * n, asif_people_draw(people, k), n * sizeof *p->phi);
    p->weighed = (asif_weighing_request){.atoms = &people->atoms,
                                         .population = &fit->population,
                                         .phi = p->phi,
                                         .draws = draws,
                                         .numbers = people->view.numbers,
                                         .report = report,
                                         .user = (void *)(uintptr_t)people->estimates};
    ASIF_TRY(asif_weighing_open(&p->weighing, people->context, &p->weighed, error));
    for (uint32_t i = 0; i < workers; i++)
        if (!asif_weighing_room_open(&p->room[i], &p->weighing))
            return asif_fail_memory(error);
    return ASIF_OK;
}

/* Free the pass, and tell what the workers met. */
static asif_status close_pass(pass *p, asif_status status, asif_error *error) {
    const asif_context *context = p->people->context;
    for (uint32_t i = 0; p->status && i < asif_unit_workers(context) && status == ASIF_OK; i++) {
        status = p->status[i];
        if (status != ASIF_OK && error)
            *error = p->error[i];
    }
    for (uint32_t i = 0; p->room && i < asif_unit_workers(context); i++)
        asif_weighing_room_close(&p->room[i], context);
    asif_weighing_close(&p->weighing);
    asif_free(context, p->phi);
    asif_free(context, p->room);
    asif_free(context, p->status);
    asif_free(context, p->error);
    return status;
}

/* Weigh the chosen rows [count]; agents are solved again. */
static asif_status weigh_rows(asif_people *people, const asif_work *work, const uint64_t *chosen,
                              uint64_t count, asif_error *error) {
    const asif_atoms *atoms = &people->atoms;
    asif_unit_likelihoods u = {.context = people->context,
                               .estimates = people->estimates,
                               .work = work,
                               .rows = &people->rows,
                               .chosen = chosen,
                               .count = count,
                               .what = "units",
                               .to = 1};
    pass p = {.chosen = chosen, .likelihoods = &u};
    asif_status status = open_pass(&p, people, error);
    if (status == ASIF_OK)
        status = asif_unit_likelihoods_evaluate(&u, atoms->x, atoms->count, take, &p, error);
    return close_pass(&p, status, error);
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
    const asif_people *people = k->pass->people;
    for (uint64_t i = worker; i < k->marginal->rows; i += k->workers) {
        asif_marginal_row(k->marginal, i, row);
        for (uint64_t a = 0; a < people->atoms.count; a++) /* chosen numbers ascend */
            row[a] = row[people->chosen[a]];
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
    asif_free(people->context, k.row);
    return close_pass(&p, status, error);
}

/* Weigh the rows with too few points again, with points of their own. */
static asif_status weigh_again(asif_people *people, const asif_work *work, asif_error *error) {
    uint64_t *list = ASIF_ARRAY(people->context, people->rows.rows, uint64_t), count = 0;
    if (!list)
        return asif_fail_memory(error);
    for (uint64_t r = 0; r < people->rows.rows; r++)
        if (!is_fine(people, &people->info[r]))
            list[count++] = r;
    asif_status status = count ? weigh_rows(people, work, list, count, error) : ASIF_OK;
    asif_free(people->context, list);
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
    people->chosen = ASIF_ARRAY(people->context, people->fit.atoms.count, uint64_t);
    if (!people->chosen)
        return asif_fail_memory(error);
    ASIF_TRY(asif_atoms_thin(&people->atoms, &people->fit.atoms, people->every, people->chosen, error));
    bool kept = !people->given && people->fitted == rows;
    if (kept)
        ASIF_TRY(weigh_kept(people, error));
    asif_marginal_close(&people->fit.marginal); /* a large part of all memory */
    ASIF_TRY(kept ? weigh_again(people, work, error) : weigh_rows(people, work, NULL, rows, error));
    fill_spread(people);
    people->view.between = people->spread;
    people->view.within = people->spread + n;
    for (uint64_t r = 0; r < rows; r++)
        people->view.served += people->info[r].served ? people->rows.same[r] : 0;
    return ASIF_OK;
}
