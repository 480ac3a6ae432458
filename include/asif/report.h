/**
 * @file
 * What people and programs read: every function returns text, given back with asif_memory_free().
 */
#ifndef ASIF_REPORT_H
#define ASIF_REPORT_H

#include "asif/behavior.h"
#include "asif/fit.h"
#include "asif/logs.h"
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

/** Logs to describe. */
typedef struct {
    size_t struct_size;
    const char *const *file; /**< [files]: names of what was counted */
    uint32_t files;
    const asif_tree *tree;
    const asif_problems *problems; /**< of the reading; NULL: none */
    uint32_t top;                  /**< most frequent histories (states, pairs) to list; 0: none */
    const char *by;                /**< a covariate that the tree keeps: also by its values; NULL: not */
} asif_logs_request;
#define ASIF_LOGS_REQUEST_INIT                                                                               \
    { .struct_size = sizeof(asif_logs_request), .top = 10 }

/** The problem as it was understood. @param[out] out Text, owned by the caller. */
ASIF_API asif_status asif_report_study(char **out, const asif_context *context, const asif_study *study,
                                       const asif_report_options *options, asif_error *error);

/** Values, policy and world weights at beliefs and along a history. */
ASIF_API asif_status asif_report_plan(char **out, const asif_context *context, const asif_study *study,
                                      asif_work *work, const asif_theta *theta, const asif_plan_info *info,
                                      const asif_plan_request *request, const asif_report_options *options,
                                      asif_error *error);

/**
 * What is in logs: how much, what was done, the most frequent episodes and histories (where states are seen,
 * states and pairs), what was left out and what is to be said of it.
 *
 * @param[out] out   Text, owned by the caller.
 * @param context    See asif_context_create().
 * @param request    What to describe.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN, ASIF_EUNKNOWN (no such covariate) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_report_logs(char **out, const asif_context *context,
                                      const asif_logs_request *request, const asif_report_options *options,
                                      asif_error *error);

/**
 * A commented study to start from, drafted from the columns of a table: what they seem to be, their labels
 * and cuts. What a table cannot tell, the dynamics and what is wanted, is a skeleton marked `TO FILL IN`,
 * which passes a check.
 *
 * @param[out] out   Text, owned by the caller.
 * @param context    See asif_context_create().
 * @param columns    See asif_table_scan().
 * @param file       Name of the table.
 * @param title      Of the study.
 * @param map        Columns that are known; NULL: all are guessed by their names.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN (no such column, or none that could be the action), ASIF_EINVALID or
 * ASIF_ENOMEM.
 */
ASIF_API asif_status asif_report_study_template(char **out, const asif_context *context,
                                                const asif_columns *columns, const char *file,
                                                const char *title, const asif_log_map *map,
                                                asif_error *error);

/** What was learnt of a world: a table for each part of a study, read by asif_study_read_unlearnt(), with
 * standard errors and counts; as JSON a list of the parts. See asif_report_study(). */
ASIF_API asif_status asif_report_world(char **out, const asif_context *context, const asif_study *study,
                                       const asif_learnt_world *world, const asif_report_options *options,
                                       asif_error *error);

/** Problems, one a line as `file:line:column: message`, each with its hint below it; as JSON a list of
 * objects with `severity`, `file`, `line`, `column`, `row` (those that are known), `message` and `hint`.
 * Empty if there are none. */
ASIF_API asif_status asif_report_problems(char **out, const asif_context *context,
                                          const asif_problems *problems, const asif_report_options *options,
                                          asif_error *error);

/**
 * What a study can name, and the file formats there are.
 *
 * @param[out] out   Text, owned by the caller.
 * @param context    See asif_context_create().
 * @param what       "planners", "inverses", "presets" or "formats"; NULL: all of them.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN, ASIF_EDOMAIN or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_report_list(char **out, const asif_context *context, const char *what,
                                      const asif_report_options *options, asif_error *error);

/**
 * What a fit tells, from the text of its `fit.json`: what they do, as if why, what the logs cannot tell, and
 * whether the computation can be trusted.
 *
 * @param[out] out     Text, owned by the caller; with `json` in the options, the text that was given.
 * @param[out] trusted Whether it can be trusted; may be NULL.
 * @param context      See asif_context_create().
 * @param json         See asif_whole_fit_json().
 * @param length       Bytes in `json`.
 * @param name         For messages.
 * @param options      NULL: the defaults.
 * @param[out] error   May be NULL.
 * @return ASIF_OK, ASIF_EPARSE (not the text of a fit), ASIF_EDOMAIN or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_report_summary(char **out, bool *trusted, const asif_context *context,
                                         const char *json, uint64_t length, const char *name,
                                         const asif_report_options *options, asif_error *error);
/** Fits of several groups side by side, number by number. @param fits How many. @param json Texts of their
 * `fit.json`, [fits], each ended by a 0. @param name For messages, [fits]. @param contrast JSON of
 * the question `compare`, ended by a 0, whose differences of numbers are told too; NULL: none. With
 * `json` in the options, an object with the list of their texts, and the contrast as `differences`. */
