#include "fit/subject_scores.h"

#include "base/error.h"
#include "base/memory.h"
#include "inverse/inverse.h"
#include "logs/likelihood.h"
#include "logs/lost.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define STEP 1e-4 /* step of the differences, over the natural scale */

bool asif_subjects_known(const asif_tree *tree) {
    uint64_t units = asif_tree_inside(tree)->units;
    return units > 0 && asif_tree_info(tree)->subjects == units;
}

/* Compute the log-policy of the agent at `x`, at all nodes. */
static asif_status walk_at(double *log_policy, const asif_context *context, asif_target *target,
                           const asif_tree *tree, const double *x, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    const asif_work *work = NULL;
    double total;
    ASIF_TRY(asif_target_solve(target, x, &work, error));
    const asif_behavior *b = asif_work_behavior(work);
    asif_loglik_walk walk = {ASIF_ARRAY(context, (uint64_t)t->nodes * b->width, double),
                             ASIF_ARRAY(context, (uint64_t)t->nodes * b->memo_width, double), log_policy};
    asif_status status = walk.state && walk.memo ? asif_loglik_keep(&total, b, tree, NULL, &walk, error)
                                                 : asif_fail_memory(error);
    asif_free(context, walk.state);
    asif_free(context, walk.memo);
    return status;
}

static asif_status differentiate(asif_subject_scores *s, asif_target *target, const asif_tree *tree,
                                 const double *x, const double *step, asif_error *error) {
    uint64_t size = (uint64_t)s->tree->nodes * s->tree->actions;
    double *at = ASIF_ARRAY(s->context, s->dimension, double), *low = ASIF_ARRAY(s->context, size, double);
    asif_status status = at && low ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        memcpy(at, x, s->dimension * sizeof *at);
    for (uint32_t j = 0; status == ASIF_OK && j < s->dimension; j++) {
        double *high = s->slope + j * size;
        at[j] = x[j] - step[j];
        status = walk_at(low, s->context, target, tree, at, error);
        at[j] = x[j] + step[j];
        if (status == ASIF_OK)
            status = walk_at(high, s->context, target, tree, at, error);
        double apart = at[j] - (x[j] - step[j]);
        at[j] = x[j];
        for (uint64_t i = 0; status == ASIF_OK && i < size; i++) {
            double slope = (high[i] - low[i]) / apart;
            high[i] = isfinite(slope) ? slope : 0;
        }
    }
    asif_free(s->context, at);
    asif_free(s->context, low);
    return status;
}

static void score_lost(asif_subject_scores *s) {
    const asif_tree_view *t = s->tree;
    uint64_t size = (uint64_t)t->nodes * t->actions;
    for (uint64_t k = 0; k < t->lost; k++) {
        s->lost_log[k] = asif_lost_log(t, k, s->log_policy);
        for (uint32_t j = 0; j < s->dimension && isfinite(s->lost_log[k]); j++)
            s->lost_score[k * s->dimension + j] =
                asif_lost_slope(t, k, s->lost_log[k], s->log_policy, s->slope + j * size);
    }
}

static void add_lost(asif_subject_scores *s, uint64_t subject) {
    const asif_tree_view *t = s->tree;
    for (uint64_t k = t->unit_lost[subject]; k < t->unit_lost[subject + 1]; k++) {
        s->loglik[subject] += t->lost_weight[k] * s->lost_log[k];
        for (uint32_t j = 0; j < s->dimension; j++)
            s->score[subject * s->dimension + j] += t->lost_weight[k] * s->lost_score[k * s->dimension + j];
    }
}

static void add_up(asif_subject_scores *s) {
    const asif_tree_view *t = s->tree;
    uint64_t size = (uint64_t)t->nodes * t->actions;
    score_lost(s);
    for (uint64_t k = 0; k < s->subjects; k++)
        add_lost(s, k);
    for (uint64_t k = 0; k < s->subjects; k++)
        for (uint64_t e = t->unit[k]; e < t->unit[k + 1]; e++) {
            uint64_t at = (uint64_t)t->entry_node[e] * t->actions + t->entry_action[e];
            if (!(t->entry_count[e] > 0))
                continue;
            s->loglik[k] += t->entry_count[e] * s->log_policy[at];
            for (uint32_t j = 0; j < s->dimension; j++)
                s->score[k * s->dimension + j] += t->entry_count[e] * s->slope[j * size + at];
        }
}

