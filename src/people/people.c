#include "people/people.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "base/random.h"
#include "base/text.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define LEAST_POINTS 64
#define PILOT 1000    /* units of the pilot */
#define FROM_PILOT 4  /* times as many units have one */
#define POINTS 131072 /* most points of the table, where the options do not say how many */
/* Bytes of the likelihoods that are kept, where the options do not say how many points. */
#define KEPT ((uint64_t)3 << 30)
/* A sample is halved, at most down to this, where a table of that size is too coarse for it: of fewer units
 * it can have more points, and has to know less. */
#define LEAST_SAMPLE 4000

/* ---- the priors of units ---- */

static double quantile(void *user, uint32_t i, double p) {
    return asif_coordinate_quantile(&((const asif_estimates *)user)->coordinate[i], p);
}

static double log_density(void *user, const double *x, double *gradient) {
    return asif_estimates_log_prior(user, x, gradient);
}

asif_base_density asif_people_base(const asif_estimates *estimates) {
    return (asif_base_density){estimates->dimension, quantile, log_density, (void *)(uintptr_t)estimates};
}

static asif_status check(const asif_people *p, const asif_work *work, asif_error *error) {
    const asif_people_options *o = &p->options;
    for (uint32_t i = 0; i < p->estimates->dimension; i++)
        if (p->estimates->coordinate[i].prior.kind == ASIF_PRIOR_FLAT) {
            asif_fail(error, ASIF_EINVALID,
                      "a population needs a proper prior on every number, and one is flat");
            asif_error_hint(error, "leave out `~ flat` for the default prior");
            return ASIF_EINVALID;
        }
    bool points = o->points >= LEAST_POINTS && (o->most_points == 0 || o->most_points >= LEAST_POINTS);
    if (!points || !o->chains || !o->draws || o->sample < 2)
        return asif_fail(
            error, ASIF_EDOMAIN,
            "a fit of a population needs at least %d points, a chain, a draw and a sample of 2 units",
            LEAST_POINTS);
    if (o->kinds == 0 || o->kinds > ASIF_KINDS_MOST)
        return asif_fail(error, ASIF_EDOMAIN, "a population has 1 to %d kinds, not %u", ASIF_KINDS_MOST,
                         (unsigned)o->kinds);
    if (o->kinds > 1 && o->effects) {
        asif_fail(error, ASIF_EINVALID, "a population of several kinds cannot depend on covariates yet");
        asif_error_hint(error, "leave out either `kinds` or the formulas in the section `population`");
        return ASIF_EINVALID;
    }
    ASIF_TRY(asif_tree_need_recorded(p->tree, "a population cannot be fitted to them yet", error));
    return asif_loglik_check(asif_work_unsolved(work), p->tree, error);
}

/* ---- the population ---- */

static asif_status summarise(asif_people *p, asif_error *error) {
    for (uint32_t i = 0; i < p->view.population_numbers; i++)
        ASIF_TRY(asif_people_number(&p->population[i], p, &p->fit, i, error));
    return ASIF_OK;
}

static uint32_t count_numbers(const asif_people *p, uint32_t kinds) {
    uint32_t d = p->estimates->dimension;
    return 2 * d + (p->options.uncorrelated ? 0 : d * (d - 1) / 2) + p->design.effects + p->design.pools +
           (kinds - 1) * (d + 1);
}

/* Names are those of the kinds that were found. */
static void decided(void *decider, uint32_t kinds) {
    asif_people *p = decider;
    p->view.kinds = kinds;
    p->view.population_numbers = count_numbers(p, kinds);
    asif_people_name_numbers(p);
}

static void compare_kinds(asif_people *p) {
    p->view.kinds_compared = p->fit.scored;
    for (uint32_t k = 0; k < p->fit.scored; k++) {
        const asif_kinds_score *s = &p->fit.score[k];
        p->compared[k] = (asif_kinds_compared){s->numbers, s->log_marginal, -2 * s->score};
    }
    p->view.compared = p->fit.scored ? p->compared : NULL;
}

/* Choose `wanted` units that the population is fitted to: `times` [rows] of each row. Returns the number of
 * rows. The pilot's are drawn independently. */
static uint64_t draw_sample(asif_people *p, uint64_t wanted, bool pilot, uint64_t *chosen, double *times) {
    uint64_t units = p->rows.units, taken = 0, count = 0;
    for (uint64_t u = 0; u < units; u++) { /* each set of units of this size is equally likely */
        asif_stream stream = {p->options.seed, pilot ? ASIF_FOR_PILOTS : ASIF_FOR_POPULATIONS, u};
        bool yes =
            units <= wanted || asif_uniform(&stream, 0) * (double)(units - u) < (double)(wanted - taken);
        taken += yes;
        times[p->rows.row[u]] += yes;
    }
    p->view.sampled = taken;
    for (uint64_t r = 0; r < p->rows.rows; r++)
        if (times[r] > 0) {
            chosen[count] = r;
            times[count++] = times[r];
        }
    return count;
}

