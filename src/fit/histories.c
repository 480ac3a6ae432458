/* The most frequent histories: the actions in the logs, and those of the fitted agent. */
#include "fit/fit.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/sort.h"
#include "inverse/inverse.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

enum { OBSERVED, PREDICTED, Q05, Q95, KINDS };

static const double *counts_at(const asif_fit *fit, uint64_t node) {
    return fit->count + node * asif_tree_inside(fit->tree)->actions;
}

static double sum(const double *count, uint32_t n) {
    double total = 0;
    for (uint32_t u = 0; u < n; u++)
        total += count[u];
    return total;
}

/* Insert into the list, which is sorted by decisions; of equal numbers, the first node stays first. */
static void insert(asif_fit_history *list, uint32_t *length, uint32_t most, uint32_t node, double decisions) {
    uint32_t at = *length;
    while (at > 0 && list[at - 1].decisions < decisions)
        at--;
    if (at == most)
        return;
    uint32_t moved = (*length < most ? *length : most - 1) - at;
    memmove(list + at + 1, list + at, moved * sizeof *list);
    list[at] = (asif_fit_history){.node = node, .decisions = decisions};
    *length += *length < most;
}

asif_status asif_histories_choose(asif_fit *fit, uint32_t most, asif_error *error) {
    const asif_tree_view *tree = asif_tree_inside(fit->tree);
    uint64_t U = tree->actions;
    fit->history = ASIF_ARRAY(fit->context, (uint64_t)most + 1, asif_fit_history);
    fit->shares = ASIF_ARRAY(fit->context, (uint64_t)most * KINDS * U, double);
    if (!fit->history || !fit->shares)
        return asif_fail_memory(error);
    uint32_t length = 0;
    for (uint32_t i = 0; i < tree->nodes && most > 0; i++) {
        double decisions = sum(counts_at(fit, i), tree->actions);
        if (decisions > 0)
            insert(fit->history, &length, most, i, decisions);
    }
    for (uint32_t h = 0; h < length; h++) {
        asif_fit_history *history = &fit->history[h];
        double *share = fit->shares + h * KINDS * U;
        for (uint64_t u = 0; u < U; u++) {
            share[OBSERVED * U + u] = counts_at(fit, history->node)[u] / history->decisions;
            share[PREDICTED * U + u] = share[Q05 * U + u] = share[Q95 * U + u] = NAN;
        }
        history->observed = share + OBSERVED * U;
        history->predicted = share + PREDICTED * U;
        history->q05 = share + Q05 * U;
        history->q95 = share + Q95 * U;
    }
    fit->view.histories = length;
    fit->view.history = fit->history;
    return ASIF_OK;
}

/* ---- predictions ---- */

typedef struct {
    asif_fit *fit;
    asif_target *target;
    const asif_tree_view *tree;
    uint32_t *path;     /* [levels] */
    double *state;      /* [width]; allocated when the width is known */
    double *log_policy; /* [actions] */
    double *x, *number; /* [dimension], [numbers] */
    double *value;      /* [histories][actions][draws] */
    uint64_t draws;
} prediction;

static asif_status policy_at(const prediction *p, const asif_behavior *behavior, uint32_t node,
                             asif_error *error) {
    const asif_tree_view *tree = p->tree;
    uint32_t depth = 0, root = node;
    for (; tree->parent[root] != ASIF_ANY; root = tree->parent[root])
        p->path[depth++] = root;
    asif_behavior_init(behavior, tree->states_seen ? 0 : root,
                       tree->states_seen ? tree->observation[root] : ASIF_ANY, p->state);
    while (depth-- > 0) {
        uint32_t at = p->path[depth];
        ASIF_TRY(asif_behavior_step(behavior, 1, p->state, &tree->action[at], &tree->observation[at],
                                    p->state, error));
    }
    return asif_behavior_log_policy(behavior, 1, p->state, p->log_policy, error);
}

static asif_status predict_one(prediction *p, const double *x, uint64_t draw, asif_error *error) {
    const asif_work *work;
    ASIF_TRY(asif_target_solve(p->target, x, &work, error));
    const asif_behavior *behavior = asif_work_behavior(work);
    if (!p->state)
        p->state = ASIF_ARRAY(p->fit->context, asif_behavior_width(behavior), double);
    if (!p->state)
        return asif_fail_memory(error);
    for (uint64_t h = 0; h < p->fit->view.histories; h++) {
        ASIF_TRY(policy_at(p, behavior, p->fit->history[h].node, error));
        for (uint32_t u = 0; u < p->tree->actions; u++)
            p->value[(h * p->tree->actions + u) * p->draws + draw] = exp(p->log_policy[u]);
    }
    return ASIF_OK;
}

