/* Derivatives through lookahead and recognition at agent states. */
#include "engine/pullback.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/ce.h"

#include <float.h>
#include <math.h>
#include <string.h>

enum { B = ASIF_BLOCK };

/* ---- creation ---- */

asif_status asif_pullback_create(asif_pullback *pull, asif_fixed_point *solver, const asif_lookahead *look,
                                 asif_error *error) {
    const asif_operator *op = &solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    uint64_t S = spec->states, U = spec->actions, M = spec->worlds, X = spec->observations;
    uint64_t width = op->successors->beliefs ? op->successors->links.hidden : 1;
    *pull = (asif_pullback){.solver = solver, .look = look};
    const struct {
        double **array;
        uint64_t count;
    } gathered[] =
        {{&pull->values, op->successors->stride}, {&pull->utility, U * S},    {&pull->seen, U * X},
         {&pull->parameter, spec->parameters},    {&pull->weight, U * M},     {&pull->prior, U},
         {&pull->start, spec->starts * S},        {&pull->constant_k, U * M}, {&pull->constant_ce, U},
         {&pull->constant_sigma, U * M}},
      rows[] = {{&pull->z, width},
                {&pull->z_bar, width},
                {&pull->ahead, width},
                {&pull->ahead_bar, width},
                {&pull->post, M * width},
                {&pull->next, width},
                {&pull->p, M},
                {&pull->log_p, 1},
                {&pull->value, 1},
                {&pull->slope, 1},
                {&pull->part, 1},
                {&pull->total, 1},
                {&pull->ce, 1},
                {&pull->pi, U},
                {&pull->q_bar, U},
                {&pull->k, M},
                {&pull->k_bar, M},
                {&pull->sigma, M},
                {&pull->sigma_bar, M},
                {&pull->cells.weight, width},
                {&pull->cells.corner, width}};
    uint64_t room = 0;
    for (size_t i = 0; i < sizeof gathered / sizeof *gathered; i++)
        pull->numbers += gathered[i].count;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++)
        room += rows[i].count * B;
    pull->gathered = ASIF_ARRAY(op->context, pull->numbers, double);
    pull->room = ASIF_ARRAY(op->context, room, double);
    pull->interval = ASIF_ARRAY(op->context, B * width, uint32_t);
    pull->one = ASIF_ARRAY(op->context, U + M, double);
    if (!pull->gathered || !pull->room || !pull->interval || !pull->one)
        return asif_fail_memory(error);
    uint64_t used = 0;
    for (size_t i = 0; i < sizeof gathered / sizeof *gathered; i++) {
        *gathered[i].array = pull->gathered + used;
        used += gathered[i].count;
    }
    used = 0;
    for (size_t i = 0; i < sizeof rows / sizeof *rows; i++) {
        *rows[i].array = pull->room + used;
        used += rows[i].count * B;
    }
    pull->cells.node = pull->interval;
    pull->cells.value = pull->value;
    pull->cells.depth = pull->slope;
    return ASIF_OK;
}

void asif_pullback_free(asif_pullback *pull) {
    if (!pull->solver)
        return;
    const asif_context *context = pull->solver->op.context;
    asif_free(context, pull->gathered);
    asif_free(context, pull->room);
    asif_free(context, pull->interval);
    asif_free(context, pull->one);
    asif_free(context, pull->transition);
    asif_free(context, pull->emission);
    *pull = (asif_pullback){0};
}

/* Clears the bars of the dynamics, and makes room for them when they are first wanted. */
static asif_status begin_dynamics(asif_pullback *pull, asif_error *error) {
    const asif_operator *op = &pull->solver->op;
    uint64_t S = op->setting->spec.states, branches = op->successors->branches;
    uint64_t moves = branches * S * S, shows = branches * S * op->setting->spec.observations;
    if (!op->successors->beliefs || op->successors->reachable || asif_has_place(&op->setting->spec) ||
        asif_setting_stops(&op->setting->spec))
        return asif_fail(error, ASIF_EUNSUPPORTED,
                         "derivatives in the dynamics need an agent that does not see the state, nor a part "
                         "of it, and episodes without end");
    if (!pull->transition)
        pull->transition = ASIF_ARRAY(op->context, moves, double);
    if (!pull->emission)
        pull->emission = ASIF_ARRAY(op->context, shows, double);
    if (!pull->transition || !pull->emission)
        return asif_fail_memory(error);
    memset(pull->transition, 0, moves * sizeof *pull->transition);
    memset(pull->emission, 0, shows * sizeof *pull->emission);
    return ASIF_OK;
}

asif_status asif_pullback_begin(asif_pullback *pull, bool dynamics, asif_error *error) {
    if (isinf(pull->solver->op.a_act)) {
        asif_fail(error, ASIF_EDOMAIN, "an agent that always takes the best action has no derivatives");
        asif_error_hint(error, "give alpha, or act_alpha, a value other than 0");
        return ASIF_EDOMAIN;
    }
    pull->a = pull->a_act = pull->b = pull->eta = pull->discount = 0;
    memset(pull->gathered, 0, pull->numbers * sizeof *pull->gathered);
    pull->dynamics = dynamics;
    return dynamics ? begin_dynamics(pull, error) : ASIF_OK;
}

/* ---- the worlds of an action ---- */

