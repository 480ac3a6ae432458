#include "acting/bayes/bayes.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define NODES 2000     /* most nodes of the lattice on which the world is known */
#define RESOLUTION 100 /* most intervals on an edge */
#define MEMORY 1000000000
#define SWEEPS 5000
#define CLOSE 1e-7 /* precision, over the span of the utility */

/* The correction that makes any number of sweeps a bound. If T is monotone and the last sweep overshot by d
 * >= 0, T v - d discount / (1 - discount) lies below the fixed point; the same holds for the upper bound. */
static double slack(const asif_bayes_model *m, double past) {
    return fmax(0, past) * m->discount / (1 - m->discount);
}

/* ---- lower bounds ---- */

static asif_status find_blind(asif_bayes_bounds *b, uint32_t i, asif_error *error) {
    const asif_bayes_model *m = b->model;
    uint64_t pairs = (uint64_t)m->worlds * m->spec->states;
    double *value = b->blind + i * pairs, *after = ASIF_ARRAY(m->context, pairs, double), fall = 0;
    if (!after)
        return asif_fail_memory(error);
    for (uint32_t sweep = 0; sweep < SWEEPS; sweep++) {
        double rise = fall = 0;
        asif_bayes_expect(m, i, value, after);
        for (uint64_t h = 0; h < pairs; h++) {
            double now = m->gain[i * pairs + h] + m->term_low[i] + m->discount * after[h];
            fall = fmax(fall, value[h] - now);
            rise = fmax(rise, now - value[h]);
            value[h] = now;
        }
        if (slack(m, fmax(rise, fall)) <= CLOSE * m->span)
            break;
    }
    for (uint64_t h = 0; h < pairs; h++)
        value[h] -= slack(m, fall);
    asif_free(m->context, after);
    return ASIF_OK;
}

double asif_bayes_blind(const asif_bayes_bounds *b, const double *belief, uint32_t *action) {
    const asif_bayes_model *m = b->model;
    uint64_t S = m->spec->states, pairs = m->worlds * S;
    double best = -INFINITY;
    for (uint32_t i = 0; i < m->actions; i++) {
        const double *value = b->blind + i * pairs;
        double sum = 0;
        for (uint32_t k = 0; m->seen && k < m->worlds; k++)
            sum += belief[1 + k] * value[k * S + (uint64_t)belief[0]];
        for (uint64_t h = 0; !m->seen && h < pairs; h++)
            sum += belief[h] * value[h];
        if (sum > best && action)
            *action = i;
        best = fmax(best, sum);
    }
    return best;
}

/* ---- upper bounds ---- */

/* Utility at a node, with an upper bound on belief terms. Interpolation between nodes is an upper bound,
 * because the value of an agent that knows the world is then convex. */
static double node_gain(const asif_bayes_bounds *b, uint32_t i, uint32_t k, uint32_t node) {
    const asif_bayes_model *m = b->model;
    const asif_successors *s = b->successors;
    uint64_t S = m->spec->states;
    const double *gain = m->gain + ((uint64_t)i * m->worlds + k) * S;
    double sum = m->term_up[i];
    if (!s->beliefs)
        return sum + gain[node];
    for (uint64_t state = 0; state < S; state++)
        sum += s->belief[state * s->stride + node] * gain[state];
    return sum;
}

/* Compute the expected value after an action in a world: [nodes]. */
static void look_ahead(const asif_bayes_bounds *b, uint32_t i, uint32_t k, double *out) {
    const asif_bayes_model *m = b->model;
    const asif_successors *s = b->successors;
    const double *value = b->known + k * s->stride;
    const asif_branch *branch =
        &s->branch[s->branch_of[(uint64_t)m->action[i] * m->spec->worlds + m->world[k]]];
    for (uint64_t at = 0; at < branch->rows; at += ASIF_BLOCK) {
        uint32_t n = branch->rows - at < ASIF_BLOCK ? (uint32_t)(branch->rows - at) : ASIF_BLOCK;
        m->context->simd->product(out + at, branch->weights.slice, branch->weights.column,
                                  branch->weights.value, at, n, value, 1, NULL, 0);
    }
    for (uint64_t node = 1; branch->constant && node < s->nodes; node++)
        out[node] = out[0];
}

