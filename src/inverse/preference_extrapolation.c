/* Preference extrapolation: utilities under which the better episode of each pair scores higher (Brown et al.
 * 2019), by the model of Bradley and Terry: P(worse < better) = sigma(v(better) - v(worse)). Its
 * log-likelihood is maximised; Table 3 prints argmin. */
#include "base/error.h"
#include "base/memory.h"
#include "inverse/evidence/episodes.h"
#include "inverse/evidence/pairs.h"

#include <math.h>

#define NAME "preference-extrapolation"

typedef struct {
    const asif_context *context;
    asif_features features;
    uint64_t pairs;
    double *constant;   /* [pairs]: of the better minus that of the worse */
    double *difference; /* [pairs][features] */
    double *x;          /* [features] */
} preferences;

static asif_status compare(preferences *p, const asif_episodes *e, const asif_pairs *pairs,
                           asif_error *error) {
    uint32_t n = e->features.count;
    p->pairs = pairs->count;
    p->constant = ASIF_ARRAY(p->context, p->pairs, double);
    p->difference = ASIF_ARRAY(p->context, p->pairs * n, double);
    p->x = ASIF_ARRAY(p->context, n, double);
    if (!p->constant || !p->difference || !p->x)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < p->pairs; i++) {
        uint64_t worse = pairs->unit[2 * i], better = pairs->unit[2 * i + 1];
        p->constant[i] = e->constant[better] - e->constant[worse];
        for (uint32_t k = 0; k < n; k++)
            p->difference[i * n + k] = e->feature[better * n + k] - e->feature[worse * n + k];
    }
    return ASIF_OK;
}

static asif_status fill(preferences *p, const asif_behavior *behavior, const asif_inverse_input *evidence,
                        asif_error *error) {
    asif_episodes episodes;
    asif_pairs pairs = {.context = p->context};
    const asif_inverse_options *inverse_options = evidence->inverse_options;
    if (!inverse_options->pairs) {
        asif_fail(error, ASIF_EINVALID, "%s needs a table of pairs of episodes", NAME);
        asif_error_hint(error, "inverse: {name: %s, pairs: pairs.csv}, with the columns worse and better",
                        NAME);
        return ASIF_EINVALID;
    }
    ASIF_TRY(asif_episodes_create(&episodes, behavior, evidence, NAME, error));
    asif_status status = asif_pairs_read(&pairs, p->context, inverse_options->pairs, inverse_options->partial,
                                         evidence->tree, error);
    if (status == ASIF_OK)
        status = compare(p, &episodes, &pairs, error);
    asif_pairs_free(&pairs);
    p->features = episodes.features; /* kept */
    episodes.features = (asif_features){0};
    asif_episodes_free(&episodes);
    return status;
}

static void release(void *own) {
    preferences *p = own;
    if (!p)
        return;
    if (p->features.context)
        asif_features_free(&p->features);
    asif_free(p->context, p->constant);
    asif_free(p->context, p->difference);
    asif_free(p->context, p->x);
    asif_free(p->context, p);
}

static asif_status prepare(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error) {
    preferences *p = *own = ASIF_NEW(behavior->context, preferences);
    if (!p)
        return asif_fail_memory(error);
    p->context = behavior->context;
    return fill(p, behavior, evidence, error);
}

static asif_status objective(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error) {
    preferences *p = own;
    const asif_features *f = &p->features;
    (void)evidence;
    (void)error;
    asif_features_gather(f, asif_theta_utilities(behavior->theta), p->x);
    if (gradient)
        asif_theta_gradient_clear(gradient, behavior->setting);
    *value = 0;
    for (uint64_t i = 0; i < p->pairs; i++) {
        const double *difference = p->difference + i * f->count;
        double d = p->constant[i];
        for (uint32_t k = 0; k < f->count; k++)
            d += difference[k] * p->x[k];
        /* log sigma(d) and its derivative sigma(-d), without overflow on either side */
        double small = exp(-fabs(d));
        *value -= log1p(small) + (d < 0 ? -d : 0);
        double slope = d < 0 ? 1 / (1 + small) : small / (1 + small);
        for (uint32_t k = 0; gradient && k < f->count; k++)
            gradient->utility[f->which[k]] += slope * difference[k];
    }
    return ASIF_OK;
}

static asif_status warn(asif_problems *problems, const asif_behavior *behavior,
                        const asif_inverse_input *evidence, void *own, asif_error *error) {
    (void)behavior;
    (void)own;
    (void)error;
    asif_episodes_warn(evidence, problems);
    return ASIF_OK;
}

const asif_inverse_ops asif_inverse_preference_extrapolation = {
    .info = {.name = NAME,
             .summary = "utilities under which the better episode of each pair is worth more",
             .likelihood = true,
             .sees = ASIF_SEES_STATES | ASIF_SEES_BELIEFS,
             .purposeful = true,
             .helper = ASIF_HELPER_PAIRS,
             .paper = "Preference Extrapolation"},
    .prepare = prepare,
    .release = release,
    .objective = objective,
    .warn = warn,
};