/* Predict from draws that are evenly spaced over all chains. */
static asif_status predict_draws(prediction *p, asif_error *error) {
    asif_draws_view view = {.struct_size = sizeof view};
    ASIF_TRY(asif_draws_get(p->fit->draws, &view, error));
    uint64_t all = view.chains * view.draws;
    for (uint64_t d = 0; d < p->draws; d++) {
        uint64_t at = d * all / p->draws;
        if (asif_progress(p->fit->context, "predicting what is done", (double)d / (double)p->draws))
            return asif_fail(error, ASIF_ECANCELLED, "the fit was cancelled");
        for (uint32_t i = 0; i < view.columns; i++)
            p->number[i] = view.value[i * all + at];
        asif_estimates_locate(p->fit->estimates, p->number, p->x);
        ASIF_TRY(predict_one(p, p->x, d, error));
    }
    return ASIF_OK;
}

static void condense(const prediction *p) {
    uint64_t U = p->tree->actions;
    for (uint64_t k = 0; k < p->fit->view.histories * U; k++) {
        double *value = p->value + k * p->draws, mean = 0;
        double *share = p->fit->shares + k / U * KINDS * U + k % U;
        for (uint64_t d = 0; d < p->draws; d++)
            mean += value[d] / (double)p->draws;
        share[PREDICTED * U] = mean;
        if (!p->fit->draws)
            continue;
        asif_sort(value, p->draws);
        /* A few extreme draws can pull the mean out of the 90 % interval, which is then widened to contain
         * it. */
        share[Q05 * U] = fmin(mean, asif_quantile(value, p->draws, 0.05));
        share[Q95 * U] = fmax(mean, asif_quantile(value, p->draws, 0.95));
    }
}

asif_status asif_histories_predict(asif_fit *fit, asif_target *target, const double *x, uint32_t draws,
                                   asif_error *error) {
    const asif_context *c = fit->context;
    prediction p = {.fit = fit, .target = target, .tree = asif_tree_inside(fit->tree), .draws = 1};
    if (fit->draws) {
        asif_draws_view view = {.struct_size = sizeof view};
        ASIF_TRY(asif_draws_get(fit->draws, &view, error));
        uint64_t all = view.chains * view.draws;
        p.draws = draws < all ? draws : all;
    }
    if (fit->view.histories == 0 || p.draws == 0)
        return ASIF_OK;
    p.path = ASIF_ARRAY(c, p.tree->levels, uint32_t);
    p.log_policy = ASIF_ARRAY(c, p.tree->actions, double);
    p.x = ASIF_ARRAY(c, fit->dimension, double);
    p.number = ASIF_ARRAY(c, fit->view.parameters, double);
    p.value = ASIF_ARRAY(c, (uint64_t)fit->view.histories * p.tree->actions * p.draws, double);
    asif_status status = p.path && p.log_policy && p.x && p.number && p.value ? ASIF_OK : ASIF_ENOMEM;
    if (status != ASIF_OK)
        asif_fail_memory(error);
    else
        status = fit->draws ? predict_draws(&p, error) : predict_one(&p, x, 0, error);
    if (status == ASIF_OK)
        condense(&p);
    void *const arrays[] = {p.path, p.state, p.log_policy, p.x, p.number, p.value};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    return status;
}

/* ---- warnings ---- */

static void warn_never(const asif_fit *fit, uint32_t action, asif_problems *problems) {
    asif_error problem = ASIF_ERROR_INIT;
    asif_fail(&problem, ASIF_OK,
              "`%.60s` was never taken: these logs cannot determine how little it is wanted",
              asif_tree_label(fit->tree, ASIF_LABEL_ACTION, action));
    asif_error_hint(&problem,
                    "numbers that only this action depends on are those of their priors, or bounds");
    asif_error_code(&problem, ASIF_WARNS_NEVER_TAKEN);
    asif_problems_add(problems, ASIF_PROBLEM_WARNING, &problem);
}

asif_status asif_histories_warn(asif_fit *fit, asif_problems *problems, asif_error *error) {
    const asif_tree_view *tree = asif_tree_inside(fit->tree);
    double *taken = ASIF_ARRAY(fit->context, tree->actions, double);
    fit->never = ASIF_ARRAY(fit->context, tree->actions, uint32_t);
    if (!fit->never || !taken) {
        asif_free(fit->context, taken);
        return asif_fail_memory(error);
    }
    for (uint64_t k = 0; k < tree->lost; k++)
        asif_lost_taken(taken, tree, k);
    for (uint32_t u = 0; u < tree->actions; u++) {
        for (uint64_t i = 0; i < tree->nodes; i++)
            taken[u] += counts_at(fit, i)[u];
        if (taken[u] > 0)
            continue;
        fit->never[fit->never_length++] = u;
        warn_never(fit, u, problems);
    }
    asif_free(fit->context, taken);
    if (asif_tree_info(fit->tree)->subjects == 1) {
        asif_error problem = ASIF_ERROR_INIT;
        asif_fail(&problem, ASIF_OK, "all decisions are those of one subject: nothing is learnt of others");
        asif_error_code(&problem, ASIF_WARNS_ONE_SUBJECT);
        asif_problems_add(problems, ASIF_PROBLEM_NOTE, &problem);
    }
    return ASIF_OK;
}
