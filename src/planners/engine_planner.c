/* The functions of planners that use the engine: Theorems 4-5 of the paper. */
#include "planners/engine_planner.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "engine/lookahead.h"
#include "engine/many.h"
#include "engine/occupancy.h"
#include "engine/pullback.h"

#include <math.h>
#include <string.h>

typedef struct {
    asif_fixed_point solver;
    asif_lookahead look;
    asif_pullback pull; /* made when first needed */
    asif_theta *theta;  /* with reachable beliefs: that of the last solve */
} plan;

void asif_plan_free(void *self) {
    plan *p = self;
    if (!p)
        return;
    const asif_context *context = p->solver.op.context;
    asif_pullback_free(&p->pull);
    asif_lookahead_free(&p->look);
    asif_fixed_point_free(&p->solver);
    asif_theta_free(p->theta);
    asif_free(context, p);
}

/* Make a workspace, which takes over the reference to the successors. */
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
        asif_plan_free(p);
    else
        *self = p;
    return status;
}

/* Lists reachable beliefs; *out is NULL where they do not suit. */
static asif_status reach_if_suited(asif_successors **out, const asif_context *context,
                                   const asif_setting *setting, asif_error *error) {
    asif_error why = ASIF_ERROR_INIT;
    asif_status status = asif_successors_reachable(out, context, setting, false, &why);
    if (status == ASIF_OK || status == ASIF_EUNSUPPORTED || status == ASIF_ETOOBIG)
        return ASIF_OK;
    if (error)
        *error = why;
    return status;
}

asif_status asif_plan_create(void **self, const asif_context *context, const asif_setting *setting,
                             const asif_plan_options *options, asif_error *error) {
    asif_successors *successors = NULL;
    if (options->beliefs == ASIF_BELIEFS_REACHABLE && setting->spec.observations)
        ASIF_TRY(reach_if_suited(&successors, context, setting, error));
    if (!successors)
        ASIF_TRY(asif_successors_create(&successors, context, setting,
                                        options->beliefs == ASIF_BELIEFS_GRADED ? ASIF_BELIEFS_GRADED
                                                                                : ASIF_BELIEFS_LATTICE,
                                        options->resolution, options->memory_limit, error));
    return create_with(self, context, successors, options, error);
}

asif_status asif_plan_clone(void **self, const void *from, asif_error *error) {
    const plan *p = from;
    const asif_operator *op = &p->solver.op;
    asif_status status =
        create_with(self, op->context, asif_successors_share(op->successors), &p->solver.options, error);
    if (status == ASIF_OK)
        memcpy(((plan *)*self)->solver.values, p->solver.values, op->successors->stride * sizeof(double));
    return status;
}

/* Beliefs are only listed from the start of the setting. */
static asif_status check_start(const asif_successors *s, const asif_theta *theta, asif_error *error) {
    const asif_setting_spec *spec = &s->setting->spec;
    if (!s->reachable || memcmp(theta->start, spec->agent_start,
                                (uint64_t)spec->starts * spec->states * sizeof *theta->start) == 0)
        return ASIF_OK;
    asif_fail(error, ASIF_EUNSUPPORTED, "beliefs can be reached only from the given start, not another one");
    asif_error_hint(error, "take a lattice of beliefs instead: solver: {beliefs: lattice}");
    return ASIF_EUNSUPPORTED;
}

/* Beliefs that cannot be reached are looked at after the solve, when its theta may be gone. */
static asif_status keep_theta(plan *p, const asif_theta *theta, asif_error *error) {
    if (!p->solver.op.successors->reachable)
        return ASIF_OK;
    if (!p->theta)
        return asif_theta_copy(&p->theta, theta, error);
    asif_theta_assign(p->theta, theta);
    return ASIF_OK;
}

asif_status asif_plan_solve(void *self, const asif_theta *theta, asif_plan_info *info, asif_error *error) {
    plan *p = self;
    ASIF_TRY(check_start(p->solver.op.successors, theta, error));
    ASIF_TRY(keep_theta(p, theta, error));
    asif_status status = asif_fixed_point_solve(&p->solver, theta, info, error);
    if (status == ASIF_OK)
        asif_lookahead_refresh(&p->look);
    return status;
}

