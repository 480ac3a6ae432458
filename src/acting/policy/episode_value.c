#include "acting/policy/episode_value.h"

#include "base/context.h"
#include "base/error.h"
#include "base/linear/direct.h"
#include "base/linear/gmres.h"
#include "base/linear/sparse.h"
#include "base/memory.h"
#include "setting/setting.h"

#include <math.h>
#include <string.h>

#define MOST_NODES 600
#define FINEST 500
#define MOST_ENTRIES 4000000 /* entries of the matrix; a larger problem is left to simulation alone */
#define GROUP 64             /* nodes of one batch */
#define RESTART 40
#define ENOUGH 1e-9        /* where the solution is the answer */
#define ENOUGH_CRITIC 1e-7 /* where simulation corrects it */
#define MOST_PRODUCTS 400
#define DIRECT_POINTS 1000 /* most points for a direct solution if GMRES fails */

/* ---- looking ahead ---- */

bool asif_episode_value_goes_on(const asif_episode_value *c, uint32_t action, uint32_t world) {
    return !c->spec->terminal[world] && !c->spec->stops[action] && (c->endless || !c->spec->ends[action]);
}

asif_status asif_outlook_create(asif_outlook *out, const asif_episode_value *critic, uint64_t room,
                                asif_error *error) {
    const asif_context *c = critic->context;
    uint64_t U = critic->spec->actions, S = critic->spec->states,
             each = critic->lattice.nodes ? U * critic->spec->observations : 0;
    *out = (asif_outlook){.critic = critic, .room = room};
    out->policy = ASIF_ARRAY(c, room * U, double);
    out->log_policy = ASIF_ARRAY(c, room * U, double);
    out->memo = ASIF_ARRAY(c, room * critic->behavior->memo_width, double);
    out->place = ASIF_ARRAY(c, room * each, uint32_t);
    out->from = ASIF_ARRAY(c, room * each, uint32_t);
    out->action = ASIF_ARRAY(c, room * each, uint32_t);
    out->observation = ASIF_ARRAY(c, room * each, uint32_t);
    out->next = ASIF_ARRAY(c, room * each * S, double);
    out->node = ASIF_ARRAY(c, room * each * S, uint32_t);
    out->weight = ASIF_ARRAY(c, room * each * S, double);
    bool good = out->policy && out->log_policy && out->memo && out->place && out->from && out->action &&
                out->observation && out->next && out->node && out->weight;
    return good ? ASIF_OK : asif_fail_memory(error);
}

void asif_outlook_free(asif_outlook *o) {
    void *const arrays[] = {o->policy, o->log_policy,  o->memo, o->place, o->from,
                            o->action, o->observation, o->next, o->node,  o->weight};
    for (size_t i = 0; o->critic && i < sizeof arrays / sizeof *arrays; i++)
        asif_free(o->critic->context, arrays[i]);
}

static void list_places(asif_outlook *o) {
    const asif_episode_value *c = o->critic;
    uint64_t U = c->spec->actions, X = c->spec->observations;
    o->places = 0;
    for (uint64_t i = 0; i < o->n; i++)
        for (uint64_t u = 0; u < U; u++)
            for (uint64_t x = 0; x < X; x++) {
                uint32_t *place = &o->place[(i * U + u) * X + x];
                *place = ASIF_ANY;
                if (!(o->policy[i * U + u] > 0) || !c->shows[u * X + x])
                    continue;
                o->from[o->places] = (uint32_t)i;
                o->action[o->places] = (uint32_t)u;
                o->observation[o->places] = (uint32_t)x;
                *place = (uint32_t)o->places++;
            }
}

asif_status asif_episode_value_step(const asif_episode_value *c, uint64_t n, const uint32_t *from,
                                    const double *state, const double *memo, const uint32_t *action,
                                    const uint32_t *observation, bool stays, double *next,
                                    asif_error *error) {
    const asif_behavior *b = c->behavior;
    asif_status status = b->ops->step(b->self, n, from, state, memo, action, observation, next, error);
    if (status != ASIF_EZEROPR || !stays)
        return status;
    for (uint64_t k = 0; k < n; k++) {
        asif_status one = b->ops->step(b->self, 1, from + k, state, memo, action + k, observation + k,
                                       next + k * b->width, error);
        if (one == ASIF_EZEROPR)
            memcpy(next + k * b->width, state + (uint64_t)from[k] * b->width, b->width * sizeof *next);
        else if (one != ASIF_OK)
            return one;
    }
    return ASIF_OK;
}

