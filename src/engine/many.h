/* Many agents of one setting at once, vectors along the agents: their fixed points, then their policies and
 * recognition. They are solved ASIF_ABREAST at a time from the same start, and a lane takes the next agent as
 * soon as its own is solved. What an agent gets depends on nothing in the others. Agents that cannot be had
 * this way (a limit of optimism or of acting; weights that are 0 where the setting's are not; no fixed point
 * within a few hundred backups) are left to who asks. */
#ifndef ASIF_SRC_ENGINE_MANY_H
#define ASIF_SRC_ENGINE_MANY_H

#include "base/numeric/lanes/anderson_lanes.h"
#include "behavior/behavior.h"
#include "engine/lookahead.h"

/* Points of behaviour that are handled in one go. */
#define ASIF_MANY_BLOCK 8

/* What a lane is at. */
typedef struct {
    uint32_t agent;   /* which one; ASIF_ANY: none */
    uint32_t backups; /* yet */
    double best;      /* smallest residual yet */
    double tolerance; /* on the residual over the scale */
} asif_many_lane;

typedef struct {
    const asif_context *context;
    const asif_lookahead *look; /* for what does not depend on theta */
    asif_operator op;           /* takes one theta after the other */
    uint64_t limit;             /* backups before an agent is left out */
    uint64_t backups;           /* of all lanes, in the last solve */
    double tol;
    bool dirty;   /* a solve was broken off */
    bool *allows; /* [actions + worlds]: where a prior or a weight must be positive */
    /* The lanes: rows of ASIF_ABREAST. */
    asif_many_lane lane[ASIF_ABREAST];
    double a[ASIF_ABREAST], b[ASIF_ABREAST], eta[ASIF_ABREAST], discount[ASIF_ABREAST];
    double *prior;          /* [actives] */
    double *weight;         /* [actions][worlds]: of the futures */
    double *utility;        /* [actions][nodes] */
    double **reward;        /* [actions][branches]: [rows], NULL where there is none */
    double *constant;       /* [actions]: CE over the futures of an action that forgets */
    double *points, *image; /* [nodes] */
    double
        *start; /* [nodes], the same for all: where every agent begins, 0 unless something better is known */
    double *scratch;
    asif_anderson_lanes anderson;
    /* The agents: rows of `lanes`. */
    uint32_t lanes, agents;
    bool *solved;   /* [lanes] */
    bool surprises; /* some eta is not 0 */
    double *values; /* [nodes] */
    double *agent_a_act, *agent_b, *agent_discount, *agent_minus_eta;
    double *agent_prior, *agent_log_prior; /* [actives] */
    double *agent_weight;                  /* [actions][worlds] */
    double *agent_utility;                 /* [actions][states] */
    double *agent_seen;                    /* [actions][observations] */
    bool *rewarded;                        /* [actions][observations]: in some lane */
    double *agent_amount;                  /* [terms]: of belief terms */
    double *agent_start;                   /* [starts][states] */
    double *constant_reward;               /* [actions][worlds]: of futures that forget */
    double *constant_k, *constant_sigma;   /* [actions][worlds] */
    double *constant_ce;                   /* [actions] */
    asif_future_event *event;              /* [observations and pools of a branch] */
    double *rows;                          /* of a block of points */
    double *all;                           /* what all of the agents' rows are part of */
    const double **pointers;               /* [3 worlds] */
} asif_many;

/* Does it pay? Not for large systems, whose values and history leave the caches. */
bool asif_many_fits(const asif_successors *successors, const asif_plan_options *options);
/* Takes over one reference to the successors, also on failure; the lookahead is borrowed. */
asif_status asif_many_create(asif_many *m, const asif_context *context, asif_successors *successors,
                             const asif_lookahead *look, const asif_plan_options *options, asif_error *error);
void asif_many_free(asif_many *m);

/* Solve for count <= ASIF_MANY thetas; solved[i] false: agent i was left out. ASIF_ECANCELLED, ASIF_ENOMEM,
 * or what is wrong with a theta. */
asif_status asif_many_solve(asif_many *m, const asif_theta *const *theta, uint32_t count, bool *solved,
                            asif_error *error);
/* One backup of all lanes, from points to image. */
void asif_many_backup(const asif_many *m);
/* Of a solved agent, [nodes]. */
void asif_many_values(const asif_many *m, uint32_t agent, double *out);

/* See asif_many_ops in behavior/behavior.h. */
uint32_t asif_many_memo_width(const asif_many *m);
void asif_many_init(const asif_many *m, uint32_t start, uint32_t first, double *state, uint64_t stride);
void asif_many_log_policy(const asif_many *m, uint32_t n, const double *state, uint64_t stride,
                          double *log_policy, uint64_t policy_stride, double *memo);
void asif_many_step(const asif_many *m, uint32_t n, const uint32_t *from, const double *state,
                    const double *memo, uint64_t stride, const uint32_t *action, const uint32_t *observation,
                    double *next, uint64_t next_stride, bool *lost);

/* many_lookahead.c: after the solving. */
void asif_many_refresh(asif_many *m);

#endif
