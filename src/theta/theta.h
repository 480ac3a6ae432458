/* The inside of a theta. */
#ifndef ASIF_SRC_THETA_THETA_H
#define ASIF_SRC_THETA_THETA_H

#include "asif/theta.h"
#include "base/text.h"

/* Coordinates are those of the operator: inverse temperatures, so that every limit is a number. */
struct asif_theta {
    const asif_context *context;
    const asif_setting *setting;
    double a;     /* 1/alpha: +-inf at alpha = +-0, 0 at alpha = inf; NaN: no value */
    double a_act; /* 1/act_alpha; NaN: a */
    double b;     /* 1/beta, optimism */
    double eta, discount;
    double *utility; /* [parameters] */
    /* Distributions; the first entry is NaN where there is no value. */
    double *action_prior;  /* [actions] */
    double *world_weights; /* [worlds] */
    double *start;         /* [starts][states] */
    double *means;         /* [actions][states] where there are observations, else empty */
};

/* Derivatives of something in the numbers of a theta. Those in the entries of a distribution may be off by a
 * constant: only directions in which the sum stays matter. */
typedef struct {
    double a, a_act, b, eta, discount; /* a_act is 0 where the agent acts as it plans: then it is part of a */
    double *utility, *action_prior, *world_weights, *start, *means;
} asif_theta_gradient;

asif_status asif_theta_gradient_create(asif_theta_gradient *out, const asif_context *context,
                                       const asif_setting *setting, asif_error *error);
void asif_theta_gradient_free(const asif_context *context, asif_theta_gradient *gradient);
void asif_theta_gradient_clear(asif_theta_gradient *gradient, const asif_setting *setting);

/* Chain rule: derivatives in the sampled coordinates at x, added to out [dimension]. */
void asif_estimates_pull(const asif_estimates *estimates, const double *x,
                         const asif_theta_gradient *gradient, double *out);

/* ASIF_EDOMAIN where the agent acts at a limit (alpha 0), so that all but the best actions have probability
 * 0. */
asif_status asif_estimates_can_act(const asif_estimates *estimates, asif_error *error);
/* What is given, with something in the place of all that is estimated; borrowed. */
const asif_theta *asif_estimates_given(const asif_estimates *estimates);
/* Index among the setting's parameters of the i-th estimate, if it is a utility; ASIF_ANY: it is something
 * else. */
uint32_t asif_estimates_utility(const asif_estimates *estimates, uint32_t i);
/* The point at which the estimated utilities have these values, [parameters of the setting]; other
 * coordinates are left as they are. By place, not by name: names of columns differ from those of the study,
 * which may have dots. */
void asif_estimates_locate_utilities(const asif_estimates *estimates, const double *utility, double *x);

/* Give one theta the values of another of the same setting. */
void asif_theta_assign(asif_theta *to, const asif_theta *from);

/* Entries of a distribution, how many there are of it (start classes, actions of means), and where it stands
 * in a theta; NULL if there is no such one. */
uint32_t asif_distribution_count(const asif_setting *setting, asif_distribution which);
uint32_t asif_distribution_copies(const asif_setting *setting, asif_distribution which);
double *asif_distribution_slot(const asif_theta *theta, asif_distribution which, uint32_t start);
/* Copies of the setting's distributions; false: no memory. */
bool asif_theta_new_distributions(asif_theta *theta);
/* Add the names of those without a value to a list; returns how many there are. Means are only missed by who
 * asks for them. */
uint32_t asif_theta_missing_distributions(const asif_theta *theta, asif_text *list);
uint32_t asif_theta_missing_means(const asif_theta *theta, asif_text *list);
/* Has any mean a value? */
bool asif_theta_has_means(const asif_theta *theta);

/* max - min of what an action can be worth, with these values of the named parameters: utility by state and
 * by observation, and belief terms, each of which may or may not apply. ASIF_ENOMEM, or ASIF_EINVALID if it
 * is 0. */
asif_status asif_utility_span(double *out, const asif_context *context, const asif_setting *setting,
                              const double *utility, asif_error *error);

/* ASIF_EUNSET, naming all of them, if a parameter that the agent needs has no value. */
asif_status asif_theta_complete(const asif_theta *theta, asif_error *error);

#endif
