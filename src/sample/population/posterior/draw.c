/* Draws of a population's numbers: by importance sampling, or by NUTS where its weights cannot be trusted and
 * evaluations are not too costly. */
#include "sample/population/population.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "sample/draws.h"
#include "sample/population/posterior/importance.h"

#include <math.h>
#include <string.h>

#define ACCEPT 0.85 /* of NUTS */
#define FLOOR                                                                                                \
    50. /* effective points below which a population has density 0: the table knows nothing of it            \
         */

/* ---- NUTS ---- */

static void keep_phi(asif_population_fit *fit, const asif_draws_view *v) {
    for (uint64_t i = 0; i < fit->count; i++)
        for (uint32_t k = 0; k < fit->numbers; k++)
            fit->phi[i * fit->numbers + k] = v->value[((uint64_t)fit->numbers + k) * fit->count + i];
}

/* Reported numbers, then phi itself: chains report both. Where a chain goes over to another order of the
 * kinds, they are put into order again. */
static void report_both(void *user, const double *phi, double *out) {
    const asif_normal_population *p = ((const asif_marginal_work *)user)->densities.population;
    uint32_t n = asif_population_numbers(p);
    memcpy(out + n, phi, n * sizeof *phi);
    if (asif_kinds(p) > 1)
        asif_kinds_sort(p, out + n);
    asif_population_report(p, out + n, out);
}

/* The draws without the columns of phi. */
static asif_status without_phi(asif_population_fit *fit, const asif_draws_view *v, const char *const *name,
                               asif_error *error) {
    uint64_t one = (uint64_t)v->chains * v->draws;
    ASIF_TRY(asif_draws_create(&fit->draws, fit->context, v->chains, v->draws, fit->numbers, name,
                               v->dimension, error));
    memcpy(asif_draws_values(fit->draws, 0, 0), v->value, fit->numbers * one * sizeof(double));
    memcpy(asif_draws_stats(fit->draws, 0, 0), v->stat, ASIF_STAT_COUNT * one * sizeof(double));
    asif_draws_view *own = &fit->draws->view;
    for (uint32_t c = 0; c < v->chains; c++)
        *asif_draws_step(fit->draws, c) = v->step[c];
    if (v->metric)
        memcpy(asif_draws_metric(fit->draws, 0), v->metric,
               (uint64_t)v->chains * v->dimension * v->dimension * sizeof(double));
    own->method = v->method;
    own->warmup = v->warmup;
    own->thin = v->thin;
    own->seed = v->seed;
    own->max_depth = v->max_depth;
    return ASIF_OK;
}

static asif_status sample(asif_population_fit *fit, asif_marginal_work *work,
                          const asif_population_request *r, asif_error *error) {
    asif_sample_options o = ASIF_SAMPLE_OPTIONS_INIT;
    asif_draws_view v = {.struct_size = sizeof v};
    asif_draws *both = NULL;
    uint64_t n = fit->numbers;
    asif_density *density = ASIF_ARRAY(fit->context, r->chains, asif_density);
    const char **name = ASIF_ARRAY(fit->context, 2 * n, const char *);
    double *start = ASIF_ARRAY(fit->context, r->chains * n, double);
    char(*own)[16] = asif_alloc(fit->context, 2 * n, sizeof *own);
    asif_status status = density && name && start && own ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t k = 0; status == ASIF_OK && k < 2 * n; k++) {
        asif_format(own[k], sizeof own[k], "x.%u", k + 1);
        name[k] = own[k];
    }
    for (uint32_t c = 0; status == ASIF_OK && c < r->chains; c++) {
        density[c] = asif_marginal_density(&work[c], name);
        density[c].reported = (uint32_t)(2 * n);
        density[c].report = report_both;
        memcpy(start + c * n, fit->maximum, n * sizeof *start);
    }
    o.chains = r->chains;
    o.warmup = r->warmup;
    o.draws = r->draws;
    o.seed = r->seed;
    o.target_accept = ACCEPT;
    o.start = start;
    o.metric = fit->covariance;
    if (status == ASIF_OK)
        status = asif_sample(&both, fit->context, density, &o, error);
    if (status == ASIF_OK)
        status = asif_draws_get(both, &v, error);
    if (status == ASIF_OK)
        status = without_phi(fit, &v, r->name, error);
    if (status == ASIF_OK)
        keep_phi(fit, &v);
    asif_draws_free(both);
    asif_free(fit->context, density);
    asif_free(fit->context, (void *)name);
    asif_free(fit->context, start);
    asif_free(fit->context, own);
    return status;
}

/* ---- importance sampling ---- */

