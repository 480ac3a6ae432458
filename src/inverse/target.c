/* A target: the density of an inverse planner, a planner and estimated parameters, for samplers and
 * searches. */
#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "inverse/inverse.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "theta/estimates.h"

#include <math.h>
#include <string.h>

/* Above this, an estimated discount that cannot be solved for has density 0. */
#define NEAR_ONE (1 - 1e-8)
/* How far the change to coordinates may move an estimate, relative to its size. */
#define MOVED 1e-6

struct asif_target {
    const asif_context *context;
    const asif_estimates *estimates; /* kept, as is the tree of `evidence` */
    const asif_inverse_ops *inverse;
    asif_inverse_input evidence;
    asif_inverse_options inverse_options;
    void *own; /* data of the inverse planner */
    bool objective_only, learns_discount;
    asif_work *work;
    asif_theta *theta;
    asif_theta_gradient gradient;
    const char **name; /* [reported] */
    asif_density density;
    asif_theta *many[ASIF_MANY]; /* made when first needed */
    double *memory;              /* [density.memory] */
    bool anchored;               /* many agents are solved from the values of one */
};

/* ---- evaluation ---- */

static asif_status solve(asif_target *t, const double *x, bool *found, asif_error *error) {
    asif_plan_info info;
    asif_error why = ASIF_ERROR_INIT;
    *found = false;
    asif_status status = asif_estimates_theta(t->estimates, x, t->theta, &why);
    if (status == ASIF_EDOMAIN) /* a value overflows: the density is 0 */
        return ASIF_OK;
    if (status == ASIF_OK)
        status = asif_solve(t->work, t->theta, &info, &why);
    if (status != ASIF_OK) {
        if (error)
            *error = why;
        return status;
    }
    if (info.stop == ASIF_STOP_NONFINITE)
        return ASIF_OK;
    status = asif_plan_judge(&info, error);
    if (status == ASIF_EDOMAIN && t->learns_discount && t->theta->discount > NEAR_ONE)
        return ASIF_OK;
    *found = status == ASIF_OK;
    return status;
}

asif_status asif_target_objective(asif_target *t, const double *x, double *value, double *gradient,
                                  asif_error *error) {
    bool found = false;
    *value = -INFINITY;
    ASIF_TRY(solve(t, x, &found, error));
    if (!found)
        return ASIF_OK;
    ASIF_TRY(t->inverse->objective(value, gradient ? &t->gradient : NULL, asif_work_behavior(t->work),
                                   &t->evidence, t->own, error));
    if (isnan(*value))
        *value = -INFINITY;
    if (gradient && isfinite(*value)) {
        memset(gradient, 0, t->density.dimension * sizeof *gradient);
        asif_estimates_pull(t->estimates, x, &t->gradient, gradient);
        for (uint32_t i = 0; i < t->density.dimension; i++)
            if (!isfinite(gradient[i])) /* an overflow far out */
                *value = -INFINITY;
    }
    return ASIF_OK;
}

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    asif_target *t = user;
    ASIF_TRY(asif_target_objective(t, x, value, gradient, error));
    if (isfinite(*value) && !t->objective_only)
        *value += asif_estimates_log_prior(t->estimates, x, gradient);
    return ASIF_OK;
}

static void save(void *user, double *memory) {
    const asif_target *t = user;
    memcpy(memory, asif_work_values(t->work), asif_work_nodes(t->work) * sizeof *memory);
}

static void load(void *user, const double *memory) {
    asif_work_set_values(((asif_target *)user)->work, memory);
}

/* ---- many points at once ---- */

/* Evaluate a point independently of earlier evaluations. */
static asif_status evaluate_alone(asif_target *t, const double *x, double *value, asif_error *error) {
    asif_work_forget(t->work);
    return evaluate(t, x, value, NULL, error);
}

/* Set the starting values for many agents to those of one agent, the same in every clone of the target. The
 * result at a point then depends on this point alone, and takes a tenth fewer backups than from 0. */
static asif_status anchor(asif_target *t, asif_error *error) {
    asif_plan_info info;
    if (t->anchored)
        return ASIF_OK;
    asif_work_forget(t->work);
    asif_status status = asif_solve(t->work, asif_estimates_given(t->estimates), &info, error);
    if (status == ASIF_ENOMEM || (status == ASIF_OK && info.stop == ASIF_STOP_CANCELLED))
        return status == ASIF_OK ? asif_plan_judge(&info, error) : status;
    if (status == ASIF_OK && info.stop == ASIF_STOP_CONVERGED)
        ASIF_TRY(asif_work_start_many(t->work, asif_work_values(t->work), error));
    t->anchored = true;
    return ASIF_OK;
}

