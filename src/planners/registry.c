#include "base/error.h"
#include "base/memory.h"
#include "engine/fixed_point.h"
#include "planners/planner.h"

#include <math.h>
#include <string.h>

#define RESIDUAL 1e-7 /* solutions further than this from the fixed point are rejected */

/* The planners, in the order of the paper's Table 2. */
/* clang-format off */
static const asif_planner_ops *const planners[] = {
    &asif_planner_decision_rule,
    &asif_planner_q_learning,
    &asif_planner_maximum_entropy,
    &asif_planner_model_based_mdp,
    &asif_planner_differentiable,
    &asif_planner_kl_regularized,
    &asif_planner_decision_boundaries,
    &asif_planner_recurrent,
    &asif_planner_model_based_pomdp,
    &asif_planner_belief_aware,
    &asif_planner_bounded_rational,
};
/* clang-format on */
enum { PLANNERS = sizeof planners / sizeof *planners };

struct asif_work {
    const asif_context *context;
    asif_kept kept;
    const asif_setting *setting;
    const asif_planner_ops *planner;
    void *self;
    asif_theta *theta; /* theta of the current solve, with the restriction applied */
    bool solved;
    asif_behavior behavior;
    /* Workspace for many thetas at once, made when first needed. */
    void *many;
    asif_theta *of_many[ASIF_MANY];
    asif_many_behavior many_behavior;
};

const asif_planner_info *asif_planner_get(uint32_t i) {
    return i < PLANNERS ? &planners[i]->info : NULL;
}

const char *asif_stop_text(asif_stop stop) {
    static const char *const text[] = {"converged", "backups", "time", "stalled", "cancelled", "nonfinite"};
    return (size_t)stop < sizeof text / sizeof *text ? text[stop] : "unknown";
}

const asif_planner_ops *asif_planner_find(const char *name, asif_error *error) {
    const char *names[PLANNERS];
    for (uint32_t i = 0; i < PLANNERS; i++) {
        names[i] = planners[i]->info.name;
        if (strcmp(names[i], name) == 0)
            return planners[i];
    }
    asif_fail(error, ASIF_EUNKNOWN, "there is no planner '%s'", name);
    const char *near = asif_nearest_word(name, names, PLANNERS);
    asif_error_hint(error, "%s%s", near ? "did you mean " : "`asif list planners` names them",
                    near ? near : "");
    return NULL;
}

asif_status asif_planner_settle(const char *planner, asif_theta *theta, asif_error *error) {
    if (!planner)
        return asif_fail_null(error, "name of a planner");
    const asif_planner_ops *ops = asif_planner_find(planner, error);
    if (!ops)
        return ASIF_EUNKNOWN;
    double discount = theta->discount; /* a myopic planner plans with 0, but the parameter keeps its value */
    asif_status status = asif_restriction_theta(ops, theta, error);
    theta->discount = discount;
    return status;
}

static asif_status check_options(const asif_plan_options *o, asif_error *error) {
    if (o->resolution == 0)
        return asif_fail(error, ASIF_EDOMAIN, "the resolution must be at least 1");
    if (!(o->tol > 0))
        return asif_fail(error, ASIF_EDOMAIN, "the tolerance must be above 0");
    if (o->unrolled == 0 || o->hidden == 0)
        return asif_fail(error, ASIF_EDOMAIN, "a planner needs at least one backup and one hidden number");
    if (o->max_backups == 0 || !(o->time_limit_sec >= 0))
        return asif_fail(error, ASIF_EDOMAIN, "limits of the solver must not be negative, nor its backups 0");
    return ASIF_OK;
}

/* With `method: samples`, the variant of the planner that learns from samples. */
static const asif_planner_ops *choose_method(const asif_planner_ops *ops, const asif_plan_options *options,
                                             asif_error *error) {
    if (!options->sampled || ops->learns)
        return ops;
    if (!ops->sampled) {
        asif_fail(error, ASIF_EUNSUPPORTED, "the planner %s solves; it does not learn from samples",
                  ops->info.name);
        asif_error_hint(error,
                        "leave `method: samples` out, or take maximum-entropy, q-learning or recurrent");
    }
    return ops->sampled;
}

static asif_status wrap(asif_work **out, const asif_context *context, const asif_setting *setting,
                        const asif_planner_ops *planner, asif_error *error) {
    asif_work *work = *out = ASIF_NEW(context, asif_work);
    if (!work)
        return asif_fail_memory(error);
    work->context = context;
    work->setting = setting;
    work->planner = planner;
    asif_status status = asif_theta_create(&work->theta, context, setting, error);
    if (status != ASIF_OK) {
        asif_free(context, work);
        *out = NULL;
    }
    return status;
}

static asif_status finish(asif_work **out, asif_status status) {
    asif_work *work = *out;
    if (status != ASIF_OK) {
        asif_work_free(work);
        *out = NULL;
        return status;
    }
    work->behavior =
        (asif_behavior){&work->planner->behavior,
                        work->planner->info.gives & ASIF_GIVES_GRADIENT ? &work->planner->pullback : NULL,
                        work->self,
                        work->context,
                        work->setting,
                        work->planner->width(work->self),
                        0,
                        work->planner->hidden || asif_has_place(&work->setting->spec),
                        work->theta};
    return ASIF_OK;
}

