/* Restrictions: what all agents of a planner have in common, checked in settings and applied to thetas. */
#include "base/error.h"
#include "planners/planner.h"
#include "setting/setting.h"
#include "theta/theta.h"

#include <math.h>

static bool uniform(const double *p, uint32_t n) {
    for (uint32_t i = 0; p && i < n; i++)
        if (!(fabs(p[i] * n - 1) <= 1e-5))
            return false;
    return true;
}

const char *asif_restriction_broken(const asif_restriction *narrow, asif_piece piece,
                                    const asif_restriction_facts *facts, const char **hint) {
    uint32_t seen = facts->observes ? ASIF_SEES_BELIEFS : ASIF_SEES_STATES;
    const struct {
        bool broken;
        const char *says, *hint;
    } rows[ASIF_PIECES] = {
        [ASIF_PIECE_SEES] = {narrow->sees && !(narrow->sees & seen),
                             facts->observes ? "sees the state, but there are observations"
                                             : "sees observations, but there are none",
                             facts->observes
                                 ? "remove `observations` (and `emissions`), or take one that has "
                                   "beliefs: `asif list planners` says which see what"
                                 : "give `observations` and `emissions`, or take one that sees the "
                                   "state: `asif list planners` says which see what"},
        [ASIF_PIECE_WORLDS] = {narrow->one_world && facts->worlds > 1, "knows one world",
                               "give one world, or leave `worlds` out for the environment"},
        [ASIF_PIECE_OBSERVATION] = {narrow->states_only && facts->by_observation,
                                    "has no utility by observation", "give the utility by action and state"},
        [ASIF_PIECE_BELIEF] = {(narrow->states_only || narrow->no_beliefs) && facts->by_belief,
                               "has no utility that depends on the belief",
                               "remove what is by belief, or take belief-aware or bounded-rational"},
        [ASIF_PIECE_NO_BELIEF] = {narrow->needs_beliefs && !facts->by_belief,
                                  "has a utility that depends on the belief, but none is given",
                                  "add a term such as {when: certainty > 0.9, add: 2.5}, or take "
                                  "model-based-pomdp"},
        [ASIF_PIECE_ACTION_PRIOR] = {narrow->uniform && !uniform(facts->action_prior, facts->actions),
                                     "has a uniform action prior",
                                     "remove `action_prior`, or take kl-regularized"},
    };
    *hint = rows[piece].hint;
    return rows[piece].broken ? rows[piece].says : NULL;
}

asif_restriction asif_planner_restriction(const asif_planner_ops *planner) {
    asif_restriction narrow = planner->narrow;
    narrow.sees = planner->info.sees;
    return narrow;
}

bool asif_restriction_number_get(const asif_restriction *narrow, uint32_t i, const char **name,
                                 asif_restriction_number *out) {
    const struct {
        const char *name;
        asif_restriction_number number;
    } rows[] = {{"alpha", narrow->alpha}, {"beta", narrow->beta}, {"eta", narrow->eta}};
    if (i >= sizeof rows / sizeof *rows)
        return false;
    *name = rows[i].name;
    *out = rows[i].number;
    return true;
}

bool asif_restriction_same(double value, double narrowed) {
    return value == narrowed && (value != 0 || signbit(value) == signbit(narrowed));
}

static bool has_terms(const asif_setting_spec *spec, int by) {
    for (uint64_t i = 0; i < spec->terms; i++)
        if ((int)spec->term[i].by == by)
            return true;
    return false;
}

asif_status asif_restriction_setting(const asif_planner_ops *planner, const asif_setting *setting,
                                     asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    asif_restriction narrow = asif_planner_restriction(planner);
    asif_restriction_facts facts = {spec->observations > 0,
                                    has_terms(spec, ASIF_BY_OBSERVATION),
                                    has_terms(spec, ASIF_BY_BELIEF),
                                    spec->worlds,
                                    spec->actions,
                                    spec->action_prior};
    for (uint32_t i = 0; i < ASIF_PIECES; i++) {
        const char *hint, *says = asif_restriction_broken(&narrow, (asif_piece)i, &facts, &hint);
        if (!says)
            continue;
        asif_fail(error, ASIF_EUNSUPPORTED, "the planner %s %s", planner->info.name, says);
        asif_error_hint(error, "%s", hint);
        return ASIF_EUNSUPPORTED;
    }
    return ASIF_OK;
}

asif_status asif_restriction_theta(const asif_planner_ops *planner, asif_theta *theta, asif_error *error) {
    const asif_restriction *narrow = &planner->narrow;
    const char *name;
    asif_restriction_number number;
    for (uint32_t i = 0; asif_restriction_number_get(narrow, i, &name, &number); i++) {
        double is;
        if (number.how == ASIF_FREE)
            continue;
        ASIF_TRY(asif_theta_get(theta, name, &is, error));
        if (isnan(is))
            ASIF_TRY(asif_theta_set(theta, name, number.value, error));
        else if (number.how == ASIF_FIXED && !asif_restriction_same(is, number.value)) {
            asif_fail(error, ASIF_EDOMAIN, "%s is %g, but for the planner %s it is %g", name, is,
                      planner->info.name, number.value);
            asif_error_hint(error, "leave it out, or take another planner such as bounded-rational");
            return ASIF_EDOMAIN;
        }
    }
    if (!narrow->acts && !isnan(theta->a_act) && theta->a_act != theta->a) {
        asif_fail(error, ASIF_EDOMAIN, "the planner %s has no acting temperature of its own",
                  planner->info.name);
        asif_error_hint(error, "leave `act_alpha` out");
        return ASIF_EDOMAIN;
    }
    if (narrow->uniform && !isnan(theta->action_prior[0]) &&
        !uniform(theta->action_prior, asif_setting_get(theta->setting)->actions)) {
        asif_fail(error, ASIF_EDOMAIN, "the planner %s has a uniform action prior", planner->info.name);
        asif_error_hint(error, "leave the action prior out, or take kl-regularized");
        return ASIF_EDOMAIN;
    }
    if (!narrow->means && asif_theta_has_means(theta)) {
        asif_fail(error, ASIF_EDOMAIN, "the planner %s has no `means`", planner->info.name);
        asif_error_hint(error, "leave them out, or take decision-boundaries");
        return ASIF_EDOMAIN;
    }
    if (narrow->myopic)
        theta->discount = 0;
    return ASIF_OK;
}