static double sum_of(const double *x, uint32_t n) {
    double sum = 0;
    for (uint32_t i = 0; i < n; i++)
        sum += x[i];
    return sum;
}

void asif_pullback_futures(asif_pullback *pull, uint32_t action, const double *q_bar, uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    const asif_futures *f = &op->futures[action];
    double b = isinf(op->b) ? 0 : op->b; /* at a limit of optimism sigma does not depend on K */
    double *mean = pull->total;
    memset(mean, 0, n * sizeof *mean);
    for (uint32_t j = 0; j < f->count; j++)
        op->context->simd->add_product(mean, 1, pull->sigma + (uint64_t)j * B,
                                       pull->sigma_bar + (uint64_t)j * B, n);
    for (uint32_t j = 0; j < f->count; j++) {
        const double *sigma = pull->sigma + (uint64_t)j * B, *bar = pull->sigma_bar + (uint64_t)j * B;
        double *k_bar = pull->k_bar + (uint64_t)j * B;
        for (uint32_t i = 0; i < n; i++)
            k_bar[i] = sigma[i] * (q_bar[i] + b * (bar[i] - mean[i]));
    }
}

void asif_pullback_worlds(asif_pullback *pull, uint32_t action, const double *q_bar, uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    const asif_futures *f = &op->futures[action];
    double *weight = pull->weight + (uint64_t)action * op->setting->spec.worlds;
    double *mean = pull->total, *dw = pull->one;
    if (f->count == 1)
        return;
    op->context->simd->certainty(pull->ce, op->b, pull->k, B, f->weight, f->count, NULL, n);
    for (uint32_t i = 0; i < n; i++) {
        double slope =
            asif_ce_slope(op->b, pull->ce[i], pull->k + i, B, f->weight, pull->sigma + i, f->count, dw);
        pull->b += q_bar[i] * slope;
        for (uint32_t j = 0; j < f->count; j++)
            weight[j] += q_bar[i] * dw[j];
    }
    if (isinf(op->b))
        return;
    memset(mean, 0, n * sizeof *mean);
    for (uint32_t j = 0; j < f->count; j++)
        op->context->simd->add_product(mean, 1, pull->sigma + (uint64_t)j * B,
                                       pull->sigma_bar + (uint64_t)j * B, n);
    for (uint32_t j = 0; j < f->count; j++)
        for (uint32_t i = 0; i < n; i++) {
            uint64_t at = (uint64_t)j * B + i;
            double moved = (pull->sigma_bar[at] - mean[i]) * pull->sigma[at];
            pull->b += moved * (pull->k[at] - pull->ce[i]);
            weight[j] += moved / f->weight[j];
        }
}

/* ---- K ---- */

/* Computes the probability p of an observation or class with these emissions, and log(scale p); where the
 * scale is 0 the logarithm is not needed and set to 0. */
static void log_probability(asif_pullback *pull, const double *emission, double scale, uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    op->context->simd->weighted(pull->p, pull->ahead, B, emission, pull->look->links->hidden, n);
    if (scale == 0) {
        memset(pull->log_p, 0, n * sizeof *pull->log_p);
        return;
    }
    for (uint32_t i = 0; i < n; i++)
        pull->log_p[i] = pull->p[i] > 0 ? scale * pull->p[i] : 1;
    op->context->simd->log(pull->log_p, pull->log_p, n);
}

/* The bars of an observation's emissions, where p V(z') = sum_t emission[t] ahead[t] corner[t] within a cell
 * and `direct` is the derivative of the rest in p. */
static void pull_emission(asif_pullback *pull, const double *emission, const double *k_bar,
                          const double *direct, uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    double *out = pull->emission + (emission - pull->look->links->emission);
    for (uint64_t t = 0; t < pull->look->links->hidden; t++) {
        const double *corner = pull->cells.corner + t * B, *ahead = pull->ahead + t * B;
        double sum = 0;
        for (uint32_t i = 0; i < n; i++)
            sum += k_bar[i] * ahead[i] * (op->discount * corner[i] + direct[i]);
        out[t] += sum;
    }
}

/* The first node of the place to which the link in hand leads, and the discount of what follows there. */
static uint64_t first_node(const asif_pullback *pull) {
    return (uint64_t)pull->look->links->to[pull->link] * pull->solver->op.successors->lattice.nodes;
}

static double link_discount(const asif_pullback *pull) {
    return pull->look->links->last[pull->link] ? 0 : pull->solver->op.discount;
}

