/* Plans: a plan that begins at one belief can be followed from any other, and its value is linear in the
 * belief. So values at the rim are at least those of the best plan that begins at a belief inside. */
#include "acting/bayes/bayes.h"

#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define MOST_PAIRS 256 /* most pairs (state, world); with more, plans cost too much */

static uint64_t pairs_of(const asif_bayes *b) {
    return (uint64_t)b->model.worlds * b->model.spec->states;
}

bool asif_bayes_plans_fit(const asif_bayes_model *m) {
    return !m->seen && (uint64_t)m->worlds * m->spec->states <= MOST_PAIRS;
}

static double dot(const double *x, const double *y, uint64_t n) {
    double sum = 0;
    for (uint64_t i = 0; i < n; i++)
        sum += x[i] * y[i];
    return sum;
}

/* Set the first plans of the list: ending now, or one action for ever. */
static void begin_plans(asif_bayes *b) {
    const asif_bayes_model *m = &b->model;
    uint64_t pairs = pairs_of(b);
    for (uint32_t i = 0; i < m->actions; i++) {
        double *plan = b->plan + i * pairs;
        if (!m->renews[i]) {
            memcpy(plan, b->bounds.blind + i * pairs, pairs * sizeof *plan);
            continue;
        }
        for (uint64_t h = 0; h < pairs; h++)
            plan[h] = m->gain[i * pairs + h] + m->term_low[i] + m->discount * b->low_after[i];
    }
}

/* The values of the plan that is followed from a node. */
static const double *plan_at(const asif_bayes *b, uint32_t node) {
    uint64_t pairs = pairs_of(b);
    return b->inside[node] == ASIF_ANY ? b->plan + b->best[node] * pairs : b->own + b->inside[node] * pairs;
}

/* Update the plan that begins at a node, with the action of the best lower bound. */
static void back_up(asif_bayes *b, uint32_t node) {
    const asif_bayes_model *m = &b->model;
    uint64_t pairs = pairs_of(b), e, end;
    uint32_t S = m->spec->states, i = asif_bayes_best_below(b, node), at = b->inside[node];
    double *own = b->own + at * pairs, *value = b->ahead, *after = b->ahead + pairs;
    if (m->renews[i]) {
        memcpy(own, b->plan + i * pairs, pairs * sizeof *own);
        return;
    }
    const uint64_t *first = b->first + (uint64_t)at * (m->actions + 1) + i;
    for (uint32_t x = 0; x < m->spec->observations; x++)
        b->follow[x] = b->plan; /* observations that are impossible here */
    for (uint64_t k = first[0]; k < first[1]; k++)
        b->follow[b->edge[k].label] = plan_at(b, b->edge[k].node);
    for (uint64_t h = 0; h < pairs; h++) {
        const asif_matrix *o = asif_emissions(m->setting, m->world[h / S], m->action[i]);
        value[h] = 0;
        for (asif_matrix_row(o, (uint32_t)(h % S), &e, &end); e < end; e++)
            value[h] += o->value[e] * b->follow[o->column[e]][h];
    }
    asif_bayes_expect(m, i, value, after);
    for (uint64_t h = 0; h < pairs; h++)
        own[h] = m->gain[i * pairs + h] + m->term_low[i] + m->discount * after[h];
}

void asif_bayes_plan_begin(asif_bayes *b, uint32_t node) {
    uint64_t pairs = pairs_of(b);
    if (b->own)
        memcpy(b->own + b->inside[node] * pairs, b->plan + b->best[node] * pairs, pairs * sizeof *b->own);
}

void asif_bayes_plan_rim(asif_bayes *b, uint32_t node) {
    uint64_t pairs = pairs_of(b);
    const double *belief = b->belief + node * pairs;
    double most = -INFINITY;
    for (uint32_t k = 0; k < b->plans; k++) {
        double value = dot(belief, b->plan + k * pairs, pairs);
        if (value > most) {
            most = value;
            b->best[node] = k;
        }
    }
    b->low[node] = fmax(b->low[node], most);
}

void asif_bayes_plans(asif_bayes *b) {
    uint64_t pairs = pairs_of(b);
    uint32_t A = b->model.actions;
    begin_plans(b);
    for (uint32_t k = b->expanded; k-- > 0;)
        back_up(b, b->node[k]);
    b->plans = A + (b->expanded < ASIF_BAYES_PLANS ? b->expanded : ASIF_BAYES_PLANS);
    if (b->expanded)
        memcpy(b->plan + A * pairs, b->own, (b->plans - A) * pairs * sizeof *b->plan);
    for (uint32_t node = 0; node < b->count; node++)
        if (b->inside[node] == ASIF_ANY)
            asif_bayes_plan_rim(b, node);
}
