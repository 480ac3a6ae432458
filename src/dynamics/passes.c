/* Passes over the histories: filtered beliefs on the way down, and expected counts on the way up.
 *
 * With the filtered belief a_h after a history h, the predictive probability c_h of its last observation, and
 * m_h episodes that end there:
 *
 *     log L = sum_h n_h log c_h
 *     W_h(i) = m_h + sum over children g of  sum_j tau(i,u,j) omega(u,j,x) W_g(j) / c_g
 *     E N(i,u,j) = sum_g a_h(i) tau(i,u,j) omega(u,j,x) W_g(j) / c_g,   E N(u,j,x) = sum_g a_g(j) W_g(j)
 *
 * Messages of episodes that share a history add up, so that each history costs the same, however many
 * episodes have it. Histories that follow one action at one parent share the products with tau. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "dynamics/dynamics.h"

#include <math.h>
#include <string.h>

asif_status asif_dynamics_work_create(asif_dynamics_work *work, const asif_dynamics *d, asif_error *error) {
    uint64_t room = asif_dynamics_matrix_room(d), S = d->spec.states, N = d->data.nodes;
    *work = (asif_dynamics_work){.dynamics = d};
    work->memory = asif_alloc(d->context, 2 * room + 2 * S + N * (2 * S + 3), sizeof(double));
    if (!work->memory)
        return asif_fail_memory(error);
    asif_dynamics_lay_out(&work->at, d, work->memory);
    asif_dynamics_lay_out(&work->sum, d, work->memory + room);
    work->scratch = work->memory + 2 * room;
    work->belief = work->scratch + 2 * S;
    work->ahead = work->belief + N * S;
    work->predictive = work->ahead + N * S;
    work->log_predictive = work->predictive + N;
    work->inverse = work->log_predictive + N;
    return ASIF_OK;
}

void asif_dynamics_work_free(asif_dynamics_work *work) {
    if (work->dynamics)
        asif_free(work->dynamics->context, work->memory);
}

/* The passes are compiled for up to so many states, whose sums then stay in registers. */
#define MOST_COMPILED 6
#define COMPILED static inline __attribute__((always_inline))

/* The row of emissions of an action and what was seen. */
static inline uint64_t seen_row(const asif_dynamics_spec *s, uint32_t action, uint32_t seen) {
    return (uint64_t)action * (s->observations + 1) + (seen == ASIF_ANY ? s->observations : seen);
}

COMPILED void down(asif_dynamics_work *w, uint64_t S) {
    const asif_dynamics *d = w->dynamics;
    const asif_histories *h = &d->data;
    double few[MOST_COMPILED], *ahead = S <= MOST_COMPILED ? few : w->scratch;
    for (uint64_t g = 0; g < h->groups; g++) {
        const double *a = w->belief + h->parent[g] * S, *move = w->at.move + h->action[g] * S * S;
        for (uint64_t j = 0; j < S; j++)
            ahead[j] = a[0] * move[j];
        for (uint64_t i = 1; i < S; i++)
            for (uint64_t j = 0; j < S; j++)
                ahead[j] += a[i] * move[i * S + j];
        for (uint64_t k = h->first[g]; k < h->first[g + 1]; k++) {
            const double *emit = w->at.emit + seen_row(&d->spec, h->action[g], h->observation[k]) * S;
            double *b = w->belief + k * S, *W = w->ahead + k * S, sum = 0;
            for (uint64_t j = 0; j < S; j++)
                sum += b[j] = ahead[j] * emit[j];
            double inverse = sum > 0 ? 1 / sum : 0, ending = h->ending[k];
            for (uint64_t j = 0; j < S; j++) {
                b[j] *= inverse;
                W[j] = ending;
            }
            w->predictive[k] = sum;
            w->inverse[k] = inverse;
        }
    }
}

COMPILED void up(asif_dynamics_work *w, uint64_t S) {
    const asif_dynamics *d = w->dynamics;
    const asif_histories *h = &d->data;
    double few[MOST_COMPILED], *message = S <= MOST_COMPILED ? few : w->scratch;
    for (uint64_t g = h->groups; g-- > 0;) {
        const double *a = w->belief + h->parent[g] * S, *move = w->at.move + h->action[g] * S * S;
        double *W = w->ahead + h->parent[g] * S, *moved = w->sum.move + h->action[g] * S * S;
        for (uint64_t j = 0; j < S; j++)
            message[j] = 0;
        for (uint64_t k = h->first[g]; k < h->first[g + 1]; k++) {
            uint64_t row = seen_row(&d->spec, h->action[g], h->observation[k]) * S;
            const double *emit = w->at.emit + row, *b = w->belief + k * S, *V = w->ahead + k * S;
            double *seen = w->sum.emit + row, inverse = w->inverse[k];
            for (uint64_t j = 0; j < S; j++) {
                message[j] += emit[j] * (V[j] * inverse);
                seen[j] += b[j] * V[j];
            }
        }
        for (uint64_t i = 0; i < S; i++) {
            double sum = 0;
            for (uint64_t j = 0; j < S; j++) {
                sum += move[i * S + j] * message[j];
                moved[i * S + j] += a[i] * message[j];
            }
            W[i] += sum;
        }
    }
}