/* pull_observation() for two states: V(z) = corner_0 z_0 + corner_1 z_1 within an interval. */
static void pull_two_states(asif_pullback *pull, uint32_t action, uint32_t x, const double *emission,
                            double eta, const double *k_bar, uint32_t n, double *k) {
    uint64_t first = first_node(pull);
    double discount = link_discount(pull);
    const asif_operator *op = &pull->solver->op;
    const asif_simd *simd = op->context->simd;
    double reward = op->seen_utility[(uint64_t)action * op->setting->spec.observations + x];
    double *moved = pull->total, *corners = pull->cells.corner, seen_bar = 0;
    const asif_lattice *lattice = &op->successors->lattice;
    double length = lattice->point ? 1 : lattice->resolution; /* of the axis */
    simd->locate(pull->value, pull->slope, pull->part, moved, pull->interval, pull->solver->values + first,
                 lattice->resolution, lattice->point, emission, pull->ahead, B, pull->p, n);
    for (uint32_t i = 0; i < n; i++) {
        double bar = pull->p[i] > 0 ? k_bar[i] : 0;
        double direct = reward - eta * (pull->log_p[i] + 1);
        double corner = pull->value[i] - moved[i] * pull->slope[i];
        pull->ahead_bar[i] += bar * emission[0] * (discount * corner + direct);
        corners[i] = corner;
        corner += length * pull->slope[i];
        pull->ahead_bar[B + i] += bar * emission[1] * (discount * corner + direct);
        corners[B + i] = corner;
        pull->ce[i] = direct;
        k[i] += pull->p[i] * (discount * pull->value[i] + reward - eta * pull->log_p[i]);
        moved[i] = bar * pull->p[i];
    }
    if (pull->dynamics)
        pull_emission(pull, emission, k_bar, pull->ce, n);
    for (uint32_t i = 0; i < n; i++) {
        double step = discount * moved[i];
        pull->values[first + pull->interval[i]] += step * (1 - pull->part[i]);
        pull->values[first + pull->interval[i] + 1] += step * pull->part[i];
        seen_bar += moved[i];
    }
    if (pull->look->links->last[pull->link]) { /* neither surprise nor future */
        pull->seen[(uint64_t)action * op->setting->spec.observations + x] += seen_bar;
        return;
    }
    pull->eta -= simd->dot(moved, pull->log_p, n);
    pull->discount += simd->dot(moved, pull->value, n);
    pull->seen[(uint64_t)action * op->setting->spec.observations + x] += seen_bar;
}

/* On a face between cells V has the slope of one of them. */
static void settle_faces(const asif_pullback *pull, const double *values, const double *emission,
                         uint32_t n) {
    const asif_lattice *lattice = &pull->solver->op.successors->lattice;
    uint64_t S = lattice->states;
    for (uint32_t i = 0; i < n; i++) {
        double after[ASIF_MOST_BELIEF_STATES], corner[ASIF_MOST_BELIEF_STATES];
        if (!(pull->p[i] > 0) || pull->cells.depth[i] >= ASIF_ON_FACE)
            continue;
        for (uint64_t t = 0; t < S; t++)
            after[t] = emission[t] * pull->ahead[t * B + i] / pull->p[i];
        asif_lattice_corners(lattice, after, values, corner);
        for (uint64_t t = 0; t < S; t++)
            pull->cells.corner[t * B + i] = corner[t];
    }
}

/* The cells around the beliefs that follow an observation. With one hidden value there is one node, and the
 * values are constant. */
static void locate_cells(asif_pullback *pull, const double *emission, uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    const double *values = pull->solver->values + first_node(pull);
    if (pull->look->links->hidden > 1) {
        op->context->simd->locate_simplex(&pull->cells, values, pull->look->links->hidden,
                                          op->successors->lattice.resolution, emission, pull->ahead, B,
                                          pull->p, n);
        settle_faces(pull, values, emission, n);
        return;
    }
    for (uint32_t i = 0; i < n; i++) {
        pull->cells.node[i] = 0;
        pull->cells.weight[i] = 1;
        pull->cells.value[i] = pull->cells.corner[i] = values[0];
    }
}

/* Derivatives through the part of K at beliefs that belongs to one observation x: adds that part to k, and
 * from k_bar to the bars of all that it depends on. The surprise of x is left to pull_pool() unless x is a
 * class of its own (`alone`). */
static void pull_observation(asif_pullback *pull, uint32_t action, uint32_t x, const double *emission,
                             bool alone, const double *k_bar, uint32_t n, double *k) {
    const asif_operator *op = &pull->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_simd *simd = op->context->simd;
    uint32_t S = pull->look->links->hidden;
    uint64_t first = first_node(pull);
    bool last = pull->look->links->last[pull->link];
    double discount = link_discount(pull);
    alone = alone && !last;
    double eta = alone ? op->eta : 0, seen_bar = 0, *bar = pull->total, *direct = pull->part;
    double reward = op->seen_utility[(uint64_t)action * spec->observations + x];
    const double *corner = pull->cells.corner;
    log_probability(pull, emission, !alone ? 0 : spec->belief_prior ? 1 / spec->belief_prior[x] : 1, n);
    if (S == 2) {
        pull_two_states(pull, action, x, emission, eta, k_bar, n, k);
        return;
    }
    locate_cells(pull, emission, n);
    for (uint32_t i = 0; i < n; i++) {
        bar[i] = pull->p[i] > 0 ? k_bar[i] : 0;
        direct[i] = reward - eta * (pull->log_p[i] + 1);
        k[i] += pull->p[i] * (discount * pull->value[i] + reward - eta * pull->log_p[i]);
    }
    for (uint32_t t = 0; t < S; t++)
        for (uint32_t i = 0; i < n; i++)
            pull->ahead_bar[(uint64_t)t * B + i] +=
                bar[i] * emission[t] * (discount * corner[(uint64_t)t * B + i] + direct[i]);
    if (pull->dynamics)
        pull_emission(pull, emission, bar, direct, n);
    for (uint32_t i = 0; i < n; i++)
        seen_bar += bar[i] *= pull->p[i];
    for (uint64_t t = 0; t < S; t++)
        for (uint32_t i = 0; i < n; i++)
            pull->values[first + pull->cells.node[t * B + i]] +=
                discount * bar[i] * pull->cells.weight[t * B + i];
    if (!last) {
        pull->eta -= simd->dot(bar, pull->log_p, n);
        pull->discount += simd->dot(bar, pull->value, n);
    }
    pull->seen[(uint64_t)action * spec->observations + x] += seen_bar;
}

