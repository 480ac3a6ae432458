/* Soft policy matching: the log-likelihood of the actions, causally conditioned on the observations (Equation
 * 24, which is maximised). */
#include "base/error.h"
#include "base/memory.h"
#include "inverse/evidence/folded.h"
#include "inverse/inverse.h"
#include "logs/likelihood.h"

typedef struct {
    const asif_context *context;
    bool tried;          /* to fold the logs, which needs a solved agent */
    asif_folded *folded; /* NULL: they cannot be folded */
} logs;

static void release(void *own) {
    logs *l = own;
    if (!l)
        return;
    asif_folded_free(l->folded);
    asif_free(l->context, l);
}

static asif_status prepare(void **own, const asif_behavior *behavior, const asif_inverse_input *evidence,
                           asif_error *error) {
    ASIF_TRY(asif_estimates_can_act(evidence->estimates, error));
    ASIF_TRY(asif_loglik_check(behavior, evidence->tree, error));
    logs *l = *own = ASIF_NEW(behavior->context, logs);
    if (!l)
        return asif_fail_memory(error);
    l->context = behavior->context;
    return ASIF_OK;
}

static asif_status objective(double *value, asif_theta_gradient *gradient, const asif_behavior *behavior,
                             const asif_inverse_input *evidence, void *own, asif_error *error) {
    logs *l = own;
    if (!l->tried)
        ASIF_TRY(asif_folded_create(&l->folded, behavior, evidence->tree, evidence->count, error));
    l->tried = true;
    if (l->folded && (!gradient || behavior->pullback))
        return asif_folded_loglik(value, gradient, l->folded, behavior, error);
    if (gradient)
        return asif_loglik_gradient(value, gradient, behavior, evidence->tree, evidence->count, error);
    asif_loglik_options options = ASIF_LOGLIK_OPTIONS_INIT;
    options.count = evidence->count;
    return asif_loglik(value, behavior, evidence->tree, &options, error);
}

static asif_status objective_many(double *value, bool *lost, const asif_many_behavior *behavior,
                                  const asif_inverse_input *evidence, asif_error *error) {
    return asif_loglik_many(value, lost, behavior, evidence->tree, evidence->count, error);
}

const asif_inverse_ops asif_inverse_soft_policy_matching = {
    .info = {.name = "soft-policy-matching",
             .summary = "makes every action that was taken as likely as can be",
             .likelihood = true,
             .sees = ASIF_SEES_STATES | ASIF_SEES_BELIEFS,
             .paper = "Soft Policy Matching"},
    .prepare = prepare,
    .release = release,
    .objective = objective,
    .objective_many = objective_many,
};
