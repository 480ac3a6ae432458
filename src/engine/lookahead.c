#include "engine/lookahead.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/numeric/ce.h"
#include "engine/places/products.h"

#include <math.h>
#include <string.h>

enum { B = ASIF_BLOCK };

/* An agent state begins with its place, unless there is only one; the rest is the belief. */
static uint64_t place_width(const asif_operator *op) {
    return asif_has_place(&op->setting->spec);
}

static uint64_t state_width(const asif_operator *op) {
    return op->successors->beliefs ? place_width(op) + op->successors->links.hidden : 1;
}

static uint32_t place_of(const asif_operator *op, const double *state) {
    return place_width(op) ? (uint32_t)state[0] : 0;
}

uint32_t asif_lookahead_likely(const asif_setting_spec *spec, const double *start) {
    uint32_t values = spec->observations ? asif_seen_values(spec) : spec->states, likely = 0;
    uint32_t hidden = spec->states / values;
    double most = -1;
    for (uint32_t y = 0; y < values; y++) {
        double sum = 0;
        for (uint32_t h = 0; h < hidden; h++)
            sum += start[(uint64_t)y * hidden + h];
        likely = sum > most ? y : likely;
        most = sum > most ? sum : most;
    }
    return likely;
}

double asif_lookahead_given(const double *start, uint32_t hidden, double *belief) {
    double sum = 0;
    for (uint32_t h = 0; h < hidden; h++)
        sum += start[h];
    for (uint32_t h = 0; h < hidden; h++)
        belief[h] = sum > 0 ? start[h] / sum : 1.0 / hidden;
    return sum;
}

uint32_t asif_lookahead_same_place(const asif_lookahead *look, const double *state, uint64_t *row,
                                   uint32_t *who, uint32_t n) {
    const asif_operator *op = &look->solver->op;
    uint64_t width = state_width(op), rows[B];
    uint32_t same = 0, others = 0, agents[B] = {0};
    if (!place_width(op))
        return n;
    double place = state[row[0] * width];
    for (uint32_t i = 0; i < n; i++) {
        bool here = state[row[i] * width] == place;
        uint32_t to = here ? same++ : others++;
        (here ? row : rows)[to] = row[i];
        if (who)
            (here ? who : agents)[to] = who[i];
    }
    memcpy(row + same, rows, others * sizeof *rows);
    if (who)
        memcpy(who + same, agents, others * sizeof *agents);
    return same;
}

uint32_t asif_lookahead_link(const asif_lookahead *look, uint32_t branch, uint32_t place,
                             uint32_t observation) {
    const asif_links *l = look->links;
    if (observation == ASIF_ANY)
        return l->at[(uint64_t)branch * l->places + place];
    uint32_t link = asif_links_find(l, branch, place, asif_links_next(l, place, observation / l->shown));
    return link != ASIF_ANY && look->shows[(uint64_t)link * l->shown + observation % l->shown] ? link
                                                                                               : ASIF_ANY;
}

const double *asif_lookahead_emission(const asif_lookahead *look, uint32_t link, uint32_t observation) {
    uint64_t x = observation % look->links->shown;
    return observation == ASIF_ANY ? NULL : asif_lookahead_seen(look, link) + x * look->links->hidden;
}

/* ---- tables that do not depend on the values ---- */

/* Adds up the emissions of the class whose first observation is x; false if no state of the branch emits any
 * of them. */
static bool pool(const asif_lookahead *look, uint32_t link, const uint32_t *first, uint32_t x, double *sum) {
    const asif_links *l = look->links;
    uint32_t lead = asif_links_lead(l, link);
    bool shown = false;
    for (uint32_t y = x; y < l->shown; y++) {
        const double *emission = asif_lookahead_seen(look, link) + (uint64_t)y * l->hidden;
        for (uint32_t t = 0; t < l->hidden && first[y] == lead + x; t++) {
            sum[t] += emission[t];
            shown = shown || emission[t] > 0;
        }
    }
    return shown;
}

/* The place of a link's observations in the classes of an action. */
static uint64_t classes_of(const asif_lookahead *look, uint32_t branch, uint32_t link) {
    const asif_successors *s = look->solver->op.successors;
    return (uint64_t)s->branch[branch].action * s->setting->spec.observations +
           asif_links_lead(look->links, link);
}

/* The pools of the links of a branch, from number `at` on; returns the number that follows. Without room for
 * them, they are only counted, at most. */
