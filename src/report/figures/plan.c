/* The figures of one agent, from a study and the command line. */
#include "report/figures/agent.h"

#include "base/error.h"
#include "base/memory.h"

static asif_status check(const asif_setting_spec *spec, const asif_plan_request *request, asif_error *error) {
    if (!request)
        return ASIF_OK;
    if (request->struct_size != sizeof *request)
        return asif_fail(error, ASIF_EDOMAIN, "the request for a plan has an unknown size");
    if (request->start >= spec->starts)
        return asif_fail(error, ASIF_EDOMAIN, "there is no start class %u", (unsigned)request->start);
    for (uint64_t i = 0; i < request->events; i++)
        if (request->action[i] >= spec->actions || request->observation[i] >= spec->observations)
            return asif_fail(error, ASIF_EDOMAIN,
                             "step %llu of the history has no such action or observation",
                             (unsigned long long)i + 1);
    return ASIF_OK;
}

asif_status asif_figures_plan(asif_figures **out, const asif_context *context, const asif_study *study,
                              const asif_work *work, const asif_theta *theta,
                              const asif_plan_request *request, asif_error *error) {
    static asif_agent_drawer *const draw[] = {[2] = asif_policy_draw, [3] = asif_simplex_draw};
    asif_status status = ASIF_OK;
    *out = NULL;
    if (!asif_work_behavior(work))
        return asif_fail(error, ASIF_EDOMAIN, "the agent has not been solved yet: call asif_solve() first");
    *out = ASIF_NEW(context, asif_figures);
    if (!*out)
        return asif_fail_memory(error);
    (*out)->context = context;
    for (uint32_t states = 2; status == ASIF_OK && states <= 3; states++) {
        asif_figure_agent agent;
        if (!asif_agent_believes(work, states))
            continue;
        status = check(asif_setting_get(asif_study_setting(study)), request, error);
        if (status != ASIF_OK)
            break;
        status = asif_agent_planned(&agent, context, study, work, theta, request, states == 3, error);
        if (status == ASIF_OK)
            status = asif_agent_draw(*out, &agent, draw[states], error);
        asif_agent_free(&agent);
    }
    if (status != ASIF_OK) {
        asif_figures_free(*out);
        *out = NULL;
    }
    return status;
}
