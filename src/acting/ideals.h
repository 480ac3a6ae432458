/* An agent without some of its bounds: the same model without them, one that knows the true world, and all
 * between. */
#ifndef ASIF_SRC_ACTING_IDEALS_H
#define ASIF_SRC_ACTING_IDEALS_H

#include "asif/fit.h"

/* Bounds that can be taken away. */
enum {
    ASIF_BOUND_CONSISTENCY = 1, /* alpha: the best action always */
    ASIF_BOUND_OPTIMISM = 2,    /* beta inf */
    ASIF_BOUND_SURPRISE = 4,    /* eta 0 */
    ASIF_BOUND_WORLDS = 8,      /* it knows the environment: its dynamics and where it starts */
    ASIF_BOUND_COUNT = 4
};
/* The same model without its bounds, and the ideal that knows the true world. */
#define ASIF_WITHOUT_BOUNDS (ASIF_BOUND_CONSISTENCY | ASIF_BOUND_OPTIMISM | ASIF_BOUND_SURPRISE)
#define ASIF_IDEAL_TRUE (ASIF_WITHOUT_BOUNDS | ASIF_BOUND_WORLDS)

/* "consistency", "optimism", "surprise", "worlds", by number. */
const char *asif_bound_text(uint32_t number);

/* Workspaces for agents without bounds; one thread at a time. */
typedef struct {
    const asif_context *context;
    asif_setting *known;             /* the setting whose only world is the environment */
    asif_work *own;                  /* the agent's own planner, where ideals need another; else NULL */
    asif_work *same, *knowing;       /* in the agent's worlds, in the environment alone */
    asif_theta *theta, *theta_knows; /* what was solved last in each */
} asif_ideals;

/* `work` is cloned. Ideals of planners that do not solve for values, learners for one, are bounded rational.
 * ASIF_EUNSUPPORTED where the planner has no purpose, and so no ideal. asif_ideals_free() whether it fails or
 * not. */
asif_status asif_ideals_create(asif_ideals *out, const asif_fitted *fitted, asif_error *error);
/* For another thread: shares nothing that changes. */
asif_status asif_ideals_clone(asif_ideals *out, const asif_ideals *from, asif_error *error);
void asif_ideals_free(asif_ideals *unbound);
/* Start the next solves as those of `from` would: what is found then does not depend on what was solved
 * before. */
void asif_ideals_reset(asif_ideals *unbound, const asif_ideals *from);

/* Whether the agent's worlds or start differ from the environment: else ASIF_BOUND_WORLDS changes nothing. */
bool asif_ideals_worlds_matter(const asif_fitted *fitted);
/* Whether two worlds differ that may both hold: else there is nothing to learn about them. */
bool asif_ideals_worlds_differ(const asif_fitted *fitted);
/* Whether bounds can be taken away one by one: not of planners other than those that solve for values. */
bool asif_ideals_splits(const asif_fitted *fitted);
/* Bounds that the agent has, at some draw at least; none where they cannot be taken away one by one. */
uint32_t asif_ideals_present(const asif_fitted *fitted);
/* Whether the agent without the bounds in `mask` is the same whatever the values of what is estimated. */
bool asif_ideals_fixed(const asif_fitted *fitted, uint32_t mask);

/* Solve the agent `theta` (of the fitted setting, complete) without the bounds in `mask`. `*work` and
 * `*solved` are borrowed until the next call. ASIF_EUNSUPPORTED where the solver does not come to a finite
 * solution. */
asif_status asif_ideals_solve(asif_ideals *unbound, const asif_theta *theta, uint32_t mask,
                              const asif_work **work, const asif_theta **solved, asif_error *error);

#endif