static asif_status fill_draws(asif_population_fit *fit, const asif_population_request *r, asif_error *error) {
    double row[ASIF_POPULATION_NUMBERS];
    ASIF_TRY(
        asif_draws_create(&fit->draws, fit->context, r->chains, r->draws, fit->numbers, r->name, 0, error));
    asif_draws_view *view = &fit->draws->view;
    view->method = ASIF_METHOD_RIDGE;
    view->thin = 1;
    view->seed = r->seed;
    view->khat = fit->khat;
    view->kish = fit->kish;
    for (uint64_t i = 0; i < fit->count; i++) { /* neighbours go to different chains */
        if (asif_kinds(&fit->population) > 1)
            asif_kinds_sort(&fit->population, fit->phi + i * fit->numbers);
        asif_population_report(&fit->population, fit->phi + i * fit->numbers, row);
        uint32_t chain = (uint32_t)(i % r->chains);
        for (uint32_t k = 0; k < fit->numbers; k++)
            asif_draws_values(fit->draws, k, chain)[i / r->chains] = row[k];
        asif_draws_stats(fit->draws, ASIF_STAT_ACCEPT, chain)[i / r->chains] = 1;
    }
    return ASIF_OK;
}

/* ---- both ---- */

/* Where draw i is: chains stand one after another, but neighbours of importance sampling are in different
 * chains. */
static void find_draw(const asif_draws_view *v, uint64_t i, uint32_t *chain, uint64_t *place) {
    bool apart = v->method == ASIF_METHOD_RIDGE;
    *chain = (uint32_t)(apart ? i % v->chains : i / v->draws);
    *place = apart ? i / v->chains : i % v->draws;
}

/* Put draw `from` into the place of draw `to`. */
static void repeat(asif_population_fit *fit, uint64_t to, uint64_t from) {
    uint64_t n = fit->numbers, place, other;
    uint32_t chain, other_chain;
    find_draw(&fit->draws->view, to, &chain, &place);
    find_draw(&fit->draws->view, from, &other_chain, &other);
    memcpy(fit->phi + to * n, fit->phi + from * n, n * sizeof *fit->phi);
    for (uint32_t k = 0; k < n; k++)
        asif_draws_values(fit->draws, k, chain)[place] = asif_draws_values(fit->draws, k, other_chain)[other];
    for (uint32_t k = 0; k < ASIF_STAT_COUNT; k++)
        asif_draws_stats(fit->draws, k, chain)[place] = asif_draws_stats(fit->draws, k, other_chain)[other];
}

static bool is_carried(const asif_population_fit *fit, uint64_t i) {
    return fit->carried[i] >= ASIF_POPULATION_EFFECTIVE;
}

/* Draws that the table carries badly are few: the draw before takes their place, as in a chain that does not
 * move. */
static void leave_out(asif_population_fit *fit) {
    uint64_t good = 0;
    while (!is_carried(fit, good))
        good++;
    for (uint64_t i = 0; i < fit->count; i++) {
        if (is_carried(fit, i))
            good = i;
        else
            repeat(fit, i, good);
    }
}

/* By how many points the table carries draws: the least, and how many draws have too few. */
static void check(asif_population_fit *fit) {
    fit->least_effective = INFINITY;
    fit->left_out = 0;
    for (uint64_t i = 0; i < fit->count; i++)
        fit->left_out += !is_carried(fit, i);
    fit->usable = (double)fit->left_out <= ASIF_POPULATION_LEFT_OUT * (double)fit->count;
    for (uint64_t i = 0; i < fit->count; i++)
        if (!fit->usable || is_carried(fit, i))
            fit->least_effective = fmin(fit->least_effective, fit->carried[i]);
    if (fit->usable && fit->left_out)
        leave_out(fit);
}

asif_status asif_population_draw(asif_population_fit *fit, const asif_marginal *marginal,
                                 const asif_population_request *r, asif_error *error) {
    bool good = false;
    asif_draws_free(fit->draws);
    fit->draws = NULL;
    asif_free(fit->context, fit->phi);
    fit->count = r->chains * r->draws;
    fit->phi = ASIF_ARRAY(fit->context, fit->count * fit->numbers, double);
    asif_free(fit->context, fit->carried);
    fit->carried = ASIF_ARRAY(fit->context, fit->count, double);
    asif_marginal_work *work = ASIF_ARRAY(fit->context, r->chains, asif_marginal_work);
    asif_status status = fit->phi && fit->carried && work ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK && !r->nuts) {
        status = asif_marginal_work_open(&work[0], marginal, &fit->population, fit->context->options.threads,
                                         error);
        work[0].least_effective = FLOOR;
        if (status == ASIF_OK)
            status = asif_population_importance(fit, &work[0], r->seed, &good, error);
        if (status == ASIF_OK && good)
            status = fill_draws(fit, r, error);
        asif_marginal_work_close(&work[0]);
    }
    for (uint32_t c = 0; status == ASIF_OK && c < r->chains; c++)
        status = asif_marginal_work_open(&work[c], marginal, &fit->population, 1, error);
    for (uint32_t c = 0; status == ASIF_OK && c < r->chains; c++)
        work[c].least_effective = FLOOR;
    bool possible = asif_marginal_cost(marginal) <= (double)r->many;
    if (status == ASIF_OK && !good && possible) {
        fit->khat = fit->kish = NAN;
        status = sample(fit, work, r, error);
        good = true;
        if (status == ASIF_OK)
            asif_marginal_effective(&work[0], fit->phi, fit->count, fit->carried);
    }
    fit->usable = good;
    if (status == ASIF_OK && good)
        check(fit);
    for (uint32_t c = 0; work && c < r->chains; c++)
        asif_marginal_work_close(&work[c]);
    asif_free(fit->context, work);
    return status;
}
