/* Finds differences between the studies of two fits, because of which contrasts of parameters compare
 * different things. */
#include "questions/compare/groups/compare_groups.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/text.h"
#include "setting/setting.h"
#include "theta/theta.h"

#include <math.h>
#include <string.h>

typedef struct {
    asif_compare_groups *contrast;
    uint32_t group;
    const asif_fitted *first, *here;
    const asif_setting_spec *a, *b; /* of the first group, and of this one */
    bool failed;
} comparison;

static char *copy(comparison *c, const char *text) {
    char *made = text ? asif_strdup(c->contrast->context, text) : NULL;
    c->failed |= text && !made;
    return made;
}

static void add(comparison *c, bool environment, const char *what, const char *first, const char *here) {
    asif_compare_groups *contrast = c->contrast;
    if (!asif_grow(contrast->context, &contrast->given, contrast->givens, &contrast->given_room,
                   sizeof *contrast->given)) {
        c->failed = true;
        return;
    }
    contrast->given[contrast->givens++] =
        (asif_compare_groups_given){c->group, environment, copy(c, what), copy(c, first), copy(c, here)};
}

static bool same_text(const char *a, const char *b) {
    return a && b ? strcmp(a, b) == 0 : !a && !b;
}

static bool same_numbers(const double *a, const double *b, uint64_t n) {
    if (!a || !b)
        return !a && !b;
    for (uint64_t i = 0; i < n; i++)
        if (!(a[i] == b[i] || (isnan(a[i]) && isnan(b[i]))))
            return false;
    return true;
}

/* ---- numbers ---- */

static void compare_values(comparison *c) {
    for (uint32_t i = 0; i < asif_theta_count(c->first->given); i++) {
        const char *name = asif_theta_name(c->first->given, i);
        double x = NAN, y = NAN;
        char first[ASIF_NUMBER_SIZE], here[ASIF_NUMBER_SIZE];
        asif_theta_get(c->first->given, name, &x, NULL);
        /* A name that is missing counts as a difference of the utility. */
        if (asif_theta_get(c->here->given, name, &y, NULL) != ASIF_OK || same_numbers(&x, &y, 1))
            continue;
        add(c, false, name, isnan(x) ? "estimated" : asif_number_text(first, x),
            isnan(y) ? "estimated" : asif_number_text(here, y));
    }
}

static void compare_priors(comparison *c) {
    const asif_estimate_info *x, *y;
    for (uint32_t i = 0; (x = asif_estimates_get(c->first->estimates, i)); i++)
        for (uint32_t k = 0; (y = asif_estimates_get(c->here->estimates, k)); k++)
            if (strcmp(x->name, y->name) == 0 && !same_text(x->prior, y->prior)) {
                char what[128];
                asif_format(what, sizeof what, "prior of %.100s", x->name);
                add(c, false, what, x->prior, y->prior);
            }
}

static void compare_distributions(comparison *c) {
    const asif_theta *x = c->first->given, *y = c->here->given;
    if (!same_numbers(x->action_prior, y->action_prior, c->a->actions))
        add(c, false, "action_prior", NULL, NULL);
    if (c->a->worlds == c->b->worlds && !same_numbers(x->world_weights, y->world_weights, c->a->worlds))
        add(c, false, "world_weights", NULL, NULL);
    if (c->a->starts == c->b->starts &&
        !same_numbers(x->start, y->start, (uint64_t)c->a->starts * c->a->states))
        add(c, false, "start of the agent", NULL, NULL);
}

/* ---- dynamics and utility ---- */

static bool same_matrix(const asif_matrix *a, const asif_matrix *b) {
    uint64_t i, end, j, end_b;
    if (a->rows != b->rows || a->columns != b->columns)
        return false;
    for (uint32_t r = 0; r < a->rows; r++) {
        asif_matrix_row(a, r, &i, &end);
        asif_matrix_row(b, r, &j, &end_b);
        if (end - i != end_b - j)
            return false;
        for (; i < end; i++, j++)
            if (a->column[i] != b->column[j] || a->value[i] != b->value[j])
                return false;
    }
    return true;
}

/* Whether world `x` of the first equals world `y` of the other; the last world is the environment. */
static bool same_world(const comparison *c, uint32_t x, uint32_t y) {
    for (uint32_t u = 0; u < c->a->actions; u++) {
        if (!same_matrix(asif_transitions(c->first->setting, x, u), asif_transitions(c->here->setting, y, u)))
            return false;
        if (c->a->observations &&
            !same_matrix(asif_emissions(c->first->setting, x, u), asif_emissions(c->here->setting, y, u)))
            return false;
    }
    return true;
}

