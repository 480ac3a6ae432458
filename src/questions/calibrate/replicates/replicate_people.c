/* Makes one replicate of a population: draws it from its prior, draws and simulates its people, fits all of
 * them, and compares. */
#include "questions/calibrate/replicates/replicate.h"

#include "acting/simulated.h"
#include "base/error.h"
#include "base/memory.h"
#include "planners/planner.h"
#include "sample/population/drawn.h"
#include "theta/estimates.h"

#include <math.h>

typedef struct {
    asif_replicates *all;
    uint32_t index;
    asif_base_density base;
    asif_normal_population population;
    double phi[ASIF_POPULATION_NUMBERS];
    double *number; /* [people][reported]: true values */
    asif_theta *theta;
    asif_work *work;
    asif_tree *tree;
    asif_people *people;
    asif_people_view view;
} replicate;

/* ---- the people and their logs ---- */

static void draw_population(replicate *r) {
    double number[ASIF_POPULATION_NUMBERS];
    r->base = asif_people_base(r->all->fitted->estimates);
    asif_population_place(&r->population, &r->base, true);
    asif_population_invent(&r->population, asif_replicate_seed(r->all, r->index, ASIF_REPLICATE_TRUTH),
                           r->phi);
    asif_population_report(&r->population, r->phi, number);
    for (uint32_t i = 0; i < r->all->numbers; i++)
        asif_replicate_number(r->all, r->index, i)[ASIF_KEPT_TRUTH] = number[i];
}

static asif_status solve_person(void *user, uint64_t person, const asif_behavior **out, asif_error *error) {
    replicate *r = user;
    const asif_estimates *estimates = r->all->fitted->estimates;
    double x[ASIF_POPULATION_MOST];
    asif_plan_info info;
    asif_population_invent_unit(&r->population, r->phi,
                                asif_replicate_seed(r->all, r->index, ASIF_REPLICATE_TRUTH), person, x);
    asif_estimates_report(estimates, x, r->number + person * estimates->reported);
    ASIF_TRY(asif_estimates_theta(estimates, x, r->theta, error));
    asif_work_forget(r->work); /* what a person does must not depend on who came before */
    ASIF_TRY(asif_solve(r->work, r->theta, &info, error));
    if (info.stop == ASIF_STOP_NONFINITE)
        return asif_fail(error, ASIF_EUNSUPPORTED, "a person who was drawn has no finite values");
    ASIF_TRY(asif_plan_judge(&info, error));
    *out = asif_work_behavior(r->work);
    return ASIF_OK;
}

static asif_status simulate(replicate *r, asif_error *error) {
    asif_replicates *all = r->all;
    ASIF_TRY(asif_work_clone(&r->work, all->work, error));
    uint64_t *episodes = asif_replicate_episodes(all);
    if (!episodes)
        return asif_fail_memory(error);
    const asif_simulated_options options = {.episodes = episodes,
                                            .seed = asif_replicate_seed(all, r->index, ASIF_REPLICATE_LOGS),
                                            .max_steps = all->options.max_steps};
    asif_status status = asif_simulated_people(&r->tree, all->fitted->setting, all->options.people,
                                               solve_person, r, &options, error);
    asif_free(&all->inner, episodes);
    if (status == ASIF_OK)
        asif_replicate_row(all, r->index)[ASIF_KEPT_DECISIONS] = (double)asif_tree_info(r->tree)->decisions;
    return status;
}

/* ---- the fit ---- */

static asif_status fail_refused(const replicate *r, asif_error *error) {
    asif_text why = {.context = &r->all->inner};
    asif_people_refusal(&why, r->people);
    asif_fail(error, ASIF_EUNSUPPORTED, "%s", why.data ? why.data : "a population was refused");
    asif_text_free(&why);
    return ASIF_EUNSUPPORTED;
}

