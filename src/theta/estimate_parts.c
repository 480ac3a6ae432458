/* Reads what is to be estimated: names, domains and default priors, with errors for what cannot
 * be estimated. */
#include "theta/estimates.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <stddef.h>
#include <string.h>

#define USUAL_SPREAD 1.116 /* spread of DIAG's worlds, where the default of optimism is normal(0, 1) */
#define USUAL_SPAN 46      /* span of DIAG's utilities */

/* Default priors. They scale with e->span, the span of the utility. */
static asif_prior usual_alpha(const asif_estimates *e, double standard) {
    (void)standard;
    return (asif_prior){ASIF_PRIOR_LOGNORMAL, 2, {log(0.01 * e->span), 1.5, 0}};
}
double asif_usual_optimism(double spread) {
    return spread > 0 ? USUAL_SPREAD / spread : 0;
}
static asif_prior usual_optimism(const asif_estimates *e, double standard) {
    (void)standard;
    double sd = isnan(e->spread) ? USUAL_SPAN / e->span : asif_usual_optimism(e->spread);
    return (asif_prior){ASIF_PRIOR_NORMAL, 2, {0, sd, 0}};
}
static asif_prior usual_eta(const asif_estimates *e, double standard) {
    (void)standard;
    return (asif_prior){ASIF_PRIOR_NORMAL, 2, {0, e->span, 0}};
}
static asif_prior usual_discount(const asif_estimates *e, double standard) {
    (void)e, (void)standard;
    return (asif_prior){ASIF_PRIOR_BETA, 2, {9, 1, 0}};
}
/* A mean of .05: one decision in twenty. */
static asif_prior usual_lapse(const asif_estimates *e, double standard) {
    (void)e, (void)standard;
    return (asif_prior){ASIF_PRIOR_BETA, 2, {1, 19, 0}};
}
static asif_prior usual_utility(const asif_estimates *e, double standard) {
    return (asif_prior){ASIF_PRIOR_NORMAL, 2, {standard, e->span / 2, 0}};
}

#define AT(field) offsetof(asif_theta, field), offsetof(asif_theta_gradient, field)
static const asif_number_kind numbers[] = {
    {"alpha", "alpha", "log_alpha", AT(a), true, 0, INFINITY, true, false, usual_alpha},
    {"act_alpha", "act_alpha", "log_act_alpha", AT(a_act), true, 0, INFINITY, true, false, usual_alpha},
    {"beta", "optimism", "optimism", AT(b), false, -INFINITY, INFINITY, true, true, usual_optimism},
    {"optimism", "optimism", "optimism", AT(b), false, -INFINITY, INFINITY, true, true, usual_optimism},
    {"eta", "eta", "eta", AT(eta), false, -INFINITY, INFINITY, true, false, usual_eta},
    {"discount", "discount", "discount", AT(discount), false, 0, 1, false, false, usual_discount},
    {"lapse", "lapse", "lapse", AT(lapse), false, 0, 1, false, false, usual_lapse},
};
static const asif_number_kind utility_number = {NULL,      NULL,     NULL,  AT(utility), false,
                                                -INFINITY, INFINITY, false, false,       usual_utility};
enum { NUMBERS = sizeof numbers / sizeof *numbers, DISTRIBUTIONS = ASIF_MEANS + 1 };

bool asif_parameter_in_logs(const char *parameter) {
    for (uint32_t i = 0; parameter && i < NUMBERS; i++)
        if (numbers[i].inverse && strcmp(numbers[i].parameter, parameter) == 0)
            return true;
    return false;
}

const char *asif_part_name(const asif_estimates *e, const asif_part *part) {
    if (!part->number)
        return asif_distribution_text(part->which);
    return part->number->parameter ? part->number->parameter
                                   : asif_setting_get(e->given->setting)->parameter_names[part->utility];
}

static asif_status unknown(const asif_estimates *e, const char *name, asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(e->given->setting);
    const char *known[NUMBERS + DISTRIBUTIONS];
    uint32_t count = 0;
    for (; count < NUMBERS; count++)
        known[count] = numbers[count].name;
    for (uint32_t d = 0; d < DISTRIBUTIONS; d++)
        known[count++] = asif_distribution_text((asif_distribution)d);
    const char *near = asif_nearest_word(name, known, count);
    if (!near && spec->parameter_names)
        near = asif_nearest_word(name, spec->parameter_names, spec->parameters);
    asif_fail(error, ASIF_EUNKNOWN, "there is no parameter '%s' to be estimated", asif_show(name).text);
    if (near)
        asif_error_hint(error, "did you mean '%s'?", asif_show(near).text);
    else
        asif_error_hint(error,
                        "these can be estimated: alpha, act_alpha, optimism, eta, discount, lapse, those "
                        "that the utility names, action_prior, world_weights, start and means");
    return ASIF_EUNKNOWN;
}

static asif_status find(const asif_estimates *e, const char *name, asif_part *part, asif_error *error) {
    part->utility = ASIF_ANY;
    for (uint32_t i = 0; i < NUMBERS; i++)
        if (strcmp(numbers[i].name, name) == 0)
            part->number = &numbers[i];
    if (part->number)
        return ASIF_OK;
    for (uint32_t d = 0; d < DISTRIBUTIONS; d++) {
        part->which = (asif_distribution)d;
        if (strcmp(asif_distribution_text(part->which), name) == 0)
            return ASIF_OK;
    }
    part->utility = asif_setting_find(e->given->setting, ASIF_LABEL_PARAMETER, name);
    part->number = &utility_number;
    return part->utility == ASIF_ANY ? unknown(e, name, error) : ASIF_OK;
}

