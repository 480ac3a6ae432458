/* Many agents of one setting at once, with vectors that run along the agents: their fixed points, then their
 * policies and recognition. ASIF_ABREAST agents are solved at a time, each in a lane and all from the same
 * start; a lane takes the next agent as soon as its own is solved. The result of an agent does not depend on
 * the others. Some agents are left out, and the caller must solve them alone: those at a limit of optimism or
 * of acting, those whose weights are 0 where the setting's are not (or the reverse), and those without a
 * fixed point within a few hundred backups. */
#ifndef ASIF_SRC_ENGINE_MANY_H
#define ASIF_SRC_ENGINE_MANY_H

#include "base/numeric/lanes/anderson_lanes.h"
#include "behavior/behavior.h"
#include "engine/lookahead.h"

/* Agent states per agent that are handled at once. */
#define ASIF_MANY_BLOCK 8

/* The progress of a lane. */
typedef struct {
    uint32_t agent;   /* index of the agent; ASIF_ANY: the lane is free */
    uint32_t backups; /* backups so far */
    double best;      /* smallest residual so far */
    double tolerance; /* bound on residual / scale */
} asif_many_lane;

typedef struct {
    const asif_context *context;
    const asif_lookahead *look; /* used for its parts that do not depend on theta */
    asif_operator op;           /* bound to one theta after the other */
    uint64_t limit;             /* backups after which an agent is left out */
    uint64_t backups;           /* backups in the last solve, each of all lanes at once */
    double tol;
    bool dirty;   /* a solve ended early: lanes may hold numbers that are not finite */
    bool *allows; /* [actions + worlds]: where the action prior or world weight must be positive, else 0 */
    /* Arrays of the lanes: rows of ASIF_ABREAST numbers. */
    asif_many_lane lane[ASIF_ABREAST];
    double a[ASIF_ABREAST], b[ASIF_ABREAST], eta[ASIF_ABREAST], discount[ASIF_ABREAST];
    double *prior;          /* [actives] */
    double *weight;         /* [actions][worlds]: of the futures */
    double *utility;        /* [actions][nodes] */
    double **reward;        /* [actions][branches]: each [rows], or NULL if there is no reward */
    double *constant;       /* [actions]: CE over the futures of an action that forgets */
    double *points, *image; /* [nodes] */
    double *start;          /* [nodes]: values from which every agent starts; 0 unless better are known */
    double *scratch;
    asif_anderson_lanes anderson;
    /* Arrays of the agents: rows of `lanes` numbers. */
    uint32_t lanes, agents;
    bool *solved;   /* [lanes] */
    bool surprises; /* eta is not 0 for some agent */
    double *values; /* [nodes] */
    double *agent_a_act, *agent_b, *agent_discount, *agent_minus_eta;
    double *agent_prior, *agent_log_prior; /* [actives] */
    double *agent_weight;                  /* [actions][worlds] */
    double *agent_utility;                 /* [actions][states] */
    double *agent_seen;                    /* [actions][observations] */
    bool *rewarded;                        /* [actions][observations]: r(u,x) is not 0 for some agent */
    double *agent_amount;                  /* [terms]: coefficient times parameter */
    double *agent_start;                   /* [starts][states] */
    double *constant_reward;               /* [actions][worlds]: for futures that forget */
    double *constant_k, *constant_sigma;   /* [actions][worlds] */
    double *constant_ce;                   /* [actions] */
    asif_future_event *event;              /* [observations and pools of a branch] */
    double *rows;                          /* scratch for a block of points */
    double *all;                           /* the allocation that holds all rows of the agents */
    const double **pointers;               /* [3 worlds] */
} asif_many;

/* Whether solving many agents at once is worthwhile and possible: not for large systems, whose values and
 * history do not fit in the caches, nor with a time limit or Newton's method alone, nor yet for states with a
 * seen part and episodes that end. */
bool asif_many_fits(const asif_successors *successors, const asif_plan_options *options);
/* Takes over one reference to the successors, also on failure; the lookahead is borrowed. */
asif_status asif_many_create(asif_many *m, const asif_context *context, asif_successors *successors,
                             const asif_lookahead *look, const asif_plan_options *options, asif_error *error);
void asif_many_free(asif_many *m);

/* Solves for count <= ASIF_MANY thetas. solved[i] is false if agent i was left out. Fails with
 * ASIF_ECANCELLED, ASIF_ENOMEM, or the error of a theta that is not valid. */
asif_status asif_many_solve(asif_many *m, const asif_theta *const *theta, uint32_t count, bool *solved,
                            asif_error *error);
/* The same where the values [count][nodes] of the agents that were solved are known: nothing is solved. */
asif_status asif_many_restore(asif_many *m, const asif_theta *const *theta, uint32_t count,
                              const bool *solved, const double *values, asif_error *error);
/* One backup of all lanes, from points to image. */
void asif_many_backup(const asif_many *m);
/* The values of a solved agent, [nodes]. */
void asif_many_values(const asif_many *m, uint32_t agent, double *out);

/* See asif_many_ops in behavior/behavior.h. */
uint32_t asif_many_memo_width(const asif_many *m);
void asif_many_init(const asif_many *m, uint32_t start, uint32_t first, double *state, uint64_t stride);
void asif_many_log_policy(const asif_many *m, uint32_t n, const double *state, uint64_t stride,
                          double *log_policy, uint64_t policy_stride, double *memo);
void asif_many_step(const asif_many *m, uint32_t n, const uint32_t *from, const double *state,
                    const double *memo, uint64_t stride, const uint32_t *action, const uint32_t *observation,
                    double *next, uint64_t next_stride, bool *lost);

/* Recomputes what behaviour needs of the values; asif_many_solve() calls it at its end (many_lookahead.c). */
void asif_many_refresh(asif_many *m);

#endif