/* Derivatives through the surprise of a class of several observations, whose emissions are the sum
 * of theirs. */
static void pull_pool(asif_pullback *pull, uint32_t branch, uint32_t pool, const double *k_bar, uint32_t n,
                      double *k) {
    const asif_operator *op = &pull->solver->op;
    uint32_t S = pull->look->links->hidden;
    const double *emission = pull->look->pool_emission + (uint64_t)pool * S;
    log_probability(pull, emission, pull->look->pool_scale[pool], n);
    for (uint32_t i = 0; i < n; i++) {
        double p_log_p = pull->p[i] * pull->log_p[i];
        pull->part[i] = pull->p[i] > 0 ? -op->eta * k_bar[i] * (pull->log_p[i] + 1) : 0;
        pull->eta -= k_bar[i] * p_log_p;
        k[i] -= op->eta * p_log_p;
    }
    for (uint32_t t = 0; t < S; t++)
        op->context->simd->axpy(pull->ahead_bar + (uint64_t)t * B, emission[t], pull->part, n);
    if (!pull->dynamics)
        return;
    uint64_t X = op->setting->spec.observations;
    const uint32_t *first = op->successors->classes.first + op->successors->branch[branch].action * X;
    for (uint32_t t = 0; t < S; t++) {
        double sum = op->context->simd->dot(pull->part, pull->ahead + (uint64_t)t * B, n);
        for (uint64_t x = 0; x < X; x++)
            if (first[x] == pull->look->pool_first[pool])
                pull->emission[(branch * X + x) * S + t] += sum;
    }
}

/* predict() computes P(s'|z,u) in a branch, into pull->ahead; pull_predict() is its derivative, from
 * ahead_bar to z_bar and to the transitions. */
static void predict(asif_pullback *pull, const double *to, uint32_t n) {
    uint32_t S = pull->look->links->hidden;
    for (uint32_t t = 0; t < S; t++)
        pull->solver->op.context->simd->weighted(pull->ahead + (uint64_t)t * B, pull->z, B,
                                                 to + (uint64_t)t * S, S, n);
}

static void pull_predict(asif_pullback *pull, const double *to, uint32_t n) {
    uint32_t S = pull->look->links->hidden;
    for (uint32_t s = 0; s < S; s++)
        for (uint32_t t = 0; t < S; t++)
            if (to[(uint64_t)t * S + s] != 0)
                pull->solver->op.context->simd->axpy(pull->z_bar + (uint64_t)s * B, to[(uint64_t)t * S + s],
                                                     pull->ahead_bar + (uint64_t)t * B, n);
    if (!pull->dynamics)
        return;
    double *out = pull->transition + (to - pull->look->links->transition);
    for (uint64_t t = 0; t < S; t++)
        for (uint64_t s = 0; s < S; s++)
            out[t * S + s] +=
                pull->solver->op.context->simd->dot(pull->ahead_bar + t * B, pull->z + s * B, n);
}

static void clear_rows(double *rows, uint64_t count, uint32_t n) {
    for (uint64_t r = 0; r < count; r++)
        memset(rows + r * B, 0, n * sizeof *rows);
}

/* asif_pullback_belief_k() where beliefs are nodes, with their rows in the branch. Their derivatives in the
 * belief are not needed: the start is given, and the beliefs follow from it. */
static void pull_node_k(asif_pullback *pull, uint32_t action, uint32_t branch, const double *k_bar,
                        uint32_t n, double *k) {
    const asif_operator *op = &pull->solver->op;
    const asif_successors *s = op->successors;
    const asif_branch *b = &s->branch[branch];
    const double *reward = op->reward[(uint64_t)action * s->branches + branch];
    double *seen = pull->seen + (uint64_t)action * op->setting->spec.observations;
    uint32_t link, end;
    for (uint32_t i = 0; i < n; i++) {
        uint64_t row = pull->node[i];
        k[i] = asif_lookahead_node_k(op, action, branch, row, pull->solver->values);
        asif_sparse_scatter_row(&b->weights, row, op->discount * k_bar[i], pull->values);
        pull->eta += k_bar[i] * b->entropy[row];
        if (op->discount > 0)
            pull->discount +=
                k_bar[i] * (k[i] - op->eta * b->entropy[row] - (reward ? reward[row] : 0)) / op->discount;
        uint64_t within = row - asif_successors_first(s, pull->place);
        asif_links_from(&s->links, branch, pull->place, &link, &end);
        for (; b->probability && link < end; link++)
            for (uint32_t x = 0; x < s->links.shown; x++)
                seen[asif_links_lead(&s->links, link) + x] +=
                    k_bar[i] * asif_branch_probability(s, branch, pull->place, link, x)[within];
    }
}

