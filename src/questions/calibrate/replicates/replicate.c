/* Makes one replicate: draws an agent, simulates it, fits it, and ranks its true values among the draws. */
#include "questions/calibrate/replicates/replicate.h"

#include "acting/simulated.h"
#include "base/error.h"
#include "base/memory.h"
#include "planners/planner.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define RUNS 4   /* most runs of the chains */
#define LONGER 3 /* factor by which each of the last two runs is longer */
/* Steps for each draw that a walk keeps in the first run. About 28 steps would make draws nearly
 * independent. */
#define WALK_THIN 4

typedef struct {
    asif_replicates *all;
    uint32_t index;
    double *x, *number; /* [dimension], [numbers]: true values */
    asif_theta *theta;
    asif_work *work;
    asif_tree *tree;
    asif_fit *fit;
    asif_fit_view view;
    asif_target *target;
    uint32_t ties;
} replicate;

static uint64_t seed_for(const replicate *r, uint32_t what) {
    return asif_replicate_seed(r->all, r->index, what);
}

/* ---- the agent and its logs ---- */

static asif_status draw_truth(replicate *r, asif_error *error) {
    const asif_estimates *estimates = r->all->fitted->estimates;
    asif_estimates_draw(estimates, seed_for(r, ASIF_REPLICATE_TRUTH), 0, r->x);
    asif_estimates_report(estimates, r->x, r->number);
    for (uint32_t i = 0; i < r->all->numbers; i++)
        if (!isnan(r->all->known[i]))
            r->number[i] = r->all->known[i];
    asif_estimates_locate(estimates, r->number, r->x);
    asif_estimates_report(estimates, r->x, r->number);
    for (uint32_t i = 0; i < r->all->numbers; i++)
        asif_replicate_number(r->all, r->index, i)[ASIF_KEPT_TRUTH] = r->number[i];
    return asif_estimates_theta(estimates, r->x, r->theta, error);
}

static asif_status simulate(replicate *r, asif_error *error) {
    const asif_replicates *all = r->all;
    asif_plan_info info;
    ASIF_TRY(asif_work_clone(&r->work, all->work, error));
    ASIF_TRY(asif_solve(r->work, r->theta, &info, error));
    if (info.stop == ASIF_STOP_NONFINITE)
        return asif_fail(error, ASIF_EUNSUPPORTED, "an agent that was drawn has no finite values");
    ASIF_TRY(asif_plan_judge(&info, error));
    uint64_t *episodes = asif_replicate_episodes(all);
    if (!episodes)
        return asif_fail_memory(error);
    const asif_simulated_options options = {
        .episodes = episodes, .seed = seed_for(r, ASIF_REPLICATE_LOGS), .max_steps = all->options.max_steps};
    asif_status status = asif_simulated_tree(&r->tree, asif_work_behavior(r->work), &options, error);
    asif_free(&all->inner, episodes);
    if (status == ASIF_OK)
        asif_replicate_row(all, r->index)[ASIF_KEPT_DECISIONS] = (double)asif_tree_info(r->tree)->decisions;
    return status;
}

/* ---- the fit ---- */

static asif_status fit_once(replicate *r, uint64_t thin, bool plain, asif_error *error) {
    const asif_calibrate_options *o = &r->all->options;
    asif_fit_options options;
    asif_fit_free(r->fit);
    r->fit = NULL;
    asif_fit_defaults(&options, o->method);
    options.draws_only = true;
    options.plain = plain;
    options.inverse = r->all->fitted->inverse;
    options.inverse_options = r->all->fitted->inverse_options;
    options.starts = o->starts;
    options.sample.chains = o->chains;
    options.sample.warmup = o->warmup;
    options.short_warmup = 0;
    options.sample.draws = o->draws;
    options.sample.target_accept = o->target_accept;
    options.sample.thin = thin;
    options.sample.seed = seed_for(r, ASIF_REPLICATE_FIT);
    ASIF_TRY(asif_fit_estimate(&r->fit, &r->all->inner, r->all->work, r->all->fitting, r->tree, &options,
                               NULL, error));
    r->view.struct_size = sizeof r->view;
    return asif_fit_get(r->fit, &r->view, error);
}

/* Whether the chains agree and have moved enough; records R-hat and effective sample size in the row. */
static bool settled(const replicate *r, double *row) {
    asif_draws_view draws = {.struct_size = sizeof draws};
    bool weighted = r->view.method == ASIF_FIT_RIDGE; /* without R-hat: good weights, or not to be counted */
    bool good = asif_draws_get(r->view.draws, &draws, NULL) == ASIF_OK && draws.inside &&
                draws.khat < ASIF_GOOD_KHAT && draws.kish >= ASIF_GOOD_KISH;
    double rhat = !weighted ? 0 : good ? 1 : INFINITY, ess = INFINITY;
    for (uint32_t i = 0; i < r->view.parameters; i++) {
        const asif_column_summary *s = &r->view.parameter[i].summary;
        rhat = isnan(s->rhat) ? (weighted ? rhat : INFINITY) : fmax(rhat, s->rhat);
        ess = isnan(s->ess_bulk) ? 0 : fmin(ess, s->ess_bulk);
    }
    row[ASIF_KEPT_RHAT] = rhat;
    row[ASIF_KEPT_ESS] = ess;
    return rhat <= ASIF_SETTLED_RHAT && ess >= asif_replicates_wanted(r->all);
}