static uint32_t branch_pools(asif_lookahead *look, uint32_t branch, uint32_t at) {
    const asif_classes *classes = &look->solver->op.successors->classes;
    const asif_links *l = look->links;
    uint64_t H = l->hidden, X = l->shown;
    uint32_t end = l->at[((uint64_t)branch + 1) * l->places];
    for (uint32_t link = l->at[(uint64_t)branch * l->places]; link < end; link++) {
        uint64_t of = classes_of(look, branch, link);
        uint32_t lead = asif_links_lead(l, link);
        look->pool_at[link] = at;
        for (uint32_t x = 0; x < X; x++) {
            look->alone[link * X + x] = classes->size[of + classes->first[of + x] - lead] == 1;
            if (classes->size[of + x] < 2 || (look->pool_emission && !pool(look, link, classes->first + of, x,
                                                                           look->pool_emission + at * H)))
                continue;
            if (look->pool_emission) {
                look->pool_first[at] = x;
                look->pool_scale[at] = 1 / classes->prior[of + x];
            }
            at++;
        }
    }
    look->pool_at[end] = at;
    return at;
}

static asif_status make_pools(asif_lookahead *look, asif_error *error) {
    const asif_operator *op = &look->solver->op;
    uint32_t branches = op->successors->branches, most = 0, at = 0;
    for (uint32_t i = 0; i < branches; i++)
        most = branch_pools(look, i, most);
    look->pool_emission = ASIF_ARRAY(op->context, (uint64_t)most * look->links->hidden, double);
    look->pool_scale = ASIF_ARRAY(op->context, most, double);
    look->pool_first = ASIF_ARRAY(op->context, most, uint32_t);
    if (!look->pool_emission || !look->pool_scale || !look->pool_first)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < branches; i++)
        at = branch_pools(look, i, at);
    return ASIF_OK;
}

asif_status asif_lookahead_create(asif_lookahead *look, const asif_fixed_point *solver, asif_error *error) {
    const asif_successors *s = solver->op.successors;
    const asif_setting_spec *spec = &solver->op.setting->spec;
    const asif_context *context = solver->op.context;
    uint64_t U = spec->actions, M = spec->worlds;
    *look = (asif_lookahead){.solver = solver};
    look->constant_k = ASIF_ARRAY(context, U * M, double);
    look->constant_ce = ASIF_ARRAY(context, U, double);
    look->constant_sigma = ASIF_ARRAY(context, U * M, double);
    look->memo_at = ASIF_ARRAY(context, U, uint32_t);
    if (s->beliefs) {
        look->links = &s->links;
        look->shows = s->links.shows;
        look->alone = ASIF_ARRAY(context, (uint64_t)s->links.count * s->links.shown, bool);
        look->pool_at = ASIF_ARRAY(context, s->links.count + 1ull, uint32_t);
    }
    if (!look->constant_k || !look->constant_ce || !look->constant_sigma || !look->memo_at ||
        (s->beliefs && (!look->alone || !look->pool_at)))
        return asif_fail_memory(error);
    return s->beliefs ? make_pools(look, error) : ASIF_OK;
}

void asif_lookahead_free(asif_lookahead *look) {
    if (!look->solver)
        return;
    void *const arrays[] = {look->alone,       look->pool_at,        look->pool_emission,
                            look->pool_scale,  look->pool_first,     look->constant_k,
                            look->constant_ce, look->constant_sigma, look->memo_at};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(look->solver->op.context, arrays[i]);
    *look = (asif_lookahead){0};
}

/* ---- K of a future ---- */

double asif_lookahead_node_k(const asif_operator *op, uint32_t action, uint32_t branch_index, uint64_t row,
                             const double *values) {
    const asif_branch *branch = &op->successors->branch[branch_index];
    const double *reward = op->reward[(uint64_t)action * op->successors->branches + branch_index];
    double sum = asif_branch_row(op->successors, branch_index, row, values);
    row = branch->constant ? 0 : row;
    return op->discount * sum + op->eta * branch->entropy[row] + (reward ? reward[row] : 0);
}

void asif_lookahead_refresh(asif_lookahead *look) {
    const asif_operator *op = &look->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    look->memo_width = 0;
    for (uint32_t u = 0; u < spec->actions; u++) {
        const asif_futures *f = &op->futures[u];
        double *k = look->constant_k + (uint64_t)u * spec->worlds;
        for (uint32_t j = 0; j < f->count; j++)
            if (op->successors->branch[f->branch[j]].constant)
                k[j] = asif_lookahead_node_k(op, u, f->branch[j], 0, look->solver->values);
        look->memo_at[u] = look->memo_width;
        if (f->constant) {
            look->constant_ce[u] = asif_ce(op->context->simd, op->b, k, f->weight, f->count);
            asif_ce_tilt(op->b, k, f->weight, f->count, look->constant_sigma + (uint64_t)u * spec->worlds,
                         NULL);
        } else if (op->successors->beliefs) {
            look->memo_width += f->count;
        }
    }
}

/* Scratch for a block of agent states: each row has B numbers. */
typedef struct {
    double *all;
    uint64_t *row;            /* index of each agent of the block */
    uint32_t place;           /* that of all of them */
    uint32_t node[B];         /* with reachable beliefs: those of the agents; ASIF_ANY: out of reach */
    double *z, *ahead, *mean; /* [hidden] */
    double *p, *value, *total;
    double *k, *sigma;                       /* [worlds] */
    double *q, *chosen;                      /* [actions]; `chosen` has those that the prior allows */
    asif_future_event *event;                /* [2 observations] */
    bool *rewarded;                          /* [observations] */
    const double **to, **emission, **weight; /* [worlds]: of the futures in which x is possible */
} block;