static asif_status fit(replicate *r, asif_error *error) {
    const asif_calibrate_options *o = &r->all->options;
    asif_people_options options = ASIF_PEOPLE_OPTIONS_INIT;
    options.seed = asif_replicate_seed(r->all, r->index, ASIF_REPLICATE_FIT);
    options.chains = o->chains;
    options.warmup = o->warmup;
    options.draws = o->draws;
    ASIF_TRY(
        asif_people_fit(&r->people, &r->all->inner, r->all->work, r->all->fitting, r->tree, &options, error));
    r->view.struct_size = sizeof r->view;
    ASIF_TRY(asif_people_get(r->people, &r->view, error));
    return r->view.usable ? ASIF_OK : fail_refused(r, error);
}

static void keep_population(const replicate *r) {
    double *row = asif_replicate_row(r->all, r->index), rhat = 1, ess = INFINITY;
    for (uint32_t i = 0; i < r->all->numbers; i++) {
        const asif_population_number *n = &r->view.population[i];
        double *kept = asif_replicate_number(r->all, r->index, i);
        kept[ASIF_KEPT_ESTIMATE] = n->mean;
        kept[ASIF_KEPT_SD] = n->sd;
        kept[ASIF_KEPT_Q05] = n->q05;
        kept[ASIF_KEPT_Q95] = n->q95;
        rhat = isnan(n->rhat) ? rhat : fmax(rhat, n->rhat);
        ess = fmin(ess, n->ess);
    }
    row[ASIF_KEPT_RUNS] = 1;
    row[ASIF_KEPT_RHAT] = rhat;
    row[ASIF_KEPT_ESS] = ess;
}

static asif_status keep_people(const replicate *r, asif_error *error) {
    uint64_t held = 0, people = r->all->options.people;
    uint32_t numbers = r->view.numbers;
    asif_person_number *found = ASIF_ARRAY(&r->all->inner, numbers, asif_person_number);
    asif_status status = found ? ASIF_OK : asif_fail_memory(error);
    for (uint64_t i = 0; status == ASIF_OK && i < people; i++) {
        const double *truth = r->number + i * numbers;
        status = asif_people_unit(r->people, i, found, NULL, error);
        for (uint32_t k = 0; status == ASIF_OK && k < numbers; k++)
            held += found[k].q05 <= truth[k] && truth[k] <= found[k].q95;
    }
    asif_free(&r->all->inner, found);
    asif_replicate_row(r->all, r->index)[ASIF_KEPT_HELD] = (double)held / ((double)people * (double)numbers);
    return status;
}

static asif_status rank_all(const replicate *r, asif_error *error) {
    asif_draws_view draws = {.struct_size = sizeof draws};
    uint32_t ties = 0;
    ASIF_TRY(asif_draws_get(r->view.draws, &draws, error));
    for (uint32_t i = 0; i < r->all->numbers; i++)
        asif_replicate_rank_number(r->all, r->index, &draws, i, &ties);
    return ASIF_OK;
}

/* ---- one replicate ---- */

static asif_status make(replicate *r, asif_error *error) {
    asif_replicates *all = r->all;
    asif_replicate_clear(all, r->index);
    r->number = ASIF_ARRAY(&all->inner, all->options.people * all->fitted->estimates->reported, double);
    if (!r->number)
        return asif_fail_memory(error);
    ASIF_TRY(asif_theta_create(&r->theta, &all->inner, all->fitted->setting, error));
    draw_population(r);
    ASIF_TRY(simulate(r, error));
    ASIF_TRY(fit(r, error));
    keep_population(r);
    ASIF_TRY(keep_people(r, error));
    return all->options.ranks ? rank_all(r, error) : ASIF_OK;
}

asif_status asif_replicate_make_people(asif_replicates *replicates, uint32_t index, asif_error *error) {
    replicate r = {.all = replicates, .index = index};
    asif_status status = make(&r, error);
    asif_people_free(r.people);
    asif_tree_free(r.tree);
    asif_work_free(r.work);
    asif_theta_free(r.theta);
    asif_free(&replicates->inner, r.number);
    return status;
}