void asif_pullback_belief_k(asif_pullback *pull, uint32_t action, uint32_t branch, const double *k_bar,
                            uint32_t n, double *k) {
    const asif_links *links = pull->look->links;
    uint32_t S = links->hidden, X = links->shown, link, end;
    if (pull->solver->op.successors->reachable) {
        pull_node_k(pull, action, branch, k_bar, n, k);
        return;
    }
    memset(k, 0, n * sizeof *k);
    for (asif_links_from(links, branch, pull->place, &link, &end); link < end; link++) {
        pull->link = link;
        const double *to = asif_lookahead_to(pull->look, link), *seen = asif_lookahead_seen(pull->look, link);
        predict(pull, to, n);
        clear_rows(pull->ahead_bar, S, n);
        for (uint32_t x = 0; x < X; x++)
            if (pull->look->shows[(uint64_t)link * X + x])
                pull_observation(pull, action, asif_links_lead(links, link) + x, seen + (uint64_t)x * S,
                                 pull->look->alone[(uint64_t)link * X + x], k_bar, n, k);
        for (uint32_t i = pull->look->pool_at[link]; !links->last[link] && i < pull->look->pool_at[link + 1];
             i++)
            pull_pool(pull, branch, i, k_bar, n, k);
        pull_predict(pull, to, n);
    }
}

/* Derivatives through K where the agent sees the world state: every state is a node, with its row in
 * the branch. */
static void pull_state_k(asif_pullback *pull, uint32_t branch_index, const double *k_bar, const double *k,
                         uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    const asif_branch *branch = &op->successors->branch[branch_index];
    for (uint32_t i = 0; i < n; i++) {
        uint64_t row = (uint64_t)pull->z[i];
        double value = (k[i] - op->eta * branch->entropy[row]) / (op->discount > 0 ? op->discount : 1);
        asif_sparse_scatter_row(&branch->weights, row, op->discount * k_bar[i], pull->values);
        pull->eta += k_bar[i] * branch->entropy[row];
        pull->discount += op->discount > 0 ? k_bar[i] * value : 0;
    }
}

/* ---- the policy ---- */

/* A belief term has a derivative in its parameter and, on a ramp, in the probability that it measures. */
static void pull_belief_term(asif_pullback *pull, const asif_utility_term *t, const double *q_bar,
                             uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    bool beliefs = op->successors->beliefs;
    uint32_t S = beliefs ? pull->look->links->hidden : 1;
    /* a state with another seen value has probability 0, whatever the belief */
    bool elsewhere = beliefs && t->index != ASIF_ANY && t->index / S != pull->place % pull->look->links->seen;
    double amount = t->coefficient * (t->parameter == ASIF_ANY ? 1 : op->parameter[t->parameter]);
    for (uint32_t i = 0; i < n; i++) {
        uint32_t state = t->index == ASIF_ANY ? 0 : t->index % S;
        double measure = !elsewhere && (t->index == ASIF_ANY || t->index == (uint32_t)pull->z[i]);
        if (beliefs && !elsewhere) {
            for (uint32_t s = 1; t->index == ASIF_ANY && s < S; s++)
                state = pull->z[(uint64_t)s * B + i] > pull->z[(uint64_t)state * B + i] ? s : state;
            measure = pull->z[(uint64_t)state * B + i];
            pull->z_bar[(uint64_t)state * B + i] += asif_term_slope(t, measure) * amount * q_bar[i];
        }
        if (t->parameter != ASIF_ANY)
            pull->parameter[t->parameter] += asif_term_share(t, measure) * t->coefficient * q_bar[i];
    }
}

static void pull_utility(asif_pullback *pull, uint32_t action, const double *q_bar, uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    uint32_t S = op->successors->links.hidden;
    bool beliefs = op->successors->beliefs;
    uint64_t first = (uint64_t)action * spec->states +
                     (beliefs ? (uint64_t)(pull->place % op->successors->links.seen) * S : 0);
    double *bar = pull->utility + first;
    for (uint32_t i = 0; !beliefs && i < n; i++)
        bar[(uint64_t)pull->z[i]] += q_bar[i];
    for (uint32_t s = 0; beliefs && s < S; s++) {
        bar[s] += op->context->simd->dot(q_bar, pull->z + (uint64_t)s * B, n);
        op->context->simd->axpy(pull->z_bar + (uint64_t)s * B, op->state_utility[first + s], q_bar, n);
    }
    for (uint64_t j = 0; op->belief_terms && j < spec->terms; j++)
        if (spec->term[j].by == ASIF_BY_BELIEF &&
            (spec->term[j].action == ASIF_ANY || spec->term[j].action == action))
            pull_belief_term(pull, &spec->term[j], q_bar, n);
}

/* Computes K of all futures and the weights of the worlds where the agent sees the world state, and so has
 * no memo. */
static void state_futures(asif_pullback *pull, uint32_t action, uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    const asif_futures *f = &op->futures[action];
    for (uint32_t j = 0; j < f->count; j++)
        for (uint32_t i = 0; i < n; i++) {
            double row[ASIF_SLICE];
            uint64_t node = (uint64_t)pull->z[i], first = node / ASIF_SLICE * ASIF_SLICE;
            asif_operator_future(op, action, j, pull->solver->values, first, (uint32_t)(node - first + 1),
                                 row);
            pull->k[(uint64_t)j * B + i] = row[node - first];
        }
    op->context->simd->tilt(pull->sigma, op->b, pull->k, B, f->weight, f->count, n);
    clear_rows(pull->sigma_bar, f->count, n);
}

