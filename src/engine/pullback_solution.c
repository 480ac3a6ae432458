/* Derivatives through the solution of V = B V. With v the bar of V, x solves (I - discount T)' x = v, and
 * dL/dtheta is sum_z x(z) d(B V)(z)/dtheta at fixed V. */
#include "engine/pullback.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/ce.h"

#include <math.h>
#include <string.h>

enum { B = ASIF_BLOCK };

#define TOLERANCE 1e-12
#define ENOUGH 1e-8

/* From k_bar at n rows of one place to the rewards. */
static void pull_rewards(asif_pullback *pull, uint32_t action, uint32_t branch, uint64_t row, uint32_t n,
                         const double *k_bar) {
    const asif_operator *op = &pull->solver->op;
    const asif_successors *s = op->successors;
    uint32_t place = s->branch[branch].constant ? 0 : asif_successors_place(s, (uint32_t)row);
    uint32_t X = s->links.shown, link, end;
    uint64_t within = s->branch[branch].constant ? 0 : row - asif_successors_first(s, place);
    double *seen = pull->seen + (uint64_t)action * op->setting->spec.observations;
    for (asif_links_from(&s->links, branch, place, &link, &end); link < end; link++)
        for (uint32_t x = 0; x < X; x++)
            seen[asif_links_lead(&s->links, link) + x] +=
                op->context->simd->dot(k_bar, asif_branch_probability(s, branch, place, link, x) + within, n);
}

/* Derivatives through K of a future at n rows: from k_bar to theta, but not to V. Where
 * the dynamics are wanted too, successors are located again, and there is a derivative to V. */
static void pull_rows(asif_pullback *pull, uint32_t action, uint32_t j, uint64_t row, uint32_t n,
                      const double *k_bar, double *k) {
    const asif_operator *op = &pull->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_simd *simd = op->context->simd;
    const asif_successors *s = op->successors;
    uint32_t index = op->futures[action].branch[j];
    if (pull->dynamics) {
        for (uint64_t t = 0; t < spec->states; t++)
            memcpy(pull->z + t * B, s->belief + t * s->belief_stride + row, n * sizeof *pull->z);
        pull->place = 0;
        asif_pullback_belief_k(pull, action, index, k_bar, n, k);
        return;
    }
    const asif_branch *branch = &op->successors->branch[index];
    const double *reward = op->reward[(uint64_t)action * op->successors->branches + index];
    double entropy = simd->dot(k_bar, branch->entropy + row, n);
    pull->eta += entropy;
    if (op->discount > 0)
        pull->discount +=
            (simd->dot(k_bar, k, n) - op->eta * entropy - (reward ? simd->dot(k_bar, reward + row, n) : 0)) /
            op->discount;
    for (uint32_t done = 0, here; branch->probability && done < n; done += here) {
        here = asif_successors_within(s, row + done, n - done);
        pull_rewards(pull, action, index, row + done, here, k_bar + done);
    }
}

/* Derivatives through the actions and futures that forget; also to V if `through`. */
static void pull_constants(asif_pullback *pull, bool through) {
    const asif_operator *op = &pull->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    for (uint32_t u = 0; u < spec->actions; u++) {
        const asif_futures *f = &op->futures[u];
        uint64_t of = (uint64_t)u * spec->worlds;
        if (f->constant) {
            for (uint32_t j = 0; j < f->count; j++) {
                pull->k[(uint64_t)j * B] = pull->look->constant_k[of + j];
                pull->sigma[(uint64_t)j * B] = pull->look->constant_sigma[of + j];
                pull->sigma_bar[(uint64_t)j * B] = pull->constant_sigma[of + j];
            }
            asif_pullback_futures(pull, u, &pull->constant_ce[u], 1);
            asif_pullback_worlds(pull, u, &pull->constant_ce[u], 1);
            for (uint32_t j = 0; j < f->count; j++)
                pull->constant_k[of + j] += pull->k_bar[(uint64_t)j * B];
        }
        for (uint32_t j = 0; j < f->count; j++) {
            const asif_branch *branch = &op->successors->branch[f->branch[j]];
            double *bar = &pull->constant_k[of + j];
            if (!branch->constant || *bar == 0)
                continue;
            double k = pull->look->constant_k[of + j];
            pull_rows(pull, u, j, 0, 1, bar, &k);
            if (through && !pull->dynamics)
                asif_sparse_scatter_row(&branch->weights, 0, op->discount * *bar, pull->values);
            *bar = 0;
        }
        pull->constant_ce[u] = 0;
        memset(pull->constant_sigma + of, 0, spec->worlds * sizeof *pull->constant_sigma);
    }
}