static asif_status block_create(block *b, const asif_operator *op, asif_error *error) {
    const asif_setting_spec *spec = &op->setting->spec;
    uint64_t S = state_width(op), M = spec->worlds, U = spec->actions;
    uint64_t X = op->successors->links.shown, rows = (3 * S + 3 + 2 * M + 2 * U) * B;
    uint64_t bytes =
        B * sizeof *b->row + 2 * X * sizeof *b->event + 3 * M * sizeof *b->to + X * sizeof *b->rewarded;
    b->all = asif_realloc(op->context, NULL, rows + bytes / sizeof *b->all + 1, sizeof *b->all);
    if (!b->all)
        return asif_fail_memory(error);
    b->z = b->all;
    b->ahead = b->z + S * B;
    b->mean = b->ahead + S * B;
    b->p = b->mean + S * B;
    b->value = b->p + B;
    b->total = b->value + B;
    b->k = b->total + B;
    b->sigma = b->k + M * B;
    b->q = b->sigma + M * B;
    b->chosen = b->q + U * B;
    b->row = (uint64_t *)(void *)(b->all + rows);
    b->event = (asif_future_event *)(void *)(b->row + B);
    b->to = (const double **)(void *)(b->event + 2 * X);
    b->emission = b->to + M;
    b->weight = b->emission + M;
    b->rewarded = (bool *)(void *)(b->weight + M);
    return ASIF_OK;
}

double asif_lookahead_surprise(const asif_lookahead *look, uint32_t observation) {
    const double *prior = look->solver->op.setting->spec.belief_prior;
    return prior ? 1 / prior[observation] : 1;
}

/* The rewards r(u,x) of the observations of a link. */
static const double *link_rewards(const asif_lookahead *look, uint32_t action, uint32_t link) {
    const asif_operator *op = &look->solver->op;
    return op->seen_utility + (uint64_t)action * op->setting->spec.observations +
           asif_links_lead(look->links, link);
}

/* Adds what a link adds to K of a future at beliefs over any number of hidden values. */
static void link_k(const asif_lookahead *look, const block *b, uint32_t action, uint32_t link, uint32_t n,
                   double *k) {
    const asif_operator *op = &look->solver->op;
    const asif_simd *simd = op->context->simd;
    uint32_t S = look->links->hidden, X = look->links->shown, lead = asif_links_lead(look->links, link);
    bool last = look->links->last[link];
    const double *to = asif_lookahead_to(look, link), *reward = link_rewards(look, action, link);
    for (uint32_t t = 0; t < S; t++)
        simd->weighted(b->ahead + (uint64_t)t * B, b->z, B, to + (uint64_t)t * S, S, n);
    for (uint32_t x = 0; x < X; x++) {
        const double *emission = asif_lookahead_seen(look, link) + (uint64_t)x * S;
        if (!look->shows[(uint64_t)link * X + x])
            continue;
        simd->weighted(b->p, b->ahead, B, emission, S, n);
        if (!last) {
            simd->interpolate_simplex(b->value, asif_lookahead_values(look, look->links->to[link]), 1, S,
                                      op->successors->lattice.resolution, emission, b->ahead, B, b->p, n);
            simd->add_product(k, op->discount, b->p, b->value, n);
        }
        if (reward[x] != 0)
            simd->axpy(k, reward[x], b->p, n);
        if (op->eta != 0 && !last && look->alone[(uint64_t)link * X + x])
            simd->add_entropy(k, -op->eta, b->p, asif_lookahead_surprise(look, lead + x), n);
    }
    for (uint32_t i = look->pool_at[link]; op->eta != 0 && !last && i < look->pool_at[link + 1]; i++) {
        simd->weighted(b->p, b->ahead, B, look->pool_emission + (uint64_t)i * S, S, n);
        simd->add_entropy(k, -op->eta, b->p, look->pool_scale[i], n);
    }
}

uint32_t asif_lookahead_events(const asif_lookahead *look, uint32_t link, const double *seen, uint32_t lanes,
                               const bool *rewarded, asif_future_event *event) {
    uint32_t X = look->links->shown, lead = asif_links_lead(look->links, link);
    bool last = look->links->last[link];
    uint32_t events = 0;
    for (uint32_t x = 0; x < X; x++) {
        const double *emission = asif_lookahead_seen(look, link) + (uint64_t)x * 2;
        uint64_t at = (uint64_t)link * X + x;
        if (!look->shows[at])
            continue;
        event[events++] = (asif_future_event){
            .emission = {emission[0], emission[1]},
            .valued = !last,
            .scale = look->alone[at] && !last ? asif_lookahead_surprise(look, lead + x) : 0,
            .reward = rewarded[x] ? seen + (uint64_t)x * lanes : NULL};
    }
    for (uint32_t i = look->pool_at[link]; !last && i < look->pool_at[link + 1]; i++)
        event[events++] = (asif_future_event){
            .emission = {look->pool_emission[2ull * i], look->pool_emission[2ull * i + 1]},
            .scale = look->pool_scale[i]};
    return events;
}

