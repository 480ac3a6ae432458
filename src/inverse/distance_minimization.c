/* Distance minimisation: utilities whose sums over episodes are nearest, in a p-norm, to the scores of the
 * episodes (El Asri et al. 2016, Burchfiel et al. 2016). */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "inverse/evidence/episodes.h"
#include "inverse/solve/regression.h"
#include "logs/tree/tree.h"

#include <math.h>
#include <string.h>

#define NAME "distance-minimization"

typedef struct {
    const asif_context *context;
    asif_features features;
    asif_regression regression; /* a row for each episode */
} scored;

static asif_status read_score(double *out, const asif_tree *tree, uint64_t episode, uint32_t column,
                              asif_error *error) {
    const char *text = asif_tree_covariate(tree, episode, column);
    asif_shown name = asif_show(asif_tree_unit_name(tree, episode));
    if (!*text) {
        asif_fail(error, ASIF_EINVALID, "episode `%s` has no score", name.text);
        asif_error_hint(error, "leave out episodes that nobody scored");
        return ASIF_EINVALID;
    }
    if (!asif_number_read(text, strlen(text), out) || !isfinite(*out)) {
        asif_fail(error, ASIF_EINVALID, "the score of episode `%s` is `%s`, which is not a number", name.text,
                  asif_show(text).text);
        asif_error_hint(error, "a score is a number, the same in all rows of an episode");
        return ASIF_EINVALID;
    }
    return ASIF_OK;
}

static asif_status regress(scored *s, const asif_episodes *e, const asif_inverse_input *evidence,
                           asif_error *error) {
    uint32_t column, n = s->features.count;
    ASIF_TRY(asif_episodes_column(&column, evidence, ASIF_HELPER_SCORES, error));
    ASIF_TRY(asif_regression_create(&s->regression, s->context, &s->features, e->count, error));
    memcpy(s->regression.row, e->feature, e->count * n * sizeof *e->feature);
    for (uint64_t h = 0; h < e->count; h++) {
        ASIF_TRY(read_score(&s->regression.target[h], evidence->tree, h, column, error));
        s->regression.target[h] -= e->constant[h];
    }
    return ASIF_OK;
}

static void release(void *own) {
    scored *s = own;
    if (!s)
        return;
    asif_regression_free(&s->regression);
    if (s->features.context)
        asif_features_free(&s->features);
    asif_free(s->context, s);
}

static asif_status prepare(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error) {
    scored *s = *own = ASIF_NEW(behavior->context, scored);
    asif_episodes episodes;
    if (!s)
        return asif_fail_memory(error);
    s->context = s->regression.context = s->regression.normal.context = behavior->context;
    ASIF_TRY(asif_episodes_create(&episodes, behavior, evidence, NAME, error));
    s->features = episodes.features; /* kept */
    asif_status status = regress(s, &episodes, evidence, error);
    episodes.features = (asif_features){0};
    asif_episodes_free(&episodes);
    return status;
}

static asif_status objective(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error) {
    scored *s = own;
    (void)error;
    return asif_regression_objective(&s->regression, evidence->inverse_options->p, value, gradient, behavior);
}

static asif_status answer(double *utility, const asif_behavior *behavior, const asif_inverse_input *evidence,
                          void *own, asif_error *error) {
    scored *s = own;
    (void)behavior;
    return asif_regression_answer(&s->regression, evidence->inverse_options->p, evidence->estimates, NAME,
                                  utility, error);
}

static asif_status warn(asif_problems *problems, const asif_behavior *behavior,
                        const asif_inverse_input *evidence, void *own, asif_error *error) {
    const scored *s = own;
    asif_episodes_warn(evidence, problems);
    return asif_normal_warn(&s->regression.normal, &s->features, behavior->setting, "the scores", problems,
                            error);
}

const asif_inverse_ops asif_inverse_distance_minimization = {
    .info = {.name = NAME,
             .summary = "utilities that add up to the scores of the episodes",
             .sees = ASIF_SEES_STATES | ASIF_SEES_BELIEFS,
             .purposeful = true,
             .helper = ASIF_HELPER_SCORES,
             .paper = "Distance Minimization"},
    .prepare = prepare,
    .release = release,
    .objective = objective,
    .answer = answer,
    .warn = warn,
};
