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
    bool json;        /**< one JSON value instead of a text for people */
    bool unicode;     /**< may use characters beyond ASCII */
    uint32_t width;   /**< columns of the terminal; 0: 80 */
    bool errors_only; /**< of problems: no warnings, no notes */
} asif_report_options;
#define ASIF_REPORT_OPTIONS_INIT                                                                             \
    { sizeof(asif_report_options), false, false, 80, false }

/** Points to plan at. */
typedef struct {
    size_t struct_size;
    uint64_t beliefs;
    const double *belief;                 /**< [beliefs][width of the agent state] */
    uint64_t events;                      /**< of a history from the start */
    const uint32_t *action, *observation; /**< [events] */
    uint32_t start;                       /**< start class of the history and the occupancy */
    uint32_t first; /**< where states are seen, the state both begin with; ASIF_ANY: the history with the most
                         likely one, the occupancy with any of them by their probabilities. Else ignored */
    bool occupancy; /**< also occupancy and information costs */
} asif_plan_request;
#define ASIF_PLAN_REQUEST_INIT                                                                               \
    { .struct_size = sizeof(asif_plan_request), .first = ASIF_ANY }

/** The problem as it was understood. @param[out] out Text, owned by the caller. */
ASIF_API asif_status asif_report_study(char **out, const asif_context *context, const asif_study *study,
                                       const asif_report_options *options, asif_error *error);

/** Values, policy and world weights at beliefs and along a history. */
ASIF_API asif_status asif_report_plan(char **out, const asif_context *context, const asif_study *study,
                                      asif_work *work, const asif_theta *theta, const asif_plan_info *info,
                                      const asif_plan_request *request, const asif_report_options *options,
                                      asif_error *error);

/** Problems, one a line as `file:line:column: message`, each with its hint below it; as JSON a list of objects with
 * `severity`, `file`, `line`, `column`, `row` (those that are known), `message` and `hint`. Empty if there are none. */
ASIF_API asif_status asif_report_problems(char **out, const asif_context *context,
                                          const asif_problems *problems, const asif_report_options *options,
                                          asif_error *error);

/**
 * What a study can name, and the file formats there are.
 *
 * @param[out] out   Text, owned by the caller.
 * @param context    See asif_context_create().
 * @param what       "planners", "presets" or "formats"; NULL: all of them.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN, ASIF_EDOMAIN or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_report_list(char **out, const asif_context *context, const char *what,
                                      const asif_report_options *options, asif_error *error);

/** A string in the quotes of JSON, which YAML reads too, without a line break. */
ASIF_API asif_status asif_report_quoted(char **out, const asif_context *context, const char *string,
                                        asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