asif_status asif_work_create(asif_work **out, const asif_context *context, const char *planner,
                             const asif_setting *setting, const asif_plan_options *options,
                             asif_error *error) {
    *out = NULL;
    asif_plan_options filled = ASIF_PLAN_OPTIONS_INIT;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof filled)
            return asif_fail(error, ASIF_EDOMAIN, "solver options have an unknown size");
        memcpy(&filled, options, options->struct_size);
    }
    const asif_planner_ops *ops = asif_planner_find(planner ? planner : "bounded-rational", error);
    if (!ops)
        return ASIF_EUNKNOWN;
    asif_status status = check_options(&filled, error);
    if (status == ASIF_OK && !(ops = choose_method(ops, &filled, error)))
        status = ASIF_EUNSUPPORTED;
    if (status == ASIF_OK)
        status = asif_restriction_setting(ops, setting, error);
    if (status == ASIF_OK && !ops->parts && setting->spec.seen > 1)
        status = asif_fail(error, ASIF_EUNSUPPORTED,
                           "the planner %s does not know states of which a part is seen", ops->info.name);
    if (status == ASIF_OK && !ops->parts && asif_setting_stops(&setting->spec))
        status = asif_fail(error, ASIF_EUNSUPPORTED,
                           "the planner %s does not know horizons, nor actions after which nothing follows",
                           ops->info.name);
    if (status == ASIF_OK)
        status = wrap(out, context, setting, ops, error);
    if (status != ASIF_OK)
        return status;
    return finish(out, ops->create(&(*out)->self, context, setting, &filled, error));
}

asif_status asif_work_clone(asif_work **out, const asif_work *work, asif_error *error) {
    asif_status status = wrap(out, work->context, work->setting, work->planner, error);
    if (status != ASIF_OK)
        return status;
    return finish(out, work->planner->clone(&(*out)->self, work->self, error));
}

void asif_work_keep(const asif_work *work) {
    asif_keep(&work->kept);
}

void asif_work_free(asif_work *work) {
    if (!work || !asif_leave(&work->kept))
        return;
    if (work->many)
        work->planner->many->free(work->many);
    for (uint32_t i = 0; i < ASIF_MANY; i++)
        asif_theta_free(work->of_many[i]);
    work->planner->free(work->self);
    asif_theta_free(work->theta);
    asif_free(work->context, work);
}

asif_status asif_solve(asif_work *work, const asif_theta *theta, asif_plan_info *info, asif_error *error) {
    asif_plan_info ignored;
    asif_theta_assign(work->theta, theta);
    asif_status status = asif_restriction_theta(work->planner, work->theta, error);
    if (status == ASIF_OK)
        status = work->planner->solve(work->self, work->theta, info ? info : &ignored, error);
    work->solved = status == ASIF_OK;
    work->behavior.memo_width = work->planner->memo_width ? work->planner->memo_width(work->self) : 0;
    return status;
}

void asif_work_forget(asif_work *work) {
    if (work->planner->forget)
        work->planner->forget(work->self);
}

bool asif_work_has_many(const asif_work *work) {
    return work->planner->many && work->planner->many->fits(work->self);
}

static asif_status make_many(asif_work *work, asif_error *error) {
    for (uint32_t i = 0; i < ASIF_MANY; i++)
        if (!work->of_many[i])
            ASIF_TRY(asif_theta_create(&work->of_many[i], work->context, work->setting, error));
    return work->many ? ASIF_OK : work->planner->many->create(&work->many, work->self, error);
}

asif_status asif_work_start_many(asif_work *work, const double *values, asif_error *error) {
    if (!asif_work_has_many(work))
        return ASIF_OK;
    ASIF_TRY(make_many(work, error));
    memcpy(work->planner->many->start(work->many), values, asif_work_nodes(work) * sizeof *values);
    return ASIF_OK;
}

/* Copy the thetas, as far as the planner lets them differ. */
static asif_status take_many(asif_work *work, const asif_theta *const *theta, uint32_t count,
                             asif_error *error) {
    ASIF_TRY(make_many(work, error));
    for (uint32_t i = 0; i < count; i++) {
        asif_theta_assign(work->of_many[i], theta[i]);
        ASIF_TRY(asif_restriction_theta(work->planner, work->of_many[i], error));
    }
    return ASIF_OK;
}

static void set_many_behavior(asif_work *work, uint32_t count) {
    const asif_planner_many *ops = work->planner->many;
    work->many_behavior = (asif_many_behavior){&ops->behavior,
                                               work->many,
                                               work->context,
                                               work->setting,
                                               work->behavior.width,
                                               ops->memo_width(work->many),
                                               ops->lanes(work->many),
                                               (const asif_theta *const *)work->of_many,
                                               count};
}

