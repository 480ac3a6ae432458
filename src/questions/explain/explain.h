/* Explanations: one path step by step, or the belated or surprising episodes of logs. */
#ifndef ASIF_SRC_QUESTIONS_EXPLAIN_EXPLAIN_H
#define ASIF_SRC_QUESTIONS_EXPLAIN_EXPLAIN_H

#include "questions/question.h"

/* What is explained. */
typedef enum {
    ASIF_EXPLAIN_PATH, /* one path */
    /* Episodes that went on after an agent without bounds would have ended them. It would first have done so
     * at the step at which its probability of an ending action, given the observations, is at least .5. The
     * episode is late by the number of its decisions from that step on that do not end it. First come the
     * episodes that are late compared with the agent that knows the true world, the latest first, ties by the
     * cost of the episode; then those that are late only compared with the same model without bounds. If no
     * action ends an episode, this applies to every action by itself, and the latest one counts. */
    ASIF_EXPLAIN_BELATED,
    /* Episodes by their least probable action under the fitted agent (mean over draws), the least probable
     * first. Each comes with the number of decisions that are expected to be as improbable, given all
     * situations in the logs. */
    ASIF_EXPLAIN_SURPRISING
} asif_explain_what;
/* The name: "path", "belated" or "surprising"; NULL past the last. */
const char *asif_explain_what_text(asif_explain_what what);

/*
 * Read logs for explanations: episodes are units, and all observations of each are kept, also if they are the
 * states (whose tree otherwise has only counts).
 *
 * @param out   Owned by the caller; NULL on failure. Where states are seen its observations are the
 * states.
 * @param context    Borrowed for the life of the tree.
 * @param setting    Of the fit.
 * @param map        NULL: the defaults.
 * @param path       A table, or a tree that was saved with its episodes; "-" is standard input.
 * @param wheres     Number of conditions, all of which the episodes must fulfil; 0: all episodes.
 * @param where      [wheres]: see asif_result_view for those of a fit; NULL if there are none.
 * @param problems   Errors, warnings and notes are added; may be NULL.
 * @param error May be NULL.
 * @return As asif_logs_read(); ASIF_EINVALID for a saved tree without episodes or with other labels.
 *
 * Cost: that of asif_logs_read(); where states are seen, memory for every decision.
 */
asif_status asif_explain_logs(asif_tree **out, const asif_context *context, const asif_setting *setting,
                              const asif_log_map *map, const char *path, uint32_t wheres,
                              const asif_logs_where *where, asif_problems *problems, asif_error *error);
/* Read all episodes from text in memory, as asif_explain_logs() does. @param name Name in messages. */
asif_status asif_explain_logs_text(asif_tree **out, const asif_context *context, const asif_setting *setting,
                                   const asif_log_map *map, const char *text, uint64_t length,
                                   const char *name, asif_problems *problems, asif_error *error);

/*
 * The unit of an episode.
 *
 * @param unit  Its number.
 * @param tree       See asif_explain_logs().
 * @param subject    Name of the subject; of the episode, where the table has no subjects. NULL: any.
 * @param episode    Name of the episode. NULL: the only one of the subject.
 * @param error May be NULL.
 * @return ASIF_OK, or ASIF_EUNKNOWN if there is none or more than one; the message or its hint names some.
 */
asif_status asif_explain_unit(uint64_t *unit, const asif_tree *tree, const char *subject, const char *episode,
                              asif_error *error);

/* Options of an explanation. */
typedef struct {
    size_t struct_size;
    asif_explain_what what;
    const asif_tree *tree; /* logs, see asif_explain_logs(); NULL: the path is typed or simulated */
    uint64_t unit;         /* unit of the tree: the episode of a path */
    bool typed;            /* whether the path is typed (the next three fields) or simulated */
    uint64_t events;       /* may be 0 */
    const uint32_t *action, *observation; /* [events]; observations are next states where states are seen */
    uint32_t start;                       /* start class of a typed or simulated path */
    /* Where states are seen, the first state of a typed path; ASIF_ANY: the most likely. */
    uint32_t first;
    uint64_t seed;      /* seed of a simulated path */
    uint32_t max_steps; /* most decisions of a simulated path */
    uint32_t draws;     /* draws of the fit for bands and means */
    uint32_t top;       /* most episodes to list */
} asif_explain_options;
#define ASIF_EXPLAIN_OPTIONS_INIT                                                                            \
    {                                                                                                        \
        .struct_size = sizeof(asif_explain_options), .first = ASIF_ANY, .max_steps = 100, .draws = 200,      \
        .top = 10                                                                                            \
    }

