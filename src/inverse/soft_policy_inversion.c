/* Soft policy inversion: the utility of a learner, from how its policy changed (Jacq et al. 2019). */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "inverse/evidence/episodes.h"
#include "inverse/inversion.h"
#include "logs/likelihood.h"
#include "logs/tree/tree_inside.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define NAME "soft-policy-inversion"
#define SMOOTH 0.5 /* added to every count before shares are computed */

typedef struct {
    const asif_context *context;
    asif_features features;
    asif_regression regression;
} inversion;

/* ---- batches, in the order of learning ---- */

typedef struct {
    const asif_context *context;
    uint32_t count;
    const char **name; /* [count] */
    double *taken;     /* [count][state][action] */
    double *policy;    /* [count][state][action]: shares */
} batches;

static int by_name(const void *a, const void *b) {
    const char *x = *(const char *const *)a, *y = *(const char *const *)b;
    double p, q;
    if (asif_number_read(x, strlen(x), &p) && asif_number_read(y, strlen(y), &q) && p != q)
        return p < q ? -1 : 1;
    return asif_tree_name_order(x, y);
}

static asif_status name_batches(batches *b, const asif_tree *tree, uint32_t column, asif_error *error) {
    uint64_t units = asif_tree_inside(tree)->units, kept = 0;
    b->name = ASIF_ARRAY(b->context, units, const char *);
    if (!b->name)
        return asif_fail_memory(error);
    for (uint64_t h = 0; h < units; h++) {
        b->name[h] = asif_tree_covariate(tree, h, column);
        if (!*b->name[h]) {
            asif_fail(error, ASIF_EINVALID, "episode `%s` has no batch",
                      asif_show(asif_tree_unit_name(tree, h)).text);
            asif_error_hint(error, "a batch is one stage of the learner's policy: number them in order");
            return ASIF_EINVALID;
        }
    }
    qsort(b->name, (size_t)units, sizeof *b->name, by_name);
    for (uint64_t i = 0; i < units; i++)
        if (!kept || strcmp(b->name[kept - 1], b->name[i]) != 0)
            b->name[kept++] = b->name[i];
    if (kept < 2) {
        asif_fail(error, ASIF_EINVALID, "%s needs two batches at least, and there is `%s` only", NAME,
                  kept ? asif_show(b->name[0]).text : "");
        asif_error_hint(error, "it reads the utility off how the policy changes from batch to batch");
        return ASIF_EINVALID;
    }
    if (kept > 10000)
        return asif_fail(error, ASIF_ETOOBIG, "there are more than 10,000 batches");
    b->count = (uint32_t)kept;
    return ASIF_OK;
}

static uint32_t find_batch(const batches *b, const char *name) {
    const char **at = bsearch(&name, b->name, b->count, sizeof *b->name, by_name);
    return at ? (uint32_t)(at - b->name) : 0;
}

static asif_status count_batches(batches *b, const asif_tree *tree, uint32_t column, asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    uint64_t cells = (uint64_t)t->observations * t->actions;
    b->taken = ASIF_ARRAY(b->context, b->count * cells, double);
    b->policy = ASIF_ARRAY(b->context, b->count * cells, double);
    if (!b->taken || !b->policy)
        return asif_fail_memory(error);
    for (uint64_t h = 0; h < t->units; h++) {
        double *taken = b->taken + find_batch(b, asif_tree_covariate(tree, h, column)) * cells;
        for (uint64_t i = t->unit[h]; i < t->unit[h + 1]; i++)
            taken[(uint64_t)t->observation[t->entry_node[i]] * t->actions + t->entry_action[i]] +=
                t->entry_count[i];
    }
    for (uint64_t row = 0; row < (uint64_t)b->count * t->observations; row++) {
        const double *taken = b->taken + row * t->actions;
        double all = 0;
        for (uint32_t u = 0; u < t->actions; u++)
            all += taken[u] + SMOOTH;
        for (uint32_t u = 0; u < t->actions; u++)
            b->policy[row * t->actions + u] = (taken[u] + SMOOTH) / all;
    }
    return ASIF_OK;
}

static void drop(batches *b) {
    asif_free(b->context, b->name);
    asif_free(b->context, b->taken);
    asif_free(b->context, b->policy);
}

/* ---- the learner ---- */

/* The inverse temperature of the learner's actions: that of acting, if it plans without noise and acts by a
 * softmax; else that of planning. */