asif_status asif_work_solve_many(asif_work *work, const asif_theta *const *theta, uint32_t count,
                                 bool *solved, asif_error *error) {
    memset(solved, 0, count * sizeof *solved);
    if (!asif_work_has_many(work))
        return ASIF_OK;
    ASIF_TRY(take_many(work, theta, count, error));
    ASIF_TRY(work->planner->many->solve(work->many, (const asif_theta *const *)work->of_many, count, solved,
                                        error));
    set_many_behavior(work, count);
    return ASIF_OK;
}

asif_status asif_work_restore_many(asif_work *work, const asif_theta *const *theta, uint32_t count,
                                   const bool *solved, const double *values, asif_error *error) {
    ASIF_TRY(take_many(work, theta, count, error));
    ASIF_TRY(work->planner->many->restore(work->many, (const asif_theta *const *)work->of_many, count, solved,
                                          values, error));
    set_many_behavior(work, count);
    return ASIF_OK;
}

const asif_many_behavior *asif_work_many(const asif_work *work) {
    return &work->many_behavior;
}

void asif_work_many_values(const asif_work *work, uint32_t i, double *out) {
    work->planner->many->values(work->many, i, out);
}

asif_status asif_plan_judge(const asif_plan_info *info, asif_error *error) {
    if (info->stop == ASIF_STOP_CANCELLED)
        return asif_fail(error, ASIF_ECANCELLED, "cancelled");
    if (info->stop == ASIF_STOP_CONVERGED)
        return ASIF_OK;
    if (!info->samples && info->bound > ASIF_VALUES_KNOWN * info->scale &&
        info->residual <= RESIDUAL * info->scale) {
        asif_fail(error, ASIF_EDOMAIN,
                  "the discount is so near 1 that rounding decides the values: they are %.2g, and known to "
                  "%.2g only",
                  info->scale, info->bound);
        asif_error_hint(error, "use a discount of at most 0.999999");
        return ASIF_EDOMAIN;
    }
    if (info->residual <= RESIDUAL * info->scale)
        return ASIF_OK;
    asif_fail(error, ASIF_EDOMAIN, "the planner stopped (%s) at a residual of %.2g",
              asif_stop_text(info->stop), info->residual);
    asif_error_hint(error, "raise max_backups or time_limit in the study's solver section");
    return ASIF_EDOMAIN;
}

const asif_behavior *asif_work_behavior(const asif_work *work) {
    return work->solved ? &work->behavior : NULL;
}

const asif_setting *asif_work_setting(const asif_work *work) {
    return work->setting;
}

const asif_planner_info *asif_work_planner(const asif_work *work) {
    return &work->planner->info;
}

uint32_t asif_work_gives(const asif_work *work) {
    return work->planner->info.gives;
}

const asif_behavior *asif_work_unsolved(const asif_work *work) {
    return &work->behavior;
}

double asif_work_spread(const asif_work *work) {
    return work->planner->spread && work->solved ? work->planner->spread(work->self) : NAN;
}

bool asif_work_reached(const asif_work *work) {
    const asif_planner_ops *planner = work->planner;
    double state[ASIF_MOST_BELIEF_STATES + 1];
    if (!planner->behavior.number || !planner->nodes || work->behavior.width > ASIF_MOST_BELIEF_STATES + 1)
        return false;
    planner->node(work->self, 0, state);
    return planner->behavior.number(work->self, state) != ASIF_ANY;
}

uint32_t asif_work_nodes(const asif_work *work) {
    return work->planner->nodes ? work->planner->nodes(work->self) : 0;
}

void asif_work_node(const asif_work *work, uint32_t node, double *state) {
    if (work->planner->node)
        work->planner->node(work->self, node, state);
}

const double *asif_work_values(const asif_work *work) {
    return work->planner->values ? work->planner->values(work->self) : NULL;
}

void asif_work_set_values(asif_work *work, const double *values) {
    if (work->planner->values)
        memcpy(work->planner->values(work->self), values, asif_work_nodes(work) * sizeof *values);
}

static asif_status check_solved(const asif_work *work, bool there, const char *what, asif_error *error) {
    if (!there)
        return asif_fail(error, ASIF_EUNSUPPORTED, "%s has no %s", work->planner->info.name, what);
    return work->solved ? ASIF_OK : asif_fail(error, ASIF_EDOMAIN, "solve before asking for the %s", what);
}

asif_status asif_occupancy_compute(asif_work *work, const double *start, double *mu, asif_costs *costs,
                                   asif_error *error) {
    asif_status status = check_solved(work, work->planner->occupancy != NULL, "occupancy", error);
    return status == ASIF_OK ? work->planner->occupancy(work->self, start, mu, costs, error) : status;
}

asif_status asif_policy_values(asif_work *work, const double *policy, const double *worlds, double *values,
                               asif_plan_info *info, asif_error *error) {
    asif_status status =
        check_solved(work, work->planner->policy_values != NULL, "values of a given policy", error);
    return status == ASIF_OK ? work->planner->policy_values(work->self, policy, worlds, values, info, error)
                             : status;
}