/* The most points of the table: as the options say, else as many as the likelihoods of the rows that the
 * population is fitted to, which are kept in memory, leave room for. A pilot has the same limit. */
static uint64_t limit_points(const asif_people *p, uint64_t sample) {
    const asif_people_options *o = &p->options;
    uint64_t rows = sample < p->rows.rows ? sample : p->rows.rows,
             room = KEPT / sizeof(float) / (rows ? rows : 1);
    if (o->most_points)
        return o->most_points;
    room = room < POINTS ? room : POINTS;
    return room > o->points ? room : o->points;
}

/* The covariates of the chosen rows [count]. */
static void gather(const asif_people *p, const uint64_t *chosen, uint64_t count, double *z) {
    uint64_t columns = p->design.columns;
    for (uint64_t k = 0; p->z && k < count; k++)
        memcpy(z + k * columns, p->z + chosen[k] * columns, columns * sizeof *z);
}

typedef enum { WHOLE, PILOT_ONLY, WITHOUT_COVARIATES } fit_kind;

/* Fit the population to `wanted` units: from where a pilot has ended (NULL: there was none), or as a pilot
 * itself. */
static asif_status fit_to(asif_population_fit *out, asif_people *p, const asif_work *work, uint64_t wanted,
                          asif_population_fit *from, fit_kind kind, asif_error *error) {
    bool pilot = kind == PILOT_ONLY, plain = kind == WITHOUT_COVARIATES;
    uint64_t *chosen = ASIF_ARRAY(p->context, p->rows.rows, uint64_t);
    double *times = ASIF_ARRAY(p->context, p->rows.rows, double),
           *z = ASIF_ARRAY(p->context, p->rows.rows * p->design.columns, double);
    asif_status status = chosen && times && z ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        p->fitted = draw_sample(p, wanted, pilot, chosen, times);
        asif_unit_likelihoods u = {.context = p->context,
                                   .estimates = p->estimates,
                                   .work = work,
                                   .rows = &p->rows,
                                   .chosen = chosen,
                                   .count = p->fitted,
                                   .what = "table"};
        gather(p, chosen, p->fitted, z);
        asif_population_request r = {.base = &p->base,
                                     .correlated = !p->options.uncorrelated,
                                     .rows = u.count,
                                     .times = times,
                                     .columns = plain ? 0 : p->design.columns,
                                     .effects = plain ? 0 : p->design.effects,
                                     .z = z,
                                     .effect = p->design.effect,
                                     .kinds = p->options.kinds,
                                     .decided = plain ? NULL : decided,
                                     .decider = p,
                                     .evaluate = asif_unit_likelihoods_evaluate,
                                     .user = &u,
                                     .name = p->names,
                                     .seed = p->options.seed,
                                     .points = p->options.points,
                                     .most_points = limit_points(p, pilot ? p->options.sample : wanted),
                                     .chains = p->options.chains,
                                     .warmup = p->options.warmup,
                                     .draws = p->options.draws,
                                     .many = ASIF_PEOPLE_MANY,
                                     .pilot = pilot,
                                     .from = from};
        status = asif_population_estimate(out, p->context, &r, error);
    }
    asif_free(p->context, chosen);
    asif_free(p->context, times);
    asif_free(p->context, z);
    return status;
}

/* The table is as large as it may be, and its error is all that is wrong with it. */
static bool is_too_coarse(const asif_people *p) {
    return !p->fit.usable && p->fit.effective >= ASIF_POPULATION_EFFECTIVE &&
           p->fit.worst_error > ASIF_POPULATION_ERROR && !p->options.most_points;
}

/* Of many units, a few find out where the table has to have points. */
static asif_status fit_population(asif_people *p, const asif_work *work, asif_error *error) {
    uint64_t sample = p->options.sample < p->rows.units ? p->options.sample : p->rows.units;
    asif_population_fit pilot = {0};
    asif_status status = ASIF_OK;
    bool many = sample > FROM_PILOT * PILOT;
    if (many)
        status = fit_to(&pilot, p, work, PILOT, NULL, PILOT_ONLY, error);
    if (status == ASIF_OK)
        status = fit_to(&p->fit, p, work, sample, many ? &pilot : NULL, WHOLE, error);
    while (status == ASIF_OK && is_too_coarse(p) && sample / 2 >= LEAST_SAMPLE) {
        asif_population_fit_close(&pilot);
        pilot = p->fit;
        p->fit = (asif_population_fit){0};
        sample /= 2;
        asif_marginal_close(&pilot.marginal);
        status = fit_to(&p->fit, p, work, sample, &pilot, WHOLE, error);
    }
    asif_population_fit_close(&pilot);
    return status;
}