/* Largest standard deviation of K over the worlds, for one action and one block of nodes. */
static double block_spread(const plan *p, uint32_t action, uint64_t first, uint32_t n) {
    const asif_operator *op = &p->solver.op;
    const asif_futures *f = &op->futures[action];
    double k[ASIF_BLOCK], mean[ASIF_BLOCK] = {0}, square[ASIF_BLOCK] = {0}, total = 0, largest = 0;
    for (uint32_t j = 0; j < f->count; j++) {
        asif_operator_future(op, action, j, p->solver.values, first, n, k);
        total += f->weight[j];
        for (uint32_t i = 0; i < n; i++) { /* West's update avoids cancellation when worlds are similar */
            double away = k[i] - mean[i], step = away * f->weight[j] / total;
            mean[i] += step;
            square[i] += (total - f->weight[j]) * away * step;
        }
    }
    for (uint32_t i = 0; i < n; i++)
        largest = fmax(largest, sqrt(square[i] / total));
    return largest;
}

double asif_plan_spread(const void *self) {
    const plan *p = self;
    const asif_operator *op = &p->solver.op;
    double largest = 0;
    for (uint32_t u = 0; u < op->actives; u++)
        for (uint64_t first = 0; first < op->successors->nodes; first += ASIF_BLOCK) {
            uint64_t left = op->successors->nodes - first;
            largest = fmax(largest, block_spread(p, op->active[u], first,
                                                 left < ASIF_BLOCK ? (uint32_t)left : ASIF_BLOCK));
        }
    return largest;
}

uint32_t asif_plan_width(const void *self) {
    const asif_successors *s = ((const plan *)self)->solver.op.successors;
    return s->beliefs ? asif_hidden_values(&s->setting->spec) + asif_has_place(&s->setting->spec) : 1;
}

void asif_plan_init(const void *self, uint32_t start, uint32_t first, double *state) {
    const asif_successors *s = ((const plan *)self)->solver.op.successors;
    const asif_setting_spec *spec = &s->setting->spec;
    const double *belief = ((const plan *)self)->solver.op.start + (uint64_t)start * spec->states;
    if (s->beliefs && spec->seen < 2) {
        if (asif_has_place(spec))
            *state++ = 0;
        memcpy(state, belief, spec->states * sizeof *state);
        return;
    }
    state[0] = first == ASIF_ANY ? asif_lookahead_likely(spec, belief) : first;
    if (s->beliefs)
        asif_lookahead_given(belief + (uint64_t)state[0] * s->links.hidden, s->links.hidden, state + 1);
}

asif_status asif_plan_check(const void *self, uint64_t n, const double *state, asif_error *error) {
    return asif_lookahead_check(&((const plan *)self)->look, n, state, error);
}

uint32_t asif_plan_memo_width(const void *self) {
    return ((const plan *)self)->look.memo_width;
}

uint32_t asif_plan_number(const void *self, const double *state) {
    return asif_lookahead_node(&((const plan *)self)->look, state);
}

/* ---- views ---- */

/* Views agents at beliefs that cannot be reached, on a lattice that is made for it. */
static asif_status view_on_lattice(const plan *p, uint64_t n, const double *state, const asif_view *view,
                                   double *memo, asif_error *error) {
    const asif_operator *op = &p->solver.op;
    asif_plan_options options = p->solver.options;
    asif_plan_info info;
    void *self = NULL;
    options.beliefs = ASIF_BELIEFS_LATTICE;
    ASIF_TRY(asif_plan_create(&self, op->context, op->setting, &options, error));
    asif_status status = asif_plan_solve(self, p->theta, &info, error);
    if (status == ASIF_OK)
        status = asif_lookahead_view(&((const plan *)self)->look, n, state, view, memo, error);
    asif_plan_free(self);
    return status;
}

static double *from(double *array, uint64_t at) {
    return array ? array + at : NULL;
}

