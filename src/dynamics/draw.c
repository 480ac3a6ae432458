/* Draws from the posterior by Gibbs sampling. The states of all episodes with the same history are drawn
 * together: given the state after a history, the state before it does not depend on what comes later, so that
 * numbers of episodes in each state are split once for each history, from the leaves to the roots. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/os.h"
#include "dynamics/dynamics.h"
#include "dynamics/variates.h"

#include "asif/sample.h"

#include <math.h>
#include <string.h>

typedef struct {
    const asif_dynamics *dynamics;
    asif_dynamics_draw_options options;
    const double *point;
    uint64_t kept;   /* draws of each chain */
    uint64_t sweeps; /* sweeps of each chain after warm-up */
    double *out;     /* [chains][kept][cells] */
    double *trace;   /* [cells][chains][sweeps] */
    asif_status *status;
    asif_error *error;
} gibbs;

typedef struct {
    asif_dynamics_work work;
    double *point, *next; /* [cells] */
    double *count;        /* [cells] */
    double *share;        /* [states][states]: weights of a split, or costs of exchanging states */
    uint32_t *order;      /* [states] */
} chain;

/* ---- states given the point ---- */

/* Draw the states before the histories of a group, from those after them. */
static void draw_group(chain *c, asif_variates *from, uint64_t g) {
    const asif_dynamics *d = c->work.dynamics;
    const asif_histories *h = &d->data;
    uint32_t S = d->spec.states, action = h->action[g];
    const double *a = c->work.belief + (uint64_t)h->parent[g] * S;
    double *state = c->work.ahead, *parent = state + (uint64_t)h->parent[g] * S;
    for (uint64_t k = h->first[g]; k < h->first[g + 1]; k++) {
        uint32_t x = h->observation[k];
        double *seen =
            c->work.sum.emit +
            ((uint64_t)action * (d->spec.observations + 1) + (x == ASIF_ANY ? d->spec.observations : x)) * S;
        asif_multinomial_variate(from, h->ending[k], c->work.belief + k * S, S, state + k * S);
        for (uint32_t j = 0; j < S; j++) {
            double n = state[k * S + j];
            if (n == 0)
                continue;
            seen[j] += n;
            double *moved = c->work.scratch;
            memset(moved, 0, S * sizeof *moved);
            for (uint32_t i = 0; i < S; i++)
                c->share[i] = a[i] * c->work.at.move[((uint64_t)action * S + i) * S + j];
            asif_multinomial_variate(from, n, c->share, S, moved);
            for (uint32_t i = 0; i < S; i++) {
                c->work.sum.move[((uint64_t)action * S + i) * S + j] += moved[i];
                parent[i] += moved[i];
            }
        }
    }
}

static void draw_states(chain *c, asif_variates *from) {
    const asif_dynamics *d = c->work.dynamics;
    const asif_histories *h = &d->data;
    uint32_t S = d->spec.states;
    memset(c->work.ahead, 0, h->nodes * S * sizeof(double));
    memset(c->work.sum.start, 0, asif_dynamics_matrix_room(d) * sizeof(double));
    for (uint64_t g = h->groups; g-- > 0;)
        draw_group(c, from, g);
    for (uint64_t k = 0; k < d->spec.starts; k++) {
        asif_multinomial_variate(from, h->ending[k], c->work.belief + k * S, S, c->work.ahead + k * S);
        memcpy(c->work.sum.start + k * S, c->work.ahead + k * S, S * sizeof(double));
    }
    asif_dynamics_collect(d, &c->work.sum, c->count);
}

/* ---- the point given the states ---- */

static void draw_rows(chain *c, asif_variates *from, double prior) {
    const asif_dynamics *d = c->work.dynamics;
    for (uint64_t i = 0; i < d->cells; i++)
        c->point[i] = d->learnt[i] ? asif_gamma_variate(from, 1 + prior + c->count[i]) : 0;
    asif_dynamics_normalise(d, c->point);
}

static void put_in_order(chain *c, const double *reference) {
    const asif_dynamics *d = c->work.dynamics;
    asif_dynamics_align(d, reference, c->point, c->share, c->order);
    asif_dynamics_permute(d, c->point, c->order, c->next);
    memcpy(c->point, c->next, d->cells * sizeof *c->point);
}

static asif_status sweep(chain *c, const gibbs *g, uint32_t number, uint64_t time, asif_error *error) {
    asif_variates from = {{g->options.seed, ASIF_FOR_SWEEPS, (uint64_t)number << 40 | time}, 0};
    if (!isfinite(asif_dynamics_down(&c->work, c->point)))
        return asif_fail(error, ASIF_EZEROPR, "the logs are impossible where the draws begin");
    draw_states(c, &from);
    draw_rows(c, &from, g->options.prior);
    put_in_order(c, g->point);
    if (asif_progress(c->work.dynamics->context, "drawing dynamics", -1))
        return asif_fail(error, ASIF_ECANCELLED, "cancelled");
    return ASIF_OK;
}

/* ---- chains ---- */

