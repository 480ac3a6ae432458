#include "questions/explain/explain.h"

#include "base/error.h"
#include "base/memory.h"
#include "behavior/behavior.h"
#include "logs/tree/tree.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "theta/estimates.h"

#include <string.h>

const char *asif_explain_what_text(asif_explain_what what) {
    static const char *const names[] = {"path", "belated", "surprising"};
    return (size_t)what < sizeof names / sizeof *names ? names[what] : NULL;
}

void asif_explain_free(asif_explain *explain) {
    if (!explain)
        return;
    const asif_context *c = explain->context;
    for (uint32_t who = 0; who < ASIF_WHO_COUNT; who++) {
        asif_free(c, explain->belief[who]);
        asif_free(c, explain->policy[who]);
    }
    asif_free(c, explain->q);
    asif_free(c, explain->step);
    asif_free(c, explain->episode);
    asif_free(c, explain);
}

static asif_status check(const asif_explain_options *o, const asif_setting *setting, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    uint32_t observations = asif_setting_count(setting, ASIF_LABEL_OBSERVATION);
    if (o->tree) {
        const asif_tree_view *tree = asif_tree_inside(o->tree);
        if (tree->states_seen || tree->actions != spec->actions || tree->observations != observations ||
            tree->starts != spec->starts)
            return asif_fail(error, ASIF_EINVALID, "these logs were not read by asif_explain_logs()");
        if (o->what == ASIF_EXPLAIN_PATH && o->unit >= tree->units)
            return asif_fail(error, ASIF_EDOMAIN, "there is no episode %llu", (unsigned long long)o->unit);
        if (o->what == ASIF_EXPLAIN_PATH && tree->unit_lost[o->unit] < tree->unit_lost[o->unit + 1]) {
            asif_fail(error, ASIF_EUNSUPPORTED,
                      "results of this episode are lost, so what its decisions followed is not known");
            asif_error_hint(error, "choose another episode");
            return ASIF_EUNSUPPORTED;
        }
        return ASIF_OK;
    }
    if (o->what != ASIF_EXPLAIN_PATH)
        return asif_fail(error, ASIF_EDOMAIN, "episodes can be found only in logs");
    if (o->start >= spec->starts)
        return asif_fail(error, ASIF_EDOMAIN, "there is no start class %u", o->start);
    if (o->first != ASIF_ANY && o->first >= spec->states)
        return asif_fail(error, ASIF_EDOMAIN, "there is no state %u to begin with", o->first);
    for (uint64_t i = 0; o->typed && i < o->events; i++)
        if (o->action[i] >= spec->actions || o->observation[i] >= observations)
            return asif_fail(error, ASIF_EDOMAIN,
                             "step %llu of the history has no such action or observation",
                             (unsigned long long)i + 1);
    return ASIF_OK;
}

/* Solve the agent at the middle of the draws. It is the one that is simulated, and all other solves start
 * from its solution. */
static asif_status solve_middle(asif_work **out, const asif_fitted *fitted, const double *middle,
                                asif_error *error) {
    asif_theta *theta = NULL;
    asif_plan_info info;
    asif_status status = asif_work_clone(out, fitted->work, error);
    if (status == ASIF_OK)
        status = asif_theta_copy(&theta, fitted->given, error);
    if (status == ASIF_OK)
        status = asif_estimates_theta(fitted->estimates, middle, theta, error);
    if (status == ASIF_OK)
        status = asif_solve(*out, theta, &info, error);
    asif_theta_free(theta);
    return status;
}

asif_status asif_explain_run(asif_explain **out, const asif_fitted *fitted,
                             const asif_explain_options *options, asif_error *error) {
    const asif_context *c = fitted->context;
    asif_explain_options filled = ASIF_EXPLAIN_OPTIONS_INIT;
    *out = NULL;
    if (options) {
        if (options->struct_size == 0 || options->struct_size > sizeof filled)
            return asif_fail(error, ASIF_EDOMAIN, "options of an explanation have an unknown size");
        memcpy(&filled, options, options->struct_size);
    }
    ASIF_TRY(check(&filled, fitted->setting, error));
    const asif_behavior *behavior = asif_work_unsolved(fitted->work);
    if (behavior->hidden && asif_behavior_belief_at(behavior) == ASIF_ANY)
        return asif_fail(error, ASIF_EUNSUPPORTED, "what an agent of the planner %s believes is hidden in it",
                         asif_work_planner(fitted->work)->name);
    asif_explain *e = ASIF_NEW(c, asif_explain);
    if (!e)
        return asif_fail_memory(error);
    *e = (asif_explain){.context = c, .fitted = fitted, .setting = fitted->setting, .options = filled};
    double *x = NULL, *middle = NULL;
    asif_work *work = NULL;
    asif_status status = asif_explain_points(&x, &middle, &e->draws, fitted, filled.draws, error);
    if (status == ASIF_OK)
        status = solve_middle(&work, fitted, middle, error);
    if (status == ASIF_OK)
        status = filled.what == ASIF_EXPLAIN_PATH ? asif_explain_path(e, x, middle, work, error)
                                                  : asif_explain_find(e, x, middle, work, error);
    asif_work_free(work);
    asif_free(c, x);
    asif_free(c, middle);
    /* Arrays that were borrowed for the run are not kept. */
    e->options.action = e->options.observation = NULL;
    if (status == ASIF_OK)
        *out = e;
    else
        asif_explain_free(e);
    return status;
}