/* Views agents, in runs of those whose beliefs can be reached and of the others. */
static asif_status view_states(const plan *p, uint64_t n, const double *state, const asif_view *view,
                               double *memo, asif_error *error) {
    const asif_setting_spec *spec = &p->solver.op.setting->spec;
    uint64_t width = asif_plan_width(p), U = spec->actions, M = spec->worlds;
    if (!p->solver.op.successors->reachable)
        return asif_lookahead_view(&p->look, n, state, view, memo, error);
    for (uint64_t i = 0, end; i < n; i = end) {
        bool near = asif_plan_number(p, state + i * width) != ASIF_ANY;
        for (end = i + 1; end < n && (asif_plan_number(p, state + end * width) != ASIF_ANY) == near;)
            end++;
        asif_view part = *view;
        part.value = from(view->value, i);
        part.q = from(view->q, i * U);
        part.policy = from(view->policy, i * U);
        part.log_policy = from(view->log_policy, i * U);
        part.k = from(view->k, i * U * M);
        part.worlds = from(view->worlds, i * U * M);
        double *memo_part = from(memo, i * p->look.memo_width);
        ASIF_TRY(near ? asif_lookahead_view(&p->look, end - i, state + i * width, &part, memo_part, error)
                      : view_on_lattice(p, end - i, state + i * width, &part, memo_part, error));
    }
    return ASIF_OK;
}

asif_status asif_plan_log_policy(const void *self, uint64_t n, const double *state, double *out, double *memo,
                                 asif_error *error) {
    asif_view view = ASIF_VIEW_INIT;
    view.log_policy = out;
    return view_states(self, n, state, &view, memo, error);
}

asif_status asif_plan_step(const void *self, uint64_t n, const uint32_t *from, const double *state,
                           const double *memo, const uint32_t *action, const uint32_t *observation,
                           double *next, asif_error *error) {
    return asif_lookahead_step(&((const plan *)self)->look, n, from, state, memo, action, observation, next,
                               error);
}

asif_status asif_plan_look(const void *self, uint64_t n, const double *state, const asif_view *view,
                           asif_error *error) {
    return view_states(self, n, state, view, NULL, error);
}

uint32_t asif_plan_nodes(const void *self) {
    return ((const plan *)self)->solver.op.successors->nodes;
}

void asif_plan_node(const void *self, uint32_t i, double *state) {
    const asif_successors *s = ((const plan *)self)->solver.op.successors;
    bool led = asif_has_place(&s->setting->spec);
    if (s->reachable)
        memcpy(state + led, s->reach.belief + (uint64_t)i * s->links.hidden, s->links.hidden * sizeof *state);
    else if (s->beliefs)
        asif_lattice_node(&s->lattice, i % s->lattice.nodes, state + led);
    if (!s->beliefs || led)
        state[0] = s->beliefs ? asif_successors_place(s, i) : i;
}

double *asif_plan_values(void *self) {
    return ((plan *)self)->solver.values;
}

void asif_plan_forget(void *self) {
    plan *p = self;
    memset(p->solver.values, 0, p->solver.op.successors->stride * sizeof(double));
    p->solver.stubborn = false;
}

asif_status asif_plan_occupancy(void *self, const double *start, double *mu, asif_costs *costs,
                                asif_error *error) {
    return asif_engine_occupancy(&((plan *)self)->solver, start, mu, costs, error);
}

asif_status asif_plan_policy_values(void *self, const double *policy, const double *worlds, double *out,
                                    asif_plan_info *info, asif_error *error) {
    return asif_engine_policy_values(&((plan *)self)->solver, policy, worlds, out, info, error);
}

asif_status asif_plan_pull_begin(void *self, bool dynamics, asif_error *error) {
    plan *p = self;
    if (!p->pull.solver) {
        asif_status status = asif_pullback_create(&p->pull, &p->solver, &p->look, error);
        if (status != ASIF_OK) {
            asif_pullback_free(&p->pull);
            return status;
        }
    }
    return asif_pullback_begin(&p->pull, dynamics, error);
}