asif_status asif_outlook_make(asif_outlook *o, uint64_t n, const double *state, asif_error *error) {
    const asif_episode_value *c = o->critic;
    const asif_behavior *b = c->behavior;
    uint64_t S = c->spec->states;
    o->n = n;
    o->state = state;
    ASIF_TRY(asif_policies(b, n, state, o->log_policy, o->memo, error));
    for (uint64_t i = 0; i < n * c->spec->actions; i++)
        o->policy[i] = exp(o->log_policy[i]);
    if (!c->beliefs || !c->lattice.nodes)
        return ASIF_OK;
    list_places(o);
    ASIF_TRY(asif_episode_value_step(c, o->places, o->from, state, o->memo, o->action, o->observation, true,
                                     o->next, error));
    for (uint64_t k = 0; k < o->places; k++)
        asif_lattice_locate(&c->lattice, o->next + k * S, o->node + k * S, o->weight + k * S);
    return ASIF_OK;
}

/* Call `take` with the points that may follow when agent i takes an action, if the world is in s, and with
 * their weights. */
typedef void (*take_point)(void *user, uint64_t point, double weight);

static inline void follow(const asif_outlook *o, uint64_t i, uint32_t u, uint32_t s, double scale,
                          take_point take, void *user) {
    const asif_episode_value *c = o->critic;
    uint64_t S = c->spec->states, at = (uint64_t)u * S + s;
    const uint32_t *place = o->place + (i * c->spec->actions + u) * (uint64_t)c->spec->observations;
    for (const asif_way_on *w = c->way + c->way_at[at]; w < c->way + c->way_at[at + 1]; w++) {
        if (!c->beliefs) {
            take(user, w->next, scale * w->chance);
            continue;
        }
        uint64_t k = (uint64_t)place[w->observation] * S;
        for (uint64_t j = 0; place[w->observation] != ASIF_ANY && j < S; j++)
            if (o->weight[k + j] > 0)
                take(user, o->node[k + j] * S + w->next, scale * w->chance * o->weight[k + j]);
    }
}

/* ---- sums ---- */

typedef struct {
    const asif_episode_value *critic;
    double *sum;
} summation;

static void add_point(void *user, uint64_t point, double weight) {
    const summation *s = user;
    const double *worth = s->critic->worth + point * s->critic->kinds;
    for (uint32_t k = 0; k < s->critic->kinds; k++)
        s->sum[k] += weight * worth[k];
}

void asif_episode_value_next(const asif_outlook *o, uint64_t i, uint32_t action, uint32_t world, double scale,
                             double *sum) {
    summation s = {o->critic, sum};
    if (o->critic->worth)
        follow(o, i, action, world, scale, add_point, &s);
}

void asif_episode_value_at(const asif_episode_value *c, uint32_t world, const double *state, double scale,
                           double *sum) {
    uint32_t node[ASIF_MOST_BELIEF_STATES];
    double weight[ASIF_MOST_BELIEF_STATES];
    summation s = {c, sum};
    uint64_t S = c->spec->states;
    if (!c->worth)
        return;
    if (!c->beliefs) {
        add_point(&s, world, scale);
        return;
    }
    asif_lattice_locate(&c->lattice, state, node, weight);
    for (uint64_t j = 0; j < S; j++)
        if (weight[j] > 0)
            add_point(&s, node[j] * S + world, scale * weight[j]);
}

void asif_episode_value_gain(const asif_episode_value *c, uint32_t action, uint32_t world,
                             const double *state, double scale, double *sum) {
    double utility = scale * asif_decision_utility_mean(&c->gains, action, world, state);
    if (c->endless) {
        sum[0] += utility;
        return;
    }
    uint32_t U = c->spec->actions;
    sum[action] += scale;
    sum[U] += scale * asif_decision_utility_wrong(&c->gains, action, world);
    sum[U + 1] += utility;
}

/* ---- the linear system ---- */

typedef struct {
    const asif_episode_value *critic;
    asif_sparse_builder builder;
    asif_sparse matrix;
    double *right; /* [kinds][points] */
    double discount;
    bool failed;
} equations;

static void add_entry(void *user, uint64_t point, double weight) {
    equations *e = user;
    e->failed = e->failed || !asif_sparse_add(&e->builder, (uint32_t)point, weight);
}

static void add_row(equations *e, const asif_outlook *o, uint64_t i, uint32_t s, uint64_t point,
                    double *gain) {
    const asif_episode_value *c = e->critic;
    const double *policy = o->policy + i * c->spec->actions;
    memset(gain, 0, c->kinds * sizeof *gain);
    for (uint32_t u = 0; u < c->spec->actions; u++) {
        if (!(policy[u] > 0))
            continue;
        asif_episode_value_gain(c, u, s, o->state + i * c->behavior->width, policy[u], gain);
        follow(o, i, u, s, policy[u], add_entry, e);
    }
    for (uint32_t k = 0; k < c->kinds; k++)
        e->right[k * c->points + point] = gain[k];
    e->failed = e->failed || !asif_sparse_end_row(&e->builder);
}