ASIF_API asif_status asif_report_groups(char **out, bool *trusted, const asif_context *context, uint32_t fits,
                                        const char *const *json, const char *const *name,
                                        const char *contrast, const asif_report_options *options,
                                        asif_error *error);

/** A string in the quotes of JSON, which YAML reads too, without a line break. */
ASIF_API asif_status asif_report_quoted(char **out, const asif_context *context, const char *string,
                                        asif_error *error);

/* ---- figures and pages ---- */

/** Counts below this are not shown unless something else is asked for. */
#define ASIF_MIN_CELL 11

/** What a page and its figures are made from. All of it is borrowed. */
typedef struct {
    size_t struct_size;
    const asif_result *const
        *result; /**< [results]: one fit, or those of groups, the first being the one to compare with */
    uint32_t results;
    const char *const
        *made; /**< [results]: texts of their `run.json`, each ended by a 0 or NULL; NULL: none */
    const char *const
        *path; /**< [results]: of each a path, JSON of the question `explain`, or NULL; NULL: none */
    const char *const *extra; /**< [extras]: JSON that other commands print with --json, each ended by a 0 */
    const char *const *extra_name; /**< [extras]: for messages */
    uint32_t extras;
    const char *const
        *truth; /**< [truths]: names of estimates whose truth is known, as in the draws (log_alpha) */
    const double *truth_value; /**< [truths] */
    uint32_t truths;
    uint32_t min_cell; /**< counts of people and decisions below this are neither shown nor derivable; 0: all
                          are shown */
    bool identify;     /**< subjects and paths of theirs may be named */
    uint32_t unfinished; /**< groups whose fits are not finished, and which are not among the results */
} asif_page_request;
#define ASIF_PAGE_REQUEST_INIT                                                                               \
    { .struct_size = sizeof(asif_page_request), .min_cell = ASIF_MIN_CELL }

/** A list of figures; immutable. */
typedef struct asif_figures asif_figures;

/** One figure, borrowed. */
typedef struct {
    size_t struct_size;
    const char *name; /**< lower-case letters, digits and dashes; no two of a list are alike */
    const char *title;
    const char *json; /**< a Vega-Lite specification with its data; `description` says what is seen, and
                         `usermeta` has the caption and the table behind it */
    uint64_t length;  /**< of it */
} asif_figure_view;

/**
 * All figures that a fit, and what else is known of it, has the data for.
 *
 * @param[out] out   Owned by the caller; NULL on failure. May be empty.
 * @param context    Borrowed for the life of the list.
 * @param request    What they are made from; not needed afterwards.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EPARSE (an extra that is no JSON of asif's), ASIF_EUNKNOWN (a truth of no estimate),
 * ASIF_EDOMAIN, ASIF_ECANCELLED or ASIF_ENOMEM.
 *
 * Cost: of the planner, a few solves for each fit.
 */
ASIF_API asif_status asif_figures_make(asif_figures **out, const asif_context *context,
                                       const asif_page_request *request, asif_error *error);
/**
 * Figures of one agent that has been solved: what it does at each belief, over two states or three; else
 * none.
 *
 * @param[out] out   Owned by the caller; NULL on failure. May be empty.
 * @param context    Borrowed for the life of the list.
 * @param study      That it is of.
 * @param work       Solved, see asif_solve().
 * @param theta      What it was solved for.
 * @param request    A history to follow and the start class; NULL: evidence and an episode of its own.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (not solved), ASIF_EZEROPR (a history that no world of the agent allows),
 * ASIF_ECANCELLED or ASIF_ENOMEM.
 *
 * Cost: two solves of the planner over three states, for agents without bounds; else none.
 */
ASIF_API asif_status asif_figures_plan(asif_figures **out, const asif_context *context,
                                       const asif_study *study, const asif_work *work,
                                       const asif_theta *theta, const asif_plan_request *request,
                                       asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_figures_free(asif_figures *figures);
/** How many there are. */
ASIF_API uint32_t asif_figures_count(const asif_figures *figures);
/** @param[out] view Its struct_size must be set. @return ASIF_OK, or ASIF_EDOMAIN (there is no such figure).
 */
ASIF_API asif_status asif_figures_get(const asif_figures *figures, uint32_t index, asif_figure_view *view,
                                      asif_error *error);

/**
 * One self-contained HTML page: what they do, as if why, what the logs cannot tell, whether to believe it,
 * the figures, the problem, the data, and how it was made.
 *
 * @param[out] out   Text, owned by the caller (asif_memory_free()); UTF-8.
 * @param context    See asif_context_create().
 * @param request    What it is made from.
 * @param figures    Of the same request; NULL: none.
 * @param[out] error May be NULL.
 * @return As asif_figures_make().
 *
 * Nothing in it is fetched, and no script runs but its own (a content policy with digests). Without the
 * scripts that draw (asif_page_draws()) it has its text, its tables, and a sentence where drawings would be.
 */
ASIF_API asif_status asif_page_make(char **out, const asif_context *context, const asif_page_request *request,
                                    const asif_figures *figures, asif_error *error);
/** Whether this library was built with what draws figures in a page. */
ASIF_API bool asif_page_draws(void);

#ifdef __cplusplus
}
#endif
#endif
