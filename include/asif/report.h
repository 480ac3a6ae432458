/**
 * @file
 * What people and programs read: every function returns text, given back with asif_memory_free().
 */
#ifndef ASIF_REPORT_H
#define ASIF_REPORT_H

#include "asif/behavior.h"
#include "asif/study.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What a text is for. */
typedef struct {
    size_t struct_size;
    bool json;      /**< one JSON object instead of a table */
    bool unicode;   /**< may use characters beyond ASCII */
    uint32_t width; /**< columns of the terminal; 0: 80 */
} asif_report_options;
#define ASIF_REPORT_OPTIONS_INIT                                                                             \
    { sizeof(asif_report_options), false, false, 80 }

/** Points to plan at. */
typedef struct {
    size_t struct_size;
    uint64_t beliefs;
    const double *belief;                 /**< [beliefs][width of the agent state] */
    uint64_t events;                      /**< of a history from the start */
    const uint32_t *action, *observation; /**< [events] */
    uint32_t start;                       /**< start class of the history */
    bool occupancy;                       /**< also occupancy and information costs */
} asif_plan_request;
#define ASIF_PLAN_REQUEST_INIT                                                                               \
    { .struct_size = sizeof(asif_plan_request) }

/** The problem as it was understood. @param[out] out Text, owned by the caller. */
ASIF_API asif_status asif_report_study(char **out, const asif_context *context, const asif_study *study,
                                       const asif_report_options *options, asif_error *error);

/** Values, policy and world weights at beliefs and along a history. */
ASIF_API asif_status asif_report_plan(char **out, const asif_context *context, const asif_study *study,
                                      asif_work *work, const asif_theta *theta, const asif_plan_info *info,
                                      const asif_plan_request *request, const asif_report_options *options,
                                      asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