/* An explanation; immutable. */
typedef struct asif_explain asif_explain;

/*
 * Explain.
 *
 * @param out   Owned by the caller; NULL on failure.
 * @param fitted     See asif_fitted; borrowed for the life of the explanation, as is the tree.
 * @param options    NULL: a simulated path.
 * @param error May be NULL.
 * @return ASIF_OK; ASIF_EZEROPR with the step at which something was seen that no world of the agent allows;
 * ASIF_EINVALID (a unit that is not one episode), ASIF_EDOMAIN, ASIF_EUNSET, ASIF_EUNSUPPORTED,
 * ASIF_ECANCELLED or ASIF_ENOMEM.
 *
 * Cost: a solve of the agent for every draw, and of the ideals (once, if they do not depend on what is
 * estimated), and their policies along the path or at all nodes of the tree. The same bytes for any number of
 * threads.
 */
asif_status asif_explain_run(asif_explain **out, const asif_fitted *fitted,
                             const asif_explain_options *options, asif_error *error);
/* Free; NULL is allowed. */
void asif_explain_free(asif_explain *explain);
/* Write everything as JSON, as docs/reference/command.md describes. @param out Text, owned by the caller
 * (asif_memory_free()). */
asif_status asif_explain_json(char **out, const asif_explain *explain, asif_error *error);

/* Writes the answer as text for people, from its JSON. */
asif_question_teller asif_report_explain;

/* The agents that are followed: the fitted one, the same model without bounds, and one that knows the true
 * world. */
enum { ASIF_WHO_FITTED, ASIF_WHO_SAME, ASIF_WHO_TRUE, ASIF_WHO_COUNT };
/* The name of an agent in the JSON: "fitted", "same", "true". */
const char *asif_who_text(uint32_t who);

/* ---- explain_logs.c ---- */

/* An episode of a tree, as a chain of nodes. */
typedef struct {
    const asif_context *context;
    uint32_t length;  /* number of nodes at which an action may be taken */
    uint32_t *node;   /* [length] */
    uint32_t *action; /* [length]: action taken there; ASIF_ANY: none that counts */
    /* Number of the first node: 1, or 0 if nothing was decided there (before a first observation). */
    uint32_t number;
    uint64_t room;
} asif_course;

/* Read the chain of a unit's episode; `chain` may have held another. ASIF_EINVALID if the unit is not one
 * episode; ASIF_ENOMEM. Call asif_course_free() in either case. */
asif_status asif_course_read(asif_course *chain, const asif_tree *tree, bool states_seen, uint64_t unit,
                             asif_error *error);
void asif_course_free(asif_course *chain);

/* ---- explain_follow.c: one agent at all nodes ---- */

/* Nodes at which agents are looked at, level by level; the arrays are borrowed. */
typedef struct {
    bool states_seen;
    uint64_t nodes, levels;
    const uint64_t *level;  /* [levels + 1] */
    const uint32_t *parent; /* [nodes]; none on the first level */
    /* [nodes]: action and observation that led here; states where they are seen. */
    const uint32_t *action, *observation;
    /* Start class of the first node; those after it on the first level have the next ones. */
    uint32_t start;
} asif_trail;

typedef struct {
    const asif_context *context;
    double *state;      /* [nodes][width]; NaN: the observations are impossible for the agent */
    double *log_policy; /* [nodes][actions] */
    double *q;          /* [nodes][actions]; -INFINITY: not available; NULL: not needed */
} asif_followed;

/* Allocate the arrays; q only with `values`. ASIF_ENOMEM. Call asif_followed_free() in either case. */
asif_status asif_followed_create(asif_followed *out, const asif_context *context, const asif_trail *trail,
                                 const asif_setting *setting, bool values, asif_error *error);
void asif_followed_free(asif_followed *followed);
/* Follow an agent along a trail. With `lenient`, nodes that the agent considers impossible become NaN, and
 * those below them; else ASIF_EZEROPR with error->row 1 + node. */
asif_status asif_follow(asif_followed *out, const asif_behavior *behavior, const asif_trail *trail,
                        bool lenient, asif_error *error);

