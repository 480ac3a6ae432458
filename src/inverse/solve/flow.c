#include "inverse/solve/flow.h"

#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"
#include "setting/setting.h"

#include <string.h>

#define TOLERANCE 1e-14
#define ENOUGH 1e-11
#define MOST_PRODUCTS 100000

asif_status asif_flow_create(asif_flow *out, const asif_context *context, const asif_setting *setting,
                             asif_error *error) {
    const asif_setting_spec *spec = asif_setting_get(setting);
    *out = (asif_flow){.context = context,
                       .setting = setting,
                       .states = spec->states,
                       .actions = spec->actions,
                       .world = spec->worlds,
                       .discount = spec->discount};
    out->room = ASIF_ARRAY(context, 2 * (uint64_t)spec->states, double);
    if (!out->room)
        return asif_fail_memory(error);
    asif_status status = asif_gmres_create(&out->gmres, context, spec->states, 60, error);
    if (status != ASIF_OK)
        asif_flow_free(out);
    return status;
}

void asif_flow_free(asif_flow *flow) {
    asif_gmres_free(&flow->gmres);
    asif_free(flow->context, flow->room);
    *flow = (asif_flow){0};
}

static bool ends(const asif_flow *flow, uint32_t s) {
    const bool *terminal = asif_setting_get(flow->setting)->terminal;
    return terminal && terminal[s];
}

/* y = (I - discount P) x, or with the transpose. */
static void product(void *user, const double *x, double *y) {
    const asif_flow *flow = user;
    memcpy(y, x, flow->states * sizeof *y);
    for (uint32_t u = 0; u < flow->actions; u++) {
        const asif_matrix *t = asif_transitions(flow->setting, flow->world, u);
        for (uint32_t s = 0; s < flow->states; s++) {
            double weight =
                ends(flow, s) ? 0 : flow->discount * flow->policy[(uint64_t)s * flow->actions + u];
            uint64_t begin, end;
            if (weight == 0)
                continue;
            asif_matrix_row(t, s, &begin, &end);
            if (flow->transposed) {
                for (uint64_t i = begin; i < end; i++)
                    y[t->column[i]] -= weight * t->value[i] * x[s];
            } else {
                double sum = 0;
                for (uint64_t i = begin; i < end; i++)
                    sum += t->value[i] * x[t->column[i]];
                y[s] -= weight * sum;
            }
        }
    }
}

static asif_status solve(asif_flow *flow, const double *policy, bool transposed, const double *right,
                         double *x, asif_error *error) {
    uint64_t products = 0;
    flow->policy = policy;
    flow->transposed = transposed;
    memcpy(flow->room, right, flow->states * sizeof *flow->room); /* x may be `right` */
    memcpy(x, flow->room, flow->states * sizeof *x);
    double reached =
        asif_gmres_solve(&flow->gmres, product, flow, flow->room, x, TOLERANCE, MOST_PRODUCTS, &products);
    flow->policy = NULL;
    if (reached <= ENOUGH)
        return ASIF_OK;
    return asif_fail(error, ASIF_EDOMAIN, "a linear system of the chain was solved to %.2g only", reached);
}

asif_status asif_flow_values(asif_flow *flow, const double *policy, const double *reward, double *values,
                             asif_error *error) {
    return solve(flow, policy, false, reward, values, error);
}

asif_status asif_flow_visits(asif_flow *flow, const double *policy, const double *source, double *visits,
                             asif_error *error) {
    return solve(flow, policy, true, source, visits, error);
}

asif_status asif_flow_occupancy(asif_flow *flow, const double *policy, const double *start, double *mu,
                                asif_error *error) {
    double *visits = flow->room + flow->states;
    if (!start)
        start = asif_setting_get(flow->setting)->environment_start;
    ASIF_TRY(solve(flow, policy, true, start, visits, error));
    for (uint32_t u = 0; u < flow->actions; u++)
        for (uint32_t s = 0; s < flow->states; s++)
            mu[(uint64_t)u * flow->states + s] =
                (1 - flow->discount) * visits[s] * policy[(uint64_t)s * flow->actions + u];
    return ASIF_OK;
}

void asif_flow_q(const asif_flow *flow, const double *v, const double *values, double *q) {
    for (uint32_t u = 0; u < flow->actions; u++) {
        const asif_matrix *t = asif_transitions(flow->setting, flow->world, u);
        for (uint32_t s = 0; s < flow->states; s++) {
            uint64_t begin, end, cell = (uint64_t)u * flow->states + s;
            double sum = 0;
            asif_matrix_row(t, s, &begin, &end);
            for (uint64_t i = begin; i < end && !ends(flow, s); i++)
                sum += t->value[i] * values[t->column[i]];
            q[cell] = v[cell] + flow->discount * sum;
        }
    }
}

void asif_demonstrated(const asif_tree *tree, const double *count, double *policy, bool *visited) {
    const asif_tree_view *view = asif_tree_inside(tree);
    const double *counts = count ? count : view->count;
    uint32_t states = view->observations, actions = view->actions;
    for (uint64_t i = 0; i < (uint64_t)states * actions; i++)
        policy[i] = 1.0 / actions;
    for (uint32_t s = 0; visited && s < states; s++)
        visited[s] = false;
    for (uint32_t n = 0; n < view->nodes; n++) {
        const double *c = counts + (uint64_t)n * actions;
        uint32_t s = view->observation[n];
        double total = 0;
        for (uint32_t u = 0; u < actions; u++)
            total += c[u];
        if (!(total > 0))
            continue;
        for (uint32_t u = 0; u < actions; u++)
            policy[(uint64_t)s * actions + u] = c[u] / total;
        if (visited)
            visited[s] = true;
    }
}
