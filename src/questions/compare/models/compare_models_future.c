/* Leave-future-out: a model gets the decisions before a step, predicts that step, then gets it, and so on.
 * Between refits, importance weights account for the decisions added since. If their Pareto shape shows that
 * they no longer suffice, the model is fitted again. Bürkner, Gabry and Vehtari (2020), "Approximate
 * leave-future-out cross-validation for Bayesian time series models". */
#include "questions/compare/models/compare_models.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"
#include "sample/psis.h"

#include <math.h>
#include <string.h>

#define LEAST_DECISIONS 20 /* fewest decisions at a step that is predicted */

/* Refits: by a quick walk and, if that does not converge, by the better sampler. */
#define CHAINS 4
#define WARMUP 500
#define DRAWS 500
#define THIN 4
#define STARTS 3
#define MOST_RHAT 1.05
#define LEAST_SIZE 100
/* Smallest share of effective draws that weights may leave; with fewer, a good shape means little. */
#define LEAST_SHARE 0.1

/* ---- steps ---- */

static double decisions_at(const asif_compare_models *compare, uint32_t step) {
    const asif_tree_view *tree = asif_tree_inside(compare->units.tree);
    double sum = 0;
    for (uint64_t i = 0; i < (uint64_t)tree->nodes * tree->actions; i++)
        sum += compare->step[i / tree->actions] == step ? tree->count[i] : 0;
    return sum;
}

/* Whether each episode has a decision of step 0, as far as this is known: with weights it is not. */
static bool begin_together(const asif_compare_models *compare) {
    const asif_tree_view *tree = asif_tree_inside(compare->units.tree);
    const asif_logs_info *info = asif_tree_info(compare->units.tree);
    bool weighted = info->weight != (double)info->decisions;
    for (uint64_t i = 0; !weighted && i < (uint64_t)tree->nodes * tree->actions; i++)
        weighted = tree->count[i] != floor(tree->count[i]);
    return weighted || info->episodes == 0 || decisions_at(compare, 0) == (double)info->episodes;
}

static asif_status number_steps(asif_compare_models *compare, asif_error *error) {
    const asif_tree *tree = compare->units.tree;
    const asif_tree_view *view = asif_tree_inside(tree);
    const char *why = NULL;
    compare->step = ASIF_ARRAY(compare->context, view->nodes, uint32_t);
    if (!compare->step)
        return asif_fail_memory(error);
    if (view->states_seen)
        why = "where states are seen, decisions are counted without their order";
    else if (view->lost)
        why = "results are lost, so the decisions after them are known only together";
    else
        asif_tree_steps(compare->step, tree);
    if (!why && !begin_together(compare))
        why = "only some episodes begin with an observation, so it is not known which decisions come first";
    if (!why)
        return ASIF_OK;
    asif_fail(error, ASIF_EUNSUPPORTED, "%s", why);
    asif_error_hint(error, "leave --future out: models are then compared on units that are left out");
    return ASIF_EUNSUPPORTED;
}

asif_status asif_compare_models_steps(asif_compare_models *compare, asif_error *error) {
    uint32_t first = compare->options.future, last = first;
    ASIF_TRY(number_steps(compare, error));
    for (double n; (n = decisions_at(compare, last)) >= LEAST_DECISIONS; last++)
        compare->predicted += n;
    if (last == first) {
        asif_fail(error, ASIF_EDOMAIN,
                  "after the first %u decisions of an episode fewer than %d are left to predict", first,
                  LEAST_DECISIONS);
        asif_error_hint(error, "give fewer at first: --future 1");
        return ASIF_EDOMAIN;
    }
    compare->first_step = first;
    compare->last_step = last - 1;
    return ASIF_OK;
}

/* ---- one model ---- */

typedef struct {
    asif_compare_models *compare;
    asif_compared *model;
    const asif_tree_view *tree;
    double *count;  /* [nodes][actions]: decisions of the steps in the data */
    double *value;  /* [kinds][all]: log-likelihoods of one step */
    double *ratio;  /* [all]: log-likelihood ratio of each draw, from the steps since the refit */
    double *weight; /* [all] */
    asif_fit *fit;
    const asif_draws *draws;
    asif_psis_room room;
    uint64_t *size; /* [kinds]: number of units */
} looking;

static asif_status draw(looking *l, asif_fit_method method, asif_fit_view *view, asif_error *error) {
    const asif_fitted *fitted = l->model->model->fitted;
    asif_fit_options options;
    asif_fit_defaults(&options, method);
    options.inverse = fitted->inverse;
    options.inverse_options = fitted->inverse_options;
    options.sample.chains = CHAINS;
    options.sample.warmup = WARMUP;
    options.sample.draws = DRAWS;
    options.sample.thin = method == ASIF_FIT_METROPOLIS ? THIN : 1;
    options.sample.seed = l->compare->options.seed;
    options.starts = STARTS;
    options.histories = options.predictive = 0;
    options.count = l->count;
    asif_fit_free(l->fit);
    l->fit = NULL;
    ASIF_TRY(asif_fit_estimate(&l->fit, l->compare->context, fitted->work, fitted->estimates,
                               l->compare->units.tree, &options, NULL, error));
    return asif_fit_get(l->fit, view, error);
}

