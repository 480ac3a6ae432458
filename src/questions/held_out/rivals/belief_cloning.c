/* The rivals belief-cloning and joint-belief-cloning: decision boundaries in the space of beliefs (Hueyuek et
 * al., 2021),
 *
 *     pi(u|b) ~ exp(-|b - mu_u|^2),
 *
 * whose means mu_u sum to 1 and may leave the simplex. As |b|^2 is common to all actions, the exponent is
 * 2 b'mu_u - |mu_u|^2. Beliefs come from dynamics that are learnt from the observations first, or together
 * with the means: the joint form maximises the sum of both log-likelihoods. Means have a normal prior around
 * equal entries with standard deviation SPREAD, so that every action keeps some probability. */
#include "asif/sample.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"
#include "questions/held_out/rivals/belief_lesson.h"

#include <math.h>
#include <string.h>

#define SPREAD 10.0
#define LEAST_LOGIT (-40.)

typedef struct {
    asif_belief_lesson *beliefs;
    const asif_tree_view *tree;
    uint32_t states, actions;
    bool joint;
    uint64_t *reference;  /* [rows] of the dynamics */
    double *mean, *slope; /* [actions][states]: means, and derivatives in them */
    double *policy, *bar; /* [actions]; [histories][states]: derivatives in the beliefs */
    double *cell, *more;  /* [cells] */
    double *point;        /* [cells]: dynamics of the last evaluation */
} cloning;

static uint32_t dimension(const cloning *c) {
    return (c->joint ? c->beliefs->part->free : 0) + c->actions * (c->states - 1);
}

/* Means from all entries but the last. */
static void set_means(cloning *c, const double *x) {
    for (uint32_t u = 0; u < c->actions; u++) {
        double *mean = c->mean + (uint64_t)u * c->states, rest = 1;
        for (uint32_t s = 0; s + 1 < c->states; s++)
            rest -= mean[s] = *x++;
        mean[c->states - 1] = rest;
    }
}

/* log pi [actions] at a belief. */
static void log_policy(const cloning *c, const double *belief, double *out) {
    double most = -INFINITY, sum = 0;
    for (uint32_t u = 0; u < c->actions; u++) {
        const double *mean = c->mean + (uint64_t)u * c->states;
        out[u] = 0;
        for (uint32_t s = 0; s < c->states; s++)
            out[u] += mean[s] * (2 * belief[s] - mean[s]);
        most = fmax(most, out[u]);
    }
    for (uint32_t u = 0; u < c->actions; u++)
        sum += exp(out[u] - most);
    for (uint32_t u = 0; u < c->actions; u++)
        out[u] -= most + log(sum);
}

/* Log-likelihood of the actions, with derivatives in the means and, in the joint form, in the beliefs. */
static double follow(cloning *c) {
    const double *count = c->beliefs->lesson->count;
    uint32_t S = c->states, U = c->actions;
    double value = 0;
    memset(c->slope, 0, (uint64_t)U * S * sizeof(double));
    memset(c->bar, 0, c->beliefs->whole->data.nodes * S * sizeof(double));
    for (uint64_t n = 0; n < c->tree->nodes; n++, count += U) {
        double all = 0;
        for (uint32_t u = 0; u < U; u++)
            all += count[u];
        if (all == 0)
            continue;
        const double *belief = asif_belief_at(c->beliefs, n);
        double *bar = c->bar + (uint64_t)c->beliefs->whole->data.of_node[n] * S;
        log_policy(c, belief, c->policy);
        for (uint32_t u = 0; u < U; u++) {
            const double *mean = c->mean + (uint64_t)u * S;
            double off = count[u] - all * exp(c->policy[u]);
            value += count[u] > 0 ? count[u] * c->policy[u] : 0;
            for (uint32_t s = 0; s < S; s++) {
                c->slope[(uint64_t)u * S + s] += 2 * off * (belief[s] - mean[s]);
                bar[s] += 2 * off * mean[s];
            }
        }
    }
    return value;
}

/* The prior of the means, and the gradient in their coordinates. */
static double finish_means(cloning *c, double *gradient) {
    double value = 0, equal = 1.0 / c->states;
    for (uint64_t i = 0; i < (uint64_t)c->actions * c->states; i++) {
        double off = (c->mean[i] - equal) / SPREAD;
        value -= off * off / 2;
        c->slope[i] -= off / SPREAD;
    }
    for (uint32_t u = 0; gradient && u < c->actions; u++) {
        const double *slope = c->slope + (uint64_t)u * c->states;
        for (uint32_t s = 0; s + 1 < c->states; s++)
            *gradient++ = slope[s] - slope[c->states - 1];
    }
    return value;
}

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    cloning *c = user;
    asif_belief_lesson *l = c->beliefs;
    const asif_dynamics *d = l->part;
    (void)error;
    *value = 0;
    if (c->joint) {
        asif_dynamics_from_logits(d, c->reference, x, c->point);
        *value = asif_dynamics_down(&l->learning, c->point) +
                 asif_dynamics_log_prior(d, c->point, ASIF_LESSON_PRIOR);
        asif_dynamics_down(&l->following, c->point);
        if (!isfinite(*value)) {
            *value = -INFINITY;
            return ASIF_OK;
        }
        x += d->free;
    }
    set_means(c, x);
    *value += follow(c);
    *value += finish_means(c, gradient ? gradient + (c->joint ? d->free : 0) : NULL);
    if (!gradient || !c->joint)
        return ASIF_OK;
    asif_dynamics_up(&l->learning, c->cell);
    asif_dynamics_pull(&l->following, c->bar, c->more);
    for (uint64_t i = 0; i < d->cells; i++)
        c->cell[i] += c->more[i] + (d->learnt[i] ? ASIF_LESSON_PRIOR : 0);
    asif_dynamics_logit_gradient(d, c->reference, c->point, c->cell, gradient);
    return ASIF_OK;
}