static void pull_action(asif_pullback *pull, uint32_t action, const uint64_t *row, uint32_t n,
                        const double *memo, const double *memo_bar) {
    const asif_operator *op = &pull->solver->op;
    const asif_lookahead *look = pull->look;
    const asif_futures *f = &op->futures[action];
    const double *q_bar = pull->q_bar + (uint64_t)action * B;
    pull_utility(pull, action, q_bar, n);
    if (f->constant) {
        pull->constant_ce[action] += sum_of(q_bar, n);
        return;
    }
    if (!op->successors->beliefs)
        state_futures(pull, action, n);
    for (uint32_t j = 0; op->successors->beliefs && j < f->count; j++)
        for (uint32_t i = 0; i < n; i++) {
            uint64_t at = row[i] * look->memo_width + look->memo_at[action] + j;
            pull->sigma[(uint64_t)j * B + i] = memo[at];
            pull->sigma_bar[(uint64_t)j * B + i] = memo_bar[at];
        }
    asif_pullback_futures(pull, action, q_bar, n);
    for (uint32_t j = 0; j < f->count; j++) {
        const double *k_bar = pull->k_bar + (uint64_t)j * B;
        double *k = pull->k + (uint64_t)j * B;
        uint64_t of = (uint64_t)action * op->setting->spec.worlds + j;
        if (op->successors->branch[f->branch[j]].constant) {
            pull->constant_k[of] += sum_of(k_bar, n);
            for (uint32_t i = 0; i < n; i++)
                k[i] = look->constant_k[of];
        } else if (op->successors->beliefs) {
            asif_pullback_belief_k(pull, action, f->branch[j], k_bar, n, k);
        } else {
            pull_state_k(pull, f->branch[j], k_bar, k, n);
        }
    }
    asif_pullback_worlds(pull, action, q_bar, n);
}

/* From the bars of log pi to those of Q, pi0 and a_act, where log pi(u) = log pi0(u) + a_act Q(u) -
 * log sum. */
static void pull_choice(asif_pullback *pull, const uint64_t *row, uint32_t n, const double *log_policy,
                        const double *policy_bar) {
    const asif_operator *op = &pull->solver->op;
    uint64_t U = op->setting->spec.actions;
    double *total = pull->total;
    memset(total, 0, n * sizeof *total);
    for (uint64_t u = 0; u < U; u++)
        for (uint32_t i = 0; i < n; i++)
            total[i] += policy_bar[row[i] * U + u];
    const asif_menu *menu = asif_menus_at(&op->menus, pull->place);
    for (uint32_t j = 0; j < menu->actives; j++) {
        uint64_t u = menu->action[j];
        double *pi = pull->pi + u * B, *bar = pull->q_bar + u * B, moved = 0, tilted = 0;
        for (uint32_t i = 0; i < n; i++)
            pi[i] = log_policy[row[i] * U + u];
        op->context->simd->exp(pi, pi, n);
        for (uint32_t i = 0; i < n; i++) {
            uint64_t at = row[i] * U + u;
            double d = policy_bar[at] - total[i] * pi[i];
            moved += d;
            tilted += d * (log_policy[at] - menu->log_prior[j]);
            bar[i] = op->a_act * d;
        }
        /* the derivatives in the logarithms of the prior sum to 0, so that its sum does not matter */
        pull->prior[menu->row[j]] += moved / op->prior[menu->row[j]];
        pull->a_act += op->a_act != 0 ? tilted / op->a_act : 0;
    }
}

/* Width of an agent state, and of the place at its beginning. */
static uint64_t place_width(const asif_pullback *pull) {
    return asif_has_place(&pull->solver->op.setting->spec);
}

static uint64_t state_width(const asif_pullback *pull) {
    const asif_successors *s = pull->solver->op.successors;
    return s->beliefs ? place_width(pull) + s->links.hidden : 1;
}

/* Copies the agents of `row`, which have the same seen value, into the scratch rows. */
static void load_states(asif_pullback *pull, const uint64_t *row, uint32_t n, const double *state) {
    uint64_t width = state_width(pull), lead = place_width(pull);
    pull->place = lead ? (uint32_t)state[row[0] * width] : 0;
    for (uint64_t s = lead; s < width; s++)
        for (uint32_t i = 0; i < n; i++)
            pull->z[(s - lead) * B + i] = state[row[i] * width + s];
    for (uint32_t i = 0; pull->solver->op.successors->reachable && i < n; i++)
        pull->node[i] = asif_lookahead_node(pull->look, state + row[i] * width);
    clear_rows(pull->z_bar, width - lead, n);
}

static void add_state_bars(const asif_pullback *pull, const uint64_t *row, uint32_t n, double *state_bar) {
    uint64_t width = state_width(pull), lead = place_width(pull);
    for (uint64_t s = lead; s < width; s++)
        for (uint32_t i = 0; i < n; i++)
            state_bar[row[i] * width + s] += pull->z_bar[(s - lead) * B + i];
}

