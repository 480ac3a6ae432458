#include "engine/occupancy.h"

#include "engine/lookahead.h"

#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"

#include <math.h>
#include <string.h>

#define LINEAR_TOLERANCE 1e-14
#define LINEAR_ENOUGH 1e-10

static double xlogx(double p, double q) {
    return p > 0 ? p * log(p / q) : 0;
}

/* ---- occupancy ---- */

/* The weights of the nodes at the start, rho0. */
static void start_weights(const asif_operator *op, const double *start, double *out) {
    const asif_successors *s = op->successors;
    const asif_setting_spec *spec = &s->setting->spec;
    memset(out, 0, s->stride * sizeof *out);
    if (!s->beliefs) {
        if (start)
            out[(uint64_t)start[0]] = 1;
        else
            memcpy(out, op->start, spec->states * sizeof *out);
        return;
    }
    uint32_t node[ASIF_MOST_BELIEF_STATES];
    double weight[ASIF_MOST_BELIEF_STATES];
    uint32_t H = s->links.hidden;
    if (spec->seen < 2 || start) {
        bool led = start && asif_has_place(spec);
        const double *belief = start ? start + led : op->start;
        uint32_t found = asif_successors_locate(s, led ? (uint32_t)start[0] : 0, belief, node, weight);
        for (uint32_t k = 0; k < found; k++)
            out[node[k]] += weight[k];
        return;
    }
    for (uint32_t y = 0; y < s->links.seen; y++) {
        double belief[ASIF_MOST_BELIEF_STATES],
            total = asif_lookahead_given(op->start + (uint64_t)y * H, H, belief);
        uint32_t found = asif_successors_locate(s, y, belief, node, weight);
        for (uint32_t k = 0; k < found && total > 0; k++)
            out[node[k]] += total * weight[k];
    }
}

/* Adds the utility and information costs of node i, from the shares pi sigma. */
static void add_costs(const asif_operator *op, uint64_t i, double mu, asif_costs *costs) {
    const asif_successors *s = op->successors;
    const asif_menu *menu = NULL;
    asif_operator_menu(op, i, 1, &menu);
    for (uint32_t n = 0; n < menu->actives; n++) {
        uint32_t u = menu->action[n];
        const asif_futures *f = &op->futures[u];
        const double *share = op->share + (uint64_t)u * op->most_futures * s->stride + i;
        double pi = 0;
        for (uint32_t j = 0; j < f->count; j++)
            pi += share[j * s->stride];
        costs->utility += mu * pi * op->utility[u * s->stride + i];
        costs->decision += mu * xlogx(pi, menu->prior[n]);
        for (uint32_t j = 0; j < f->count; j++) {
            const asif_branch *b = &s->branch[f->branch[j]];
            const double *reward = op->reward[(uint64_t)u * s->branches + f->branch[j]];
            double both = share[j * s->stride];
            uint64_t row = b->constant ? 0 : i;
            costs->specification += mu * xlogx(both, pi * f->weight[j]);
            costs->recognition -= mu * both * b->entropy[row];
            costs->utility += reward ? mu * both * reward[row] : 0;
        }
    }
}

asif_status asif_engine_occupancy(asif_fixed_point *solver, const double *start, double *mu,
                                  asif_costs *costs, asif_error *error) {
    asif_operator *op = &solver->op;
    const asif_successors *s = op->successors;
    if (op->discount == 1)
        return asif_fail(error, ASIF_EUNSUPPORTED, "there is no discounted occupancy with a discount of 1");
    if (start && s->reachable &&
        asif_reach_find(&s->reach, asif_has_place(&s->setting->spec) ? (uint32_t)start[0] : 0,
                        start + asif_has_place(&s->setting->spec)) == ASIF_ANY) {
        asif_fail(error, ASIF_EUNSUPPORTED, "there is no occupancy from a belief that cannot be reached");
        asif_error_hint(error, "take a lattice of beliefs instead: solver: {beliefs: lattice}");
        return ASIF_EUNSUPPORTED;
    }
    double *right = ASIF_ARRAY(op->context, s->stride, double),
           *x = ASIF_ARRAY(op->context, s->stride, double), reached = 0;
    asif_status status =
        right && x ? asif_operator_linearise(op, solver->values, op->a_act, error) : asif_fail_memory(error);
    asif_costs sum = {0};
    uint64_t products = 0;
    if (status == ASIF_OK) {
        start_weights(op, start, right);
        for (uint32_t i = 0; i < s->nodes; i++) {
            sum.value += right[i] * solver->values[i];
            right[i] *= 1 - op->discount;
        }
        status = asif_fixed_point_linear(solver, op->share, true, right, x, LINEAR_TOLERANCE, &reached,
                                         &products, error);
    }
    if (status == ASIF_OK && !(reached <= LINEAR_ENOUGH))
        status = asif_fail(error, ASIF_EDOMAIN,
                           "the occupancy could only be found to a relative residual of %.2g", reached);
    for (uint32_t i = 0; i < s->nodes && status == ASIF_OK; i++) {
        double m = x[i] > 0 ? x[i] : 0; /* rounding may leave a mass slightly below 0 */
        if (mu)
            mu[i] = m;
        add_costs(op, i, m, &sum);
    }
    if (costs && status == ASIF_OK)
        *costs = sum;
    asif_free(op->context, right);
    asif_free(op->context, x);
    return status;
}

