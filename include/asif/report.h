/**
 * @file
 * Reports for people and programs. Every function that returns text through `char **out` gives its ownership
 * to the caller, who frees it with asif_memory_free().
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

/** Form of a report. */
typedef struct {
    size_t struct_size;
    bool json;        /**< one JSON value instead of a text for people */
    bool unicode;     /**< may use characters beyond ASCII */
    uint32_t width;   /**< columns of the terminal; 0: 80 */
    bool errors_only; /**< in lists of problems, leave out warnings and notes */
} asif_report_options;
#define ASIF_REPORT_OPTIONS_INIT                                                                             \
    { sizeof(asif_report_options), false, false, 80, false }

/** The points at which a plan is reported: beliefs, and a history. */
typedef struct {
    size_t struct_size;
    uint64_t beliefs;
    const double *belief;                 /**< [beliefs][width of the agent state] */
    uint64_t events;                      /**< length of a history from the start */
    const uint32_t *action, *observation; /**< [events] */
    uint32_t start;                       /**< start class of the history and the occupancy */
    /** Where states are seen, the first state of the history and the occupancy. ASIF_ANY: the most likely
     * state for the history, and the distribution of first states for the occupancy. Else ignored. */
    uint32_t first;
    bool occupancy; /**< report also occupancy and information costs */
    /** Where agent states begin with a place (see asif_setting_spec), that of the selection of beliefs which
     * is shown if the request has neither beliefs nor a history. ASIF_ANY: the first and the last. */
    uint32_t place;
} asif_plan_request;
#define ASIF_PLAN_REQUEST_INIT                                                                               \
    { .struct_size = sizeof(asif_plan_request), .first = ASIF_ANY, .place = ASIF_ANY }

/** The logs to describe. */
typedef struct {
    size_t struct_size;
    const char *const *file; /**< [files]: names of the files that the tree was read from */
    uint32_t files;
    const asif_tree *tree;
    const asif_problems *problems; /**< problems found while reading; NULL: none */
    uint32_t top;                  /**< most frequent histories (states, pairs) to list; 0: none */
    const char *by; /**< covariate by whose values to break the description down too; NULL: none */
} asif_logs_request;
#define ASIF_LOGS_REQUEST_INIT                                                                               \
    { .struct_size = sizeof(asif_logs_request), .top = 10 }

/** Describe the decision problem of a study as asif understood it. @param[out] out Text, owned by the caller.
 */
ASIF_API asif_status asif_report_study(char **out, const asif_context *context, const asif_study *study,
                                       const asif_report_options *options, asif_error *error);

/** Report values, policy and world weights at beliefs and along a history. @param[out] out Text, owned by the
 * caller. */
ASIF_API asif_status asif_report_plan(char **out, const asif_context *context, const asif_study *study,
                                      asif_work *work, const asif_theta *theta, const asif_plan_info *info,
                                      const asif_plan_request *request, const asif_report_options *options,
                                      asif_error *error);

/**
 * Describe logs: their size, the actions, the most frequent episodes and histories (where states are seen,
 * states and pairs), the rows that were left out, and the problems.
 *
 * @param[out] out   Text, owned by the caller.
 * @param context    See asif_context_create().
 * @param request    The logs to describe.
 * @param options    NULL: the defaults.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN, ASIF_EUNKNOWN (no such covariate) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_report_logs(char **out, const asif_context *context,
                                      const asif_logs_request *request, const asif_report_options *options,
                                      asif_error *error);

/**
 * Draft a commented study from the columns of a table: their probable roles, labels and cut points. The
 * dynamics and the utility, which a table cannot show, are a skeleton marked `TO FILL IN`. The draft passes
 * `asif check`.
 *
 * @param[out] out   Text, owned by the caller.
 * @param context    See asif_context_create().
 * @param columns    See asif_table_scan().
 * @param file       Name of the table.
 * @param title      Title of the study.
 * @param map        Roles that are known; NULL: all roles are guessed from the names of the columns.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EUNKNOWN (no such column, or none that could be the action), ASIF_EINVALID or
 * ASIF_ENOMEM.
 */
ASIF_API asif_status asif_report_study_template(char **out, const asif_context *context,
                                                const asif_columns *columns, const char *file,
                                                const char *title, const asif_log_map *map,
                                                asif_error *error);

/** Report a learnt world: a table for each part of a study that asif_study_read_unlearnt() read, with
 * standard errors and counts; as JSON a list of the parts. @param[out] out Text, owned by the caller. */