void asif_pullback_log_policy(asif_pullback *pull, uint64_t n, const double *state, const double *log_policy,
                              const double *memo, const double *policy_bar, const double *memo_bar,
                              double *state_bar) {
    const asif_operator *op = &pull->solver->op;
    for (uint64_t first = 0; first < n; first += B) {
        uint32_t left = n - first < B ? (uint32_t)(n - first) : B;
        uint64_t block[B];
        for (uint32_t i = 0; i < left; i++)
            block[i] = first + i;
        for (uint32_t done = 0, here; done < left; done += here) {
            const uint64_t *row = block + done;
            here = asif_lookahead_same_place(pull->look, state, block + done, NULL, left - done);
            load_states(pull, row, here, state);
            pull_choice(pull, row, here, log_policy, policy_bar);
            const asif_menu *menu = asif_menus_at(&op->menus, pull->place);
            for (uint32_t j = 0; j < menu->actives; j++)
                pull_action(pull, menu->action[j], row, here, memo, memo_bar);
            add_state_bars(pull, row, here, state_bar);
        }
    }
}

/* ---- recognition ---- */

typedef struct {
    asif_pullback *pull;
    uint64_t first;
    const uint32_t *from, *action, *observation;
    const double *state, *memo, *next, *next_bar;
    double *state_bar, *memo_bar;
    uint32_t kind; /* the action of the agents in hand */
    double *bar;   /* [hidden] rows: next_bar of these agents */
} stepping;

/* The link of future j for the agents in hand, which saw x; ASIF_ANY: x cannot follow there. */
static uint32_t future_link(const asif_pullback *pull, uint32_t action, uint32_t j, uint32_t x) {
    return asif_lookahead_link(pull->look, pull->solver->op.futures[action].branch[j], pull->place, x);
}

/* Recomputes the update for future j: the probability of the observation and the posterior. */
static void bayes(asif_pullback *pull, uint32_t j, const double *to, const double *emission, uint32_t n) {
    const asif_operator *op = &pull->solver->op;
    uint32_t S = pull->look->links->hidden;
    double *p = pull->p + (uint64_t)j * B, *post = pull->post + (uint64_t)j * S * B;
    predict(pull, to, n);
    if (!emission) {
        for (uint32_t t = 0; t < S; t++)
            memcpy(post + (uint64_t)t * B, pull->ahead + (uint64_t)t * B, n * sizeof *post);
        for (uint32_t i = 0; i < n; i++)
            p[i] = 1;
        return;
    }
    op->context->simd->weighted(p, pull->ahead, B, emission, S, n);
    for (uint32_t t = 0; t < S; t++) {
        double *row = pull->ahead + (uint64_t)t * B;
        for (uint32_t i = 0; i < n; i++)
            row[i] *= emission[t];
        op->context->simd->ratio(post + (uint64_t)t * B, row, p, n);
    }
}

/* The bars of the emissions of what was seen, on a link; weight and along as in pull_future(). */
static void pull_seen(const stepping *s, uint32_t link, const double *emission, uint32_t n) {
    asif_pullback *pull = s->pull;
    const double *weight = pull->part, *along = pull->value;
    double *out = pull->emission + (emission - pull->look->links->emission);
    predict(pull, asif_lookahead_to(pull->look, link), n);
    for (uint64_t t = 0; t < pull->look->links->hidden; t++) {
        const double *bar = s->bar + t * B, *ahead = pull->ahead + t * B;
        double sum = 0;
        for (uint32_t i = 0; i < n; i++)
            sum += weight[i] * ahead[i] * (bar[i] - along[i]);
        out[t] += sum;
    }
}

/* Derivatives through one future of a step: from next_bar, in s->bar, to the future's weight and to the state
 * that was left. pull->slope has sum_t next_bar[t] next[t]. */
static void pull_future(const stepping *s, uint32_t j, uint32_t link, const uint64_t *row,
                        const double *emission, uint32_t n) {
    asif_pullback *pull = s->pull;
    const asif_lookahead *look = pull->look;
    const asif_operator *op = &pull->solver->op;
    uint32_t S = look->links->hidden, u = s->kind;
    const asif_futures *f = &op->futures[u];
    const double *sigma = pull->sigma + (uint64_t)j * B, *p = pull->p + (uint64_t)j * B,
                 *post = pull->post + (uint64_t)j * S * B;
    double *along = pull->value, *gone = pull->slope, *weight = pull->part;
    memset(along, 0, n * sizeof *along);
    for (uint32_t t = 0; t < S; t++)
        op->context->simd->add_product(along, 1, s->bar + (uint64_t)t * B, post + (uint64_t)t * B, n);
    for (uint32_t i = 0; i < n; i++) {
        bool counts = p[i] > 0 && pull->total[i] > DBL_MIN;
        double sigma_bar = counts ? (along[i] - gone[i]) / pull->total[i] : 0;
        weight[i] = counts ? sigma[i] / (pull->total[i] * p[i]) : 0;
        if (f->constant)
            pull->constant_sigma[(uint64_t)u * op->setting->spec.worlds + j] += sigma_bar;
        else
            s->memo_bar[row[i] * look->memo_width + look->memo_at[u] + j] += sigma_bar;
        /* Bayes' rule divides by p, so a change common to all states has no effect; without an observation
         * nothing is divided. */
        along[i] = emission ? along[i] : 0;
    }
    if (pull->dynamics && emission)
        pull_seen(s, link, emission, n);
    for (uint32_t t = 0; t < S; t++) {
        const double *bar = s->bar + (uint64_t)t * B;
        double *out = pull->ahead_bar + (uint64_t)t * B, shown = emission ? emission[t] : 1;
        for (uint32_t i = 0; i < n; i++)
            out[i] = weight[i] * shown * (bar[i] - along[i]);
    }
    pull_predict(pull, asif_lookahead_to(look, link), n);
}