/* ---- values of a fixed policy ---- */

/* The cost of information, whose multiplier is 1/inverse. Returns false if the cost is not finite: at an
 * infinite multiplier (inverse 0) unless there is no information. */
static bool price(double inverse, double information, double *cost) {
    *cost = 0;
    if (isinf(inverse) || information == 0)
        return isfinite(information);
    *cost = information / inverse;
    return isfinite(*cost);
}

/* Computes the shares and the immediate part of the value of node i: E[v + r + eta entropy] - alpha KL - beta
 * KL. Returns false where it is not finite. */
static bool immediate(const asif_operator *op, uint64_t i, const double *policy, const double *worlds,
                      double *share, double *right) {
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    double decision = 0, specification = 0, sum = 0, cost_a, cost_b;
    const asif_menu *menu = NULL;
    asif_operator_menu(op, i, 1, &menu);
    for (uint32_t u = 0; u < spec->actions; u++) {
        double pi = policy[i * spec->actions + u];
        if (!(pi > 0))
            continue;
        if (!(op->action_prior[u] > 0) || (menu->available && !menu->available[u]))
            return false;
        decision += xlogx(pi, op->action_prior[u] / menu->share);
        sum += pi * op->utility[u * s->stride + i];
        for (uint32_t m = 0; m < spec->worlds; m++) {
            double prior = op->world_weights[m];
            double sigma = worlds ? worlds[(i * spec->actions + u) * spec->worlds + m] : prior;
            if (!(sigma > 0))
                continue;
            uint32_t j = op->world_future[(uint64_t)u * spec->worlds + m];
            if (j == ASIF_ANY)
                return false;
            const asif_branch *b = &s->branch[op->futures[u].branch[j]];
            const double *reward = op->reward[(uint64_t)u * s->branches + op->futures[u].branch[j]];
            uint64_t row = b->constant ? 0 : i;
            share[((uint64_t)u * op->most_futures + j) * s->stride + i] += pi * sigma;
            specification += pi * xlogx(sigma, prior);
            sum += pi * sigma * (op->eta * b->entropy[row] + (reward ? reward[row] : 0));
        }
    }
    if (!price(op->a, fabs(decision) < 1e-15 ? 0 : decision, &cost_a) ||
        !price(op->b, fabs(specification) < 1e-15 ? 0 : specification, &cost_b))
        return false;
    right[i] = sum - cost_a - cost_b;
    return true;
}

asif_status asif_engine_policy_values(asif_fixed_point *solver, const double *policy, const double *worlds,
                                      double *values, asif_plan_info *info, asif_error *error) {
    asif_operator *op = &solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    double begun = asif_os_seconds(), reached = 0;
    asif_plan_info done = {.nodes = s->nodes, .scale = 1};
    double *right = ASIF_ARRAY(op->context, s->stride, double),
           *x = ASIF_ARRAY(op->context, s->stride, double);
    double *share = ASIF_ARRAY(op->context, (uint64_t)spec->actions * op->most_futures * s->stride, double);
    asif_status status = right && x && share ? ASIF_OK : asif_fail_memory(error);
    for (uint32_t i = 0; i < s->nodes && status == ASIF_OK; i++)
        if (!immediate(op, i, policy, worlds, share, right)) {
            status = asif_fail(error, ASIF_EDOMAIN,
                               "at node %u the policy or its world weights have infinite cost", i);
            asif_error_hint(
                error,
                "it must stay where its prior is positive, and at an infinite alpha or beta be its prior");
        }
    if (status == ASIF_OK) {
        memcpy(x, solver->values, s->nodes * sizeof *x);
        status = asif_fixed_point_linear(solver, share, false, right, x, LINEAR_TOLERANCE, &reached,
                                         &done.linear_products, error);
    }
    if (status == ASIF_OK) {
        double *image = solver->step;
        asif_operator_push(op, share, x, image);
        for (uint32_t i = 0; i < s->nodes; i++) {
            double size = fabs(x[i]), off = fabs(right[i] + op->discount * image[i] - x[i]);
            done.scale = size > done.scale ? size : done.scale;
            done.residual = off > done.residual || isnan(off) ? off : done.residual;
            values[i] = x[i];
        }
        done.bound = s->order ? done.residual * s->links.places : done.residual / (1 - op->discount);
        done.stop = done.residual <= LINEAR_ENOUGH * done.scale ? ASIF_STOP_CONVERGED : ASIF_STOP_STALLED;
        done.seconds = asif_os_seconds() - begun;
        if (info)
            *info = done;
    }
    asif_free(op->context, right);
    asif_free(op->context, x);
    asif_free(op->context, share);
    return status;
}
