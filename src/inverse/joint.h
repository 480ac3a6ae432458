/* The density of an agent and of the dynamics of its world together: log-probabilities of the observations
 * and of the actions, where the agent's worlds are made from the same dynamics, and the priors of both.
 *
 * Coordinates are those of the estimates, then the logits of every learnt row: logarithms of its possible
 * cells over that of a reference, which is the likeliest cell at the point that the density is made with. */
#ifndef ASIF_SRC_INVERSE_JOINT_H
#define ASIF_SRC_INVERSE_JOINT_H

#include "asif/dynamics.h"
#include "asif/inverse.h"

/* All of it is borrowed for the life of the density. */
typedef struct {
    const asif_dynamics *dynamics;
    const double *point; /* [cells]: dynamics to begin with; those of fixed rows are used throughout */
    double prior;        /* rows have the prior Dirichlet(1 + prior) */
    const char *planner; /* name; NULL: the default */
    const asif_plan_options *solver;
    const asif_setting *setting; /* its environment is `point` */
    const asif_estimates *estimates;
    const asif_tree *tree;
} asif_joint_request;

typedef struct asif_joint asif_joint;

/* Make the density. @param[out] out Owned by the caller. Fails with ASIF_EUNSUPPORTED (a world of the agent
 * is neither the environment nor the environment mixed with a uniform one, or the planner has no
 * derivatives), ASIF_EINVALID (the environment is not `point`), ASIF_ENOMEM, or what making a workspace
 * returns. */
asif_status asif_joint_create(asif_joint **out, const asif_context *context,
                              const asif_joint_request *request, asif_error *error);
void asif_joint_free(asif_joint *joint);
/* The density; borrowed, and for one thread. Its value depends on x alone. An evaluation costs a workspace
 * and a solution, which begins at that for `point`; a gradient one more linear system and a walk up the tree.
 */
const asif_density *asif_joint_density(const asif_joint *joint);
/* The coordinates [dimension] of an agent [dimension of the estimates] in the dynamics of a point [cells];
 * probabilities below 1e-4 count as 1e-4. */
void asif_joint_locate(const asif_joint *joint, const double *agent, const double *point, double *x);
/* The point [cells] at coordinates. */
void asif_joint_point(const asif_joint *joint, const double *x, double *point);

#endif
