/* Looks at agent states: the values and policies of the agent there. */
#include "report/plan/plan.h"

#include "base/error.h"
#include "base/memory.h"
#include "behavior/behavior.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

void asif_points_free(asif_points *points, const asif_context *context) {
    double *arrays[] = {points->state,  points->value,  points->q,
                        points->worlds, points->policy, points->log_policy};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(context, arrays[i]);
    *points = (asif_points){0};
}

asif_status asif_points_look(asif_points *points, const asif_plan_report *report, uint64_t count,
                             const double *state, asif_error *error) {
    const asif_context *context = report->context;
    uint64_t width = asif_behavior_width(report->behavior), actions = report->spec->actions;
    uint64_t cells = count * actions;
    *points = (asif_points){
        .count = count,
        .state = ASIF_ARRAY(context, count * width, double),
        .value = ASIF_ARRAY(context, count, double),
        .q = ASIF_ARRAY(context, cells, double),
        .worlds = ASIF_ARRAY(context, cells * report->spec->worlds, double),
        .policy = ASIF_ARRAY(context, cells, double),
        .log_policy = ASIF_ARRAY(context, cells, double),
    };
    if (!points->state || !points->value || !points->q || !points->worlds || !points->policy ||
        !points->log_policy)
        return asif_fail_memory(error);
    if (count == 0)
        return ASIF_OK;
    memcpy(points->state, state, count * width * sizeof *state);

    asif_view view = ASIF_VIEW_INIT;
    view.value = points->value;
    view.q = points->q;
    view.policy = points->policy;
    view.log_policy = points->log_policy;
    view.worlds = points->worlds;
    asif_status status = asif_look(report->behavior, count, points->state, &view, error);
    if (status != ASIF_EUNSUPPORTED)
        return status;

    asif_free(context, points->value);
    asif_free(context, points->q);
    asif_free(context, points->worlds);
    points->value = points->q = points->worlds = NULL;
    status = asif_behavior_log_policy(report->behavior, count, points->state, points->log_policy, error);
    for (uint64_t i = 0; i < cells && status == ASIF_OK; i++)
        points->policy[i] = exp(points->log_policy[i]);
    return status;
}

uint32_t asif_plan_decision(const asif_plan_report *report, const double *state) {
    return (uint32_t)state[0] / asif_seen_values(report->spec) + 1;
}