/* Make one sweep into `next`; `*rise` and `*fall` are the largest changes. */
static void sweep_known(const asif_bayes_bounds *b, const double *gain, double *ahead, double *next,
                        double *rise, double *fall) {
    const asif_bayes_model *m = b->model;
    uint64_t stride = b->successors->stride, all = m->worlds * stride;
    for (uint64_t at = 0; at < all; at++)
        next[at] = -INFINITY;
    for (uint32_t i = 0; i < m->actions; i++) {
        for (uint32_t k = 0; k < m->worlds; k++)
            look_ahead(b, i, k, ahead + k * stride);
        for (uint64_t node = 0; node < b->successors->nodes; node++) {
            double mixed = 0;
            for (uint32_t k = 0; k < m->worlds; k++)
                mixed += m->weight[k] * ahead[k * stride + node];
            for (uint32_t k = 0; k < m->worlds; k++) {
                double after = m->spec->ends[m->action[i]] ? mixed : ahead[k * stride + node];
                double *best = &next[k * stride + node];
                *best = fmax(*best, gain[i * all + k * stride + node] + m->discount * after);
            }
        }
    }
    *rise = *fall = 0;
    for (uint32_t k = 0; k < m->worlds; k++)
        for (uint64_t node = 0; node < b->successors->nodes; node++) {
            double moved = next[k * stride + node] - b->known[k * stride + node];
            *rise = fmax(*rise, moved);
            *fall = fmax(*fall, -moved);
        }
}

static asif_status find_known(asif_bayes_bounds *b, asif_error *error) {
    const asif_bayes_model *m = b->model;
    uint64_t stride = b->successors->stride, all = m->worlds * stride;
    double *next = ASIF_ARRAY(m->context, all, double), *ahead = ASIF_ARRAY(m->context, all, double),
           *gain = ASIF_ARRAY(m->context, m->actions * all, double), rise = 0, fall = 0;
    bool good = next && ahead && gain;
    for (uint64_t at = 0; good && at < m->actions * all; at++)
        if (at % stride < b->successors->nodes)
            gain[at] =
                node_gain(b, (uint32_t)(at / all), (uint32_t)(at % all / stride), (uint32_t)(at % stride));
    for (uint32_t sweep = 0; good && sweep < SWEEPS; sweep++) {
        sweep_known(b, gain, ahead, next, &rise, &fall);
        double *swap = b->known;
        b->known = next;
        next = swap;
        if (slack(m, fmax(rise, fall)) <= CLOSE * m->span)
            break;
    }
    for (uint64_t at = 0; good && at < all; at++)
        b->known[at] += slack(m, rise);
    asif_free(m->context, next);
    asif_free(m->context, ahead);
    asif_free(m->context, gain);
    return good ? ASIF_OK : asif_fail_memory(error);
}

double asif_bayes_known(const asif_bayes_bounds *b, const double *belief) {
    const asif_bayes_model *m = b->model;
    const asif_successors *s = b->successors;
    uint32_t S = m->spec->states, node[ASIF_MOST_BELIEF_STATES];
    double sum = 0, given[ASIF_MOST_BELIEF_STATES], weight[ASIF_MOST_BELIEF_STATES];
    for (uint32_t k = 0; k < m->worlds; k++) {
        const double *value = b->known + k * s->stride;
        double p = 0;
        if (!s->beliefs) {
            sum += belief[1 + k] * value[(uint32_t)belief[0]];
            continue;
        }
        for (uint32_t i = 0; i < S; i++)
            p += belief[(uint64_t)k * S + i];
        for (uint32_t i = 0; i < S && p > 0; i++)
            given[i] = belief[(uint64_t)k * S + i] / p;
        if (!(p > 0))
            continue;
        asif_lattice_locate(&s->lattice, given, node, weight);
        for (uint32_t i = 0; i < S; i++)
            sum += p * weight[i] * value[node[i]];
    }
    return sum;
}

/* ---- life ---- */

asif_status asif_bayes_bounds_create(asif_bayes_bounds *b, const asif_bayes_model *m, asif_error *error) {
    uint32_t resolution = m->seen ? RESOLUTION : asif_lattice_within(m->spec->states, NODES, RESOLUTION);
    *b = (asif_bayes_bounds){.model = m};
    ASIF_TRY(asif_successors_create(&b->successors, m->context, m->setting, ASIF_BELIEFS_LATTICE, resolution,
                                    MEMORY, error));
    b->blind = ASIF_ARRAY(m->context, (uint64_t)m->actions * m->worlds * m->spec->states, double);
    b->known = ASIF_ARRAY(m->context, m->worlds * b->successors->stride, double);
    if (!b->blind || !b->known)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < m->actions; i++)
        ASIF_TRY(find_blind(b, i, error));
    return find_known(b, error);
}

void asif_bayes_bounds_free(asif_bayes_bounds *b) {
    if (!b->model)
        return;
    asif_free(b->model->context, b->blind);
    asif_free(b->model->context, b->known);
    asif_successors_release(b->successors);
    *b = (asif_bayes_bounds){0};
}