static void pull_node_utility(asif_pullback *pull, uint32_t action, uint64_t first, uint32_t n,
                              const double *q_bar) {
    const asif_operator *op = &pull->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    double *bar = pull->utility + (uint64_t)action * spec->states;
    for (uint32_t i = 0; !s->beliefs && i < n; i++)
        bar[first + i] += q_bar[i];
    for (uint32_t done = 0, here; s->beliefs && done < n; done += here) {
        uint32_t H = s->links.hidden, at = (uint32_t)(first + done);
        uint64_t of = (uint64_t)asif_successors_place(s, at) % s->links.seen * H;
        here = asif_successors_within(s, at, n - done);
        for (uint64_t h = 0; h < H; h++)
            bar[of + h] += op->context->simd->dot(
                q_bar + done, s->belief + h * s->belief_stride + asif_successors_column(s, at), here);
    }
    for (uint64_t j = 0; op->belief_terms && j < spec->terms; j++) {
        const asif_utility_term *t = &spec->term[j];
        if (t->by != ASIF_BY_BELIEF || t->parameter == ASIF_ANY ||
            (t->action != ASIF_ANY && t->action != action))
            continue;
        for (uint32_t i = 0; i < n; i++) {
            double measure = asif_successors_measure(s, t, (uint32_t)(first + i));
            pull->parameter[t->parameter] += asif_term_share(t, measure) * t->coefficient * q_bar[i];
        }
    }
}

/* Adds the derivatives of V at a node in the action prior, from those in the prior of its menu: that is
 * w = pi0 / share, and `dw` is only known up to a constant. */
static void pull_prior(asif_pullback *pull, const asif_menu *menu, double v_bar, const double *dw) {
    double mean = 0;
    for (uint32_t i = 0; menu->share < 1 && i < menu->actives; i++)
        mean += menu->prior[i] * dw[i];
    for (uint32_t i = 0; i < menu->actives; i++)
        pull->prior[menu->row[i]] += v_bar * (dw[i] - mean) / menu->share;
}

/* From q of the active actions at n nodes, which is changed, to their tilted weights, and the derivatives of
 * V in a and in the action prior. */
static void pull_menus(asif_pullback *pull, uint64_t first, uint32_t n, const double *v_bar, double *q,
                       double *tilted) {
    const asif_operator *op = &pull->solver->op;
    const asif_simd *simd = op->context->simd;
    const asif_menu *menu = NULL;
    double *dw = pull->one;
    for (uint32_t done = 0, here; done < n; done += here) {
        here = asif_operator_menu(op, first + done, n - done, &menu);
        asif_menu_gather(menu, op->actives, q + done, B, here);
        simd->tilt(tilted + done, op->a, q + done, B, menu->prior, menu->actives, here);
        simd->certainty(pull->ce, op->a, q + done, B, menu->prior, menu->actives, NULL, here);
        for (uint32_t i = 0; i < here; i++) {
            uint32_t r = done + i;
            pull->a += v_bar[r] * asif_ce_slope(op->a, pull->ce[i], q + r, B, menu->prior, tilted + r,
                                                menu->actives, dw);
            pull_prior(pull, menu, v_bar[r], dw);
        }
        asif_menu_spread(menu, op->actives, tilted + done, B, here);
    }
}

