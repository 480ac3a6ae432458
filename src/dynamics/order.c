/* The order of states: a likelihood does not change when states change their names. */
#include "base/error.h"
#include "base/memory.h"
#include "dynamics/dynamics.h"

#include <string.h>

#define MOST_LABELLED 16 /* states of which all orders are compared */

/* Mean class of the first column of observations in a state, averaged over actions. */
static double mean_class(const asif_dynamics *d, const double *point, uint32_t state) {
    const asif_dynamics_spec *s = &d->spec;
    double sum = 0;
    for (uint32_t u = 0; u < s->actions; u++) {
        uint32_t t = s->emissions[u * s->columns], columns = s->table[t].columns;
        const double *row = point + d->first[t] + (uint64_t)state * columns;
        for (uint32_t c = 0; c < columns; c++)
            sum += c * row[c];
    }
    return sum / s->actions;
}

void asif_dynamics_find_order(const asif_dynamics *d, const double *point, double *score, uint32_t *order) {
    for (uint32_t s = 0; s < d->spec.states; s++) {
        uint32_t k = s;
        score[s] = mean_class(d, point, s);
        for (; d->symmetric && k > 0 && score[order[k - 1]] > score[s]; k--)
            order[k] = order[k - 1];
        order[k] = s;
    }
}

/* The most that the first labels can have on the diagonal, for every set of as many states (bits), found from
 * the sets with one state less. */
static void assign(const double *agreement, uint32_t S, double *best, uint32_t *last) {
    for (uint32_t set = 1; set < 1u << S; set++) {
        uint32_t label = (uint32_t)__builtin_popcount(set) - 1;
        best[set] = -1;
        for (uint32_t s = 0; s < S; s++) {
            if (!(set >> s & 1))
                continue;
            double value = best[set ^ 1u << s] + agreement[(uint64_t)label * S + s];
            if (value > best[set]) {
                best[set] = value;
                last[set] = s;
            }
        }
    }
}

asif_status asif_dynamics_label_order(const asif_dynamics *d, const double *agreement, uint32_t *order,
                                      asif_error *error) {
    uint32_t S = d->spec.states;
    for (uint32_t s = 0; s < S; s++)
        order[s] = s;
    if (!d->symmetric)
        return ASIF_OK;
    if (S > MOST_LABELLED)
        return asif_fail(error, ASIF_ETOOBIG, "states can be put in the order of labels up to %d states",
                         MOST_LABELLED);
    double *best = ASIF_ARRAY(d->context, (uint64_t)1 << S, double);
    uint32_t *last = ASIF_ARRAY(d->context, (uint64_t)1 << S, uint32_t);
    if (best && last) {
        assign(agreement, S, best, last);
        for (uint32_t set = (1u << S) - 1, label = S; label-- > 0; set ^= 1u << order[label])
            order[label] = last[set];
    }
    asif_free(d->context, best);
    asif_free(d->context, last);
    return best && last ? ASIF_OK : asif_fail_memory(error);
}

/* Squared distance of what a state of one point emits from what a state of another emits. */
static double distance(const asif_dynamics *d, const double *a, uint32_t i, const double *b, uint32_t j) {
    const asif_dynamics_spec *s = &d->spec;
    double sum = 0;
    for (uint64_t k = 0; k < (uint64_t)s->actions * s->columns; k++) {
        uint32_t t = s->emissions[k], columns = s->table[t].columns;
        const double *x = a + d->first[t] + (uint64_t)i * columns,
                     *y = b + d->first[t] + (uint64_t)j * columns;
        for (uint32_t c = 0; c < columns; c++)
            sum += (x[c] - y[c]) * (x[c] - y[c]);
    }
    return sum;
}

void asif_dynamics_align(const asif_dynamics *d, const double *reference, const double *point, double *cost,
                         uint32_t *order) {
    uint32_t S = d->spec.states;
    for (uint32_t i = 0; i < S; i++)
        order[i] = i;
    if (!d->symmetric)
        return;
    for (uint32_t i = 0; i < S; i++)
        for (uint32_t j = 0; j < S; j++)
            cost[(uint64_t)i * S + j] = distance(d, reference, i, point, j);
    for (bool better = true; better;) {
        better = false;
        for (uint32_t i = 0; i < S; i++)
            for (uint32_t j = 0; j < i; j++) {
                uint32_t a = order[i], b = order[j];
                double now = cost[(uint64_t)i * S + a] + cost[(uint64_t)j * S + b];
                if (cost[(uint64_t)i * S + b] + cost[(uint64_t)j * S + a] < now * (1 - 1e-9)) {
                    order[i] = b;
                    order[j] = a;
                    better = true;
                }
            }
    }
}

void asif_dynamics_permute(const asif_dynamics *d, const double *point, const uint32_t *order, double *out) {
    const asif_dynamics_spec *s = &d->spec;
    for (uint32_t i = 0; i < s->tables; i++) {
        const asif_dynamics_table *t = &s->table[i];
        bool by_state = false, to_state = i == s->start;
        for (uint32_t u = 0; u < s->actions; u++) {
            by_state = by_state || s->transitions[u] == i;
            to_state = to_state || s->transitions[u] == i;
        }
        for (uint64_t k = 0; k < (uint64_t)s->actions * s->columns; k++)
            by_state = by_state || s->emissions[k] == i;
        for (uint32_t r = 0; r < t->rows; r++)
            for (uint32_t c = 0; c < t->columns; c++)
                out[d->first[i] + (uint64_t)r * t->columns + c] =
                    point[d->first[i] + (uint64_t)(by_state ? order[r] : r) * t->columns +
                          (to_state ? order[c] : c)];
    }
}