static asif_status set_up(equations *e, asif_outlook *o, double *state, double *gain, asif_error *error) {
    const asif_episode_value *c = e->critic;
    uint32_t S = c->spec->states, nodes = c->beliefs ? c->lattice.nodes : S, width = c->behavior->width;
    for (uint32_t first = 0; first < nodes; first += GROUP) {
        uint32_t n = nodes - first < GROUP ? nodes - first : GROUP;
        for (uint32_t i = 0; i < n; i++)
            if (c->beliefs)
                asif_lattice_node(&c->lattice, first + i, state + (uint64_t)i * width);
            else
                state[i] = first + i;
        ASIF_TRY(asif_outlook_make(o, n, state, error));
        for (uint32_t i = 0; i < n; i++)
            for (uint32_t s = 0; s < (c->beliefs ? S : 1); s++)
                add_row(e, o, i, c->beliefs ? s : first + i,
                        c->beliefs ? (uint64_t)(first + i) * S + s : first + i, gain);
    }
    if (e->failed || !asif_sparse_finish(&e->builder, &e->matrix))
        return asif_fail_memory(error);
    return ASIF_OK;
}

/* y = x - discount P x */
static void multiply(void *user, const double *x, double *y) {
    const equations *e = user;
    const asif_simd *simd = e->critic->context->simd;
    for (uint64_t i = 0; i < e->critic->points; i += ASIF_BLOCK) {
        uint64_t n = e->critic->points - i < ASIF_BLOCK ? e->critic->points - i : ASIF_BLOCK;
        simd->product(y + i, e->matrix.slice, e->matrix.column, e->matrix.value, i, (uint32_t)n, x,
                      -e->discount, x + i, 1);
    }
}

static asif_status solve(asif_episode_value *c, equations *e, asif_error *error) {
    asif_gmres gmres = {0};
    double *x = ASIF_ARRAY(c->context, c->points, double);
    c->worth = ASIF_ARRAY(c->context, c->points * c->kinds, double);
    c->exact = true;
    asif_status status = x && c->worth ? asif_gmres_create(&gmres, c->context, c->points, RESTART, error)
                                       : asif_fail_memory(error);
    for (uint32_t k = 0; k < c->kinds && status == ASIF_OK; k++) {
        uint64_t products = 0;
        double enough = c->beliefs ? ENOUGH_CRITIC : ENOUGH;
        memset(x, 0, c->points * sizeof *x);
        double left = asif_gmres_solve(&gmres, multiply, e, e->right + k * c->points, x, enough,
                                       MOST_PRODUCTS, &products);
        bool solved = !(left > enough);
        if (!solved && c->points <= DIRECT_POINTS)
            status = asif_direct_solve(c->context, (uint32_t)c->points, c->points, multiply, e,
                                       e->right + k * c->points, x, &solved, error);
        c->exact = c->exact && solved && !c->beliefs;
        for (uint64_t i = 0; i < c->points; i++)
            c->worth[i * c->kinds + k] = isfinite(x[i]) ? x[i] : 0;
    }
    asif_gmres_free(&gmres);
    asif_free(c->context, x);
    return status;
}

static asif_status find_worth(asif_episode_value *c, double discount, asif_error *error) {
    equations e = {.critic = c, .discount = discount};
    asif_outlook o;
    double *state = ASIF_ARRAY(c->context, (uint64_t)GROUP * c->behavior->width, double),
           *gain = ASIF_ARRAY(c->context, c->kinds, double);
    e.right = ASIF_ARRAY(c->context, c->points * c->kinds, double);
    asif_sparse_begin(&e.builder, c->context);
    asif_status status = asif_outlook_create(&o, c, GROUP, error);
    if (status == ASIF_OK && !(state && gain && e.right))
        status = asif_fail_memory(error);
    if (status == ASIF_OK)
        status = set_up(&e, &o, state, gain, error);
    if (status == ASIF_OK)
        status = solve(c, &e, error);
    asif_outlook_free(&o);
    asif_sparse_abandon(&e.builder);
    asif_sparse_free(c->context, &e.matrix);
    asif_free(c->context, state);
    asif_free(c->context, gain);
    asif_free(c->context, e.right);
    return status;
}

/* ---- the critic ---- */

