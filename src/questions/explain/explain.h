/* The inside of an explanation, and the pieces that make it. */
#ifndef ASIF_SRC_QUESTIONS_EXPLAIN_EXPLAIN_H
#define ASIF_SRC_QUESTIONS_EXPLAIN_EXPLAIN_H

#include "asif/explain.h"

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
