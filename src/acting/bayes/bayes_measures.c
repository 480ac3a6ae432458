/* Measures of the Bayes-optimal agent in the environment, by an exact forward pass over pairs (state of the
 * world, belief of the agent). */
#include "acting/bayes/bayes.h"

#include "acting/decision_utility.h"
#include "acting/episode_measures.h"
#include "base/error.h"
#include "base/memory.h"

#include <math.h>
#include <string.h>

#define LEFT 1e-13 /* probability that is not followed further */
#define ROUNDS 1000

typedef struct {
    asif_bayes *bayes;
    const asif_decision_utility *gains;
    const asif_setting_spec *spec;
    uint32_t cells;             /* states of the world at a node; 1 if states are observed */
    double *here, *there;       /* [count][cells]: probability of the node and of the state of the world */
    uint32_t *live, *next_live; /* [count]: nodes with positive probability */
    uint32_t lives, next_lives;
    bool *reached;              /* [count]: the node is in next_live */
    double *blind, *blind_next; /* [actions][states]: probability while blind, see asif_bayes_act() */
    double *rim;                /* [count]: probability of reaching this node at the rim */
    double *policy, *marginal;
    double *measure;
    double alive;
} pass;

static uint32_t state_of(const pass *p, uint32_t node, uint32_t cell) {
    const asif_bayes_model *m = &p->bayes->model;
    return m->seen ? (uint32_t)p->bayes->belief[(uint64_t)node * m->width] : cell;
}

/* Add a decision of probability q to the measures; false: the episode ends. */
static bool count(pass *p, uint32_t u, uint32_t s, double q) {
    p->measure[ASIF_MEASURE_TAKEN + u] += q;
    p->measure[ASIF_MEASURE_WRONG] += asif_decision_utility_wrong(p->gains, u, s) ? q : 0;
    p->measure[ASIF_MEASURE_UTILITY] += q * asif_decision_utility_mean(p->gains, u, s, p->marginal);
    return !p->spec->ends[u] && !p->spec->terminal[s];
}

static const asif_bayes_edge *edge_of(const asif_bayes *b, uint32_t node, uint32_t i, uint32_t label) {
    const uint64_t *first = b->first + (uint64_t)b->inside[node] * (b->model.actions + 1) + i;
    for (uint64_t e = first[0]; e < first[1]; e++)
        if (b->edge[e].label == label)
            return &b->edge[e];
    return NULL;
}

/* Let the environment answer the i-th action, of probability q, in state s. False: the agent holds the answer
 * impossible. */
static bool answer(pass *p, uint32_t node, uint32_t i, uint32_t s, double q) {
    const asif_bayes *b = p->bayes;
    uint32_t u = b->model.action[i];
    const asif_matrix *t = asif_transitions(b->model.setting, p->spec->worlds, u), *o = NULL;
    uint64_t e, end, x = 0, last = 1;
    if (!b->model.seen)
        o = asif_emissions(b->model.setting, p->spec->worlds, u);
    for (asif_matrix_row(t, s, &e, &end); e < end; e++) {
        uint32_t to = t->column[e];
        if (o)
            asif_matrix_row(o, to, &x, &last);
        for (uint64_t k = x; k < last; k++) {
            double next = q * t->value[e] * (o ? o->value[k] : 1);
            if (!(next > 0))
                continue;
            const asif_bayes_edge *edge = edge_of(b, node, i, o ? o->column[k] : to);
            if (!edge)
                return false;
            p->there[(uint64_t)edge->node * p->cells + (o ? to : 0)] += next;
            p->alive += next;
            if (!p->reached[edge->node])
                p->next_live[p->next_lives++] = edge->node;
            p->reached[edge->node] = true;
        }
    }
    return true;
}

static bool decide(pass *p, uint32_t node) {
    const asif_bayes *b = p->bayes;
    const asif_bayes_model *m = &b->model;
    double *here = p->here + (uint64_t)node * p->cells, sum = 0;
    uint32_t blind;
    bool possible = true;
    for (uint32_t c = 0; c < p->cells; c++)
        sum += here[c];
    asif_bayes_act(b, node, p->policy, &blind);
    asif_bayes_marginal(m, b->belief + (uint64_t)node * m->width, p->marginal);
    p->rim[node] += b->inside[node] == ASIF_ANY ? sum : 0;
    for (uint32_t c = 0; c < p->cells; c++) {
        uint32_t s = state_of(p, node, c);
        if (blind != ASIF_ANY)
            p->blind[(uint64_t)blind * p->spec->states + s] += here[c];
        for (uint32_t i = 0; blind == ASIF_ANY && here[c] > 0 && i < m->actions; i++)
            if (p->policy[i] > 0 && count(p, m->action[i], s, here[c] * p->policy[i]))
                possible &= answer(p, node, i, s, here[c] * p->policy[i]);
        here[c] = 0;
    }
    return possible;
}