/* Derivatives through z' = sum_j sigma_j post_j / total over the futures in which x is possible, total =
 * sum_j sigma_j, for agents with the same action, observation and seen value. Where total has vanished (a
 * limit of optimism), z' counts as constant. */
static void pull_group(stepping *s, const uint32_t *who, uint32_t n) {
    asif_pullback *pull = s->pull;
    const asif_lookahead *look = pull->look;
    const asif_operator *op = &pull->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    uint32_t S = look->links->hidden, u = s->action[who[0]], x = s->observation[who[0]];
    uint64_t lead = place_width(pull), width = state_width(pull), row[B];
    const asif_futures *f = &op->futures[u];
    double *total = pull->total, *gone = pull->slope;
    s->kind = u;
    memset(total, 0, n * sizeof *total);
    memset(gone, 0, n * sizeof *gone);
    for (uint32_t i = 0; i < n; i++)
        row[i] = s->from ? s->from[who[i]] : s->first + who[i];
    load_states(pull, row, n, s->state);
    for (uint32_t t = 0; t < S; t++)
        for (uint32_t i = 0; i < n; i++) {
            uint64_t next = (s->first + who[i]) * width + lead + t;
            s->bar[(uint64_t)t * B + i] = s->next_bar[next];
            gone[i] += s->next_bar[next] * s->next[next];
        }
    for (int pass = 0; pass < 2; pass++)
        for (uint32_t j = 0; j < f->count; j++) {
            uint32_t link = future_link(pull, u, j, x);
            const double *p = pull->p + (uint64_t)j * B;
            double *sigma = pull->sigma + (uint64_t)j * B;
            if (link == ASIF_ANY)
                continue;
            const double *emission = asif_lookahead_emission(look, link, x);
            if (pass == 1) {
                pull_future(s, j, link, row, emission, n);
                continue;
            }
            bayes(pull, j, asif_lookahead_to(look, link), emission, n);
            for (uint32_t i = 0; i < n; i++) {
                sigma[i] = f->constant ? look->constant_sigma[(uint64_t)u * spec->worlds + j]
                                       : s->memo[row[i] * look->memo_width + look->memo_at[u] + j];
                total[i] += p[i] > 0 ? sigma[i] : 0;
            }
        }
    add_state_bars(pull, row, n, s->state_bar);
}

static asif_status pull_alike(void *user, const uint32_t *who, uint32_t n, asif_error *error) {
    stepping *s = user;
    (void)error;
    uint64_t place[B];
    uint32_t group[B], here;
    for (uint32_t i = 0; i < n; i++)
        place[i] = s->from ? s->from[who[i]] : s->first + who[i];
    memcpy(group, who, n * sizeof *group);
    for (uint32_t done = 0; done < n; done += here) {
        here = asif_lookahead_same_place(s->pull->look, s->state, place + done, group + done, n - done);
        pull_group(s, group + done, here);
    }
    return ASIF_OK;
}

asif_status asif_pullback_step(asif_pullback *pull, uint64_t n, const uint32_t *from, const double *state,
                               const double *memo, const uint32_t *action, const uint32_t *observation,
                               const double *next, const double *next_bar, double *state_bar,
                               double *memo_bar, asif_error *error) {
    stepping s = {pull, 0, NULL, NULL, NULL, state, memo, next, next_bar, state_bar, memo_bar, 0, pull->next};
    /* a state that is seen has no derivative, and one among given beliefs needs none */
    if (!pull->solver->op.successors->beliefs || pull->solver->op.successors->reachable)
        return ASIF_OK;
    for (uint64_t first = 0; first < n; first += B) {
        s.first = first;
        s.from = from ? from + first : NULL;
        s.action = action + first;
        s.observation = observation + first;
        ASIF_TRY(asif_lookahead_alike(pull->look, first, n - first < B ? (uint32_t)(n - first) : B, s.action,
                                      s.observation, pull_alike, &s, error));
    }
    return ASIF_OK;
}

void asif_pullback_init(asif_pullback *pull, uint32_t start, const double *state_bar) {
    const asif_operator *op = &pull->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    uint32_t S = spec->states, H = op->successors->links.hidden;
    const double *from = op->start + (uint64_t)start * S;
    double *bar = pull->start + (uint64_t)start * S, belief[ASIF_MOST_BELIEF_STATES], along = 0;
    if (!op->successors->beliefs || op->successors->reachable)
        return;
    if (spec->seen < 2) {
        for (uint32_t s = 0; s < S; s++)
            bar[s] += state_bar[place_width(pull) + s];
        return;
    }
    uint64_t at = (uint64_t)asif_lookahead_likely(spec, from) * H;
    double total = asif_lookahead_given(from + at, H, belief); /* belief = start / total */
    for (uint32_t h = 0; h < H; h++)
        along += state_bar[1 + h] * belief[h];
    for (uint32_t h = 0; h < H && total > 0; h++)
        bar[at + h] += (state_bar[1 + h] - along) / total;
}