/* Evaluate at most ASIF_MANY points. */
static asif_status evaluate_batch(asif_target *t, const double *x, uint32_t count, double *value,
                                  asif_error *error) {
    const asif_theta *theta[ASIF_MANY];
    uint32_t at[ASIF_MANY], inside = 0, n = t->density.dimension;
    double objective[ASIF_MANY];
    bool solved[ASIF_MANY], lost[ASIF_MANY] = {false};
    for (uint32_t i = 0; i < count; i++) {
        asif_status status = asif_estimates_theta(t->estimates, x + (uint64_t)i * n, t->many[inside], NULL);
        value[i] = -INFINITY;
        if (status != ASIF_OK && status != ASIF_EDOMAIN)
            return asif_estimates_theta(t->estimates, x + (uint64_t)i * n, t->many[inside], error);
        if (status == ASIF_OK)
            at[inside++] = i;
    }
    for (uint32_t k = 0; k < inside; k++)
        theta[k] = t->many[k];
    ASIF_TRY(asif_work_solve_many(t->work, theta, inside, solved, error));
    bool any = false;
    for (uint32_t k = 0; k < inside; k++)
        any = any || solved[k];
    if (any)
        ASIF_TRY(t->inverse->objective_many(objective, lost, asif_work_many(t->work), &t->evidence, error));
    for (uint32_t k = 0; k < inside; k++) {
        const double *point = x + (uint64_t)at[k] * n;
        double *out = &value[at[k]];
        if (!solved[k] || lost[k]) {
            ASIF_TRY(evaluate_alone(t, point, out, error));
            continue;
        }
        *out = isfinite(objective[k]) ? objective[k] : -INFINITY;
        if (isfinite(*out) && !t->objective_only)
            *out += asif_estimates_log_prior(t->estimates, point, NULL);
    }
    return ASIF_OK;
}

static asif_status evaluate_many(void *user, const double *x, uint64_t count, double *value,
                                 asif_error *error) {
    asif_target *t = user;
    for (uint32_t i = 0; i < ASIF_MANY; i++)
        if (!t->many[i])
            ASIF_TRY(asif_theta_create(&t->many[i], t->context, asif_work_setting(t->work), error));
    if (!t->memory && !(t->memory = ASIF_ARRAY(t->context, t->density.memory, double)))
        return asif_fail_memory(error);
    save(t, t->memory); /* for evaluate(), which starts from the last solution */
    asif_status status = anchor(t, error);
    for (uint64_t i = 0; i < count && status == ASIF_OK; i += ASIF_MANY) {
        uint32_t here = count - i < ASIF_MANY ? (uint32_t)(count - i) : ASIF_MANY;
        status = evaluate_batch(t, x + i * t->density.dimension, here, value + i, error);
    }
    load(t, t->memory);
    return status;
}

static void report(void *user, const double *x, double *out) {
    asif_estimates_report(((const asif_target *)user)->estimates, x, out);
}

asif_status asif_target_solve(asif_target *t, const double *x, const asif_work **work, asif_error *error) {
    bool found;
    ASIF_TRY(solve(t, x, &found, error));
    if (!found)
        return asif_fail(error, ASIF_EDOMAIN, "the planner finds no finite values there");
    *work = t->work;
    return ASIF_OK;
}

bool asif_target_answers(const asif_target *t) {
    return t->inverse->answer != NULL;
}

/* Refuse an estimate beyond the limits of a prior, which solvers ignore. */
static asif_status check_limits(const asif_target *t, const double *utility, asif_error *error) {
    const double *kept = asif_theta_utilities(t->theta);
    const char *const *name = asif_setting_get(asif_work_setting(t->work))->parameter_names;
    for (uint32_t i = 0; i < t->density.reported; i++) {
        uint32_t k = asif_estimates_utility(t->estimates, i);
        if (k == ASIF_ANY || fabs(kept[k] - utility[k]) <= MOVED * fmax(1, fabs(utility[k])))
            continue;
        asif_fail(error, ASIF_EINVALID,
                  "the answer of %s has %s = %.6g, at or beyond the limits of its prior",
                  t->inverse->info.name, asif_show(name[k]).text, utility[k]);
        asif_error_hint(
            error, "this inverse planner knows no priors: take one without limits, such as normal(0, 10)");
        return ASIF_EINVALID;
    }
    return ASIF_OK;
}