static void compare_worlds(comparison *c) {
    bool same = c->a->worlds == c->b->worlds;
    char first[ASIF_NUMBER_SIZE], here[ASIF_NUMBER_SIZE];
    for (uint32_t m = 0; same && m < c->a->worlds; m++)
        same = same_world(c, m, m);
    if (same)
        return;
    asif_format(first, sizeof first, "%u", c->a->worlds);
    asif_format(here, sizeof here, "%u", c->b->worlds);
    bool counted = c->a->worlds != c->b->worlds;
    add(c, false, "worlds", counted ? first : NULL, counted ? here : NULL);
}

static bool same_utility(const comparison *c) {
    const asif_setting_spec *a = c->a, *b = c->b;
    if (a->terms != b->terms || a->parameters != b->parameters)
        return false;
    for (uint64_t k = 0; k < a->terms; k++) {
        const asif_utility_term *x = &a->term[k], *y = &b->term[k];
        bool tested = x->by == ASIF_BY_BELIEF;
        if (x->by != y->by || x->parameter != y->parameter || x->action != y->action ||
            x->index != y->index || x->coefficient != y->coefficient ||
            (tested && (x->test != y->test || x->threshold != y->threshold)) ||
            (tested && x->test == ASIF_RAMP && x->full != y->full))
            return false;
    }
    for (uint32_t i = 0; i < a->parameters; i++) {
        char x[ASIF_LABEL_SIZE], y[ASIF_LABEL_SIZE];
        if (strcmp(asif_setting_label(c->first->setting, ASIF_LABEL_PARAMETER, i, x),
                   asif_setting_label(c->here->setting, ASIF_LABEL_PARAMETER, i, y)) != 0)
            return false;
    }
    return same_numbers(a->utility, b->utility, (uint64_t)a->actions * a->states);
}

static bool same_available(const asif_setting_spec *a, const asif_setting_spec *b) {
    if (!a->available || !b->available || a->seen != b->seen)
        return !a->available && !b->available;
    return memcmp(a->available, b->available, (uint64_t)a->seen * a->actions * sizeof *a->available) == 0;
}

static void compare_settings(comparison *c) {
    const asif_setting_spec *a = c->a, *b = c->b;
    if (a->states != b->states || a->actions != b->actions || a->observations != b->observations) {
        add(c, true, "states, actions or observations", NULL, NULL);
        return;
    }
    uint64_t starts = (uint64_t)a->starts * a->states, seen = a->observations ? a->observations : a->states;
    if (!same_world(c, a->worlds, b->worlds))
        add(c, true, "dynamics of the environment", NULL, NULL);
    if (a->starts != b->starts || !same_numbers(a->environment_start, b->environment_start, starts))
        add(c, true, "start of the environment", NULL, NULL);
    if (memcmp(a->ends, b->ends, a->actions * sizeof *a->ends) != 0)
        add(c, true, "actions that end an episode", NULL, NULL);
    if (memcmp(a->terminal, b->terminal, a->states * sizeof *a->terminal) != 0)
        add(c, true, "terminal states", NULL, NULL);
    if (memcmp(a->stops, b->stops, a->actions * sizeof *a->stops) != 0)
        add(c, true, "actions after which nothing follows", NULL, NULL);
    if (!same_available(a, b))
        add(c, true, "actions that are available", NULL, NULL);
    if (a->horizon != b->horizon)
        add(c, true, "horizon", NULL, NULL);
    if (!same_utility(c))
        add(c, false, "utility", NULL, NULL);
    if (!same_numbers(a->belief_prior, b->belief_prior, seen))
        add(c, false, "belief_prior", NULL, NULL);
    compare_worlds(c);
    compare_distributions(c);
}

asif_status asif_compare_groups_givens(asif_compare_groups *contrast, const asif_compare_groups_group *group,
                                       asif_error *error) {
    for (uint32_t g = 0; g < contrast->groups; g++) {
        comparison c = {.contrast = contrast,
                        .group = g,
                        .first = group[contrast->first].fitted,
                        .here = group[g].fitted};
        if (g == contrast->first)
            continue;
        c.a = asif_setting_get(c.first->setting);
        c.b = asif_setting_get(c.here->setting);
        if (!same_text(c.first->planner, c.here->planner))
            add(&c, false, "planner", c.first->planner, c.here->planner);
        compare_values(&c);
        compare_priors(&c);
        compare_settings(&c);
        if (c.failed)
            return asif_fail_memory(error);
    }
    return ASIF_OK;
}