static double temperature(const asif_theta *given) {
    return isinf(given->a) && !isnan(given->a_act) ? given->a_act : given->a;
}

static asif_status check_learner(const asif_theta *given, const batches *b, const asif_tree *tree,
                                 asif_error *error) {
    const asif_tree_view *t = asif_tree_inside(tree);
    double a = temperature(given);
    if (!isfinite(a) || a == 0) {
        asif_fail(error, ASIF_EUNSUPPORTED, "%s needs an alpha that is neither 0 nor inf", NAME);
        asif_error_hint(error, "give `alpha` (or `act_alpha`) the learner's temperature, such as 1");
        return ASIF_EUNSUPPORTED;
    }
    for (uint64_t i = 0; i < (uint64_t)b->count * t->observations * t->actions; i++)
        if (b->taken[i] > 0 && !(given->action_prior[i % t->actions] > 0)) {
            asif_fail(error, ASIF_EINVALID, "`%s` was taken, which the action prior rules out",
                      asif_show(asif_tree_label(tree, ASIF_LABEL_ACTION, (uint32_t)(i % t->actions))).text);
            return ASIF_EINVALID;
        }
    return ASIF_OK;
}

static asif_status invert(inversion *v, const asif_behavior *behavior, const asif_inverse_input *evidence,
                          batches *b, asif_error *error) {
    const asif_theta *given = asif_estimates_given(evidence->estimates);
    uint32_t column;
    ASIF_TRY(asif_episodes_column(&column, evidence, ASIF_HELPER_BATCHES, error));
    ASIF_TRY(name_batches(b, evidence->tree, column, error));
    ASIF_TRY(count_batches(b, evidence->tree, column, error));
    ASIF_TRY(check_learner(given, b, evidence->tree, error));
    asif_learner learner = {
        .setting = behavior->setting,
        .batches = b->count,
        .policy = b->policy,
        /* the uncertain part is log pi_{k+1}: an action counts as often as it was taken there */
        .weight = b->taken + v->features.cells,
        .alpha = 1 / temperature(given),
        .discount = given->discount,
        .prior = given->action_prior};
    return asif_inversion_create(&v->regression, v->context, &v->features, &learner, error);
}

static void release(void *own) {
    inversion *v = own;
    if (!v)
        return;
    asif_regression_free(&v->regression);
    if (v->features.context)
        asif_features_free(&v->features);
    asif_free(v->context, v);
}

static asif_status prepare(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error) {
    inversion *v = *own = ASIF_NEW(behavior->context, inversion);
    batches b = {.context = behavior->context};
    if (!v)
        return asif_fail_memory(error);
    v->context = v->regression.context = v->regression.normal.context = behavior->context;
    ASIF_TRY(asif_loglik_check(behavior, evidence->tree, error));
    ASIF_TRY(asif_episodes_check(evidence, NAME, error));
    ASIF_TRY(
        asif_features_create(&v->features, v->context, behavior->setting, evidence->estimates, NAME, error));
    asif_status status = invert(v, behavior, evidence, &b, error);
    drop(&b);
    return status;
}

/* ---- the interface of an inverse planner ---- */

static asif_status objective(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error) {
    inversion *v = own;
    (void)evidence;
    (void)error;
    return asif_regression_objective(&v->regression, 2, value, gradient, behavior);
}

static asif_status answer(double *utility, const asif_behavior *behavior, const asif_inverse_input *evidence,
                          void *own, asif_error *error) {
    inversion *v = own;
    (void)behavior;
    return asif_regression_answer(&v->regression, 2, evidence->estimates, NAME, utility, error);
}

static asif_status warn(asif_problems *problems, const asif_behavior *behavior,
                        const asif_inverse_input *evidence, void *own, asif_error *error) {
    const inversion *v = own;
    (void)evidence;
    return asif_normal_warn(&v->regression.normal, &v->features, behavior->setting, "the batches", problems,
                            error);
}

const asif_inverse_ops asif_inverse_soft_policy_inversion = {
    .info = {.name = NAME,
             .summary = "the utility that a learner was after, from how its policy changed",
             .sees = ASIF_SEES_STATES,
             .purposeful = true,
             .helper = ASIF_HELPER_BATCHES,
             .paper = "Soft Policy Inversion"},
    .prepare = prepare,
    .release = release,
    .objective = objective,
    .answer = answer,
    .warn = warn,
};
