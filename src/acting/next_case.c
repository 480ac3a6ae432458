/* Whether the next case is worth more than a test. After an action that ends an episode a new case begins,
 * and it counts. If tests bring less than what waiting for the next case costs, the best agent never tests,
 * and an agent that does can only be explained by being erratic. */
#include "acting/ideals.h"
#include "base/error.h"
#include "base/memory.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "study/study.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

#define MOST_BELIEFS 2000
#define MOST_PLACES 200
#define MOST_SECONDS 5

/* Whether some actions, and not all, end an episode after which another one begins. */
static bool begins_anew(const asif_setting_spec *spec) {
    uint32_t ends = 0, tests = 0;
    if (!spec->observations || spec->horizon || !spec->ends || asif_seen_values(spec) > MOST_PLACES)
        return false;
    for (uint32_t u = 0; u < spec->actions; u++) {
        if (spec->ends[u] && !(spec->stops && spec->stops[u]))
            ends++;
        if (!spec->ends[u])
            tests++;
    }
    return ends && tests;
}

/* The resolution of a lattice over `states` with few points. */
static uint32_t coarse(uint32_t states, uint32_t wanted) {
    uint32_t resolution = 1;
    for (; resolution < wanted; resolution++) {
        double points = 1;
        for (uint32_t k = 1; k < states; k++)
            points *= (double)(resolution + 1 + k) / k;
        if (points > MOST_BELIEFS)
            break;
    }
    return resolution;
}

/* Set what the agent without bounds wants: assumed utilities, and usual ones of those that are to be learnt.
 * False: some are not known. */
static bool set_wants(asif_theta *theta, const asif_study *study, const asif_theta *given) {
    const asif_setting_spec *spec = asif_setting_get(theta->setting);
    asif_estimate_spec learnt[64];
    uint32_t count = asif_study_estimates(study, learnt, 64);
    asif_ideals_know(theta, given, ASIF_IDEAL_TRUE);
    for (uint32_t i = 0; i < spec->parameters; i++) {
        const char *name = spec->parameter_names[i];
        double value = NAN;
        if (asif_theta_get(theta, name, &value, NULL) == ASIF_OK && isfinite(value))
            continue;
        for (uint32_t k = 0; k < count && k < 64; k++)
            if (strcmp(learnt[k].name, name) == 0)
                value = learnt[k].standard;
        if (!isfinite(value) || asif_theta_set(theta, name, value, NULL) != ASIF_OK)
            return false;
    }
    return isfinite(theta->discount);
}

/* Whether the solved agent ends every episode with its first action. */
static asif_status never_tests(bool *out, const asif_work *work, asif_error *error) {
    const asif_setting *setting = asif_work_setting(work);
    const asif_setting_spec *spec = asif_setting_get(setting);
    const asif_context *context = setting->context;
    const asif_behavior *behavior = asif_work_behavior(work);
    double *state = ASIF_ARRAY(context, asif_behavior_width(behavior), double);
    double *policy = ASIF_ARRAY(context, spec->actions, double);
    asif_status status = state && policy ? ASIF_OK : asif_fail_memory(error);
    *out = true;
    for (uint32_t start = 0; status == ASIF_OK && start < spec->starts; start++) {
        double tests = 0;
        asif_behavior_init(behavior, start, ASIF_ANY, state);
        status = asif_behavior_log_policy(behavior, 1, state, policy, error);
        for (uint32_t u = 0; status == ASIF_OK && u < spec->actions; u++)
            tests += spec->ends[u] ? 0 : exp(policy[u]);
        *out = *out && tests < 0.5;
    }
    asif_free(context, state);
    asif_free(context, policy);
    return status;
}

/* Solve an agent without bounds that knows the environment. *known: its policy was found. */
static asif_status solve(bool *never, bool *known, const asif_study *study, const asif_theta *given,
                         bool one_case, asif_error *error) {
    const asif_setting *setting = asif_study_setting(study);
    const asif_setting_spec *spec = asif_setting_get(setting);
    const asif_context *context = setting->context;
    asif_setting *alone = NULL;
    asif_work *work = NULL;
    asif_theta *theta = NULL;
    asif_plan_info info = {.stop = ASIF_STOP_STALLED};
    asif_plan_options solver = *asif_study_solver(study);
    solver.resolution = coarse(asif_hidden_values(spec), solver.resolution);
    solver.tol = 1e-9;
    solver.time_limit_sec = MOST_SECONDS;
    solver.lattice_error = 0;
    solver.beliefs = ASIF_BELIEFS_LATTICE;
    solver.sampled = false;
    asif_status status = asif_ideals_setting(&alone, context, setting, one_case, error);
    if (status == ASIF_OK)
        status = asif_work_create(&work, context, "bounded-rational", alone, &solver, error);
    if (status == ASIF_OK)
        status = asif_theta_create(&theta, context, alone, error);
    if (status == ASIF_OK && set_wants(theta, study, given))
        status = asif_solve(work, theta, &info, error);
    *known = status == ASIF_OK && info.stop == ASIF_STOP_CONVERGED;
    if (*known)
        status = never_tests(never, work, error);
    asif_theta_free(theta);
    asif_work_free(work);
    asif_setting_free(alone);
    return status;
}

/* The same; what cannot be solved is not known, and no error. */
static asif_status ask(bool *never, bool *known, const asif_study *study, const asif_theta *given,
                       bool one_case, asif_error *error) {
    asif_error why = ASIF_ERROR_INIT;
    asif_status status = solve(never, known, study, given, one_case, &why);
    if (status != ASIF_ENOMEM && status != ASIF_ECANCELLED) {
        *known = *known && status == ASIF_OK;
        return ASIF_OK;
    }
    if (error)
        *error = why;
    return status;
}

static bool is_purposeful(const char *planner) {
    const asif_planner_info *row = NULL;
    for (uint32_t i = 0; (row = asif_planner_get(i)); i++)
        if (strcmp(row->name, planner) == 0)
            return row->purposeful;
    return false;
}

asif_status asif_study_next_case(bool *out, const asif_study *study, const asif_theta *given,
                                 asif_problems *problems, asif_error *error) {
    bool never = false, tests_not = true, known = false;
    *out = false;
    if (!begins_anew(asif_setting_get(asif_study_setting(study))) ||
        !is_purposeful(asif_study_planner(study)))
        return ASIF_OK;
    ASIF_TRY(ask(&never, &known, study, given, false, error));
    if (!known || !never)
        return ASIF_OK;
    ASIF_TRY(ask(&tests_not, &known, study, given, true, error));
    if (!known || tests_not)
        return ASIF_OK;
    *out = true;
    asif_error warning = ASIF_ERROR_INIT;
    asif_fail(
        &warning, ASIF_OK,
        "the best agent never tests: whatever ends a case begins the next one, which is worth more here "
        "than a test");
    asif_error_hint(&warning, "if each case stands alone, write `terminal` for what ends it "
                              "(`transitions: {ACTION: terminal}`), or a `horizon`");
    asif_problems_add(problems, ASIF_PROBLEM_WARNING, &warning);
    return ASIF_OK;
}
