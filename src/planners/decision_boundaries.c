/* Decision boundaries over subjective beliefs (Hüyük, Jarrett, Tekin and van der Schaar 2021): every action
 * has a mean mu_u, itself a belief, and pi(u|b) ~ pi0(u) exp(-|b - mu_u|^2 / alpha). As |b|^2 is common to
 * all actions and the entries of b sum to 1, this is a softmax of sum_s b(s) w_u(s) with w_u(s) = 2 mu_u(s) -
 * |mu_u|^2: the engine at a discount of 0, in a setting derived from the caller's, in which every w_u(s) is a
 * parameter. */
#include "base/error.h"
#include "base/memory.h"
#include "planners/engine_planner.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

typedef struct {
    const asif_context *context;
    const asif_setting *setting;
    asif_plan_options options;
    asif_setting *derived;
    asif_theta *theta; /* theta of the derived setting */
    double *means;     /* [actions][states]: means of the last solve */
    asif_theta_gradient gradient;
    void *plan;
} boundaries;

static void boundaries_free(void *self) {
    boundaries *b = self;
    if (!b)
        return;
    asif_plan_free(b->plan);
    asif_theta_gradient_free(b->context, &b->gradient);
    asif_theta_free(b->theta);
    asif_setting_free(b->derived);
    asif_free(b->context, b->means);
    asif_free(b->context, b);
}

/* ---- the derived setting ---- */

enum { NAME_SIZE = 32 };

static void fill_terms(const asif_setting_spec *spec, asif_utility_term *term, char (*name)[NAME_SIZE],
                       const char **names) {
    for (uint32_t u = 0; u < spec->actions; u++)
        for (uint32_t s = 0; s < spec->states; s++) {
            uint32_t i = u * spec->states + s;
            term[i] = (asif_utility_term){
                .by = ASIF_BY_STATE, .parameter = i, .action = u, .index = s, .coefficient = 1};
            asif_format(name[i], NAME_SIZE, "w.%u.%u", u, s);
            names[i] = name[i];
        }
}

static asif_status derive(boundaries *b, asif_error *error) {
    asif_setting_spec spec = *asif_setting_get(b->setting);
    uint64_t cells = (uint64_t)spec.actions * spec.states;
    asif_utility_term *term = ASIF_ARRAY(b->context, cells, asif_utility_term);
    char(*name)[NAME_SIZE] = asif_alloc(b->context, cells, NAME_SIZE);
    const char **names = ASIF_ARRAY(b->context, cells, const char *);
    asif_status status = ASIF_OK;
    if (term && name && names) {
        fill_terms(&spec, term, name, names);
        spec.struct_size = sizeof spec;
        spec.parameters = (uint32_t)cells;
        spec.parameter_names = names;
        spec.terms = cells;
        spec.term = term;
        spec.utility = NULL;
        spec.terminal = NULL;
        status = asif_setting_create(&b->derived, b->context, &spec, error);
    } else {
        status = asif_fail_memory(error);
    }
    asif_free(b->context, term);
    asif_free(b->context, name);
    asif_free(b->context, names);
    return status;
}

static asif_status fill(boundaries *b, asif_error *error) {
    ASIF_TRY(derive(b, error));
    ASIF_TRY(asif_theta_create(&b->theta, b->context, b->derived, error));
    ASIF_TRY(asif_theta_gradient_create(&b->gradient, b->context, b->derived, error));
    const asif_setting_spec *spec = asif_setting_get(b->derived);
    b->means = ASIF_ARRAY(b->context, (uint64_t)spec->actions * spec->states, double);
    if (!b->means)
        return asif_fail_memory(error);
    return asif_plan_create(&b->plan, b->context, b->derived, &b->options, error);
}