asif_status asif_plan_pull_log_policy(void *self, uint64_t n, const double *state, const double *log_pi,
                                      const double *memo, const double *policy_bar, const double *memo_bar,
                                      double *state_bar, asif_error *error) {
    const plan *p = self;
    for (uint64_t i = 0; p->solver.op.successors->reachable && i < n; i++)
        if (asif_plan_number(p, state + i * asif_plan_width(p)) == ASIF_ANY)
            return asif_fail(error, ASIF_EUNSUPPORTED,
                             "there are no derivatives at beliefs that cannot be reached from the start");
    asif_pullback_log_policy(&((plan *)self)->pull, n, state, log_pi, memo, policy_bar, memo_bar, state_bar);
    return ASIF_OK;
}

asif_status asif_plan_pull_step(void *self, uint64_t n, const uint32_t *from, const double *state,
                                const double *memo, const uint32_t *action, const uint32_t *observation,
                                const double *next, const double *next_bar, double *state_bar,
                                double *memo_bar, asif_error *error) {
    return asif_pullback_step(&((plan *)self)->pull, n, from, state, memo, action, observation, next,
                              next_bar, state_bar, memo_bar, error);
}

void asif_plan_pull_init(void *self, uint32_t start, const double *state_bar) {
    asif_pullback_init(&((plan *)self)->pull, start, state_bar);
}

asif_status asif_plan_pull_end(void *self, asif_theta_gradient *out, asif_error *error) {
    return asif_pullback_end(&((plan *)self)->pull, out, error);
}

/* ---- many thetas ---- */

static bool many_fits(const void *self) {
    const plan *p = self;
    return asif_many_fits(p->solver.op.successors, &p->solver.options);
}

static asif_status many_create(void **many, void *self, asif_error *error) {
    const plan *p = self;
    const asif_operator *op = &p->solver.op;
    asif_many *m = ASIF_NEW(op->context, asif_many);
    if (!m)
        return asif_fail_memory(error);
    asif_status status = asif_many_create(m, op->context, asif_successors_share(op->successors), &p->look,
                                          &p->solver.options, error);
    if (status == ASIF_OK) {
        *many = m;
    } else {
        asif_many_free(m);
        asif_free(op->context, m);
    }
    return status;
}

static void many_free(void *many) {
    asif_many *m = many;
    if (!m)
        return;
    const asif_context *context = m->context;
    asif_many_free(m);
    asif_free(context, m);
}

static asif_status many_solve(void *many, const asif_theta *const *theta, uint32_t count, bool *solved,
                              asif_error *error) {
    return asif_many_solve(many, theta, count, solved, error);
}

static asif_status many_restore(void *many, const asif_theta *const *theta, uint32_t count,
                                const bool *solved, const double *values, asif_error *error) {
    return asif_many_restore(many, theta, count, solved, values, error);
}

static void many_values(const void *many, uint32_t i, double *out) {
    asif_many_values(many, i, out);
}

static double *many_start(void *many) {
    return ((asif_many *)many)->start;
}

static uint32_t many_lanes(const void *many) {
    return ((const asif_many *)many)->lanes;
}

static uint32_t many_memo_width(const void *many) {
    return asif_many_memo_width(many);
}

static void many_init(const void *many, uint32_t start, uint32_t first, double *state, uint64_t stride) {
    asif_many_init(many, start, first, state, stride);
}

static void many_log_policy(const void *many, uint32_t n, const double *state, uint64_t stride,
                            double *log_policy, uint64_t policy_stride, double *memo) {
    asif_many_log_policy(many, n, state, stride, log_policy, policy_stride, memo);
}

static void many_step(const void *many, uint32_t n, const uint32_t *from, const double *state,
                      const double *memo, uint64_t stride, const uint32_t *action,
                      const uint32_t *observation, double *next, uint64_t next_stride, bool *lost) {
    asif_many_step(many, n, from, state, memo, stride, action, observation, next, next_stride, lost);
}

const asif_planner_many asif_plan_many = {.fits = many_fits,
                                          .create = many_create,
                                          .free = many_free,
                                          .start = many_start,
                                          .solve = many_solve,
                                          .restore = many_restore,
                                          .values = many_values,
                                          .lanes = many_lanes,
                                          .memo_width = many_memo_width,
                                          .behavior = {many_init, many_log_policy, many_step}};
