#include "acting/episode_value.h"

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
#define ENOUGH 1e-9
#define MOST_PRODUCTS 400
#define DIRECT_POINTS 1000 /* most points for a direct solution if GMRES fails */

/* ---- looking ahead ---- */

bool asif_episode_value_goes_on(const asif_episode_value *c, uint32_t action, uint32_t world) {
    return !c->spec->terminal[world] && (c->endless || !c->spec->ends[action]);
}

asif_status asif_outlook_create(asif_outlook *out, const asif_episode_value *critic, uint64_t room,
                                asif_error *error) {
    const asif_context *c = critic->context;
    uint64_t U = critic->spec->actions, S = critic->spec->states,
             each = critic->beliefs ? U * critic->spec->observations : 0;
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

/* Whether the environment can show x after u, in a state `world` (NULL: in any state). */
static bool can_show(const asif_episode_value *c, uint32_t u, uint32_t x, const uint32_t *world) {
    const asif_matrix *moves = asif_transitions(c->setting, c->spec->worlds, u),
                      *shows = asif_emissions(c->setting, c->spec->worlds, u);
    for (uint32_t s = world ? *world : 0; s < (world ? *world + 1 : c->spec->states); s++) {
        uint64_t begin, end, first, last;
        if (!asif_episode_value_goes_on(c, u, s))
            continue;
        asif_matrix_row(moves, s, &begin, &end);
        for (uint64_t i = begin; i < end; i++) {
            asif_matrix_row(shows, moves->column[i], &first, &last);
            for (uint64_t k = first; k < last; k++)
                if (shows->column[k] == x)
                    return true;
        }
    }
    return false;
}

static void list_places(asif_outlook *o, const uint32_t *world) {
    const asif_episode_value *c = o->critic;
    uint64_t U = c->spec->actions, X = c->spec->observations;
    o->places = 0;
    for (uint64_t i = 0; i < o->n; i++)
        for (uint64_t u = 0; u < U; u++)
            for (uint64_t x = 0; x < X; x++) {
                uint32_t *place = &o->place[(i * U + u) * X + x];
                *place = ASIF_ANY;
                if (!(o->policy[i * U + u] > 0) ||
                    !can_show(c, (uint32_t)u, (uint32_t)x, world ? &world[i] : NULL))
                    continue;
                o->from[o->places] = (uint32_t)i;
                o->action[o->places] = (uint32_t)u;
                o->observation[o->places] = (uint32_t)x;
                *place = (uint32_t)o->places++;
            }
}

/* Compute the next agent states. If an observation is impossible for the agent, there is none; the agent
 * state then stays the same, because any will do for the critic. */
static asif_status step(asif_outlook *o, asif_error *error) {
    const asif_behavior *b = o->critic->behavior;
    asif_status status = b->ops->step(b->self, o->places, o->from, o->state, o->memo, o->action,
                                      o->observation, o->next, error);
    for (uint64_t k = 0; status == ASIF_EZEROPR && k < o->places; k++) {
        double *next = o->next + k * b->width;
        asif_status one = b->ops->step(b->self, 1, o->from + k, o->state, o->memo, o->action + k,
                                       o->observation + k, next, error);
        if (one == ASIF_EZEROPR)
            memcpy(next, o->state + (uint64_t)o->from[k] * b->width, b->width * sizeof *next);
        else if (one != ASIF_OK)
            return one;
    }
    return status == ASIF_EZEROPR ? ASIF_OK : status;
}

asif_status asif_outlook_make(asif_outlook *o, uint64_t n, const double *state, const uint32_t *world,
                              asif_error *error) {
    const asif_episode_value *c = o->critic;
    const asif_behavior *b = c->behavior;
    uint64_t S = c->spec->states;
    o->n = n;
    o->state = state;
    ASIF_TRY(b->ops->log_policy(b->self, n, state, o->log_policy, o->memo, error));
    for (uint64_t i = 0; i < n * c->spec->actions; i++)
        o->policy[i] = exp(o->log_policy[i]);
    if (!c->beliefs || !c->lattice.nodes)
        return ASIF_OK;
    list_places(o, world);
    ASIF_TRY(step(o, error));
    for (uint64_t k = 0; k < o->places; k++)
        asif_lattice_locate(&c->lattice, o->next + k * S, o->node + k * S, o->weight + k * S);
    return ASIF_OK;
}

/* Call `take` with the points around place k and their weights, if the world is in s. */
typedef void (*take_point)(void *user, uint64_t point, double weight);

static void points_of(const asif_outlook *o, uint32_t k, uint32_t s, double scale, take_point take,
                      void *user) {
    uint64_t S = o->critic->spec->states;
    for (uint64_t j = 0; k != ASIF_ANY && j < S; j++)
        if (o->weight[k * S + j] > 0)
            take(user, o->node[k * S + j] * S + s, scale * o->weight[k * S + j]);
}

static void follow(const asif_outlook *o, uint64_t i, uint32_t u, uint32_t s, double scale, take_point take,
                   void *user) {
    const asif_episode_value *c = o->critic;
    const asif_matrix *moves = asif_transitions(c->setting, c->spec->worlds, u);
    uint64_t begin, end, first, last;
    if (!asif_episode_value_goes_on(c, u, s))
        return;
    asif_matrix_row(moves, s, &begin, &end);
    for (uint64_t j = begin; j < end; j++) {
        uint32_t next = moves->column[j];
        if (!c->beliefs) {
            take(user, next, scale * moves->value[j]);
            continue;
        }
        const asif_matrix *shows = asif_emissions(c->setting, c->spec->worlds, u);
        asif_matrix_row(shows, next, &first, &last);
        for (uint64_t k = first; k < last; k++)
            points_of(
                o, o->place[(i * c->spec->actions + u) * (uint64_t)c->spec->observations + shows->column[k]],
                next, scale * moves->value[j] * shows->value[k], take, user);
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

void asif_episode_value_seen(const asif_outlook *o, uint64_t i, const asif_decision *d, double scale,
                             double *sum) {
    const asif_episode_value *c = o->critic;
    summation s = {c, sum};
    if (c->worth && c->beliefs)
        points_of(
            o,
            o->place[(i * c->spec->actions + d->action) * (uint64_t)c->spec->observations + d->observation],
            d->next, scale, add_point, &s);
    else if (c->worth)
        add_point(&s, d->next, scale);
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
        ASIF_TRY(asif_outlook_make(o, n, state, NULL, error));
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
        memset(x, 0, c->points * sizeof *x);
        double left = asif_gmres_solve(&gmres, multiply, e, e->right + k * c->points, x, ENOUGH,
                                       MOST_PRODUCTS, &products);
        bool solved = !(left > ENOUGH);
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

/* Make a lattice as fine as the limits allow; 0 nodes: the problem is too large for any. */
static asif_status make_lattice(asif_episode_value *c, asif_error *error) {
    uint64_t S = c->spec->states;
    uint32_t finest = 0;
    for (uint32_t n = 1; n <= FINEST && S <= ASIF_MOST_BELIEF_STATES; n++) {
        uint32_t nodes = asif_lattice_count(c->spec->states, n);
        if (nodes == 0 || nodes > MOST_NODES ||
            nodes * S * c->spec->actions * c->spec->observations * S > MOST_ENTRIES)
            break;
        finest = n;
    }
    if (finest == 0)
        return ASIF_OK;
    ASIF_TRY(asif_lattice_create(&c->lattice, c->context, c->spec->states, finest, error));
    c->points = c->lattice.nodes * S;
    return ASIF_OK;
}

asif_status asif_episode_value_create(asif_episode_value *out, const asif_behavior *behavior,
                                      const asif_theta *theta, bool endless, uint32_t max_steps,
                                      asif_error *error) {
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
    else if (out->beliefs && !behavior->hidden && behavior->width == spec->states)
        ASIF_TRY(make_lattice(out, error));
    if (out->points == 0)
        return ASIF_OK;
    /* Episodes are discounted a little, because one that may never end has no finite sum. */
    return find_worth(out, endless ? theta->discount : 1 - 1 / (1 + (double)max_steps), error);
}

void asif_episode_value_free(asif_episode_value *critic) {
    asif_decision_utility_free(&critic->gains);
    asif_lattice_free(critic->context, &critic->lattice);
    asif_free(critic->context, critic->worth);
}
