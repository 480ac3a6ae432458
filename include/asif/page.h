/**
 * @file
 * Figures, and the page that a person reads: what a fit tells, as Vega-Lite specifications with their data,
 * and as one HTML file that needs nothing else.
 */
#ifndef ASIF_PAGE_H
#define ASIF_PAGE_H

#include "asif/fit.h"
#include "asif/report.h"

#ifdef __cplusplus
extern "C" {
#endif

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
    const char *const *path;  /**< [results]: of each a path, see asif_explain_json(), or NULL; NULL: none */
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
