#include "base/error.h"
#include "inverse/inverse.h"
#include "inverse/solve/divergence.h"
#include "planners/planner.h"

#include <string.h>

/* One inverse planner on each line, in the order of the paper's table. */
/* clang-format off */
static const asif_inverse_ops *const inverses[] = {
    &asif_inverse_soft_policy_matching,
    &asif_inverse_distribution_matching,
    &asif_inverse_maximum_margin,
    &asif_inverse_regularized_maximum_margin,
    &asif_inverse_minimum_perturbation,
    &asif_inverse_multiple_experimentation,
    &asif_inverse_distance_minimization,
    &asif_inverse_soft_policy_inversion,
    &asif_inverse_preference_extrapolation,
};
/* clang-format on */
enum { INVERSES = sizeof inverses / sizeof *inverses };

const asif_inverse_info *asif_inverse_get(uint32_t i) {
    return i < INVERSES ? &inverses[i]->info : NULL;
}

const asif_inverse_info *asif_inverse_named(const char *name) {
    for (uint32_t i = 0; name && i < INVERSES; i++)
        if (strcmp(inverses[i]->info.name, name) == 0)
            return &inverses[i]->info;
    return NULL;
}

const char *asif_pair_refused(const asif_planner_info *planner, const asif_inverse_info *inverse) {
    if (inverse->purposeful && !planner->purposeful)
        return "needs a planner that acts for the sake of a utility";
    const asif_planner_ops *ops = asif_planner_find(planner->name, NULL);
    if (inverse->purposeful && ops && ops->narrow.needs_beliefs)
        return "is for utilities of states and actions";
    if (!(inverse->sees & planner->sees))
        return inverse->sees == ASIF_SEES_STATES ? "needs states that are seen" : "needs beliefs";
    static const struct {
        uint32_t gives;
        const char *why;
    } wants[] = {{ASIF_GIVES_VALUES, "needs the planner's values"},
                 {ASIF_GIVES_OCCUPANCY, "needs the planner's occupancy"},
                 {ASIF_GIVES_GRADIENT, "needs the planner's derivatives"}};
    for (size_t i = 0; i < sizeof wants / sizeof *wants; i++)
        if (inverse->wants & wants[i].gives & ~planner->gives)
            return wants[i].why;
    return NULL;
}

const char *asif_divergence_text(asif_divergence divergence) {
    static const char *const text[] = {"kl", "reverse-kl", "js", "tv", "features", "conjugate"};
    return (size_t)divergence < sizeof text / sizeof *text ? text[divergence] : NULL;
}

const asif_inverse_ops *asif_inverse_find(const char *name, asif_error *error) {
    const char *names[INVERSES];
    for (uint32_t i = 0; i < INVERSES; i++) {
        names[i] = inverses[i]->info.name;
        if (strcmp(names[i], name) == 0)
            return inverses[i];
    }
    asif_fail(error, ASIF_EUNKNOWN, "there is no inverse planner '%s'", name);
    const char *near = asif_nearest_word(name, names, INVERSES);
    asif_error_hint(error, "%s%s", near ? "did you mean " : "`asif list` names them", near ? near : "");
    return NULL;
}