ASIF_API asif_status asif_report_world(char **out, const asif_context *context, const asif_study *study,
                                       const asif_learnt_world *world, const asif_report_options *options,
                                       asif_error *error);

/** Report hidden dynamics that were learnt: the search, a table with standard errors for each that the study
 * marks, and which numbers the logs do not determine; as JSON an object. @param[out] out Text, owned by the
 * caller. @param study Read by asif_study_read_unlearnt(). @param prior That of the fit. */
ASIF_API asif_status asif_report_dynamics(char **out, const asif_context *context, const asif_study *study,
                                          const asif_dynamics *dynamics, const asif_dynamics_fit *fit,
                                          double prior, const asif_report_options *options,
                                          asif_error *error);

/** Report a forecast: how long a fit takes, and which resolution suits; as JSON an object. @param[out] out
 * Text, owned by the caller. @param threads Of the fit. */
ASIF_API asif_status asif_report_forecast(char **out, const asif_context *context,
                                          const asif_forecast *forecast, uint32_t threads,
                                          const asif_report_options *options, asif_error *error);

/** List problems, each on a line `file:line:column: message` with its hint below; as JSON a list of
 * objects with `severity`, `file`, `line`, `column`, `row` (those that are known), `message` and `hint`.
 * Empty if there are none. */
ASIF_API asif_status asif_report_problems(char **out, const asif_context *context,
                                          const asif_problems *problems, const asif_report_options *options,
                                          asif_error *error);

/**
 * List the planners, inverse planners and presets that a study can name, and the file formats.
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
 * Summarise a fit from the text of its `fit.json`: the behaviour, the preferences and beliefs that would
 * explain it, what the logs cannot determine, and whether the computation can be trusted.
 *
 * @param[out] out     Text, owned by the caller; with `json` in the options, a copy of the argument
 * `json`.
 * @param[out] trusted Whether the computation can be trusted; may be NULL.
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
/**
 * Describe a folder of `asif people`: how people differ, the population, and whom to look at.
 *
 * @param[out] out     Text, owned by the caller (asif_memory_free()).
 * @param[out] trusted Whether the population could be fitted; may be NULL.
 * @param context      See asif_context_create().
 * @param json         Its population.json.
 * @param json_length  Bytes in `json`.
 * @param people       Its units.csv; NULL: there is none, since the population could not be fitted.
 * @param length       Bytes in `people`.
 * @param identify     People may be named.
 * @param[out] error   May be NULL.
 * @return ASIF_OK, ASIF_EPARSE (not these files) or ASIF_ENOMEM.
 */
ASIF_API asif_status asif_report_people(char **out, bool *trusted, const asif_context *context,
                                        const char *json, uint64_t json_length, const char *people,
                                        uint64_t length, bool identify, asif_error *error);
/** Compare the fits of several groups, parameter by parameter. With `json` in the options, `*out` is an
 * object with the list of the fits' texts, and the contrast as `differences`. @param fits Number of fits.
 * @param json [fits]: texts of `fit.json`, 0-terminated. @param name [fits]: for messages. @param contrast
 * JSON answer to the question `compare`, 0-terminated, whose differences are reported too; NULL: none. */
ASIF_API asif_status asif_report_groups(char **out, bool *trusted, const asif_context *context, uint32_t fits,
                                        const char *const *json, const char *const *name,
                                        const char *contrast, const asif_report_options *options,
                                        asif_error *error);

/** Quote a string for JSON, on one line; YAML reads the result too. */
ASIF_API asif_status asif_report_quoted(char **out, const asif_context *context, const char *string,
                                        asif_error *error);

/* ---- figures and pages ---- */

/** Default of `min_cell`: smaller counts are not shown. */
#define ASIF_MIN_CELL 11