/* Derivatives through V(z) = CE(a; Q, pi0) at n nodes, where v_bar is the bar of V. */
static void pull_nodes(asif_pullback *pull, uint64_t first, uint32_t n, const double *v_bar) {
    const asif_operator *op = &pull->solver->op;
    const asif_simd *simd = op->context->simd;
    const asif_successors *s = op->successors;
    const double *values = pull->solver->values;
    double *q = pull->pi, *tilted = pull->q_bar; /* in the order of op->active */
    for (uint32_t i = 0; i < op->actives; i++) {
        uint32_t u = op->active[i];
        const asif_futures *f = &op->futures[u];
        const double *v = op->utility + u * s->stride + first;
        for (uint32_t j = 0; !f->constant && j < f->count; j++)
            asif_operator_future(op, u, j, values, first, n, pull->k + (uint64_t)j * B);
        if (f->constant)
            for (uint32_t r = 0; r < n; r++)
                q[(uint64_t)i * B + r] = v[r] + pull->look->constant_ce[u];
        else
            simd->certainty(q + (uint64_t)i * B, op->b, pull->k, B, f->weight, f->count, v, n);
    }
    pull_menus(pull, first, n, v_bar, q, tilted);
    for (uint32_t i = 0; i < op->actives; i++) {
        uint32_t u = op->active[i];
        const asif_futures *f = &op->futures[u];
        double *q_bar = tilted + (uint64_t)i * B;
        for (uint32_t r = 0; r < n; r++)
            q_bar[r] *= v_bar[r];
        pull_node_utility(pull, u, first, n, q_bar);
        if (f->constant) {
            for (uint32_t r = 0; r < n; r++)
                pull->constant_ce[u] += q_bar[r];
            continue;
        }
        for (uint32_t j = 0; j < f->count; j++) {
            asif_operator_future(op, u, j, values, first, n, pull->k + (uint64_t)j * B);
            memset(pull->sigma_bar + (uint64_t)j * B, 0, n * sizeof(double));
        }
        simd->tilt(pull->sigma, op->b, pull->k, B, f->weight, f->count, n);
        asif_pullback_futures(pull, u, q_bar, n);
        asif_pullback_worlds(pull, u, q_bar, n);
        for (uint32_t j = 0; j < f->count; j++) {
            const double *k_bar = pull->k_bar + (uint64_t)j * B;
            if (s->branch[f->branch[j]].constant)
                for (uint32_t r = 0; r < n; r++)
                    pull->constant_k[(uint64_t)u * op->setting->spec.worlds + j] += k_bar[r];
            else
                pull_rows(pull, u, j, first, n, k_bar, pull->k + (uint64_t)j * B);
        }
    }
}

/* ---- from the operator's numbers to theta ---- */

static double spread_sum(const double *table, uint32_t columns, const asif_utility_term *t,
                         uint32_t actions) {
    double sum = 0;
    for (uint32_t u = t->action == ASIF_ANY ? 0 : t->action;
         u < actions && (t->action == ASIF_ANY || u == t->action); u++)
        for (uint32_t i = t->index == ASIF_ANY ? 0 : t->index;
             i < columns && (t->index == ASIF_ANY || i == t->index); i++)
            sum += table[(uint64_t)u * columns + i];
    return sum;
}

/* ---- from the tables of the branches to the matrices of the setting ---- */

/* Adds a table [column][row] to the entries of a matrix. `common`: its rows agree and move together. */
static void add_table(double *out, const asif_matrix *m, const double *table, bool common) {
    uint64_t rows = m->rows, stored = m->same_rows ? 1 : rows;
    for (uint32_t r = 0; r < stored; r++)
        for (uint64_t e = m->offset[r]; e < m->offset[r + 1]; e++) {
            const double *column = table + m->column[e] * rows;
            double sum = 0;
            for (uint64_t i = 0; i < rows; i++)
                sum += column[i];
            out[e] += common || m->same_rows ? sum / (double)stored : column[r];
        }
}