/* K of a future through one link at beliefs over two hidden values, which are common enough for a kernel of
 * their own. */
static void link_k_of_two(const asif_lookahead *look, const block *b, uint32_t action, uint32_t link,
                          uint32_t n, double *k) {
    const asif_operator *op = &look->solver->op;
    const double *seen = link_rewards(look, action, link);
    for (uint32_t x = 0; x < look->links->shown; x++)
        b->rewarded[x] = seen[x] != 0;
    uint32_t events = asif_lookahead_events(look, link, seen, 1, b->rewarded, b->event);
    op->context->simd->future(k, b->z, B, asif_lookahead_to(look, link), b->event, events,
                              asif_lookahead_values(look, look->links->to[link]),
                              op->successors->lattice.resolution, op->successors->lattice.point, op->discount,
                              -op->eta, n);
}

/* K of a future at beliefs: the sum over the places to which it can lead. */
static void belief_k(const asif_lookahead *look, const block *b, uint32_t action, uint32_t branch, uint32_t n,
                     double *k) {
    const asif_operator *op = &look->solver->op;
    uint32_t link, end;
    bool first = true;
    memset(k, 0, n * sizeof *k);
    if (op->successors->reachable) {
        for (uint32_t i = 0; i < n; i++)
            if (b->node[i] != ASIF_ANY)
                k[i] = asif_lookahead_node_k(op, action, branch, b->node[i], look->solver->values);
        return;
    }
    for (asif_links_from(look->links, branch, b->place, &link, &end); link < end; link++, first = false) {
        if (look->links->hidden != 2) {
            link_k(look, b, action, link, n, k);
            continue;
        }
        link_k_of_two(look, b, action, link, n, first ? k : b->value);
        for (uint32_t i = 0; i < n && !first; i++)
            k[i] += b->value[i];
    }
}

/* K of all futures of an action. */
static void futures_k(const asif_lookahead *look, const block *b, uint32_t action, uint32_t n) {
    const asif_operator *op = &look->solver->op;
    const asif_futures *f = &op->futures[action];
    for (uint32_t j = 0; j < f->count; j++) {
        double *k = b->k + (uint64_t)j * B, same;
        uint32_t branch = f->branch[j];
        if (op->successors->branch[branch].constant) {
            same = look->constant_k[(uint64_t)action * op->setting->spec.worlds + j];
            for (uint32_t i = 0; i < n; i++)
                k[i] = same;
        } else if (op->successors->beliefs) {
            belief_k(look, b, action, branch, n, k);
        } else {
            for (uint32_t i = 0; i < n; i++)
                k[i] = asif_lookahead_node_k(op, action, branch, (uint64_t)b->z[i], look->solver->values);
        }
    }
}

static void utilities(const asif_operator *op, const block *b, uint32_t action, uint32_t n, double *out) {
    const asif_setting_spec *spec = &op->setting->spec;
    uint32_t S = op->successors->links.hidden;
    if (!op->successors->beliefs) {
        for (uint32_t i = 0; i < n; i++)
            out[i] = op->utility[action * op->successors->stride + (uint64_t)b->z[i]];
        return;
    }
    op->context->simd->weighted(out, b->z, B,
                                op->state_utility + (uint64_t)action * spec->states +
                                    (uint64_t)(b->place % op->successors->links.seen) * S,
                                S, n);
    for (uint64_t j = 0; op->belief_terms && j < spec->terms; j++) {
        const asif_utility_term *t = &spec->term[j];
        if (t->by != ASIF_BY_BELIEF || (t->action != ASIF_ANY && t->action != action))
            continue;
        double amount = t->coefficient * (t->parameter == ASIF_ANY ? 1 : op->parameter[t->parameter]);
        for (uint32_t i = 0; i < n; i++) {
            double z[ASIF_MOST_BELIEF_STATES];
            for (uint32_t s = 0; s < S; s++)
                z[s] = b->z[(uint64_t)s * B + i];
            out[i] +=
                asif_term_share(t, asif_term_measure_at(t, b->place % op->successors->links.seen, z, S)) *
                amount;
        }
    }
}

/* ---- views of agent states ---- */

static asif_status check_state(const asif_operator *op, const double *state, asif_error *error) {
    const asif_setting_spec *spec = &op->setting->spec;
    double sum = 0;
    if (!op->successors->beliefs) {
        if (!(state[0] >= 0 && state[0] < spec->states && state[0] == floor(state[0])))
            return asif_fail(error, ASIF_EDOMAIN, "%g is not the number of a state", state[0]);
        return ASIF_OK;
    }
    if (place_width(op) && !(state[0] >= 0 && state[0] < asif_places(spec) && state[0] == floor(state[0])))
        return asif_fail(error, ASIF_EDOMAIN, "%g is not the number of a place", state[0]);
    state += place_width(op);
    for (uint32_t k = 0; k < op->successors->links.hidden; k++) {
        if (!(state[k] >= 0))
            return asif_fail(error, ASIF_EDOMAIN, "a belief has the probability %g", state[k]);
        sum += state[k];
    }
    if (fabs(sum - 1) > 1e-6)
        return asif_fail(error, ASIF_EDOMAIN, "a belief sums to %.9g, not 1", sum);
    return ASIF_OK;
}

