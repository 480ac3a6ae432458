/* The private definition of asif_theta, and functions for the library's own files. */
#ifndef ASIF_SRC_THETA_THETA_H
#define ASIF_SRC_THETA_THETA_H

#include "asif/theta.h"
#include "base/memory.h"
#include "base/text.h"

/* Parameters are stored as the operator uses them: as inverse temperatures, for which every limit is
 * a number. */
struct asif_theta {
    const asif_context *context;
    asif_kept kept;
    const asif_setting *setting; /* kept */
    double a;                    /* 1/alpha: +-inf at alpha = +-0, 0 at alpha = inf; NaN: no value */
    double a_act;                /* 1/act_alpha; NaN: the agent acts with a */
    double b;                    /* 1/beta, which is called optimism */
    double eta, discount;
    double lapse;    /* the probability with which an action is drawn from the action prior; NaN: no value */
    double *utility; /* [parameters] */
    /* Distributions; one without a value has NaN as its first entry. */
    double *action_prior;  /* [actions] */
    double *world_weights; /* [worlds] */
    double *start;         /* [starts][states] */
    double *means;         /* [actions][states] where there are observations, else empty */
};

/* Derivatives of a scalar in the numbers of a theta. Those in the entries of a distribution are known only up
 * to a common constant: entries move only in directions that keep their sum. */
typedef struct {
    double a, a_act, b, eta, discount, lapse; /* a_act is 0, and part of a, if the agent acts as it plans */
    double *utility, *action_prior, *world_weights, *start, *means;
    /* [matrices of the setting]: derivatives in the entries of each matrix, as they are stored, through the
     * agent's worlds. NULL: not wanted. Where the rows of a matrix agree, they are those of moving all rows
     * together, spread evenly over the stored rows. */
    double **matrix;
} asif_theta_gradient;

asif_status asif_theta_gradient_create(asif_theta_gradient *out, const asif_context *context,
                                       const asif_setting *setting, asif_error *error);
/* Makes room for the derivatives in the matrices of the setting too; on failure there is none. */
asif_status asif_theta_gradient_add_matrices(asif_theta_gradient *gradient, const asif_context *context,
                                             const asif_setting *setting, asif_error *error);
void asif_theta_gradient_free(const asif_context *context, asif_theta_gradient *gradient);
void asif_theta_gradient_clear(asif_theta_gradient *gradient, const asif_setting *setting);

/* The chain rule from theta to the sampled coordinates at x: adds the derivatives to out [dimension]. */
void asif_estimates_pull(const asif_estimates *estimates, const double *x,
                         const asif_theta_gradient *gradient, double *out);

/* Fails with ASIF_EDOMAIN where the agent acts at a limit (alpha 0): all but the best actions then have
 * probability 0. */
asif_status asif_estimates_can_act(const asif_estimates *estimates, asif_error *error);
/* The theta of what is not estimated, with placeholders for what is; borrowed. */
const asif_theta *asif_estimates_given(const asif_estimates *estimates);
/* The index of the i-th estimate among the setting's parameters, or ASIF_ANY if it is not a utility. */
uint32_t asif_estimates_utility(const asif_estimates *estimates, uint32_t i);
/* Sets the coordinates of the estimated utilities to these values [parameters of the setting] and leaves the
 * others. Utilities are matched by index, not by name: names of columns differ from those of the study, which
 * may have dots. */
void asif_estimates_locate_utilities(const asif_estimates *estimates, const double *utility, double *x);

/* Copies the values of one theta to another of the same setting. */
void asif_theta_assign(asif_theta *to, const asif_theta *from);
/* Copies the numbers but not the distributions, also to a theta of another setting with the same utilities.
 */
void asif_theta_assign_numbers(asif_theta *to, const asif_theta *from);

/* The number of entries of a distribution; the number of distributions of that kind (one for each start
 * class, or for each action of means); and where one is in a theta, NULL if there is no such one. */
uint32_t asif_distribution_count(const asif_setting *setting, asif_distribution which);
uint32_t asif_distribution_copies(const asif_setting *setting, asif_distribution which);
double *asif_distribution_slot(const asif_theta *theta, asif_distribution which, uint32_t start);
/* Allocates the distributions as copies of the setting's; false: no memory. */
bool asif_theta_new_distributions(asif_theta *theta);
/* Adds the names of the distributions without a value to a list and returns their number. Means are not among
 * them: only the planners that use means need them. */
uint32_t asif_theta_missing_distributions(const asif_theta *theta, asif_text *list);
uint32_t asif_theta_missing_means(const asif_theta *theta, asif_text *list);
/* Whether any mean has a value. */
bool asif_theta_has_means(const asif_theta *theta);

/* The span of the utility, max - min over actions, at these values of the named parameters. It counts utility
 * by state and by observation, and belief terms, each of which may or may not apply. Fails with ASIF_ENOMEM,
 * or with ASIF_EINVALID if the span is 0. */
asif_status asif_utility_span(double *out, const asif_context *context, const asif_setting *setting,
                              const double *utility, asif_error *error);

/* Fails with ASIF_EUNSET, naming all of them, if parameters that the agent needs have no value. */
asif_status asif_theta_complete(const asif_theta *theta, asif_error *error);

#endif