/* Advance the agents that take one action for ever. They need no beliefs; belief terms of the utility are
 * left out. */
static void go_blind(pass *p) {
    const asif_bayes_model *m = &p->bayes->model;
    uint64_t S = p->spec->states, e, end;
    memset(p->blind_next, 0, m->actions * S * sizeof *p->blind_next);
    memset(p->marginal, 0, S * sizeof *p->marginal);
    for (uint32_t i = 0; i < m->actions; i++)
        for (uint32_t s = 0; s < S; s++) {
            double q = p->blind[i * S + s];
            if (!(q > 0) || !count(p, m->action[i], s, q))
                continue;
            const asif_matrix *t = asif_transitions(m->setting, p->spec->worlds, m->action[i]);
            for (asif_matrix_row(t, s, &e, &end); e < end; e++)
                p->blind_next[i * S + t->column[e]] += q * t->value[e];
            p->alive += q;
        }
    double *swap = p->blind;
    p->blind = p->blind_next;
    p->blind_next = swap;
}

static asif_status impossible(asif_error *error) {
    asif_fail(error, ASIF_EZEROPR,
              "the environment shows what all worlds of the Bayes-optimal agent rule out");
    asif_error_hint(error, "give every observation that can occur a probability above 0 in some world");
    return ASIF_EZEROPR;
}

/* Make the next step the current one. */
static void turn(pass *p) {
    double *there = p->there;
    uint32_t *live = p->next_live;
    for (uint32_t i = 0; i < p->next_lives; i++)
        p->reached[live[i]] = false;
    p->there = p->here;
    p->here = there;
    p->next_live = p->live;
    p->live = live;
    p->lives = p->next_lives;
    p->next_lives = 0;
}

static asif_status walk(pass *p, uint32_t start, uint32_t max_steps, asif_error *error) {
    asif_bayes *b = p->bayes;
    const asif_bayes_model *m = &b->model;
    const double *begin = p->spec->environment_start + (uint64_t)start * p->spec->states;
    for (uint32_t s = 0; s < p->spec->states; s++) {
        uint32_t node = b->begin[m->seen ? s : start];
        if (!(begin[s] > 0))
            continue;
        if (m->seen || p->lives == 0)
            p->live[p->lives++] = node;
        p->here[(uint64_t)node * p->cells + (m->seen ? 0 : s)] += begin[s];
    }
    p->alive = 1;
    for (uint32_t step = 0; step < max_steps && p->alive > LEFT; step++) {
        p->alive = 0;
        for (uint32_t i = 0; i < p->lives; i++)
            if (!decide(p, p->live[i]))
                return impossible(error);
        go_blind(p);
        turn(p);
    }
    p->measure[ASIF_MEASURE_CUT] = p->alive > LEFT ? p->alive : 0;
    return ASIF_OK;
}

static asif_status forward(pass *p, uint32_t start, uint32_t max_steps, asif_error *error) {
    const asif_context *c = p->bayes->context;
    uint64_t count = p->bayes->count, S = p->spec->states, A = p->bayes->model.actions;
    memset(p->measure, 0, asif_episode_measures_count(p->bayes->model.setting) * sizeof *p->measure);
    p->here = ASIF_ARRAY(c, count * p->cells, double);
    p->there = ASIF_ARRAY(c, count * p->cells, double);
    p->rim = ASIF_ARRAY(c, count, double);
    p->live = ASIF_ARRAY(c, count, uint32_t);
    p->next_live = ASIF_ARRAY(c, count, uint32_t);
    p->reached = ASIF_ARRAY(c, count, bool);
    p->lives = p->next_lives = 0;
    p->blind = ASIF_ARRAY(c, A * S, double);
    p->blind_next = ASIF_ARRAY(c, A * S, double);
    p->policy = ASIF_ARRAY(c, A, double);
    p->marginal = ASIF_ARRAY(c, S, double);
    if (!p->here || !p->there || !p->rim || !p->live || !p->next_live || !p->reached || !p->blind ||
        !p->blind_next || !p->policy || !p->marginal)
        return asif_fail_memory(error);
    return walk(p, start, max_steps, error);
}