static bool same_target(const asif_part *a, const asif_part *b) {
    if (!a->number || !b->number)
        return !a->number && !b->number && a->which == b->which && a->start == b->start;
    return a->number->theta_at == b->number->theta_at && a->utility == b->utility;
}

static asif_status check_twice(const asif_estimates *e, const asif_estimate_spec *spec, uint32_t i,
                               asif_error *error) {
    for (uint32_t j = 0; j < i; j++) {
        if (!same_target(&e->part[i], &e->part[j]))
            continue;
        if (strcmp(spec[i].name, spec[j].name) != 0) {
            asif_fail(error, ASIF_EINVALID,
                      "both beta and optimism are to be estimated, but optimism is 1/beta");
            asif_error_hint(error, "keep one of them");
            return ASIF_EINVALID;
        }
        return asif_fail(error, ASIF_EINVALID, "'%s' is to be estimated twice", asif_show(spec[i].name).text);
    }
    return ASIF_OK;
}

/* Fills the place of an estimated number in `given` with any value that is allowed. */
static asif_status fill_number(const asif_estimates *e, asif_part *part, const asif_estimate_spec *spec,
                               asif_error *error) {
    if (part->utility == ASIF_ANY) {
        *(double *)(void *)((char *)e->given + part->number->theta_at) = 0.5;
        return ASIF_OK;
    }
    if (!isfinite(spec->standard)) {
        asif_fail(error, ASIF_EINVALID, "the estimated utility '%s' has no standard",
                  asif_show(spec->name).text);
        asif_error_hint(error, "give a usual value, which sets the scale");
        return ASIF_EINVALID;
    }
    e->given->utility[part->utility] = spec->standard;
    return ASIF_OK;
}

/* A distribution of the setting; NULL if the setting has none. */
static const double *setting_distribution(const asif_setting_spec *spec, asif_distribution which,
                                          uint32_t start) {
    return which == ASIF_ACTION_PRIOR    ? spec->action_prior
           : which == ASIF_WORLD_WEIGHTS ? spec->world_weights
           : which == ASIF_START         ? spec->agent_start + (uint64_t)start * spec->states
                                         : NULL;
}

/* Fills the place of an estimated distribution. Entries to which the setting gives weight 0 keep it: what the
 * setting forbids is not estimated. */
static asif_status fill_distribution(asif_estimates *e, asif_part *part, asif_error *error) {
    static const char *const things[] = {[ASIF_ACTION_PRIOR] = "actions",
                                         [ASIF_WORLD_WEIGHTS] = "worlds",
                                         [ASIF_START] = "states",
                                         [ASIF_MEANS] = "states"};
    const asif_setting_spec *spec = asif_setting_get(e->given->setting);
    const char *name = asif_distribution_text(part->which);
    if (spec->observations == 0 && (part->which == ASIF_START || part->which == ASIF_MEANS)) {
        asif_fail(error, ASIF_EINVALID, "%s cannot be estimated: the agent sees the state", name);
        asif_error_hint(error, part->which == ASIF_START
                                   ? "what it believes before it looks does not change what it does"
                                   : "means are beliefs, which need observations");
        return ASIF_EINVALID;
    }
    double *slot = asif_distribution_slot(e->given, part->which, part->start);
    if (!slot)
        return asif_fail(error, ASIF_EDOMAIN, "there is no %s %u: there are %u",
                         part->which == ASIF_MEANS ? "action" : "start class", part->start,
                         asif_distribution_copies(e->given->setting, part->which));
    const double *p = setting_distribution(spec, part->which, part->start);
    uint32_t count = asif_distribution_count(e->given->setting, part->which);
    part->entry = ASIF_ARRAY(e->context, count, uint32_t);
    if (!part->entry)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < count; i++)
        if (!p || p[i] > 0)
            part->entry[part->entries++] = i;
    if (part->entries < 2) {
        asif_fail(error, ASIF_EINVALID, "%s has nothing to estimate: only one of its %s is possible", name,
                  things[part->which]);
        asif_error_hint(error, "give it instead");
        return ASIF_EINVALID;
    }
    memset(slot, 0, count * sizeof *slot);
    for (uint32_t k = 0; k < part->entries; k++)
        slot[part->entry[k]] = 1.0 / part->entries;
    return ASIF_OK;
}

/* An agent at the limit gives all but its best actions probability 0, so that other logs are impossible. */
asif_status asif_estimates_can_act(const asif_estimates *e, asif_error *error) {
    const asif_theta *t = e->given;
    bool own = !isnan(t->a_act);
    if (!isinf(own ? t->a_act : t->a))
        return ASIF_OK;
    asif_fail(error, ASIF_EDOMAIN,
              "%s is 0: an agent that always takes the %s action gives other actions probability 0",
              own ? "act_alpha" : "alpha", (own ? t->a_act : t->a) > 0 ? "best" : "worst");
    asif_error_hint(error, "estimate it, or give it a small number");
    return ASIF_EDOMAIN;
}

asif_status asif_estimate_parts_read(asif_estimates *e, const asif_estimate_spec *spec, asif_error *error) {
    for (uint32_t i = 0; i < e->parts; i++) {
        asif_part *part = &e->part[i];
        ASIF_TRY(find(e, spec[i].name, part, error));
        part->start = part->which == ASIF_START || part->which == ASIF_MEANS ? spec[i].start : 0;
        part->sign = spec[i].negative ? -1 : 1;
        part->standard = spec[i].standard;
        ASIF_TRY(check_twice(e, spec, i, error));
        ASIF_TRY(part->number ? fill_number(e, part, &spec[i], error) : fill_distribution(e, part, error));
    }
    return asif_theta_complete(e->given, error);
}
