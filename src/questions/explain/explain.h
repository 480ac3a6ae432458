/* The inside of an explanation, and the pieces that make it. */
#ifndef ASIF_SRC_QUESTIONS_EXPLAIN_EXPLAIN_H
#define ASIF_SRC_QUESTIONS_EXPLAIN_EXPLAIN_H

#include "questions/question.h"

/* What to explain. */
typedef enum {
    ASIF_EXPLAIN_PATH, /* one path */
    /*
     * Episodes that went on after an agent without bounds would have ended them. It would first have done so
     * at the step at which its probability of an ending action is at least .5, given what was seen; the
     * episode is late by the decisions from that step on that end nothing. Late by the agent that knows the
     * true world first, the latest first, ties by the cost of the episode; then those that are late only by
     * the same model without bounds. Where no action ends an episode, the same of every action by itself, and
     * the one that came latest counts.
     */
    ASIF_EXPLAIN_BELATED,
    /*
     * Episodes by their least probable action under the fitted agent (mean over draws), the least probable
     * first; with how many decisions in situations like all of these one expects to be that improbable or
     * more so.
     */
    ASIF_EXPLAIN_SURPRISING
} asif_explain_what;
/* "path", "belated" or "surprising"; NULL past the last. */
const char *asif_explain_what_text(asif_explain_what what);

/*
 * Logs as they are needed here: episodes are units, and what was seen in the course of each is kept, also
 * where that is the state (whose tree otherwise knows counts only).
 *
 * @param out   Owned by the caller; NULL on failure. Where states are seen its observations are the
 * states.
 * @param context    Borrowed for the life of the tree.
 * @param setting    Of the fit.
 * @param map        NULL: the defaults.
 * @param path       A table, or a tree that was saved with its episodes; "-" is standard input.
 * @param wheres     How many conditions the episodes fulfil, all of them; 0: all episodes.
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
/* The same of all episodes, from text in memory. @param name For messages. */
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