static void end_pass(pass *p) {
    void *const arrays[] = {p->here,  p->there,      p->rim,    p->live,    p->next_live,
                            p->blind, p->blind_next, p->policy, p->reached, p->marginal};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(p->bayes->context, arrays[i]);
    p->here = p->there = p->rim = p->blind = p->blind_next = p->policy = p->marginal = NULL;
    p->live = p->next_live = NULL;
    p->reached = NULL;
}

/* Expand nodes at the rim where acting costs more, in all, than is allowed: there the policy is worse than
 * the best that is known. */
static asif_status act_better(asif_bayes *b, uint32_t n, const uint32_t *node, const double *weight,
                              asif_error *error) {
    double lost = 0, most = asif_bayes_aim(b), least = 0.5 * most / n;
    for (uint32_t i = 0; i < n; i++)
        lost +=
            b->inside[node[i]] == ASIF_ANY ? weight[i] * (b->up[node[i]] - asif_bayes_rim(b, node[i])) : 0;
    if (lost <= most)
        return ASIF_OK;
    for (uint32_t i = 0; i < n && !asif_bayes_full(b); i++)
        if (b->inside[node[i]] == ASIF_ANY &&
            weight[i] * (b->up[node[i]] - asif_bayes_rim(b, node[i])) >= least)
            ASIF_TRY(asif_bayes_expand(b, node[i], error));
    if (asif_bayes_full(b)) {
        b->info.computed = false;
        b->info.gap = fmax(b->info.gap, lost / b->model.span);
    }
    return asif_bayes_settle(b, error);
}

/* Refine the beliefs at the rim that the environment reaches, as those that the agent itself expects. */
static asif_status refine(pass *p, bool *again, asif_error *error) {
    asif_bayes *b = p->bayes;
    uint32_t n = 0, *node = ASIF_ARRAY(b->context, b->count, uint32_t), before = b->expanded;
    double *weight = p->rim; /* in place: reading is ahead of writing */
    if (!node)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < b->count; i++)
        if (p->rim[i] > 0) {
            node[n] = i;
            weight[n++] = p->rim[i];
        }
    asif_status status = asif_bayes_search(b, n, node, weight, error);
    if (status == ASIF_OK && b->info.computed)
        status = act_better(b, n, node, weight, error);
    *again = b->expanded > before;
    asif_free(b->context, node);
    return status;
}

/* Set the measures that follow from how often each action is taken, and those that are not defined. */
static void complete(const pass *p) {
    for (uint32_t u = 0; u < p->spec->actions; u++) {
        p->measure[ASIF_MEASURE_LENGTH] += p->measure[ASIF_MEASURE_TAKEN + u];
        p->measure[ASIF_MEASURE_BEFORE] += p->spec->ends[u] ? 0 : p->measure[ASIF_MEASURE_TAKEN + u];
    }
    for (uint32_t k = 0; k < ASIF_MEASURE_TAKEN; k++)
        if (asif_episode_measures_lacks(p->bayes->model.setting, k))
            p->measure[k] = NAN;
}

asif_status asif_bayes_measures(asif_bayes *b, double *measure, const asif_behavior *behavior,
                                const asif_theta *theta, uint32_t start, uint32_t max_steps,
                                asif_error *error) {
    asif_decision_utility gains;
    pass p = {.bayes = b,
              .gains = &gains,
              .spec = b->model.spec,
              .cells = b->model.seen ? 1 : b->model.spec->states,
              .measure = measure};
    asif_status status = asif_decision_utility_create(&gains, behavior, theta, error);
    bool again = true;
    for (uint32_t round = 0; again && round < ROUNDS && status == ASIF_OK; round++) {
        status = forward(&p, start, max_steps, error);
        if (status == ASIF_OK)
            status = refine(&p, &again, error);
        end_pass(&p);
    }
    asif_decision_utility_free(&gains);
    if (status == ASIF_OK)
        complete(&p);
    return status;
}