/** The contents of a page and its figures. All of it is borrowed. */
typedef struct {
    size_t struct_size;
    const asif_result *const
        *result; /**< [results]: one fit, or the fits of groups, the first of which is the reference */
    uint32_t results;
    const char *const *made; /**< [results]: texts of `run.json`, 0-terminated, or NULL; NULL: none */
    /** [results]: for each an example episode, as the JSON answer to the question `explain`, or NULL;
     * NULL: none. */
    const char *const *path;
    const char *const *extra;      /**< [extras]: output of other commands with --json, 0-terminated */
    const char *const *extra_name; /**< [extras]: for messages */
    uint32_t extras;
    const char *const
        *truth; /**< [truths]: names, as in the draws (log_alpha), of estimates whose true value is known */
    const double *truth_value; /**< [truths] */
    uint32_t truths;
    /** Counts of people and decisions below this can be neither read nor derived from the page; 0: all are
     * shown. */
    uint32_t min_cell;
    bool identify;       /**< subjects and their episodes may be named */
    uint32_t unfinished; /**< number of groups that are not in `result` because their fits are not finished */
    /** A population in place of fits: its `population.json`, 0-terminated; NULL: none. `results` is then 0.
     * Without `identify`, people are shown as averages over groups of at least `min_cell` (of 11 if it is 0,
     * and never fewer than 3). */
    const char *population;
    const char *units; /**< its `units.csv`, 0-terminated; NULL: the population could not be fitted */
} asif_page_request;
#define ASIF_PAGE_REQUEST_INIT                                                                               \
    { .struct_size = sizeof(asif_page_request), .min_cell = ASIF_MIN_CELL }

/** A list of figures; immutable. */
typedef struct asif_figures asif_figures;

/** One figure, borrowed. */
typedef struct {
    size_t struct_size;
    const char *name; /**< lower-case letters, digits and dashes; unique in a list */
    const char *title;
    /** A Vega-Lite specification with its data; `description` describes the figure, and `usermeta` has its
     * caption and its table. */
    const char *json;
    uint64_t length; /**< length of `json` */
} asif_figure_view;

/**
 * Make all figures for which a fit or a population, and the other results in the request, have the data.
 *
 * @param[out] out   Owned by the caller; NULL on failure. May be empty.
 * @param context    Kept for the life of the list.
 * @param request    Contents of the figures; not needed afterwards.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EPARSE (an extra that is not JSON from asif), ASIF_EUNKNOWN (a truth for a name that
 * is no estimate), ASIF_EDOMAIN, ASIF_ECANCELLED or ASIF_ENOMEM.
 *
 * Cost: a few solves of the planner for each fit.
 */
ASIF_API asif_status asif_figures_make(asif_figures **out, const asif_context *context,
                                       const asif_page_request *request, asif_error *error);
/**
 * Make the figures of one solved agent: its policy at each belief over two or three states. With more states
 * there are none.
 *
 * @param[out] out   Owned by the caller; NULL on failure. May be empty.
 * @param context    Kept for the life of the list.
 * @param study      Study of the agent.
 * @param work       Solved by asif_solve().
 * @param theta      Values that it was solved with.
 * @param request    The start class and a history to show; NULL: a history and an episode that the function
 * chooses.
 * @param[out] error May be NULL.
 * @return ASIF_OK, ASIF_EDOMAIN (not solved), ASIF_EZEROPR (a history that no world of the agent allows),
 * ASIF_ECANCELLED or ASIF_ENOMEM.
 *
 * Cost: with three states, two solves of the planner, for unbounded agents to compare with; else none.
 */
ASIF_API asif_status asif_figures_plan(asif_figures **out, const asif_context *context,
                                       const asif_study *study, const asif_work *work,
                                       const asif_theta *theta, const asif_plan_request *request,
                                       asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_figures_free(asif_figures *figures);
/** Number of figures. */
ASIF_API uint32_t asif_figures_count(const asif_figures *figures);
/** @param[out] view Its struct_size must be set. @return ASIF_OK, or ASIF_EDOMAIN (there is no such figure).
 */
ASIF_API asif_status asif_figures_get(const asif_figures *figures, uint32_t index, asif_figure_view *view,
                                      asif_error *error);

/**
 * Make one self-contained HTML page: the behaviour, the preferences and beliefs that would explain it, what
 * the logs cannot determine, whether to trust the result, the figures, the problem, the data, and how the fit
 * was made. For a population: what people do, how they differ, and what the logs cannot determine.
 *
 * @param[out] out   Text, owned by the caller (asif_memory_free()); UTF-8.
 * @param context    See asif_context_create().
 * @param request    Contents of the page.
 * @param figures    Figures of the same request; NULL: none.
 * @param[out] error May be NULL.
 * @return As asif_figures_make().
 *
 * The page loads nothing, and its content policy allows only its own scripts, by their digests. In a build
 * without the chart library (asif_page_draws()) it has its text, its tables, and a sentence in place of each
 * drawing.
 */
ASIF_API asif_status asif_page_make(char **out, const asif_context *context, const asif_page_request *request,
                                    const asif_figures *figures, asif_error *error);
/** Whether this library was built with the chart library that draws figures in a page. */
ASIF_API bool asif_page_draws(void);

#ifdef __cplusplus
}
#endif
#endif