static asif_status at_row(asif_error *error, uint64_t i, asif_status status) {
    if (status != ASIF_OK && error)
        error->row = i + 1;
    return status;
}

asif_status asif_lookahead_check(const asif_lookahead *look, uint64_t n, const double *state,
                                 asif_error *error) {
    const asif_operator *op = &look->solver->op;
    for (uint64_t i = 0; i < n; i++)
        ASIF_TRY(at_row(error, i, check_state(op, state + i * state_width(op), error)));
    return ASIF_OK;
}

/* Copies the agents b->row, which are in the same place, into the rows of the block. */
static void load_states(const asif_operator *op, block *b, uint32_t n, const double *state) {
    uint64_t width = state_width(op), lead = place_width(op);
    b->place = place_of(op, state + b->row[0] * width);
    for (uint64_t s = lead; s < width; s++)
        for (uint32_t i = 0; i < n; i++)
            b->z[(s - lead) * B + i] = state[b->row[i] * width + s];
    for (uint32_t i = 0; op->successors->reachable && i < n; i++)
        b->node[i] = asif_reach_find(&op->successors->reach, b->place, state + b->row[i] * width + lead);
}

uint32_t asif_lookahead_node(const asif_lookahead *look, const double *state) {
    const asif_operator *op = &look->solver->op;
    return op->successors->reachable
               ? asif_reach_find(&op->successors->reach, place_of(op, state), state + place_width(op))
               : ASIF_ANY;
}

static bool wants_worlds(const asif_view *view) {
    return view->worlds || view->k;
}

/* Writes the worlds' tilted weights and K of an action to the view and to the memo. */
static void put_worlds(const asif_lookahead *look, const block *b, uint32_t action, uint32_t n,
                       const asif_view *view, double *memo) {
    const asif_operator *op = &look->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_futures *f = &op->futures[action];
    uint64_t U = spec->actions, M = spec->worlds;
    op->context->simd->tilt(b->sigma, op->b, b->k, B, f->weight, f->count, n);
    for (uint32_t j = 0; memo && !f->constant && j < f->count; j++)
        for (uint32_t i = 0; i < n; i++)
            memo[b->row[i] * look->memo_width + look->memo_at[action] + j] = b->sigma[(uint64_t)j * B + i];
    for (uint32_t m = 0; wants_worlds(view) && m < M; m++) {
        uint32_t j = op->world_future[action * M + m];
        for (uint32_t i = 0; i < n; i++) {
            uint64_t to = (b->row[i] * U + action) * M + m, at = (uint64_t)(j == ASIF_ANY ? 0 : j) * B + i;
            if (view->k)
                view->k[to] = j == ASIF_ANY ? NAN : b->k[at];
            if (view->worlds)
                view->worlds[to] = j == ASIF_ANY ? 0 : b->sigma[at] * op->world_weights[m] / f->weight[j];
        }
    }
}

static void look_block(const asif_lookahead *look, const block *b, uint32_t n, const asif_view *view,
                       double *memo) {
    const asif_operator *op = &look->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    const asif_simd *simd = op->context->simd;
    uint64_t U = spec->actions;
    for (uint32_t u = 0; u < U; u++) {
        const asif_futures *f = &op->futures[u];
        double *q = b->q + (uint64_t)u * B;
        utilities(op, b, u, n, q);
        if (!f->constant || wants_worlds(view))
            futures_k(look, b, u, n);
        if (f->constant)
            for (uint32_t i = 0; i < n; i++)
                q[i] += look->constant_ce[u];
        else
            simd->certainty(q, op->b, b->k, B, f->weight, f->count, q, n);
        if ((memo && !f->constant) || wants_worlds(view))
            put_worlds(look, b, u, n, view, memo);
        for (uint32_t i = 0; view->q && i < n; i++)
            view->q[b->row[i] * U + u] = q[i];
    }
    const double *chosen = b->q;
    const asif_menu *menu = asif_menus_at(&op->menus, b->place);
    for (uint32_t j = 0; j < menu->actives && menu->actives < U; j++)
        memcpy(b->chosen + (uint64_t)j * B, b->q + (uint64_t)menu->action[j] * B, n * sizeof *b->q);
    if (menu->actives < U)
        chosen = b->chosen;
    if (view->value)
        simd->certainty(b->value, op->a, chosen, B, menu->prior, menu->actives, NULL, n);
    for (uint32_t i = 0; view->value && i < n; i++)
        view->value[b->row[i]] = b->value[i];
    if (!view->log_policy && !view->policy)
        return;
    simd->log_tilt(b->chosen, op->a_act, chosen, B, menu->prior, menu->log_prior, menu->actives, n);
    for (uint32_t j = 0; view->log_policy && j < menu->actives && menu->actives == U; j++)
        for (uint32_t i = 0; i < n; i++)
            view->log_policy[b->row[i] * U + j] = b->chosen[(uint64_t)j * B + i];
    if (!view->policy && menu->actives == U)
        return;
    for (uint32_t i = 0; i < n; i++) {
        for (uint32_t u = 0; u < U && menu->actives < U; u++) {
            if (view->log_policy)
                view->log_policy[b->row[i] * U + u] = -INFINITY;
            if (view->policy)
                view->policy[b->row[i] * U + u] = 0;
        }
        for (uint32_t j = 0; j < menu->actives; j++) {
            double l = b->chosen[(uint64_t)j * B + i];
            if (view->log_policy)
                view->log_policy[b->row[i] * U + menu->action[j]] = l;
            if (view->policy)
                view->policy[b->row[i] * U + menu->action[j]] = exp(l);
        }
    }
}

