/* The parts of a report on a plan: points at which the agent is looked at, and functions that write them. */
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
    const asif_costs *costs; /* NULL: no costs are shown */
    bool seen;               /* whether the agent sees the state */
    bool hidden;             /* whether agent states are neither beliefs nor states of the world */
    uint32_t lead;           /* numbers of an agent state before its belief: 1 if it begins with a place */
    uint32_t hidden_values;  /* numbers of a belief */
    bool valued;             /* whether the agent has values */
    bool reached;            /* whether it was solved at the beliefs that can be reached */
    bool unicode;
    uint32_t width; /* width of the terminal */
} asif_plan_report;

/* Agent states, with the values and policies of the agent there; arrays are as in asif_view. */
typedef struct {
    uint64_t count;
    double *state;
    double *value, *q, *worlds; /* NULL: the planner has no values */
    double *policy, *log_policy;
} asif_points;

/* Look at `count` agent states, which are copied. Call asif_points_free() in either case. Fails as
 * asif_behavior_log_policy() does. */
asif_status asif_points_look(asif_points *points, const asif_plan_report *report, uint64_t count,
                             const double *state, asif_error *error);
void asif_points_free(asif_points *points, const asif_context *context);

/* The number of the next decision, from 1, of an agent state in a problem with a horizon. */
uint32_t asif_plan_decision(const asif_plan_report *report, const double *state);

/* Write everything as JSON. `history` has one point more than the request has events; so in the functions
 * below. */
void asif_plan_json(asif_text *text, const asif_plan_report *report, const asif_points *beliefs,
                    const asif_points *history);
/* Add tables of the requested points, or of a selection if none are requested. */
asif_status asif_plan_tables(asif_text *text, const asif_plan_report *report, const asif_points *beliefs,
                             const asif_points *history, asif_error *error);
/* Add a sketch for two states: the policy over beliefs, a line of blocks for each action. `place` is that of
 * agent states that begin with one. */
asif_status asif_plan_sketch(asif_text *text, const asif_plan_report *report, uint32_t place,
                             asif_error *error);

#endif