asif_status asif_target_answer(asif_target *t, double *x, double *value, asif_error *error) {
    if (!t->inverse->answer)
        return asif_fail(error, ASIF_EUNSUPPORTED, "%s has no solver of its own", t->inverse->info.name);
    const asif_setting_spec *spec = asif_setting_get(asif_work_setting(t->work));
    double *utility = ASIF_ARRAY(t->context, spec->parameters, double);
    asif_status status = utility ? ASIF_OK : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = t->inverse->answer(utility, asif_work_unsolved(t->work), &t->evidence, t->own, error);
    if (status == ASIF_OK) {
        memset(x, 0, t->density.dimension * sizeof *x);
        asif_estimates_locate_utilities(t->estimates, utility, x);
        status = asif_target_objective(t, x, value, NULL, error);
    }
    if (status == ASIF_OK)
        status = check_limits(t, utility, error);
    if (status == ASIF_OK && !isfinite(*value))
        status =
            asif_fail(error, ASIF_EDOMAIN, "the answer of %s has no finite objective", t->inverse->info.name);
    asif_free(t->context, utility);
    return status;
}

asif_status asif_target_warn(asif_target *t, asif_problems *problems, asif_error *error) {
    return t->inverse->warn
               ? t->inverse->warn(problems, asif_work_unsolved(t->work), &t->evidence, t->own, error)
               : ASIF_OK;
}

/* ---- life ---- */

/* Whether values are analytic in theta: states are observed, and no parameter is at a limit. Elsewhere
 * interpolation and maxima make kinks. */
static bool is_smooth(const asif_target *t) {
    const asif_theta *given = asif_estimates_given(t->estimates);
    return t->inverse->info.likelihood && asif_setting_get(given->setting)->observations == 0 &&
           isfinite(given->a) && isfinite(given->b);
}

/* Lapses belong to what agents do, which only a likelihood judges. */
static asif_status check_lapse(const asif_target *t, asif_error *error) {
    if (t->inverse->info.likelihood || asif_estimates_given(t->estimates)->lapse == 0)
        return ASIF_OK;
    asif_fail(error, ASIF_EUNSUPPORTED, "%s knows no lapses", t->inverse->info.name);
    asif_error_hint(error, "leave `lapse` out of the parameters");
    return ASIF_EUNSUPPORTED;
}

static asif_status fill(asif_target *t, const asif_work *work, asif_error *error) {
    ASIF_TRY(check_lapse(t, error));
    ASIF_TRY(asif_work_clone(&t->work, work, error));
    const asif_setting *setting = asif_work_setting(work);
    ASIF_TRY(asif_theta_create(&t->theta, t->context, setting, error));
    ASIF_TRY(asif_theta_gradient_create(&t->gradient, t->context, setting, error));
    uint32_t reported = 0;
    while (asif_estimates_get(t->estimates, reported))
        reported++;
    t->name = ASIF_ARRAY(t->context, reported, const char *);
    if (!t->name)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < reported; i++) {
        const asif_estimate_info *info = asif_estimates_get(t->estimates, i);
        t->name[i] = info->name;
        t->learns_discount = t->learns_discount || strcmp(info->parameter, "discount") == 0;
    }
    t->evidence.inverse_options = &t->inverse_options;
    if (t->inverse->prepare)
        ASIF_TRY(t->inverse->prepare(&t->own, asif_work_unsolved(t->work), &t->evidence, error));
    bool warm = asif_work_values(t->work) != NULL;
    t->density = (asif_density){
        .dimension = asif_estimates_dimension(t->estimates),
        .evaluate = evaluate,
        .has_gradient = (asif_work_gives(work) & ASIF_GIVES_GRADIENT) != 0,
        .reported = reported,
        .name = t->name,
        .report = report,
        .memory = warm ? asif_work_nodes(t->work) : 0,
        .save = warm ? save : NULL,
        .load = warm ? load : NULL,
        .user = t,
        .smooth = is_smooth(t),
        .evaluate_many = t->inverse->objective_many && asif_work_has_many(t->work) ? evaluate_many : NULL};
    return ASIF_OK;
}