/* ---- all of it ---- */

static asif_status open_names(asif_people *p, asif_error *error) {
    uint64_t n = count_numbers(p, p->options.kinds);
    p->name = asif_alloc(p->context, n, sizeof *p->name);
    p->names = ASIF_ARRAY(p->context, n, const char *);
    p->population = ASIF_ARRAY(p->context, n, asif_population_number);
    if (!p->name || !p->names || !p->population)
        return asif_fail_memory(error);
    decided(p, 1);
    for (uint64_t i = 0; i < n; i++)
        p->population[i] = (asif_population_number){.name = p->names[i],
                                                    .mean = NAN,
                                                    .sd = NAN,
                                                    .q05 = NAN,
                                                    .q50 = NAN,
                                                    .q95 = NAN,
                                                    .table_error = NAN,
                                                    .rhat = NAN,
                                                    .ess = NAN};
    p->view.population = p->population;
    return ASIF_OK;
}

/* Rows, with the covariates of their units. */
static asif_status open_rows(asif_people *p, asif_error *error) {
    uint64_t columns;
    ASIF_TRY(asif_unit_design_open(&p->design, p->tree, p->estimates, p->options.effect, p->options.effects,
                                   p->given ? &p->columns : NULL, error));
    columns = p->design.columns;
    ASIF_TRY(asif_unit_rows_open(&p->rows, p->tree, p->design.z, p->design.columns,
                                 p->options.permutations > 0, error));
    if (!columns)
        return ASIF_OK;
    if (!(p->z = ASIF_ARRAY(p->context, p->rows.rows * columns, double)))
        return asif_fail_memory(error);
    for (uint64_t r = 0; r < p->rows.rows; r++)
        memcpy(p->z + r * columns, p->design.z + p->rows.unit[r] * columns, columns * sizeof *p->z);
    return ASIF_OK;
}

static asif_status open_units(asif_people *p, const asif_work *work, uint64_t least, asif_error *error) {
    ASIF_TRY(check(p, work, error));
    ASIF_TRY(open_rows(p, error));
    p->view.units = p->rows.units;
    p->view.rows = p->rows.rows;
    p->view.numbers = p->estimates->reported;
    if (p->view.units < least)
        return asif_fail(error, ASIF_EINVALID,
                         "a population needs at least 2 decision-makers; the logs have 1");
    return ASIF_OK;
}

/* Permutations use the table of a population without covariates. */
static asif_status permute(asif_people *p, const asif_work *work, asif_error *error) {
    asif_population_fit plain = {0};
    if (p->options.permutations == 0)
        return ASIF_OK;
    asif_status status = fit_to(&plain, p, work, p->rows.units, NULL, WITHOUT_COVARIATES, error);
    if (status == ASIF_OK)
        status = asif_people_permute(p, &plain, error);
    asif_population_fit_close(&plain);
    return status;
}

static asif_status run(asif_people *p, const asif_work *work, asif_error *error) {
    asif_people_view *v = &p->view;
    ASIF_TRY(open_units(p, work, 2, error));
    ASIF_TRY(asif_people_check_permutations(p, error));
    ASIF_TRY(open_names(p, error));
    ASIF_TRY(fit_population(p, work, error));
    v->usable = p->fit.usable;
    v->effective = p->fit.effective;
    v->least_effective = p->fit.least_effective;
    v->left_out = p->fit.left_out;
    v->worst_error = p->fit.worst_error;
    v->worst = p->fit.worst;
    v->log_likelihood = p->fit.log_marginal;
    v->draws = p->fit.draws;
    if (v->usable) {
        compare_kinds(p);
        ASIF_TRY(summarise(p, error));
        p->wanted = asif_people_wanted(p->fitted);
        p->every = asif_people_every(p);
        ASIF_TRY(asif_people_weigh(p, work, error));
        ASIF_TRY(permute(p, work, error));
    }
    v->points = p->fit.atoms.count;
    v->rounds = p->fit.rounds;
    return ASIF_OK;
}

static asif_status run_given(asif_people *p, const asif_work *work, const char *table, uint64_t length,
                             asif_error *error) {
    asif_people_view *v = &p->view;
    p->given = true;
    ASIF_TRY(asif_people_read_table(p, table, length, error));
    ASIF_TRY(open_units(p, work, 1, error));
    ASIF_TRY(asif_people_take_table(p, error));
    v->usable = true;
    v->points = p->fit.atoms.count;
    v->effective = v->least_effective = v->worst_error = v->log_likelihood = NAN;
    return asif_people_weigh(p, work, error);
}