/* The ways on after u in s, and their number; `out` NULL: only that. */
static uint64_t list_ways(const asif_episode_value *c, uint32_t u, uint32_t s, asif_way_on *out) {
    const asif_matrix *moves = asif_transitions(c->setting, c->spec->worlds, u);
    uint64_t begin, end, first, last, n = 0;
    if (!asif_episode_value_goes_on(c, u, s))
        return 0;
    asif_matrix_row(moves, s, &begin, &end);
    for (uint64_t i = begin; i < end; i++) {
        uint32_t next = moves->column[i];
        if (!c->beliefs) {
            if (out)
                out[n] = (asif_way_on){next, 0, moves->value[i]};
            n++;
            continue;
        }
        const asif_matrix *shows = asif_emissions(c->setting, c->spec->worlds, u);
        asif_matrix_row(shows, next, &first, &last);
        for (uint64_t k = first; k < last; k++, n++)
            if (out)
                out[n] = (asif_way_on){next, shows->column[k], moves->value[i] * shows->value[k]};
    }
    return n;
}

static asif_status make_ways(asif_episode_value *c, asif_error *error) {
    uint64_t S = c->spec->states, U = c->spec->actions, n = 0;
    c->way_at = ASIF_ARRAY(c->context, U * S + 1, uint64_t);
    c->shows = ASIF_ARRAY(c->context, U * c->spec->observations, bool);
    if (!c->way_at || !c->shows)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < U * S; i++)
        c->way_at[i + 1] = n += list_ways(c, (uint32_t)(i / S), (uint32_t)(i % S), NULL);
    c->way = ASIF_ARRAY(c->context, n, asif_way_on);
    if (!c->way)
        return asif_fail_memory(error);
    for (uint64_t i = 0; i < U * S; i++) {
        list_ways(c, (uint32_t)(i / S), (uint32_t)(i % S), c->way + c->way_at[i]);
        for (uint64_t k = c->way_at[i]; c->beliefs && k < c->way_at[i + 1]; k++)
            c->shows[i / S * c->spec->observations + c->way[k].observation] = true;
    }
    return ASIF_OK;
}

/* Make a lattice as fine as the limits allow; 0 nodes: the problem is too large for any. */
static asif_status make_lattice(asif_episode_value *c, uint32_t intervals, asif_error *error) {
    uint64_t S = c->spec->states;
    uint32_t finest = 0, most = intervals && intervals < FINEST ? intervals : FINEST;
    for (uint32_t n = 1; n <= most && S <= ASIF_MOST_BELIEF_STATES; n++) {
        uint32_t nodes = asif_lattice_count(c->spec->states, n);
        if (nodes == 0 || nodes > MOST_NODES ||
            nodes * S * c->spec->actions * c->spec->observations * S > MOST_ENTRIES)
            break;
        finest = n;
    }
    if (finest == 0)
        return ASIF_OK;
    ASIF_TRY(asif_lattice_create(&c->lattice, c->context, c->spec->states, false, finest, error));
    c->points = c->lattice.nodes * S;
    return ASIF_OK;
}

asif_status asif_episode_value_create(asif_episode_value *out, const asif_behavior *behavior,
                                      const asif_theta *theta, bool endless, uint32_t max_steps,
                                      uint32_t intervals, asif_error *error) {
    const asif_setting_spec *spec = &behavior->setting->spec;
    *out = (asif_episode_value){.context = behavior->context,
                                .behavior = behavior,
                                .setting = behavior->setting,
                                .spec = spec,
                                .endless = endless,
                                .discount = endless ? theta->discount : 1,
                                .kinds = endless ? 1 : spec->actions + 2,
                                .beliefs = spec->observations > 0};
    ASIF_TRY(asif_decision_utility_create(&out->gains, behavior, theta, error));
    if (!out->beliefs && behavior->width == 1)
        out->points = spec->states;
    else if (asif_behavior_belief_at(behavior) == 0)
        ASIF_TRY(make_lattice(out, intervals, error));
    if (out->points == 0)
        return ASIF_OK;
    ASIF_TRY(make_ways(out, error));
    /* Episodes are discounted a little, because one that may never end has no finite sum. */
    return find_worth(out, endless ? theta->discount : 1 - 1 / (1 + (double)max_steps), error);
}

void asif_episode_value_free(asif_episode_value *critic) {
    asif_decision_utility_free(&critic->gains);
    asif_lattice_free(critic->context, &critic->lattice);
    asif_free(critic->context, critic->way_at);
    asif_free(critic->context, critic->way);
    asif_free(critic->context, critic->shows);
    asif_free(critic->context, critic->worth);
}
