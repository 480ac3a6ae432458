/* Ideal agents: an agent without some of its bounds. They range from the same model without bounds to an
 * agent that knows the true world. */
#ifndef ASIF_SRC_ACTING_IDEALS_H
#define ASIF_SRC_ACTING_IDEALS_H

#include "asif/fit.h"

/* Bounds that can be removed, as bits of a mask. */
enum {
    ASIF_BOUND_CONSISTENCY = 1, /* alpha 0: always the best action */
    ASIF_BOUND_OPTIMISM = 2,    /* beta infinite */
    ASIF_BOUND_SURPRISE = 4,    /* eta 0 */
    ASIF_BOUND_WORLDS = 8,      /* the agent knows the environment: its dynamics and its start */
    ASIF_BOUND_COUNT = 4
};
/* The same model without its bounds, and the ideal that knows the true world. */
#define ASIF_WITHOUT_BOUNDS (ASIF_BOUND_CONSISTENCY | ASIF_BOUND_OPTIMISM | ASIF_BOUND_SURPRISE)
#define ASIF_IDEAL_TRUE (ASIF_WITHOUT_BOUNDS | ASIF_BOUND_WORLDS)

/* Name of a bound by its bit position: "consistency", "optimism", "surprise", "worlds". */
const char *asif_bound_text(uint32_t number);

/* Make the setting with the environment as its only world. one_case: nothing follows the actions that end an
 * episode. */
asif_status asif_ideals_setting(asif_setting **out, const asif_context *context, const asif_setting *setting,
                                bool one_case, asif_error *error);

/* Copy the parameters that do not belong to the worlds to an agent of that setting, without the bounds in
 * `mask`. */
void asif_ideals_know(asif_theta *to, const asif_theta *from, uint32_t mask);

/* Workspaces for agents without bounds; one thread at a time. */
typedef struct {
    const asif_context *context;
    asif_setting *known;             /* setting whose only world is the environment */
    asif_work *own;                  /* the agent's own planner, if ideals need another; else NULL */
    asif_work *same, *knowing;       /* workspaces in the agent's worlds, and in the environment alone */
    asif_theta *theta, *theta_knows; /* agents that were solved last in these */
} asif_ideals;

/* Make the workspaces; `fitted->work` is cloned. For planners that do not solve for values (learners, for
 * example), the ideals are bounded-rational. Fails with ASIF_EUNSUPPORTED if the planner does not pursue a
 * utility and so has no ideal, or with ASIF_ENOMEM; call asif_ideals_free() also then. */
asif_status asif_ideals_create(asif_ideals *out, const asif_fitted *fitted, asif_error *error);
/* Make a copy for another thread. `from` must outlive it. */
asif_status asif_ideals_clone(asif_ideals *out, const asif_ideals *from, asif_error *error);
void asif_ideals_free(asif_ideals *unbound);
/* Set the starting values of the next solutions to those of `from`, so that results do not depend on earlier
 * solutions. */
void asif_ideals_reset(asif_ideals *unbound, const asif_ideals *from);

/* Whether the agent's worlds or start differ from the environment; if not, ASIF_BOUND_WORLDS changes
 * nothing. */
bool asif_ideals_worlds_matter(const asif_fitted *fitted);
/* Whether two worlds of positive weight differ; if not, there is nothing to learn about them. */
bool asif_ideals_worlds_differ(const asif_fitted *fitted);
/* Whether bounds can be removed one by one: only for planners that solve for values. */
bool asif_ideals_splits(const asif_fitted *fitted);
/* The bounds that the agent has, at least at some draw; 0 if they cannot be removed one by one. */
uint32_t asif_ideals_present(const asif_fitted *fitted);
/* Whether the agent without the bounds in `mask` is the same for all values of the estimated parameters. */
bool asif_ideals_fixed(const asif_fitted *fitted, uint32_t mask);

/* Solve the agent `theta` (of the fitted setting, complete) without the bounds in `mask`. `*work` and
 * `*solved` are borrowed until the next call. Fails with ASIF_EUNSUPPORTED if there is no finite solution, or
 * as asif_solve() does. */
asif_status asif_ideals_solve(asif_ideals *unbound, const asif_theta *theta, uint32_t mask,
                              const asif_work **work, const asif_theta **solved, asif_error *error);

#endif