asif_status asif_lookahead_view(const asif_lookahead *look, uint64_t n, const double *state,
                                const asif_view *view, double *memo, asif_error *error) {
    const asif_operator *op = &look->solver->op;
    block b;
    asif_status status = block_create(&b, op, error);
    if (look->memo_width == 0) /* no action has weights to keep */
        memo = NULL;
    for (uint64_t first = 0; first < n && status == ASIF_OK; first += B) {
        uint64_t row[B];
        uint32_t left = n - first < B ? (uint32_t)(n - first) : B;
        for (uint32_t i = 0; i < left; i++)
            row[i] = first + i;
        for (uint32_t done = 0, here; done < left; done += here) {
            here = asif_lookahead_same_place(look, state, row + done, NULL, left - done);
            memcpy(b.row, row + done, here * sizeof *row);
            load_states(op, &b, here, state);
            look_block(look, &b, here, view, memo);
        }
    }
    asif_free(op->context, b.all);
    return status;
}

/* ---- recognition ---- */

static asif_status impossible(const asif_operator *op, uint32_t action, uint32_t observation, uint64_t i,
                              asif_error *error) {
    char a[ASIF_LABEL_SIZE], x[ASIF_LABEL_SIZE];
    asif_fail(error, ASIF_EZEROPR, "'%s' after '%s' is impossible here in every world of the agent",
              asif_setting_label(op->setting, ASIF_LABEL_OBSERVATION, observation, x),
              asif_setting_label(op->setting, ASIF_LABEL_ACTION, action, a));
    asif_error_hint(error, "give the agent a world in which it can happen, with however small a probability");
    return at_row(error, i, ASIF_EZEROPR);
}

/* A step where the agent sees the world state: the observation is the next state, and only has to
 * be possible. */
static asif_status step_state(const asif_operator *op, const double *state, uint32_t action, uint32_t seen,
                              uint64_t i, double *next, asif_error *error) {
    const asif_setting_spec *spec = &op->setting->spec;
    if (seen == ASIF_ANY)
        return at_row(error, i,
                      asif_fail(error, ASIF_EUNSUPPORTED, "where states are seen, the next one must be"));
    for (uint32_t m = 0; m < spec->worlds; m++) {
        if (!(op->world_weights[m] > 0))
            continue;
        const asif_matrix *t = asif_transitions(op->setting, m, action);
        uint64_t e, end;
        for (asif_matrix_row(t, (uint32_t)state[0], &e, &end); e < end; e++)
            if (t->column[e] == seen) {
                next[0] = seen;
                return ASIF_OK;
            }
    }
    return impossible(op, action, seen, i, error);
}

/* Weights below this no longer have their true proportions, because exponents are cut off at -700. */
#define VANISHED 1e-290

/* At a limit of optimism sigma may vanish in every world in which x is possible. Recognition then tilts the
 * weights of these worlds alone, which is the limit of recognition with finite optimism. The agent is number
 * i of the block; its K are in b->k. Returns false if x is possible in no world. */
