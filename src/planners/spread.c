/* The spread of expected values between an agent's worlds, and the prior of optimism that is scaled by it. */
#include "base/error.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

#define USUAL_DISCOUNT 0.9 /* for an estimated discount: the mean of its default prior */
#define NOTHING 1e-9       /* times the span: a smaller difference between worlds is rounding error */

static double rounded(double x) {
    double unit = x > 0 ? pow(10, floor(log10(x)) - 3) : 1;
    return rint(x / unit) * unit;
}

static asif_status solve_neutral(double *out, asif_work *work, asif_theta *theta, double span,
                                 asif_error *error) {
    asif_plan_info info;
    theta->a = 1 / (0.01 * span);
    theta->a_act = NAN;
    theta->b = theta->eta = 0;
    ASIF_TRY(asif_solve(work, theta, &info, error));
    double spread = info.stop == ASIF_STOP_NONFINITE ? NAN : asif_work_spread(work);
    if (!isfinite(spread))
        return asif_fail(error, ASIF_EUNSUPPORTED, "what the agent's worlds promise cannot be computed");
    *out = spread <= NOTHING * span ? 0 : rounded(spread);
    return ASIF_OK;
}

asif_status asif_world_spread(double *out, const asif_work *work, const asif_theta *theta, double span,
                              asif_error *error) {
    asif_work *clone = NULL;
    asif_theta *neutral = NULL;
    *out = 0;
    if (asif_setting_get(theta->setting)->worlds < 2)
        return ASIF_OK;
    asif_status status = asif_work_clone(&clone, work, error);
    if (status == ASIF_OK)
        status = asif_theta_copy(&neutral, theta, error);
    if (status == ASIF_OK)
        status = solve_neutral(out, clone, neutral, span, error);
    asif_theta_free(neutral);
    asif_work_free(clone);
    return status;
}

static asif_status refuse(const asif_theta *theta, asif_error *error) {
    asif_fail(error, ASIF_EINVALID,
              asif_setting_get(theta->setting)->worlds < 2
                  ? "optimism cannot be estimated: the agent has one world, so optimism changes nothing"
                  : "optimism cannot be estimated: the agent's worlds make no difference to what any "
                    "action is worth");
    asif_error_hint(error,
                    "give it a value (`beta: inf` is neutral), or `worlds` that differ in what follows");
    return ASIF_EINVALID;
}

asif_status asif_estimates_scaled(asif_estimates **out, const asif_context *context, const asif_work *work,
                                  const asif_theta *theta, const asif_estimate_spec *spec, uint32_t count,
                                  asif_priors priors, asif_problems *problems, asif_error *error) {
    const asif_estimate_spec *optimism = NULL;
    asif_estimates *plain = NULL;
    double spread = NAN;
    *out = NULL;
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(spec[i].name, "optimism") == 0 || strcmp(spec[i].name, "beta") == 0)
            optimism = &spec[i];
    if (!optimism)
        return asif_estimates_create(out, context, theta, spec, count, priors, problems, error);
    ASIF_TRY(asif_estimates_create(&plain, context, theta, spec, count, priors, NULL, error));
    for (uint32_t i = 0; i < count; i++)
        if (strcmp(spec[i].name, "discount") == 0)
            plain->given->discount = USUAL_DISCOUNT;
    asif_status status = asif_world_spread(&spread, work, plain->given, plain->span, error);
    asif_estimates_free(plain);
    /* The prior of optimism is stated, so no scale is needed. */
    if (status == ASIF_EUNSUPPORTED && optimism->prior)
        status = ASIF_OK;
    if (status == ASIF_OK && spread == 0)
        status = refuse(theta, error);
    return status == ASIF_OK
               ? asif_estimates_make(out, context, theta, spec, count, priors, spread, problems, error)
               : status;
}
