/* Bounded rational control: Theorems 4-5 of the paper, and with them every agent of its Table 4. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "engine/lookahead.h"
#include "engine/occupancy.h"
#include "engine/pullback.h"
#include "planners/planner.h"

#include <string.h>

typedef struct {
    asif_fixed_point solver;
    asif_lookahead look;
    asif_pullback pull; /* made when first needed */
} plan;

static void release(void *self) {
    plan *p = self;
    if (!p)
        return;
    const asif_context *context = p->solver.op.context;
    asif_pullback_free(&p->pull);
    asif_lookahead_free(&p->look);
    asif_fixed_point_free(&p->solver);
    asif_free(context, p);
}

/* Takes over the reference to the successors. */
static asif_status create_with(void **self, const asif_context *context, asif_successors *successors,
                               const asif_plan_options *options, asif_error *error) {
    plan *p = ASIF_NEW(context, plan);
    if (!p) {
        asif_successors_release(successors);
        return asif_fail_memory(error);
    }
    asif_status status = asif_fixed_point_create(&p->solver, context, successors, options, error);
    if (status == ASIF_OK)
        status = asif_lookahead_create(&p->look, &p->solver, error);
    if (status != ASIF_OK)
        release(p);
    else
        *self = p;
    return status;
}

static asif_status create(void **self, const asif_context *context, const asif_setting *setting,
                          const asif_plan_options *options, asif_error *error) {
    asif_successors *successors;
    asif_status status = asif_successors_create(&successors, context, setting, options->resolution,
                                                options->memory_limit, error);
    return status == ASIF_OK ? create_with(self, context, successors, options, error) : status;
}

static asif_status clone(void **self, const void *from, asif_error *error) {
    const plan *p = from;
    const asif_operator *op = &p->solver.op;
    asif_status status =
        create_with(self, op->context, asif_successors_share(op->successors), &p->solver.options, error);
    if (status == ASIF_OK)
        memcpy(((plan *)*self)->solver.values, p->solver.values, op->successors->stride * sizeof(double));
    return status;
}

static asif_status solve(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error) {
    plan *p = self;
    asif_status status = asif_fixed_point_solve(&p->solver, theta, info, error);
    if (status == ASIF_OK)
        asif_lookahead_refresh(&p->look);
    return status;
}

static uint32_t width(const void *self) {
    const asif_successors *s = ((const plan *)self)->solver.op.successors;
    return s->beliefs ? s->setting->spec.states : 1;
}

static void init(const void *self, uint32_t start, uint32_t first, double *state) {
    const asif_successors *s = ((const plan *)self)->solver.op.successors;
    const asif_setting_spec *spec = &s->setting->spec;
    const double *belief = ((const plan *)self)->solver.op.start + (uint64_t)start * spec->states;
    if (s->beliefs) {
        memcpy(state, belief, spec->states * sizeof *state);
        return;
    }
    uint32_t likely = 0;
    for (uint32_t i = 1; i < spec->states; i++)
        likely = belief[i] > belief[likely] ? i : likely;
    state[0] = first == ASIF_ANY ? likely : first;
}

static asif_status check(const void *self, uint64_t n, const double *state, asif_error *error) {
    return asif_lookahead_check(&((const plan *)self)->look, n, state, error);
}

static uint32_t memo_width(const void *self) {
    return ((const plan *)self)->look.memo_width;
}

static asif_status log_policy(const void *self, uint64_t n, const double *state, double *out, double *memo,
                              asif_error *error) {
    asif_view view = ASIF_VIEW_INIT;
    view.log_policy = out;
    return asif_lookahead_view(&((const plan *)self)->look, n, state, &view, memo, error);
}

static asif_status step(const void *self, uint64_t n, const uint32_t *from, const double *state,
                        const double *memo, const uint32_t *action, const uint32_t *observation, double *next,
                        asif_error *error) {
    return asif_lookahead_step(&((const plan *)self)->look, n, from, state, memo, action, observation, next,
                               error);
}

static asif_status look(const void *self, uint64_t n, const double *state, const asif_view *view,
                        asif_error *error) {
    return asif_lookahead_view(&((const plan *)self)->look, n, state, view, NULL, error);
}

static uint32_t nodes(const void *self) {
    return ((const plan *)self)->solver.op.successors->nodes;
}

static void node(const void *self, uint32_t i, double *state) {
    const asif_successors *s = ((const plan *)self)->solver.op.successors;
    if (s->beliefs)
        asif_lattice_node(&s->lattice, i, state);
    else
        state[0] = i;
}

static double *values(void *self) {
    return ((plan *)self)->solver.values;
}

static asif_status occupancy(void *self, const double *start, double *mu, asif_costs *costs,
                             asif_error *error) {
    return asif_engine_occupancy(&((plan *)self)->solver, start, mu, costs, error);
}

static asif_status policy_values(void *self, const double *policy, const double *worlds, double *out,
                                 asif_plan_info *info, asif_error *error) {
    return asif_engine_policy_values(&((plan *)self)->solver, policy, worlds, out, info, error);
}

static asif_status pull_begin(void *self, asif_error *error) {
    plan *p = self;
    if (!p->pull.solver) {
        asif_status status = asif_pullback_create(&p->pull, &p->solver, &p->look, error);
        if (status != ASIF_OK) {
            asif_pullback_free(&p->pull);
            return status;
        }
    }
    return asif_pullback_begin(&p->pull, error);
}

static asif_status pull_log_policy(void *self, uint64_t n, const double *state, const double *log_pi,
                                   const double *memo, const double *policy_bar, const double *memo_bar,
                                   double *state_bar, asif_error *error) {
    (void)error;
    asif_pullback_log_policy(&((plan *)self)->pull, n, state, log_pi, memo, policy_bar, memo_bar, state_bar);
    return ASIF_OK;
}

static asif_status pull_step(void *self, uint64_t n, const uint32_t *from, const double *state,
                             const double *memo, const uint32_t *action, const uint32_t *observation,
                             const double *next, const double *next_bar, double *state_bar, double *memo_bar,
                             asif_error *error) {
    return asif_pullback_step(&((plan *)self)->pull, n, from, state, memo, action, observation, next,
                              next_bar, state_bar, memo_bar, error);
}

static void pull_init(void *self, uint32_t start, const double *state_bar) {
    asif_pullback_init(&((plan *)self)->pull, start, state_bar);
}

static asif_status pull_end(void *self, asif_theta_gradient *out, asif_error *error) {
    return asif_pullback_end(&((plan *)self)->pull, out, error);
}

const asif_planner_ops asif_planner_bounded_rational = {
    .info = {"bounded-rational",
             "acts on subjective beliefs with limited flexibility, optimism and tolerance of surprise",
             ASIF_GIVES_VALUES | ASIF_GIVES_OCCUPANCY | ASIF_GIVES_GRADIENT},
    .create = create,
    .clone = clone,
    .free = release,
    .solve = solve,
    .width = width,
    .memo_width = memo_width,
    .behavior = {init, check, log_policy, step, look},
    .pullback = {pull_begin, pull_log_policy, pull_step, pull_init, pull_end},
    .nodes = nodes,
    .node = node,
    .values = values,
    .occupancy = occupancy,
    .policy_values = policy_values,
};