static asif_status create(void **self, const asif_context *context, const asif_setting *setting,
                          const asif_plan_options *options, asif_error *error) {
    boundaries *b = ASIF_NEW(context, boundaries);
    if (!b)
        return asif_fail_memory(error);
    b->context = context;
    b->setting = setting;
    b->options = *options;
    b->options.beliefs = ASIF_BELIEFS_LATTICE;
    b->options.resolution = 1; /* nothing is interpolated: the corners of the simplex are enough */
    asif_status status = fill(b, error);
    if (status != ASIF_OK)
        boundaries_free(b);
    else
        *self = b;
    return status;
}

static asif_status clone(void **self, const void *from, asif_error *error) {
    const boundaries *b = from;
    return create(self, b->context, b->setting, &b->options, error);
}

/* ---- solving ---- */

static asif_status need_means(const asif_theta *theta, asif_error *error) {
    asif_text missing = {.context = theta->context};
    uint32_t count = asif_theta_missing_means(theta, &missing);
    asif_status status = ASIF_OK;
    if (missing.failed) {
        status = asif_fail_memory(error);
    } else if (count) {
        status = asif_fail(error, ASIF_EUNSET, "%s %s no value", missing.data, count == 1 ? "has" : "have");
        asif_error_hint(error, "give %s one in the study: means: {ACTION: [0.9, 0.1], ...}",
                        count == 1 ? "it" : "each");
    }
    asif_text_free(&missing);
    return status;
}

static double square(const double *x, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i] * x[i];
    return sum;
}

static asif_status solve(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error) {
    boundaries *b = self;
    const asif_setting_spec *spec = asif_setting_get(b->setting);
    asif_theta *to = b->theta;
    uint32_t S = spec->states;
    ASIF_TRY(need_means(theta, error));
    to->a = theta->a;
    to->b = theta->b;
    to->eta = theta->eta;
    to->discount = theta->discount;
    memcpy(to->action_prior, theta->action_prior, spec->actions * sizeof *to->action_prior);
    memcpy(to->world_weights, theta->world_weights, spec->worlds * sizeof *to->world_weights);
    memcpy(to->start, theta->start, (uint64_t)spec->starts * S * sizeof *to->start);
    memcpy(b->means, theta->means, (uint64_t)spec->actions * S * sizeof *b->means);
    for (uint32_t u = 0; u < spec->actions; u++) {
        const double *mean = b->means + (uint64_t)u * S;
        double size = square(mean, S);
        for (uint32_t s = 0; s < S; s++)
            to->utility[(uint64_t)u * S + s] = 2 * mean[s] - size;
    }
    return asif_plan_solve(b->plan, to, info, error);
}

/* ---- behaviour: the engine's ---- */

static uint32_t width(const void *self) {
    return asif_plan_width(((const boundaries *)self)->plan);
}

static uint32_t memo_width(const void *self) {
    return asif_plan_memo_width(((const boundaries *)self)->plan);
}

static void init(const void *self, uint32_t start, uint32_t first, double *state) {
    asif_plan_init(((const boundaries *)self)->plan, start, first, state);
}

static asif_status check(const void *self, uint64_t n, const double *state, asif_error *error) {
    return asif_plan_check(((const boundaries *)self)->plan, n, state, error);
}

static asif_status log_policy(const void *self, uint64_t n, const double *state, double *out, double *memo,
                              asif_error *error) {
    return asif_plan_log_policy(((const boundaries *)self)->plan, n, state, out, memo, error);
}

static asif_status step(const void *self, uint64_t n, const uint32_t *from, const double *state,
                        const double *memo, const uint32_t *action, const uint32_t *observation, double *next,
                        asif_error *error) {
    return asif_plan_step(((const boundaries *)self)->plan, n, from, state, memo, action, observation, next,
                          error);
}

/* Report scores as they are defined, -|b - mu|^2, including the |b|^2 that the engine leaves out. */
static asif_status look(const void *self, uint64_t n, const double *state, const asif_view *view,
                        asif_error *error) {
    const boundaries *b = self;
    const asif_setting_spec *spec = asif_setting_get(b->setting);
    ASIF_TRY(asif_plan_look(b->plan, n, state, view, error));
    for (uint64_t i = 0; i < n; i++) {
        double size = square(state + i * spec->states, spec->states);
        for (uint32_t u = 0; view->q && u < spec->actions; u++)
            view->q[i * spec->actions + u] -= size;
        if (view->value)
            view->value[i] -= size;
    }
    return ASIF_OK;
}