static asif_status refit(looking *l, uint32_t step, asif_error *error) {
    asif_fit_view view = {.struct_size = sizeof view};
    for (uint64_t i = 0; i < (uint64_t)l->tree->nodes * l->tree->actions; i++)
        l->count[i] = l->compare->step[i / l->tree->actions] < step ? l->tree->count[i] : 0;
    ASIF_TRY(draw(l, ASIF_FIT_METROPOLIS, &view, error));
    if (!(view.trust.worst_rhat < MOST_RHAT && view.trust.least_ess >= LEAST_SIZE)) {
        asif_status status = draw(l, ASIF_FIT_NUTS, &view, error);
        if (status == ASIF_EUNSUPPORTED) /* no gradient: the result of the walk is used */
            status = draw(l, ASIF_FIT_METROPOLIS, &view, error);
        ASIF_TRY(status);
    }
    l->draws = view.draws;
    l->model->refits++;
    l->model->worst_rhat = fmax(l->model->worst_rhat, view.trust.worst_rhat);
    for (uint64_t d = 0; d < (uint64_t)CHAINS * DRAWS; d++) {
        l->ratio[d] = 0;
        l->weight[d] = -log((double)CHAINS * DRAWS);
    }
    return ASIF_OK;
}

/* Compute the log-likelihoods of a step, and add its prediction for every unit. */
static asif_status predict(looking *l, uint32_t step, asif_error *error) {
    const asif_units *units = &l->compare->units;
    const uint64_t all = (uint64_t)CHAINS * DRAWS;
    ASIF_TRY(asif_pointwise_draws(l->value, l->model->model->fitted, l->draws, units, l->compare->step, step,
                                  error));
    for (uint64_t u = 0; u < units->units; u++) {
        /* The prediction of a kind is computed once, for its first unit. */
        uint64_t kind = units->kind[u], first = units->example[kind];
        l->model->future[u] = u == first
                                  ? l->model->future[u] + asif_log_sum(l->value + kind * all, l->weight, all)
                                  : l->model->future[first];
    }
    return ASIF_OK;
}

static double effective_draws(const double *log_weight, uint64_t n) {
    double squares = 0;
    for (uint64_t d = 0; d < n; d++)
        squares += exp(2 * log_weight[d]);
    return 1 / squares;
}

/* Add the decisions of the step to the data: by importance weights, or by a refit. */
static asif_status give(looking *l, uint32_t step, asif_error *error) {
    const uint64_t all = (uint64_t)CHAINS * DRAWS;
    for (uint64_t k = 0; k < l->compare->units.kinds; k++)
        for (uint64_t d = 0; d < all; d++)
            l->ratio[d] += (double)l->size[k] * l->value[k * all + d];
    double efficiency = asif_psis_efficiency(&l->room, l->ratio);
    double k = asif_psis_smooth(&l->room, l->ratio, efficiency, l->weight);
    if (!(k <= asif_psis_threshold(all)) || effective_draws(l->weight, all) < LEAST_SHARE * (double)all)
        return refit(l, step + 1, error);
    l->model->worst_weights = fmax(l->model->worst_weights, k);
    return ASIF_OK;
}

static asif_status look(looking *l, asif_error *error) {
    const asif_compare_models *c = l->compare;
    double steps = (double)(c->last_step - c->first_step + 1);
    ASIF_TRY(refit(l, c->first_step, error));
    for (uint32_t step = c->first_step; step <= c->last_step; step++) {
        if (asif_progress(c->context, "predicting later decisions", (double)(step - c->first_step) / steps))
            return asif_fail(error, ASIF_ECANCELLED, "the comparison was cancelled");
        ASIF_TRY(predict(l, step, error));
        if (step < c->last_step)
            ASIF_TRY(give(l, step, error));
    }
    return ASIF_OK;
}

asif_status asif_compare_models_future(asif_compare_models *compare, asif_compared *model,
                                       asif_error *error) {
    const asif_context *c = compare->context;
    const uint64_t all = (uint64_t)CHAINS * DRAWS, kinds = compare->units.kinds;
    looking l = {.compare = compare, .model = model, .tree = asif_tree_inside(compare->units.tree)};
    l.count = ASIF_ARRAY(c, (uint64_t)l.tree->nodes * l.tree->actions, double);
    l.value = ASIF_ARRAY(c, kinds * all, double);
    l.ratio = ASIF_ARRAY(c, all, double);
    l.weight = ASIF_ARRAY(c, all, double);
    l.size = ASIF_ARRAY(c, kinds, uint64_t);
    model->future = ASIF_ARRAY(c, compare->units.units, double);
    model->worst_rhat = model->worst_weights = -INFINITY;
    bool room = asif_psis_open(&l.room, c, CHAINS, DRAWS);
    asif_status status = ASIF_OK;
    if (room && l.count && l.value && l.ratio && l.weight && l.size && model->future) {
        for (uint64_t u = 0; u < compare->units.units; u++)
            l.size[compare->units.kind[u]]++;
        status = look(&l, error);
    } else {
        status = asif_fail_memory(error);
    }
    asif_fit_free(l.fit);
    asif_psis_close(&l.room);
    void *const arrays[] = {l.count, l.value, l.ratio, l.weight, l.size};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    return status;
}