static asif_status make(asif_target **out, const asif_work *work, const asif_target *like,
                        asif_error *error) {
    *out = NULL;
    asif_target *t = ASIF_NEW(like->context, asif_target);
    if (!t)
        return asif_fail_memory(error);
    t->context = like->context;
    t->estimates = ASIF_KEEP(like->estimates);
    t->inverse = like->inverse;
    t->evidence = like->evidence;
    asif_tree_keep(t->evidence.tree);
    t->inverse_options = like->inverse_options;
    t->objective_only = like->objective_only;
    asif_status status = fill(t, work, error);
    if (status != ASIF_OK) {
        asif_target_free(t);
        return status;
    }
    *out = t;
    return ASIF_OK;
}

static asif_status check_pair(const asif_work *work, const asif_inverse_ops *inverse, asif_error *error) {
    const asif_planner_info *planner = asif_work_planner(work);
    const char *why = asif_pair_refused(planner, &inverse->info);
    bool seen = asif_setting_get(asif_work_setting(work))->observations == 0;
    if (!why && !(inverse->info.sees & (seen ? ASIF_SEES_STATES : ASIF_SEES_BELIEFS)))
        why = seen ? "needs observations" : "needs states that are seen";
    if (!why && asif_setting_get(asif_work_setting(work))->seen > 1 && !inverse->info.likelihood)
        why = "does not know states of which a part is seen";
    if (!why && !inverse->info.likelihood)
        ASIF_TRY(asif_setting_endless(asif_setting_get(asif_work_setting(work)), inverse->info.name, error));
    if (!why)
        return ASIF_OK;
    asif_fail(error, ASIF_EUNSUPPORTED, "the inverse planner %s does not go with %s here: it %s",
              inverse->info.name, planner->name, why);
    asif_error_hint(error, "`asif list pairs` shows what goes together");
    return ASIF_EUNSUPPORTED;
}

asif_status asif_target_create(asif_target **out, const asif_work *work, const asif_estimates *estimates,
                               const asif_tree *tree, const asif_target_options *options, asif_error *error) {
    asif_target_options o = ASIF_TARGET_OPTIONS_INIT;
    *out = NULL;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof o)
            return asif_fail(error, ASIF_EDOMAIN, "target options have an unknown size");
        memcpy(&o, options, options->struct_size);
    }
    asif_target like = {.context = asif_tree_context(tree),
                        .estimates = estimates,
                        .evidence = {.tree = tree, .count = o.count, .estimates = estimates},
                        .inverse_options = ASIF_INVERSE_OPTIONS_INIT,
                        .objective_only = o.objective_only};
    like.inverse = asif_inverse_find(o.inverse ? o.inverse : "soft-policy-matching", error);
    if (!like.inverse)
        return ASIF_EUNKNOWN;
    if (o.inverse_options) {
        if (o.inverse_options->struct_size == 0 ||
            o.inverse_options->struct_size > sizeof like.inverse_options)
            return asif_fail(error, ASIF_EDOMAIN, "options of the inverse planner have an unknown size");
        memcpy(&like.inverse_options, o.inverse_options, o.inverse_options->struct_size);
    }
    ASIF_TRY(check_pair(work, like.inverse, error));
    if (like.inverse != &asif_inverse_soft_policy_matching) {
        char what[120];
        asif_format(what, sizeof what, "`%s` cannot be used", like.inverse->info.name);
        ASIF_TRY(asif_tree_need_recorded(tree, what, error));
    }
    return make(out, work, &like, error);
}

asif_status asif_target_clone(asif_target **out, const asif_target *target, asif_error *error) {
    return make(out, target->work, target, error);
}

void asif_target_free(asif_target *t) {
    if (!t)
        return;
    if (t->inverse->release)
        t->inverse->release(t->own);
    asif_work_free(t->work);
    asif_theta_free(t->theta);
    for (uint32_t i = 0; i < ASIF_MANY; i++)
        asif_theta_free(t->many[i]);
    asif_theta_gradient_free(t->context, &t->gradient);
    asif_free(t->context, t->memory);
    asif_free(t->context, t->name);
    asif_estimates_free(ASIF_KEPT(asif_estimates, t->estimates));
    asif_tree_free(ASIF_KEPT(asif_tree, t->evidence.tree));
    asif_free(t->context, t);
}

const asif_density *asif_target_density(const asif_target *target) {
    return &target->density;
}
