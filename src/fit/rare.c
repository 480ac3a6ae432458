/* Decisions that are very improbable for the fitted agent. One of them can outweigh hundreds of ordinary
 * ones, and often it is not the agent's at all: a wrong label, a result that was seen but not recorded, a
 * missing row. */
#include "fit/fit.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/special.h"
#include "inverse/inverse.h"
#include "logs/likelihood.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"

#include <math.h>

#define SURPRISING 0.01 /* rare decisions are a doubt if the probability of so many is below this */

/* Sums the series of P(X >= k) from k on; 1 if k is not above the mean m. */
double asif_rare_tail(double k, double m) {
    if (!(k > m))
        return 1;
    if (!(m > 0))
        return 0;
    double term = exp(k * log(m) - m - asif_log_gamma(k + 1)), sum = term;
    for (double i = k + 1; term > 1e-17 * sum; i++)
        sum += term *= m / i;
    return fmin(1, sum);
}

static void count(asif_fit_rare *rare, const asif_tree_view *tree, const double *counts,
                  const double *log_policy) {
    const double limit = log(ASIF_RARE_BELOW);
    double least = INFINITY;
    for (uint64_t i = 0; i < tree->nodes; i++) {
        const double *taken = counts + i * tree->actions, *here = log_policy + i * tree->actions;
        double decisions = 0;
        for (uint32_t u = 0; u < tree->actions; u++)
            decisions += taken[u];
        for (uint32_t u = 0; u < tree->actions; u++) {
            if (!(here[u] < limit))
                continue;
            rare->expected += decisions * exp(here[u]);
            rare->decisions += taken[u];
            if (taken[u] > 0 && here[u] < least) {
                least = here[u];
                rare->node = (uint32_t)i;
                rare->action = u;
            }
        }
    }
    rare->probability = rare->decisions > 0 ? exp(least) : NAN;
    rare->tail = asif_rare_tail(rare->decisions, rare->expected);
}

asif_status asif_rare_find(asif_fit *fit, asif_target *target, const double *x, asif_error *error) {
    const asif_context *c = fit->context;
    const asif_tree_view *tree = asif_tree_inside(fit->tree);
    const asif_work *work;
    ASIF_TRY(asif_target_solve(target, x, &work, error));
    const asif_behavior *behavior = asif_work_behavior(work);
    asif_loglik_walk walk = {ASIF_ARRAY(c, (uint64_t)tree->nodes * behavior->width, double),
                             ASIF_ARRAY(c, (uint64_t)tree->nodes * behavior->memo_width, double),
                             ASIF_ARRAY(c, (uint64_t)tree->nodes * tree->actions, double)};
    asif_fit_rare rare = {.known = true, .node = ASIF_ANY, .action = ASIF_ANY};
    double total;
    asif_status status = walk.state && walk.memo && walk.log_policy
                             ? asif_loglik_keep(&total, behavior, fit->tree, fit->count, &walk, error)
                             : asif_fail_memory(error);
    if (status == ASIF_OK) {
        count(&rare, tree, fit->count, walk.log_policy);
        fit->view.rare = rare;
    }
    for (uint32_t i = 0; status == ASIF_OK && rare.tail < SURPRISING && i < fit->view.parameters; i++)
        if (fit->parameter[i].doubt < ASIF_DOUBT_DECISIONS)
            fit->parameter[i].doubt = ASIF_DOUBT_DECISIONS;
    void *const arrays[] = {walk.state, walk.memo, walk.log_policy};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(c, arrays[i]);
    return status;
}
