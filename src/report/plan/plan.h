/* The parts of a plan's report: points looked at, and how they are written. */
#ifndef ASIF_SRC_REPORT_PLAN_PLAN_H
#define ASIF_SRC_REPORT_PLAN_PLAN_H

#include "asif/report.h"
#include "base/text.h"

typedef struct {
    const asif_context *context;
    const asif_study *study;
    const asif_setting *setting;
    const asif_setting_spec *spec;
    const asif_behavior *behavior;
    const asif_theta *theta;
    const asif_plan_info *info;
    const asif_plan_request *request;
    const asif_costs *costs; /* NULL: not wanted */
    bool seen;               /* the agent sees the state */
    bool hidden;             /* its states are neither beliefs nor the world's */
    bool valued;             /* it has values */
    bool unicode;
    uint32_t width; /* of the terminal */
} asif_plan_report;

/* Agent states and what the agent thinks and does there; arrays as in asif_view. */
typedef struct {
    uint64_t count;
    double *state;
    double *value, *q, *worlds; /* NULL: the planner has no values */
    double *policy, *log_policy;
} asif_points;

/* Look at `count` agent states, which are copied. Freed by asif_points_free() whether it fails or not. */
asif_status asif_points_look(asif_points *points, const asif_plan_report *report, uint64_t count,
                             const double *state, asif_error *error);
void asif_points_free(asif_points *points, const asif_context *context);

/* Every writer's `beliefs` and `history` are points; the history has one point more than events. */
void asif_plan_json(asif_text *text, const asif_plan_report *report, const asif_points *beliefs,
                    const asif_points *history);
/* The tables of the requested points, or of a selection of points if there are none. */
asif_status asif_plan_tables(asif_text *text, const asif_plan_report *report, const asif_points *beliefs,
                             const asif_points *history, asif_error *error);
/* Two states: the policy over beliefs, a line of blocks for each action. */
asif_status asif_plan_sketch(asif_text *text, const asif_plan_report *report, asif_error *error);

#endif
