/**
 * @file
 * Explanation of one path: what the fitted agent believes and does step by step, and what two other agents
 * would have done; and the episodes of a table that are worth such a look.
 *
 * Both have no bounds (always the best action, no optimism, no weight on surprise). The one, "same", is the
 * same model, with the agent's own worlds; it is not the best that can be done (see asif/outcomes.h). The
 * other, "true", knows the true world, its dynamics and where it starts.
 */
#ifndef ASIF_EXPLAIN_H
#define ASIF_EXPLAIN_H

#include "asif/fit.h"

#ifdef __cplusplus
extern "C" {
#endif

/** What is asked for. */
typedef enum {
    ASIF_EXPLAIN_PATH, /**< one path */
    /**
     * Episodes that went on after an agent without bounds would have ended them. It would first have done so
     * at the step at which its probability of an ending action is at least .5, given what was seen; the
     * episode is late by the decisions from that step on that end nothing. Late by the agent that knows the
     * true world first, the latest first, ties by the cost of the episode; then those that are late only by
     * the same model without bounds. Where no action ends an episode, the same of every action by itself, and
     * the one that came latest counts.
     */
    ASIF_EXPLAIN_BELATED,
    /**
     * Episodes by their least probable action under the fitted agent (mean over draws), the least probable
     * first; with how many decisions in situations like all of these one expects to be that improbable or
     * more so.
     */
    ASIF_EXPLAIN_SURPRISING
} asif_explain_what;
/** "path", "belated" or "surprising"; NULL past the last. */
ASIF_API const char *asif_explain_what_text(asif_explain_what what);

/**
 * Logs as they are needed here: episodes are units, and what was seen in the course of each is kept, also
 * where that is the state (whose tree otherwise knows counts only).
 *
 * @param[out] out   Owned by the caller; NULL on failure. Where states are seen its observations are the
 * states.
 * @param context    Borrowed for the life of the tree.
 * @param setting    Of the fit.
 * @param map        NULL: the defaults.
 * @param path       A table, or a tree that was saved with its episodes; "-" is standard input.
 * @param wheres     How many conditions the episodes fulfil, all of them; 0: all episodes.
 * @param where      [wheres]: see ::asif_result_view for those of a fit; NULL if there are none.
 * @param problems   Errors, warnings and notes are added; may be NULL.
 * @param[out] error May be NULL.
 * @return As asif_logs_read(); ASIF_EINVALID for a saved tree without episodes or with other labels.
 *
 * Cost: that of asif_logs_read(); where states are seen, memory for every decision.
 */
ASIF_API asif_status asif_explain_logs(asif_tree **out, const asif_context *context,
                                       const asif_setting *setting, const asif_log_map *map, const char *path,
                                       uint32_t wheres, const asif_logs_where *where, asif_problems *problems,
                                       asif_error *error);
/** The same of all episodes, from text in memory. @param name For messages. */
ASIF_API asif_status asif_explain_logs_text(asif_tree **out, const asif_context *context,
                                            const asif_setting *setting, const asif_log_map *map,
                                            const char *text, uint64_t length, const char *name,
                                            asif_problems *problems, asif_error *error);

/**
 * The unit of an episode.
 *
 * @param[out] unit  Its number.
 * @param tree       See asif_explain_logs().
 * @param subject    Name of the subject; of the episode, where the table has no subjects. NULL: any.
 * @param episode    Name of the episode. NULL: the only one of the subject.
 * @param[out] error May be NULL.
 * @return ASIF_OK, or ASIF_EUNKNOWN if there is none or more than one; the message or its hint names some.
 */
ASIF_API asif_status asif_explain_unit(uint64_t *unit, const asif_tree *tree, const char *subject,
                                       const char *episode, asif_error *error);

/** What to explain. */
typedef struct {
    size_t struct_size;
    asif_explain_what what;
    const asif_tree *tree; /**< see asif_explain_logs(); NULL: a path that is typed or simulated */
    uint64_t unit;         /**< of the tree: the episode of a path */
    bool typed;            /**< the path is the next three, else it is simulated */
    uint64_t events;       /**< may be 0 */
    const uint32_t *action, *observation; /**< [events]; observations are next states where states are seen */
    uint32_t start;                       /**< start class of a typed or simulated path */
    uint32_t first; /**< where states are seen, the state that a typed path begins with; ASIF_ANY: the most
                       likely */
    uint64_t seed;  /**< of a simulated path */
    uint32_t max_steps; /**< decisions of a simulated path, at most */
    uint32_t draws;     /**< of the fit, over which bands and means are taken */
    uint32_t top;       /**< episodes to list */
} asif_explain_options;
#define ASIF_EXPLAIN_OPTIONS_INIT                                                                            \
    {                                                                                                        \
        .struct_size = sizeof(asif_explain_options), .first = ASIF_ANY, .max_steps = 100, .draws = 200,      \
        .top = 10                                                                                            \
    }

/** An explanation; immutable. */
typedef struct asif_explain asif_explain;

/**
 * Explain.
 *
 * @param[out] out   Owned by the caller; NULL on failure.
 * @param fitted     See ::asif_fitted; borrowed for the life of the explanation, as is the tree.
 * @param options    NULL: a simulated path.
 * @param[out] error May be NULL.
 * @return ASIF_OK; ASIF_EZEROPR with the step at which something was seen that no world of the agent allows;
 * ASIF_EINVALID (a unit that is not one episode), ASIF_EDOMAIN, ASIF_EUNSET, ASIF_EUNSUPPORTED,
 * ASIF_ECANCELLED or ASIF_ENOMEM.
 *
 * Cost: a solve of the agent for every draw, and of the ideals (once, if they do not depend on what is
 * estimated), and their policies along the path or at all nodes of the tree. The same bytes for any number of
 * threads.
 */
ASIF_API asif_status asif_explain_run(asif_explain **out, const asif_fitted *fitted,
                                      const asif_explain_options *options, asif_error *error);
/** Free; NULL is allowed. */
ASIF_API void asif_explain_free(asif_explain *explain);
/** All of it as JSON, as docs/reference/command.md says. @param[out] out Text, owned by the caller
 * (asif_memory_free()). */
ASIF_API asif_status asif_explain_json(char **out, const asif_explain *explain, asif_error *error);

#ifdef __cplusplus
}
#endif
#endif