#define FOR_STATES(pass, w, S)                                                                               \
    switch (S) {                                                                                             \
    case 2:                                                                                                  \
        pass(w, 2);                                                                                          \
        break;                                                                                               \
    case 3:                                                                                                  \
        pass(w, 3);                                                                                          \
        break;                                                                                               \
    case 4:                                                                                                  \
        pass(w, 4);                                                                                          \
        break;                                                                                               \
    case 5:                                                                                                  \
        pass(w, 5);                                                                                          \
        break;                                                                                               \
    case 6:                                                                                                  \
        pass(w, 6);                                                                                          \
        break;                                                                                               \
    default:                                                                                                 \
        pass(w, S);                                                                                          \
    }

double asif_dynamics_down(asif_dynamics_work *w, const double *point) {
    const asif_dynamics *d = w->dynamics;
    const asif_histories *h = &d->data;
    uint64_t S = d->spec.states, roots = d->spec.starts;
    w->passes++;
    asif_dynamics_build(d, point, &w->at);
    memcpy(w->belief, w->at.start, roots * S * sizeof(double));
    for (uint64_t i = 0; i < roots * S; i++)
        w->ahead[i] = h->ending[i / S];
    FOR_STATES(down, w, S)
    d->context->simd->log(w->log_predictive + roots, w->predictive + roots, h->nodes - roots);
    double sum = 0;
    for (uint64_t k = roots; k < h->nodes; k++)
        sum += h->weight[k] * w->log_predictive[k];
    return sum;
}

void asif_dynamics_up(asif_dynamics_work *w, double *count) {
    const asif_dynamics *d = w->dynamics;
    uint64_t S = d->spec.states, room = asif_dynamics_matrix_room(d);
    memset(w->sum.start, 0, room * sizeof(double));
    FOR_STATES(up, w, S)
    for (uint64_t i = 0; i < d->spec.starts * S; i++)
        w->sum.start[i] = w->at.start[i] * w->ahead[i];
    for (uint64_t i = 0; i < d->spec.actions * S * S; i++)
        w->sum.move[i] *= w->at.move[i];
    asif_dynamics_collect(d, &w->sum, count);
}

/* With y = (a' tau) omega and b = y / c, where c is the sum of y: the derivative in y is (bar - b'bar) / c.
 */
void asif_dynamics_pull(asif_dynamics_work *w, double *belief, double *cell) {
    const asif_dynamics *d = w->dynamics;
    const asif_histories *h = &d->data;
    uint64_t S = d->spec.states, room = asif_dynamics_matrix_room(d);
    double *ahead = w->scratch, *message = ahead + S;
    memset(w->sum.start, 0, room * sizeof(double));
    for (uint64_t g = h->groups; g-- > 0;) {
        const double *a = w->belief + h->parent[g] * S, *move = w->at.move + h->action[g] * S * S;
        double *up = belief + h->parent[g] * S, *moved = w->sum.move + h->action[g] * S * S;
        for (uint64_t j = 0; j < S; j++) {
            message[j] = ahead[j] = 0;
            for (uint64_t i = 0; i < S; i++)
                ahead[j] += a[i] * move[i * S + j];
        }
        for (uint64_t k = h->first[g]; k < h->first[g + 1]; k++) {
            uint64_t row = seen_row(&d->spec, h->action[g], h->observation[k]) * S;
            const double *b = w->belief + k * S, *bar = belief + k * S;
            double mean = 0;
            for (uint64_t j = 0; j < S; j++)
                mean += b[j] * bar[j];
            for (uint64_t j = 0; j < S; j++) {
                double y = (bar[j] - mean) * w->inverse[k];
                w->sum.emit[row + j] += y * ahead[j];
                message[j] += y * w->at.emit[row + j];
            }
        }
        for (uint64_t i = 0; i < S; i++)
            for (uint64_t j = 0; j < S; j++) {
                moved[i * S + j] += a[i] * message[j];
                up[i] += move[i * S + j] * message[j];
            }
    }
    memcpy(w->sum.start, belief, d->spec.starts * S * sizeof(double));
    for (uint64_t i = 0; i < room; i++)
        w->sum.start[i] *= w->at.start[i];
    asif_dynamics_collect(d, &w->sum, cell);
}

asif_status asif_dynamics_loglik(double *value, double *count, const asif_dynamics *d, const double *point,
                                 asif_error *error) {
    asif_dynamics_work work;
    ASIF_TRY(asif_dynamics_work_create(&work, d, error));
    double *filled = ASIF_ARRAY(d->context, d->cells, double);
    if (filled) {
        for (uint64_t i = 0; i < d->cells; i++)
            filled[i] = d->learnt[i] ? point[i] : d->fixed[i];
        *value = asif_dynamics_down(&work, filled);
        if (count && isfinite(*value))
            asif_dynamics_up(&work, count);
    }
    asif_free(d->context, filled);
    asif_dynamics_work_free(&work);
    return filled ? ASIF_OK : asif_fail_memory(error);
}