static asif_status fill(asif_subject_scores *s, asif_target *target, const asif_estimates *estimates,
                        const asif_tree *tree, const double *x, const double *step, asif_error *error) {
    uint64_t n = s->dimension, size = (uint64_t)s->tree->nodes * s->tree->actions;
    double *usual = ASIF_ARRAY(s->context, n, double);
    s->log_policy = ASIF_ARRAY(s->context, size, double);
    s->slope = ASIF_ARRAY(s->context, n * size, double);
    s->loglik = ASIF_ARRAY(s->context, s->subjects, double);
    s->score = ASIF_ARRAY(s->context, s->subjects * n, double);
    s->lost_log = ASIF_ARRAY(s->context, s->tree->lost, double);
    s->lost_score = ASIF_ARRAY(s->context, s->tree->lost * n, double);
    bool room = s->log_policy && s->slope && s->loglik && s->score && s->lost_log && s->lost_score;
    asif_status status = usual && room ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK) {
        asif_estimates_scale(estimates, usual);
        for (uint64_t j = 0; j < n; j++)
            usual[j] *= STEP;
        status = walk_at(s->log_policy, s->context, target, tree, x, error);
    }
    if (status == ASIF_OK)
        status = differentiate(s, target, tree, x, step ? step : usual, error);
    if (status == ASIF_OK)
        add_up(s);
    asif_free(s->context, usual);
    return status;
}

asif_status asif_subject_scores_create(asif_subject_scores *out, const asif_context *context,
                                       asif_target *target, const asif_estimates *estimates,
                                       const asif_tree *tree, const double *x, const double *step,
                                       asif_error *error) {
    *out = (asif_subject_scores){0};
    if (!asif_tree_inside(tree)->units)
        return asif_fail(error, ASIF_EINVALID, "the tree does not keep subjects apart");
    return asif_decision_scores_create(out, context, target, estimates, tree, x, step, error);
}

asif_status asif_decision_scores_create(asif_subject_scores *out, const asif_context *context,
                                        asif_target *target, const asif_estimates *estimates,
                                        const asif_tree *tree, const double *x, const double *step,
                                        asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    *out = (asif_subject_scores){.context = context,
                                 .tree = t,
                                 .subjects = t->units,
                                 .dimension = asif_estimates_dimension(estimates)};
    asif_status status = fill(out, target, estimates, tree, x, step, error);
    if (status != ASIF_OK)
        asif_subject_scores_free(out);
    return status;
}

void asif_subject_scores_free(asif_subject_scores *s) {
    void *const arrays[] = {s->log_policy, s->slope, s->loglik, s->score, s->lost_log, s->lost_score};
    for (size_t i = 0; s->context && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(s->context, arrays[i]);
    *s = (asif_subject_scores){0};
}

void asif_subject_information(double *out, const asif_subject_scores *s, uint64_t subject) {
    const asif_tree_view *t = s->tree;
    uint64_t n = s->dimension, size = (uint64_t)t->nodes * t->actions;
    memset(out, 0, n * n * sizeof *out);
    for (uint64_t k = t->unit_lost[subject]; k < t->unit_lost[subject + 1]; k++)
        for (uint64_t i = 0; i < n * n; i++)
            out[i] += t->lost_weight[k] * s->lost_score[k * n + i / n] * s->lost_score[k * n + i % n];
    for (uint64_t e = t->unit[subject]; e < t->unit[subject + 1]; e++) {
        uint64_t first = (uint64_t)t->entry_node[e] * t->actions;
        for (uint64_t u = first; u < first + t->actions; u++) {
            double weight = t->entry_count[e] * exp(s->log_policy[u]);
            for (uint64_t i = 0; weight > 0 && i < n; i++)
                for (uint64_t j = 0; j < n; j++)
                    out[i * n + j] += weight * s->slope[i * size + u] * s->slope[j * size + u];
        }
    }
}