/* ---- explain_draws.c: all agents at all draws ---- */

/* Blocks of draws; each starts from the same solution, whatever the number of threads. */
#define ASIF_EXPLAIN_BLOCKS 8

typedef struct {
    const asif_fitted *fitted;
    const asif_trail *trail;
    uint32_t draws[ASIF_WHO_COUNT]; /* 1 for ideal agents that are the same for every draw */
    const double *x;                /* [draws][dimension] */
    /* Called from several threads at once, but never at the same time for the same block. */
    void (*take)(void *user, uint32_t block, uint32_t draw, uint32_t who, const asif_followed *followed);
    void *user;
} asif_explain_work;

/* Whether the ideal agents depend on estimates. */
bool asif_ideals_vary(const asif_fitted *fitted);
/* Choose points of the fit [draws][dimension], and compute their middle [dimension], coordinate by
 * coordinate. `*x` and `*middle` are freed by asif_free(). ASIF_ENOMEM, or ASIF_EUNSET without draws and
 * maximum. */
asif_status asif_explain_points(double **x, double **middle, uint32_t *draws, const asif_fitted *fitted,
                                uint32_t wanted, asif_error *error);
/* Follow all agents at all draws, and pass the results to `take`. `work` must have been solved at
 * `middle`. */
asif_status asif_explain_over_draws(const asif_explain_work *job, const asif_work *work, const double *middle,
                                    asif_error *error);

/* ---- the result ---- */

/* Mean and interval over draws; q05 and q95 are NaN if there is only one draw. */
typedef struct {
    double mean, q05, q95;
} asif_band;
/* The band of `n` values; sorts them. */
asif_band asif_band_of(double *value, uint64_t n);

typedef struct {
    uint32_t step;                      /* number of the step, as shown */
    uint32_t seen, action, state;       /* ASIF_ANY: nothing, none, not known; a hidden value as `state` */
    uint32_t part;                      /* the value of the seen part; ASIF_ANY: none, or not known */
    uint32_t would[ASIF_WHO_COUNT];     /* most probable action of each agent */
    double probability[ASIF_WHO_COUNT]; /* of the action taken: mean over draws */
    /* Value of the best action minus that of the action taken, for the agent that knows the true world; NaN:
     * none. */
    asif_band cost;
} asif_explain_step;

typedef struct {
    uint64_t unit;
    /* belated: number of late decisions, compared with the true-world agent and with the same model. */
    uint32_t late, late_same;
    /* Belated: steps at which the two ideal agents would have acted; surprising: `step` of the action. 0:
     * never. */
    uint32_t step, step_same;
    uint32_t at;     /* step at which it was done; 0: never */
    uint32_t action; /* action done then; surprising: the improbable action; ASIF_ANY: none */
    uint32_t of;     /* belated: the action that came late; ASIF_ANY: any that ends */
    uint32_t would;  /* surprising: the most probable action */
    uint32_t decisions;
    double cost, probability, expected, observed;
} asif_explain_episode;

struct asif_explain {
    const asif_context *context;
    const asif_fitted *fitted;
    const asif_setting *setting;
    asif_explain_options options;
    uint32_t draws;
    /* One path. */
    uint32_t places, decisions;
    asif_explain_step *step;           /* [places] */
    asif_band *belief[ASIF_WHO_COUNT]; /* [places][hidden values]; NULL where states are seen */
    asif_band *policy[ASIF_WHO_COUNT]; /* [places][actions] */
    asif_band *q;                      /* [places][actions]: for the agent that knows the true world */
    asif_band cost;                    /* sum over all steps */
    /* First place at which an ideal agent would hardly have taken the action; ASIF_ANY: none. */
    uint32_t parts[ASIF_WHO_COUNT];
    uint32_t costliest, least_expected; /* places; ASIF_ANY: none */
    bool impossible;                    /* whether an observation is impossible in the true world */
    bool ended;
    uint32_t start;
    /* Many episodes. */
    uint64_t found, found_same, listed;
    asif_explain_episode *episode; /* [listed] */
};

/* ---- explain_find.c ---- */
asif_status asif_explain_find(asif_explain *explain, const double *x, const double *middle,
                              const asif_work *work, asif_error *error);
/* ---- explain_path.c ---- */
asif_status asif_explain_path(asif_explain *explain, const double *x, const double *middle,
                              const asif_work *work, asif_error *error);

#endif