static asif_status run(chain *c, gibbs *g, uint32_t number, asif_error *error) {
    const asif_dynamics *d = g->dynamics;
    uint64_t cells = d->cells, all = g->options.warmup + g->sweeps;
    memcpy(c->point, g->point, cells * sizeof *c->point);
    asif_dynamics_normalise(d, c->point);
    for (uint64_t t = 0; t < all; t++) {
        ASIF_TRY(sweep(c, g, number, t, error));
        if (t < g->options.warmup)
            continue;
        uint64_t after = t - g->options.warmup;
        for (uint64_t i = 0; i < cells; i++)
            g->trace[(i * g->options.chains + number) * g->sweeps + after] = c->point[i];
        if ((after + 1) % g->options.thin == 0)
            memcpy(g->out + (number * g->kept + after / g->options.thin) * cells, c->point,
                   cells * sizeof *c->point);
    }
    return ASIF_OK;
}

static void run_chain(void *argument, uint32_t number) {
    gibbs *g = argument;
    const asif_dynamics *d = g->dynamics;
    const asif_context *context = d->context;
    chain c = {.point = ASIF_ARRAY(context, 3 * d->cells + (uint64_t)d->spec.states * d->spec.states, double),
               .order = ASIF_ARRAY(context, d->spec.states, uint32_t)};
    asif_error *error = &g->error[number];
    g->status[number] = asif_dynamics_work_create(&c.work, d, error);
    if (g->status[number] == ASIF_OK && (!c.point || !c.order))
        g->status[number] = asif_fail_memory(error);
    if (g->status[number] == ASIF_OK) {
        c.next = c.point + d->cells;
        c.count = c.next + d->cells;
        c.share = c.count + d->cells;
        g->status[number] = run(&c, g, number, error);
    }
    asif_dynamics_work_free(&c.work);
    asif_free(context, c.point);
    asif_free(context, c.order);
}

static asif_status judge(const gibbs *g, asif_dynamics_draw_info *info, asif_error *error) {
    const asif_dynamics *d = g->dynamics;
    *info = (asif_dynamics_draw_info){INFINITY, 0, 0, g->sweeps * g->options.chains};
    for (uint64_t i = 0; i < d->cells; i++) {
        if (!d->learnt[i])
            continue;
        asif_column_summary s;
        ASIF_TRY(asif_summarise(&s, d->context, g->trace + i * g->options.chains * g->sweeps,
                                g->options.chains, g->sweeps, error));
        if (s.ess_bulk < info->least_ess) {
            info->least_ess = s.ess_bulk;
            info->cell = i;
        }
        info->worst_rhat = fmax(info->worst_rhat, isnan(s.rhat) ? 0 : s.rhat);
    }
    if (isinf(info->least_ess))
        info->least_ess = NAN;
    if (info->worst_rhat == 0)
        info->worst_rhat = NAN;
    return ASIF_OK;
}

static asif_status draw(gibbs *g, double *out, asif_dynamics_draw_info *info, asif_error *error) {
    const asif_dynamics *d = g->dynamics;
    uint32_t chains = g->options.chains;
    if (!g->out || !g->trace || !g->status || !g->error)
        return asif_fail_memory(error);
    asif_os_parallel(d->context->options.threads, chains, run_chain, g);
    for (uint32_t i = 0; i < chains; i++)
        if (g->status[i] != ASIF_OK) {
            if (error)
                *error = g->error[i];
            return g->status[i];
        }
    /* Chains take turns, so that the first draws are of all chains. */
    for (uint64_t k = 0; k < g->options.draws; k++)
        memcpy(out + k * d->cells, g->out + (k % chains * g->kept + k / chains) * d->cells,
               d->cells * sizeof *out);
    return info ? judge(g, info, error) : ASIF_OK;
}

asif_status asif_dynamics_draw(double *out, const asif_dynamics *d, const double *point,
                               const asif_dynamics_draw_options *options, asif_dynamics_draw_info *info,
                               asif_error *error) {
    gibbs g = {.dynamics = d, .options = ASIF_DYNAMICS_DRAW_OPTIONS_INIT, .point = point};
    asif_dynamics_draw_options *o = &g.options;
    if (options && (options->struct_size == 0 || options->struct_size > sizeof *o))
        return asif_fail(error, ASIF_EDOMAIN, "options of drawing dynamics have an unknown size");
    if (options)
        memcpy(o, options, options->struct_size);
    if (o->draws == 0 || o->chains == 0 || o->thin == 0 || !(o->prior >= 0 && isfinite(o->prior)))
        return asif_fail(
            error, ASIF_EDOMAIN,
            "draws of dynamics need a draw, a chain, a sweep for each, and a prior of 0 or more");
    if (!d->data.whole) {
        asif_fail(error, ASIF_EINVALID, "dynamics are drawn only where weights are whole numbers");
        asif_error_hint(error, "leave the weights out, or round them");
        return ASIF_EINVALID;
    }
    g.kept = (o->draws + o->chains - 1) / o->chains;
    g.sweeps = g.kept * o->thin;
    g.out = ASIF_ARRAY(d->context, o->chains * g.kept * d->cells, double);
    g.trace = ASIF_ARRAY(d->context, d->cells * o->chains * g.sweeps, double);
    g.status = ASIF_ARRAY(d->context, o->chains, asif_status);
    g.error = ASIF_ARRAY(d->context, o->chains, asif_error);
    asif_status status = draw(&g, out, info, error);
    void *const arrays[] = {g.out, g.trace, g.status, g.error};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(d->context, arrays[i]);
    return status;
}