static void fill_matrices(const asif_pullback *pull, double **out) {
    const asif_operator *op = &pull->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_successors *s = op->successors;
    uint64_t S = spec->states, pairs = (uint64_t)spec->worlds * spec->actions;
    for (uint32_t b = 0; b < s->branches; b++) {
        uint64_t pair = 0; /* all pairs of an action and a world with this branch have the same matrices */
        while (pair < pairs && s->branch_of[pair] != b)
            pair++;
        if (pair == pairs)
            continue;
        uint64_t at = pair % spec->worlds * spec->actions + pair / spec->worlds;
        uint32_t moves = spec->transitions[at], shows = spec->emissions[at];
        add_table(out[moves], &spec->matrix[moves], pull->transition + b * S * S, s->branch[b].constant);
        add_table(out[shows], &spec->matrix[shows], pull->emission + b * S * spec->observations, false);
    }
}

static void fill(const asif_pullback *pull, asif_theta_gradient *out) {
    const asif_operator *op = &pull->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    asif_theta_gradient_clear(out, op->setting);
    out->a = pull->a + (op->acts_apart ? 0 : pull->a_act);
    out->a_act = op->acts_apart ? pull->a_act : 0;
    out->b = pull->b;
    out->eta = pull->eta;
    out->discount = pull->discount;
    memcpy(out->utility, pull->parameter, spec->parameters * sizeof *out->utility);
    for (uint64_t i = 0; i < spec->terms; i++) {
        const asif_utility_term *t = &spec->term[i];
        if (t->parameter == ASIF_ANY || t->by == ASIF_BY_BELIEF)
            continue;
        bool state = t->by == ASIF_BY_STATE;
        out->utility[t->parameter] +=
            t->coefficient * spread_sum(state ? pull->utility : pull->seen,
                                        state ? spec->states : spec->observations, t, spec->actions);
    }
    for (uint32_t i = 0; i < op->actives; i++)
        out->action_prior[op->active[i]] = pull->prior[i];
    for (uint32_t u = 0; u < spec->actions; u++)
        for (uint32_t m = 0; m < spec->worlds; m++) {
            uint64_t of = (uint64_t)u * spec->worlds;
            uint32_t j = op->world_future[of + m];
            out->world_weights[m] += j == ASIF_ANY ? 0 : pull->weight[of + j];
        }
    memcpy(out->start, pull->start, (uint64_t)spec->starts * spec->states * sizeof *out->start);
    if (pull->dynamics && out->matrix)
        fill_matrices(pull, out->matrix);
}

asif_status asif_pullback_end(asif_pullback *pull, asif_theta_gradient *out, asif_error *error) {
    asif_operator *op = &pull->solver->op;
    const asif_successors *s = op->successors;
    double reached = 0;
    uint64_t products = 0;
    pull_constants(pull, true);
    double *x = ASIF_ARRAY(op->context, s->stride, double);
    asif_status status =
        x ? asif_operator_linearise(op, pull->solver->values, op->a, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = asif_fixed_point_linear(pull->solver, op->share, true, pull->values, x, TOLERANCE, &reached,
                                         &products, error);
    if (status == ASIF_OK && isnan(reached)) /* the bar of V overflowed, and so do the derivatives */
        for (uint64_t i = 0; i < s->nodes; i++)
            x[i] = NAN;
    if (status == ASIF_OK && reached > ENOUGH)
        status = asif_fail(error, ASIF_EDOMAIN,
                           "derivatives could only be found to a relative residual of %.2g", reached);
    for (uint64_t first = 0; first < s->nodes && status == ASIF_OK; first += B)
        pull_nodes(pull, first, s->nodes - first < B ? (uint32_t)(s->nodes - first) : B, x + first);
    asif_free(op->context, x);
    if (status != ASIF_OK)
        return status;
    pull_constants(pull, false);
    fill(pull, out);
    return ASIF_OK;
}