static asif_status take_options(asif_people_options *out, const asif_people_options *options,
                                asif_error *error) {
    if (options->struct_size == 0 || options->struct_size > sizeof *out)
        return asif_fail(error, ASIF_EDOMAIN, "options of a population have an unknown size");
    memcpy(out, options, options->struct_size);
    return ASIF_OK;
}

/* `table` NULL: the population is fitted. */
static asif_status make(asif_people **out, const asif_context *context, const asif_work *work,
                        const asif_estimates *estimates, const asif_tree *tree,
                        const asif_people_options *options, const char *table, uint64_t length,
                        asif_error *error) {
    asif_people_options o = ASIF_PEOPLE_OPTIONS_INIT;
    *out = NULL;
    if (options)
        ASIF_TRY(take_options(&o, options, error));
    asif_people *p = ASIF_NEW(context, asif_people);
    if (!p)
        return asif_fail_memory(error);
    p->context = context;
    p->estimates = ASIF_KEEP(estimates);
    p->tree = tree;
    asif_tree_keep(tree);
    p->options = o;
    p->base = asif_people_base(estimates);
    double begun = asif_os_seconds();
    asif_os_now(p->started, sizeof p->started);
    asif_status status = table ? run_given(p, work, table, length, error) : run(p, work, error);
    p->seconds = asif_os_seconds() - begun;
    if (status != ASIF_OK) {
        asif_people_free(p);
        return status;
    }
    *out = p;
    return ASIF_OK;
}

asif_status asif_people_fit(asif_people **out, const asif_context *context, const asif_work *work,
                            const asif_estimates *estimates, const asif_tree *tree,
                            const asif_people_options *options, asif_error *error) {
    return make(out, context, work, estimates, tree, options, NULL, 0, error);
}

asif_status asif_people_given(asif_people **out, const asif_context *context, const asif_work *work,
                              const asif_estimates *estimates, const asif_tree *tree,
                              const asif_people_options *options, const char *table, uint64_t length,
                              asif_error *error) {
    asif_people_options all = ASIF_PEOPLE_OPTIONS_INIT, plain = all;
    *out = NULL;
    if (!table)
        return asif_fail_null(error, "table of a population");
    if (options)
        ASIF_TRY(take_options(&all, options, error));
    plain.title = all.title;
    plain.key = all.key;
    plain.effect = all.effect;
    plain.effects = all.effects;
    plain.predictive = all.predictive;
    return make(out, context, work, estimates, tree, &plain, table, length, error);
}

void asif_people_free(asif_people *p) {
    if (!p)
        return;
    asif_unit_design_close(&p->design);
    asif_yaml_free(p->document);
    asif_unit_rows_close(&p->rows);
    asif_population_fit_close(&p->fit);
    asif_atoms_close(&p->atoms);
    void *const arrays[] = {p->name, (void *)p->names, p->population, p->number, p->info, p->spread,
                            p->z,    p->chosen,        p->permuted};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(p->context, arrays[i]);
    asif_estimates_free(ASIF_KEPT(asif_estimates, p->estimates));
    asif_tree_free(ASIF_KEPT(asif_tree, p->tree));
    asif_free(p->context, p);
}

asif_status asif_people_get(const asif_people *people, asif_people_view *view, asif_error *error) {
    size_t size = view->struct_size;
    if (size == 0 || size > sizeof *view)
        return asif_fail(error, ASIF_EDOMAIN, "the view of a population has an unknown size");
    memcpy(view, &people->view, size);
    view->struct_size = size;
    return ASIF_OK;
}

asif_status asif_people_unit(const asif_people *p, uint64_t unit, asif_person_number *number,
                             asif_person_info *info, asif_error *error) {
    if (unit >= p->rows.units || !p->view.usable)
        return asif_fail(error, ASIF_EDOMAIN,
                         p->view.usable ? "there is no such unit" : "there are no posteriors of units");
    uint64_t row = p->rows.row[unit];
    const asif_unit_number *from = p->number + row * p->view.numbers;
    for (uint32_t k = 0; number && k < p->view.numbers; k++)
        number[k] = (asif_person_number){from[k].mean, from[k].sd, from[k].q05, from[k].q50, from[k].q95};
    if (info)
        *info = (asif_person_info){p->info[row].effective,
                                   p->info[row].khat,
                                   p->info[row].served,
                                   p->rows.same[row],
                                   {0},
                                   p->options.predictive ? p->info[row].log_likelihood : NAN};
    for (uint32_t k = 0; info && k < p->view.kinds; k++)
        info->kind[k] = (double)p->info[row].kind[k];
    return ASIF_OK;
}