static bool tilt_possible(const asif_lookahead *look, const block *b, uint32_t action, uint32_t x, uint32_t i,
                          double *mean, double *weight, double *k, double *sigma) {
    const asif_operator *op = &look->solver->op;
    const asif_futures *f = &op->futures[action];
    uint32_t S = look->links->hidden;
    bool possible = false;
    for (int pass = 0; pass < 2; pass++) {
        memset(mean, 0, S * sizeof *mean);
        for (uint32_t j = 0; j < f->count; j++) {
            uint32_t link = asif_lookahead_link(look, f->branch[j], b->place, x);
            const double *to = asif_lookahead_to(look, link == ASIF_ANY ? 0 : link),
                         *emission = asif_lookahead_emission(look, link == ASIF_ANY ? 0 : link, x);
            double after[ASIF_MOST_BELIEF_STATES] = {0}, p = 0;
            for (uint32_t t = 0; t < S && link != ASIF_ANY; t++) {
                for (uint32_t s = 0; s < S; s++)
                    after[t] += b->z[(uint64_t)s * B + i] * to[(uint64_t)t * S + s];
                p += after[t] *= emission[t];
            }
            weight[j] = p > 0 ? f->weight[j] : 0;
            k[j] = b->k[(uint64_t)j * B + i];
            possible = possible || p > 0;
            for (uint32_t t = 0; t < S && pass == 1 && p > 0; t++)
                mean[t] += sigma[j] * after[t] / p;
        }
        if (!possible)
            return false;
        if (pass == 0)
            asif_ce_tilt(op->b, k, weight, f->count, sigma, NULL);
    }
    return true;
}

typedef struct {
    const asif_lookahead *look;
    uint64_t first; /* index of the block's first agent */
    const uint32_t *from, *action, *observation;
    const double *state, *memo;
    double *next;
    block b;
    double *spare; /* [4 worlds + states] */
} stepping;

/* A step beyond the end of an episode, or after an action that cannot be taken. */
static asif_status beyond(const asif_operator *op, uint32_t place, uint32_t action, uint64_t i,
                          asif_error *error) {
    const asif_setting_spec *spec = &op->setting->spec;
    char label[ASIF_LABEL_SIZE], seen[ASIF_LABEL_SIZE];
    if (!asif_is_available(spec, place, action))
        asif_fail(error, ASIF_EINVALID, "'%s' is not available where '%s' is seen",
                  asif_setting_label(op->setting, ASIF_LABEL_ACTION, action, label),
                  asif_setting_label(op->setting, ASIF_LABEL_SEEN, place % op->successors->links.seen, seen));
    else if (spec->stops[action])
        asif_fail(error, ASIF_EINVALID, "nothing follows '%s', which ends an episode for good",
                  asif_setting_label(op->setting, ASIF_LABEL_ACTION, action, label));
    else if (spec->horizon)
        asif_fail(error, ASIF_EINVALID, "the episode goes on after its last decision: the horizon is %u",
                  spec->horizon);
    else
        asif_fail(error, ASIF_EINVALID, "the episode goes on after a terminal state");
    return at_row(error, i, ASIF_EINVALID);
}

/* z' = sum_m sigma(m|z,u) Bayes_m(z,u,x), where sigma is renormalised over the worlds in which x is possible,
 * for the `n` agents `who` of the block that took the same action and saw the same x, and are in the same
 * place. */
static asif_status step_group(const stepping *s, block *b, const uint32_t *who, uint32_t n,
                              asif_error *error) {
    const asif_lookahead *look = s->look;
    const asif_operator *op = &look->solver->op;
    const asif_simd *simd = op->context->simd;
    const asif_setting_spec *spec = &op->setting->spec;
    uint32_t S = look->links->hidden, u = s->action[who[0]], x = s->observation[who[0]];
    uint64_t M = spec->worlds, lead = place_width(op), width = S + lead;
    const asif_futures *f = &op->futures[u];
    bool have_k = !s->memo && !f->constant;
    const uint64_t *row = b->row;
    for (uint32_t i = 0; i < n; i++)
        b->row[i] = s->from ? s->from[who[i]] : s->first + who[i];
    load_states(op, b, n, s->state);
    if (asif_is_last(spec, b->place, u))
        return beyond(op, b->place, u, s->first + who[0], error);
    const uint32_t shown = spec->seen > 1 ? x / look->links->shown : 0,
                   next_place = asif_links_next(look->links, b->place, shown);
    if (have_k) {
        futures_k(look, b, u, n);
        simd->tilt(b->sigma, op->b, b->k, B, f->weight, f->count, n);
    }
    for (uint32_t j = 0; j < f->count && !have_k; j++) {
        double *sigma = b->sigma + (uint64_t)j * B;
        if (f->constant) {
            for (uint32_t i = 0; i < n; i++)
                sigma[i] = look->constant_sigma[u * M + j];
            continue;
        }
        const double *memo = s->memo + look->memo_at[u] + j;
        for (uint32_t i = 0; i < n; i++)
            sigma[i] = memo[row[i] * look->memo_width];
    }
    uint32_t used = 0;
    for (uint32_t j = 0; j < f->count; j++) { /* only futures in which x can be seen */
        uint32_t link = asif_lookahead_link(look, f->branch[j], b->place, x);
        if (link == ASIF_ANY)
            continue;
        b->to[used] = asif_lookahead_to(look, link);
        b->emission[used] = asif_lookahead_emission(look, link, x);
        b->weight[used++] = b->sigma + (uint64_t)j * B;
    }
    simd->recognise(b->mean, b->total, b->z, B, S, b->to, b->emission, b->weight, used, n);
    for (uint32_t i = 0; i < n; i++) {
        double *next = s->next + (s->first + who[i]) * width + lead, *spare = s->spare;
        for (uint32_t t = 0; t < S; t++)
            next[t] = b->mean[(uint64_t)t * B + i];
        if (lead)
            next[-1] = next_place;
        if (b->total[i] > VANISHED)
            continue;
        if (!have_k) {
            futures_k(look, b, u, n);
            have_k = true;
        }
        if (!tilt_possible(look, b, u, x, i, spare, spare + S, spare + S + M, spare + S + 2 * M))
            return impossible(op, u, x, s->first + who[i], error);
        memcpy(next, spare, S * sizeof *next);
    }
    return ASIF_OK;
}