/* Maximise from x, in place. */
static asif_status climb(cloning *c, double *x, double *scale, asif_error *error) {
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    const asif_density density = {
        .dimension = dimension(c), .evaluate = evaluate, .has_gradient = true, .smooth = true, .user = c};
    double *start = ASIF_ARRAY(c->beliefs->lesson->context, density.dimension, double);
    if (!start)
        return asif_fail_memory(error);
    memcpy(start, x, density.dimension * sizeof *x);
    options.start = start;
    options.scale = scale;
    options.no_polish = true;
    options.tol = 1e-9;
    asif_status status = asif_maximise(x, c->beliefs->lesson->context, &density, 1, &options, NULL, error);
    asif_free(c->beliefs->lesson->context, start);
    return status;
}

/* Means for beliefs that are known; then, in the joint form, both from there. */
static asif_status train(cloning *c, bool joint, asif_error *error) {
    asif_belief_lesson *l = c->beliefs;
    const asif_dynamics *d = l->part;
    uint32_t means = c->actions * (c->states - 1), all = d->free + means;
    double *x = ASIF_ARRAY(l->lesson->context, 2 * (uint64_t)all, double), *scale = x ? x + all : NULL;
    if (!x)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i < all; i++) {
        x[i] = 1.0 / c->states;
        scale[i] = 1;
    }
    asif_status status = climb(c, x + d->free, scale, error);
    if (status == ASIF_OK && joint && d->free) {
        c->joint = true;
        asif_dynamics_references(d, l->point, c->reference);
        asif_dynamics_to_logits(d, c->reference, l->point, x);
        for (uint32_t i = 0; i < d->free; i++)
            x[i] = fmax(x[i], LEAST_LOGIT);
        asif_dynamics_down(&l->learning, l->point);
        asif_dynamics_up(&l->learning, c->cell);
        asif_dynamics_logit_scale(d, c->reference, l->point, c->cell, ASIF_LESSON_PRIOR, scale);
        status = climb(c, x, scale, error);
    }
    double ignored;
    if (status == ASIF_OK) /* leave beliefs and means where the maximum is */
        status = evaluate(c, c->joint ? x : x + d->free, &ignored, NULL, error);
    asif_free(l->lesson->context, x);
    return status;
}

static asif_status prepare(cloning *c, asif_error *error) {
    const asif_dynamics *d = c->beliefs->part;
    const asif_context *context = c->beliefs->lesson->context;
    uint64_t S = d->spec.states, U = d->spec.actions;
    c->tree = asif_tree_inside(c->beliefs->lesson->tree);
    c->states = d->spec.states;
    c->actions = d->spec.actions;
    c->reference = ASIF_ARRAY(context, (uint64_t)d->rows + 1, uint64_t);
    c->mean = ASIF_ARRAY(context, U * S, double);
    c->slope = ASIF_ARRAY(context, U * S, double);
    c->policy = ASIF_ARRAY(context, U, double);
    c->bar = ASIF_ARRAY(context, c->beliefs->whole->data.nodes * S, double);
    c->cell = ASIF_ARRAY(context, d->cells, double);
    c->more = ASIF_ARRAY(context, d->cells, double);
    c->point = ASIF_ARRAY(context, d->cells, double);
    bool good = c->reference && c->mean && c->slope && c->policy && c->bar && c->cell && c->more && c->point;
    return good ? ASIF_OK : asif_fail_memory(error);
}

static asif_status clone(double *policy, const asif_lesson *lesson, bool joint, asif_error *error) {
    asif_belief_lesson beliefs;
    cloning c = {.beliefs = &beliefs};
    asif_status status = asif_belief_lesson_create(&beliefs, lesson, error);
    if (status == ASIF_OK)
        status = prepare(&c, error);
    if (status == ASIF_OK)
        status = train(&c, joint, error);
    for (uint64_t n = 0; status == ASIF_OK && n < c.tree->nodes; n++) {
        double *at = policy + n * c.actions;
        log_policy(&c, asif_belief_at(&beliefs, n), at);
        for (uint32_t u = 0; u < c.actions; u++)
            at[u] = exp(at[u]);
    }
    void *const arrays[] = {c.reference, c.mean, c.slope, c.policy, c.bar, c.cell, c.more, c.point};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(lesson->context, arrays[i]);
    asif_belief_lesson_free(&beliefs);
    return status;
}

static asif_status predict(double *policy, double *by_state, const asif_lesson *lesson, asif_error *error) {
    (void)by_state;
    return clone(policy, lesson, false, error);
}

static asif_status predict_joint(double *policy, double *by_state, const asif_lesson *lesson,
                                 asif_error *error) {
    (void)by_state;
    return clone(policy, lesson, true, error);
}

const asif_rival asif_rival_belief_cloning = {
    "belief-cloning", "decision boundaries in beliefs; dynamics are learnt first", true, predict};
const asif_rival asif_rival_joint_belief_cloning = {
    "joint-belief-cloning", "decision boundaries in beliefs, learnt together with the dynamics", true,
    predict_joint};