static asif_status fit(replicate *r, asif_error *error) {
    double *row = asif_replicate_row(r->all, r->index);
    asif_fit_method method = r->all->options.method;
    if (method == ASIF_FIT_MAP || method == ASIF_FIT_ML) {
        row[ASIF_KEPT_RUNS] = 1;
        return fit_once(r, 1, false, error);
    }
    /* Which coordinates suit a walk depends on the agent: the second run tries the other coordinates, and
     * later runs take the better ones. NUTS is run as in a fit. */
    bool walks = method == ASIF_FIT_METROPOLIS, plain = walks;
    uint64_t thin = walks ? WALK_THIN : 1;
    double first = 0;
    for (uint32_t run = 1, most = walks ? RUNS : RUNS - 1; run <= most; run++) {
        row[ASIF_KEPT_RUNS] = run;
        ASIF_TRY(fit_once(r, thin, plain, error));
        if (settled(r, row) || r->view.method == ASIF_FIT_RIDGE) /* weighted points are as many as they are */
            break;
        if (walks && run == 1) {
            first = row[ASIF_KEPT_ESS];
            plain = false;
            continue;
        }
        if (walks && run == 2)
            plain = first > row[ASIF_KEPT_ESS];
        thin *= LONGER;
    }
    return ASIF_OK;
}

static void keep_estimates(const replicate *r) {
    for (uint32_t i = 0; i < r->view.parameters; i++) {
        const asif_column_summary *s = &r->view.parameter[i].summary;
        double *kept = asif_replicate_number(r->all, r->index, i);
        kept[ASIF_KEPT_ESTIMATE] = s->mean;
        kept[ASIF_KEPT_SD] = s->sd;
        kept[ASIF_KEPT_Q05] = s->q05;
        kept[ASIF_KEPT_Q95] = s->q95;
    }
}

/* ---- ranks ---- */

static asif_status rank_likelihood(replicate *r, const asif_draws_view *draws, asif_error *error) {
    const asif_estimates *fitting = r->all->fitting;
    uint64_t all = draws->chains * draws->draws;
    uint32_t below = 0, equal = 0;
    double truth = NAN, value = NAN;
    asif_target_options options = ASIF_TARGET_OPTIONS_INIT;
    options.inverse = r->all->fitted->inverse;
    options.inverse_options = r->all->fitted->inverse_options;
    options.objective_only = true;
    ASIF_TRY(asif_target_create(&r->target, r->all->work, fitting, r->tree, &options, error));
    asif_estimates_locate(fitting, r->number, r->x);
    ASIF_TRY(asif_target_objective(r->target, r->x, &truth, NULL, error));
    for (uint32_t k = 0; k < r->all->options.ranks; k++) {
        for (uint32_t i = 0; i < draws->columns; i++)
            r->number[i] = draws->value[i * all + asif_replicate_thinned(r->all, all, k)];
        asif_estimates_locate(fitting, r->number, r->x);
        ASIF_TRY(asif_target_objective(r->target, r->x, &value, NULL, error));
        below += value < truth;
        equal += value == truth;
    }
    asif_replicate_row(r->all, r->index)[ASIF_KEPT_RANK_LIKELIHOOD] =
        asif_replicate_rank(r->all, r->index, below, equal, &r->ties);
    return ASIF_OK;
}

static asif_status rank_all(replicate *r, asif_error *error) {
    asif_draws_view draws = {.struct_size = sizeof draws};
    ASIF_TRY(asif_draws_get(r->view.draws, &draws, error));
    for (uint32_t i = 0; i < draws.columns; i++)
        asif_replicate_rank_number(r->all, r->index, &draws, i, &r->ties);
    return rank_likelihood(r, &draws, error);
}

/* ---- one replicate ---- */

static asif_status make(replicate *r, asif_error *error) {
    asif_replicates *all = r->all;
    asif_replicate_clear(all, r->index);
    r->x = ASIF_ARRAY(&all->inner, asif_estimates_dimension(all->fitting), double);
    r->number = ASIF_ARRAY(&all->inner, all->numbers, double);
    if (!r->x || !r->number)
        return asif_fail_memory(error);
    ASIF_TRY(asif_theta_create(&r->theta, &all->inner, all->fitted->setting, error));
    ASIF_TRY(draw_truth(r, error));
    ASIF_TRY(simulate(r, error));
    ASIF_TRY(fit(r, error));
    keep_estimates(r);
    return all->options.ranks ? rank_all(r, error) : ASIF_OK;
}

asif_status asif_replicate_make(asif_replicates *replicates, uint32_t index, asif_error *error) {
    replicate r = {.all = replicates, .index = index};
    asif_status status = make(&r, error);
    asif_target_free(r.target);
    asif_fit_free(r.fit);
    asif_tree_free(r.tree);
    asif_work_free(r.work);
    asif_theta_free(r.theta);
    asif_free(&replicates->inner, r.x);
    asif_free(&replicates->inner, r.number);
    return status;
}