/* What to explain. */
typedef struct {
    size_t struct_size;
    asif_explain_what what;
    const asif_tree *tree; /* see asif_explain_logs(); NULL: a path that is typed or simulated */
    uint64_t unit;         /* of the tree: the episode of a path */
    bool typed;            /* the path is the next three, else it is simulated */
    uint64_t events;       /* may be 0 */
    const uint32_t *action, *observation; /* [events]; observations are next states where states are seen */
    uint32_t start;                       /* start class of a typed or simulated path */
    uint32_t first;     /* where states are seen, the state that a typed path begins with; ASIF_ANY: the most
                           likely */
    uint64_t seed;      /* of a simulated path */
    uint32_t max_steps; /* decisions of a simulated path, at most */
    uint32_t draws;     /* of the fit, over which bands and means are taken */
    uint32_t top;       /* episodes to list */
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
/* All of it as JSON, as docs/reference/command.md says. @param out Text, owned by the caller
 * (asif_memory_free()). */
asif_status asif_explain_json(char **out, const asif_explain *explain, asif_error *error);

/* For people, from the JSON. */
asif_question_teller asif_report_explain;

/* Who is looked at. */
enum { ASIF_WHO_FITTED, ASIF_WHO_SAME, ASIF_WHO_TRUE, ASIF_WHO_COUNT };
/* "fitted", "same", "true" */
const char *asif_who_text(uint32_t who);

/* ---- explain_logs.c ---- */

/* An episode of a tree, from its first place on. */
typedef struct {
    const asif_context *context;
    uint32_t length;  /* places at which an action may be taken */
    uint32_t *node;   /* [length] */
    uint32_t *action; /* [length]: taken there; ASIF_ANY: none that counts */
    uint32_t number;  /* of the first place: 1, or 0 where nothing was decided there (seen before the first
                         decision) */
    uint64_t room;
} asif_course;

/* Places of a unit's episode, into a chain that may have held another. ASIF_EINVALID if the unit is not one
 * episode. */
asif_status asif_course_read(asif_course *chain, const asif_tree *tree, bool states_seen, uint64_t unit,
                             asif_error *error);
void asif_course_free(asif_course *chain);

/* ---- explain_follow.c: one agent at all places ---- */

/* Places, level by level; borrowed arrays. */
typedef struct {
    bool states_seen;
    uint64_t nodes, levels;
    const uint64_t *level;                /* [levels + 1] */
    const uint32_t *parent;               /* [nodes]; those of the first level have none */
    const uint32_t *action, *observation; /* [nodes]: what led here; states where they are seen */
    uint32_t start; /* class of the first node; of the next in the first level, one more */
} asif_trail;

typedef struct {
    const asif_context *context;
    double *state;      /* [nodes][width]; NaN: what was seen cannot be in the agent's world */
    double *log_policy; /* [nodes][actions] */
    double *q;          /* the same; NULL: not wanted */
} asif_followed;

asif_status asif_followed_create(asif_followed *out, const asif_context *context, const asif_trail *trail,
                                 const asif_setting *setting, bool values, asif_error *error);
void asif_followed_free(asif_followed *followed);
/* With `lenient`, what the agent holds impossible becomes NaN there and below; else ASIF_EZEROPR with
 * error->row 1 + node. */
asif_status asif_follow(asif_followed *out, const asif_behavior *behavior, const asif_trail *trail,
                        bool lenient, asif_error *error);

/* ---- explain_draws.c: all agents over all draws ---- */

#define ASIF_EXPLAIN_BLOCKS                                                                                  \
    8 /* of draws: each is warm from the same solution, whatever the number of threads */

typedef struct {
    const asif_fitted *fitted;
    const asif_trail *trail;
    uint32_t draws[ASIF_WHO_COUNT]; /* 1 for ideals that are the same for every draw */
    const double *x;                /* [draws][dimension] */
    /* Called from several threads at once, but never for the same block. */
    void (*take)(void *user, uint32_t block, uint32_t draw, uint32_t who, const asif_followed *followed);
    void *user;
} asif_explain_work;

/* Whether the ideals depend on what is estimated. */
bool asif_ideals_vary(const asif_fitted *fitted);
/* Points of the fit [draws][dimension], and their middle, coordinate by coordinate [dimension]; `*x` and
 * `*middle` are the caller's (asif_free). */
asif_status asif_explain_points(double **x, double **middle, uint32_t *draws, const asif_fitted *fitted,
                                uint32_t wanted, asif_error *error);
/* `work` has been solved at the middle. */
asif_status asif_explain_over_draws(const asif_explain_work *job, const asif_work *work, const double *middle,
                                    asif_error *error);

/* ---- the result ---- */

/* Over draws; q05 and q95 are NaN without. */
typedef struct {
    double mean, q05, q95;
} asif_band;
/* Of `n` values, which are sorted. */
asif_band asif_band_of(double *value, uint64_t n);

typedef struct {
    uint32_t step;                      /* its number for people */
    uint32_t seen, action, state;       /* ASIF_ANY: nothing, none, not known */
    uint32_t would[ASIF_WHO_COUNT];     /* the most probable action */
    double probability[ASIF_WHO_COUNT]; /* of the action taken: mean over draws */
    asif_band cost; /* best minus taken, for the ideal that knows; NaN: nothing was taken */
} asif_explain_step;

typedef struct {
    uint64_t unit;
    uint32_t late, late_same; /* steps; belated */
    uint32_t step,
        step_same;   /* at which the ideal would have acted; of surprising, of the action. 0: never */
    uint32_t at;     /* step at which it was done; 0: not */
    uint32_t action; /* done then; of surprising, the action. ASIF_ANY: none */
    uint32_t of;     /* belated: the action that came late; ASIF_ANY: one that ends */
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
    /* one path */
    uint32_t places, decisions;
    asif_explain_step *step;           /* [places] */
    asif_band *belief[ASIF_WHO_COUNT]; /* [places][states]; NULL where states are seen */
    asif_band *policy[ASIF_WHO_COUNT]; /* [places][actions] */
    asif_band *q;                      /* [places][actions], of the ideal that knows */
    asif_band cost;                    /* of all steps */
    uint32_t parts[ASIF_WHO_COUNT];    /* place at which an ideal would hardly have done it; ASIF_ANY: none */
    uint32_t costliest, least_expected; /* places; ASIF_ANY: none */
    bool impossible;                    /* something was seen that cannot be in the true world */
    bool ended;
    uint32_t start;
    /* many episodes */
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