static asif_status step_alike(void *user, const uint32_t *who, uint32_t n, asif_error *error) {
    stepping *s = user;
    const asif_operator *op = &s->look->solver->op;
    if (!place_width(op))
        return step_group(s, &s->b, who, n, error);
    if (s->observation[who[0]] == ASIF_ANY && op->setting->spec.seen > 1)
        return at_row(error, s->first + who[0],
                      asif_fail(error, ASIF_EUNSUPPORTED, "the seen part of the next state must be known"));
    uint64_t place[B];
    uint32_t group[B], here;
    for (uint32_t i = 0; i < n; i++)
        place[i] = s->from ? s->from[who[i]] : s->first + who[i];
    memcpy(group, who, n * sizeof *group);
    for (uint32_t done = 0; done < n; done += here) {
        here = asif_lookahead_same_place(s->look, s->state, place + done, group + done, n - done);
        ASIF_TRY(step_group(s, &s->b, group + done, here, error));
    }
    return ASIF_OK;
}

static asif_status out_of_range(uint64_t i, asif_error *error) {
    return at_row(error, i, asif_fail(error, ASIF_EDOMAIN, "an action or observation is out of range"));
}

static asif_status step_states(const stepping *s, uint32_t n, asif_error *error) {
    const asif_operator *op = &s->look->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    for (uint32_t i = 0; i < n; i++) {
        const double *z = s->state + (s->from ? s->from[i] : s->first + i);
        if (s->action[i] >= spec->actions ||
            (s->observation[i] >= spec->states && s->observation[i] != ASIF_ANY))
            return out_of_range(s->first + i, error);
        ASIF_TRY(
            step_state(op, z, s->action[i], s->observation[i], s->first + i, s->next + s->first + i, error));
    }
    return ASIF_OK;
}

/* The inner loop has no branch that depends on the data, because the processor could not predict it. */
asif_status asif_lookahead_alike(const asif_lookahead *look, uint64_t first, uint32_t n,
                                 const uint32_t *action, const uint32_t *observation, asif_alike handle,
                                 void *user, asif_error *error) {
    const asif_setting_spec *spec = &look->solver->op.setting->spec;
    const uint32_t X = spec->observations, done = UINT32_MAX;
    uint32_t who[B], kind[B];
    for (uint32_t i = 0; i < n; i++) {
        uint32_t x = observation[i] == ASIF_ANY ? X : observation[i];
        kind[i] = action[i] * (X + 1) + x;
        if (action[i] >= spec->actions || x > X || observation[i] == X)
            return out_of_range(first + i, error);
    }
    for (uint32_t i = 0; i < n; i++) {
        uint32_t alike = 0, same = kind[i];
        if (same == done)
            continue;
        for (uint32_t j = i; j < n; j++) {
            who[alike] = j;
            alike += kind[j] == same;
            kind[j] = kind[j] == same ? done : kind[j];
        }
        ASIF_TRY(handle(user, who, alike, error));
    }
    return ASIF_OK;
}

static asif_status step_beliefs(const stepping *s, uint32_t n, asif_error *error) {
    return asif_lookahead_alike(s->look, s->first, n, s->action, s->observation, step_alike,
                                (void *)(uintptr_t)s, error);
}

asif_status asif_lookahead_step(const asif_lookahead *look, uint64_t n, const uint32_t *from,
                                const double *state, const double *memo, const uint32_t *action,
                                const uint32_t *observation, double *next, asif_error *error) {
    const asif_operator *op = &look->solver->op;
    const asif_setting_spec *spec = &op->setting->spec;
    uint64_t S = state_width(op);
    stepping s = {.look = look, .state = state, .memo = memo, .next = next};
    asif_status status = block_create(&s.b, op, error);
    s.spare = ASIF_ARRAY(op->context, S + 3ull * spec->worlds, double);
    if (status == ASIF_OK && !s.spare)
        status = asif_fail_memory(error);
    for (uint64_t first = 0; first < n && status == ASIF_OK; first += B) {
        s.first = first;
        s.from = from ? from + first : NULL;
        s.action = action + first;
        s.observation = observation + first;
        status = (op->successors->beliefs ? step_beliefs : step_states)(
            &s, n - first < B ? (uint32_t)(n - first) : B, error);
    }
    asif_free(op->context, s.b.all);
    asif_free(op->context, s.spare);
    return status;
}