/* ---- derivatives ---- */

/* The matrices of the derived setting are copies of the caller's, in their order. */
static asif_status pull_begin(void *self, bool dynamics, asif_error *error) {
    boundaries *b = self;
    if (dynamics && !b->gradient.matrix)
        ASIF_TRY(asif_theta_gradient_add_matrices(&b->gradient, b->context, b->derived, error));
    return asif_plan_pull_begin(b->plan, dynamics, error);
}

static asif_status pull_log_policy(void *self, uint64_t n, const double *state, const double *log_pi,
                                   const double *memo, const double *policy_bar, const double *memo_bar,
                                   double *state_bar, asif_error *error) {
    return asif_plan_pull_log_policy(((boundaries *)self)->plan, n, state, log_pi, memo, policy_bar, memo_bar,
                                     state_bar, error);
}

static asif_status pull_step(void *self, uint64_t n, const uint32_t *from, const double *state,
                             const double *memo, const uint32_t *action, const uint32_t *observation,
                             const double *next, const double *next_bar, double *state_bar, double *memo_bar,
                             asif_error *error) {
    return asif_plan_pull_step(((boundaries *)self)->plan, n, from, state, memo, action, observation, next,
                               next_bar, state_bar, memo_bar, error);
}

static void pull_init(void *self, uint32_t start, const double *state_bar) {
    asif_plan_pull_init(((boundaries *)self)->plan, start, state_bar);
}

/* dw_u(s)/dmu_u(t) = 2 [s = t] - 2 mu_u(t). */
static asif_status pull_end(void *self, asif_theta_gradient *out, asif_error *error) {
    boundaries *b = self;
    const asif_setting_spec *spec = asif_setting_get(b->setting);
    const asif_theta_gradient *g = &b->gradient;
    uint32_t S = spec->states;
    ASIF_TRY(asif_plan_pull_end(b->plan, &b->gradient, error));
    asif_theta_gradient_clear(out, b->setting);
    out->a = g->a;
    memcpy(out->action_prior, g->action_prior, spec->actions * sizeof *out->action_prior);
    memcpy(out->world_weights, g->world_weights, spec->worlds * sizeof *out->world_weights);
    memcpy(out->start, g->start, (uint64_t)spec->starts * S * sizeof *out->start);
    for (uint32_t i = 0; out->matrix && i < spec->matrices; i++)
        memcpy(out->matrix[i], g->matrix[i], asif_matrix_entries(&spec->matrix[i]) * sizeof(double));
    for (uint32_t u = 0; u < spec->actions; u++) {
        const double *bar = g->utility + (uint64_t)u * S, *mean = b->means + (uint64_t)u * S;
        double total = 0;
        for (uint32_t s = 0; s < S; s++)
            total += bar[s];
        for (uint32_t s = 0; s < S; s++)
            out->means[(uint64_t)u * S + s] = 2 * (bar[s] - mean[s] * total);
    }
    return ASIF_OK;
}

const asif_planner_ops asif_planner_decision_boundaries = {
    .info = {"decision-boundaries", "takes the action whose mean is nearest to its subjective belief, softly",
             ASIF_GIVES_VALUES | ASIF_GIVES_GRADIENT, ASIF_SEES_BELIEFS, false, "Decision-Rule IOHMM Policy"},
    .narrow = {.alpha = {ASIF_USUAL, 0.1},
               .beta = {ASIF_FIXED, INFINITY},
               .eta = {ASIF_FIXED, 0},
               .myopic = true,
               .means = true},
    .create = create,
    .clone = clone,
    .free = boundaries_free,
    .solve = solve,
    .width = width,
    .memo_width = memo_width,
    .behavior = {init, check, log_policy, step, look, NULL, NULL},
    .pullback = {pull_begin, pull_log_policy, pull_step, pull_init, pull_end},
};
