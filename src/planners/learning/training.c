#include "planners/learning/training.h"

#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "planners/learning/adam.h"

#include <math.h>
#include <string.h>

enum { T = ASIF_UNROLL, N = ASIF_LANES };

/* The price of entropy, in spans of the utility, falls from WARM to COLD by a constant factor per step and is
 * alpha in the end (it is never below alpha). Without it the agent soon stops trying actions that were bad at
 * first, and does not find out that they are good once it has learnt more. */
#define WARM .3
#define COLD .001
#define COOLING .8 /* fraction of the training during which the price falls */

#define TRACE .8       /* lambda of generalised advantages (Schulman et al., 2016) */
#define VALUE_SHARE .5 /* weight of the squared error of values in the loss */
#define RATE 3e-3      /* initial learning rate of Adam (Kingma and Ba, 2015); it falls to 0 */
#define NEARLY_0 1e-8
#define STEEPEST .5 /* largest norm of a gradient; longer ones are clipped */

/* Standard deviations of the initial weights, which are normal. Those of the policy are small, so that all
 * actions are tried. */
#define INPUT_SPREAD .7
#define POLICY_SPREAD .01

/* ---- life ---- */

asif_status asif_training_create(asif_training *t, const asif_context *context, const asif_samples *samples,
                                 uint32_t hidden, uint64_t seed, asif_error *error) {
    const asif_setting_spec *spec = &samples->setting->spec;
    *t = (asif_training){.context = context, .samples = samples, .seed = seed};
    t->gru = (asif_gru){spec->actions + spec->observations + spec->starts, hidden, spec->actions};
    uint64_t count = asif_gru_place(&t->gru).count, size = asif_gru_step_size(&t->gru);
    t->utility = ASIF_ARRAY(context, (uint64_t)spec->actions * spec->states, double);
    t->seen_utility = ASIF_ARRAY(context, (uint64_t)spec->actions * spec->observations, double);
    t->weights = ASIF_ARRAY(context, count, double);
    t->gradient = ASIF_ARRAY(context, count, double);
    t->moment = ASIF_ARRAY(context, count, double);
    t->square = ASIF_ARRAY(context, count, double);
    t->memory = ASIF_ARRAY(context, (T + 1) * size, double);
    t->bars = ASIF_ARRAY(context, (5ull * hidden + spec->actions + 1) * N, double);
    if (!t->utility || !t->seen_utility || !t->weights || !t->gradient || !t->moment || !t->square ||
        !t->memory || !t->bars)
        return asif_fail_memory(error);
    for (uint32_t i = 0; i <= T; i++)
        asif_gru_step_place(&t->gru, &t->step[i], t->memory + i * size);
    return ASIF_OK;
}

void asif_training_free(asif_training *t) {
    if (!t->context)
        return;
    void *const arrays[] = {t->utility, t->seen_utility, t->weights, t->gradient,
                            t->moment,  t->square,       t->memory,  t->bars};
    for (size_t i = 0; i < sizeof arrays / sizeof *arrays; i++)
        asif_free(t->context, arrays[i]);
    *t = (asif_training){0};
}

asif_status asif_training_begin(asif_training *t, const asif_theta *theta, asif_error *error) {
    const asif_stream stream = {t->seed, ASIF_FOR_LEARNING, UINT64_MAX};
    asif_gru_layout at = asif_gru_place(&t->gru);
    if (!(theta->a > 0)) {
        asif_fail(error, ASIF_EDOMAIN, "an agent that learns to act has an alpha from 0 up, and finite");
        asif_error_hint(error, "leave `alpha` out: it is 0");
        return ASIF_EDOMAIN;
    }
    asif_status status = asif_utility_span(&t->scale, t->context, t->samples->setting, theta->utility, error);
    if (status == ASIF_EINVALID) /* the utility is constant: there is nothing to learn */
        t->scale = 1;
    else if (status != ASIF_OK)
        return status;
    t->discount = theta->discount;
    t->coolest = 1 / theta->a / t->scale;
    asif_samples_utility(t->samples, theta, t->utility, t->seen_utility);
    memset(t->weights, 0, at.count * sizeof *t->weights);
    for (uint64_t i = 0; i < at.policy_bias; i++) {
        double spread = i < at.recurrent ? INPUT_SPREAD
                        : i < at.policy  ? 1 / sqrt(t->gru.hidden)
                                         : POLICY_SPREAD;
        t->weights[i] = spread * asif_normal(&stream, (uint32_t)i);
    }
    memset(t->moment, 0, at.count * sizeof *t->moment);
    memset(t->square, 0, at.count * sizeof *t->square);
    return ASIF_OK;
}

/* ---- episodes ---- */

static void take_actions(asif_training *t, uint32_t step, uint64_t batch, uint32_t *world) {
    const asif_setting_spec *spec = &t->samples->setting->spec;
    const asif_gru_step *here = &t->step[step];
    asif_gru_step *next = &t->step[step + 1];
    for (uint32_t i = 0; i < N; i++) {
        const asif_stream stream = {t->seed, ASIF_FOR_LEARNING, batch * N + i};
        double draw = asif_uniform(&stream, 3 * step + 1), sum = 0;
        uint32_t u = 0;
        for (; u + 1 < spec->actions; u++)
            if (draw < (sum += exp(here->log_policy[(uint64_t)u * N + i])))
                break;
        uint32_t to = asif_sample_next(t->samples, u, world[i], asif_uniform(&stream, 3 * step + 2));
        uint32_t seen = asif_sample_seen(t->samples, u, to, asif_uniform(&stream, 3 * step + 3));
        t->action[step][i] = u;
        t->reward[step][i] = (t->utility[(uint64_t)u * spec->states + world[i]] +
                              t->seen_utility[(uint64_t)u * spec->observations + seen]) /
                             t->scale;
        next->on[0][i] = u;
        next->on[1][i] = spec->actions + seen;
        world[i] = to;
    }
}

void asif_training_act(asif_training *t, uint64_t batch) {
    const asif_setting_spec *spec = &t->samples->setting->spec;
    const asif_simd *simd = t->context->simd;
    uint32_t world[N];
    for (uint32_t i = 0; i < N; i++) {
        const asif_stream stream = {t->seed, ASIF_FOR_LEARNING, batch * N + i};
        uint32_t start = (uint32_t)((batch * N + i) % spec->starts);
        world[i] = asif_sample_start(t->samples, start, asif_uniform(&stream, 0));
        t->step[0].on[0][i] = spec->actions + spec->observations + start;
        t->step[0].on[1][i] = ASIF_NO_INPUT;
    }
    for (uint32_t s = 0; s <= T; s++) {
        asif_gru_forward(&t->gru, simd, t->weights, s ? t->step[s - 1].h : NULL, &t->step[s]);
        asif_gru_heads(&t->gru, simd, t->weights, &t->step[s]);
        if (s < T)
            take_actions(t, s, batch, world);
    }
}

static double entropy_of(const asif_gru_step *step, uint32_t actions, uint32_t lane) {
    double sum = 0;
    for (uint32_t u = 0; u < actions; u++) {
        double log_p = step->log_policy[(uint64_t)u * N + lane];
        sum -= exp(log_p) * log_p;
    }
    return sum;
}

/* Compute generalised advantages of reward plus temperature times entropy, normalised over the batch. */
void asif_training_judge(asif_training *t) {
    double mean = 0, square = 0;
    for (uint32_t i = 0; i < N; i++) {
        double ahead = 0;
        for (uint32_t s = T; s-- > 0;) {
            const asif_gru_step *here = &t->step[s];
            double gain = t->reward[s][i] + t->temperature * entropy_of(here, t->gru.actions, i);
            gain += t->discount * t->step[s + 1].value[i] - here->value[i];
            ahead = gain + t->discount * TRACE * ahead;
            t->advantage[s][i] = ahead;
            t->target[s][i] = here->value[i] + ahead;
            mean += ahead / (N * T);
        }
    }
    for (uint32_t s = 0; s < T; s++)
        for (uint32_t i = 0; i < N; i++)
            square += (t->advantage[s][i] - mean) * (t->advantage[s][i] - mean) / (N * T);
    double unit = sqrt(square) + NEARLY_0;
    for (uint32_t s = 0; s < T; s++)
        for (uint32_t i = 0; i < N; i++)
            t->advantage[s][i] = (t->advantage[s][i] - mean) / unit;
    t->weight = t->temperature / unit;
}

/* ---- learning ---- */

/* Contribution of a step to the loss, -advantage log pi - weight entropy + share/2 (value - target)^2, and
 * its derivatives with respect to scores and values. */
static double step_loss(const asif_training *t, uint32_t step, double *score_bar, double *value_bar) {
    const asif_gru_step *here = &t->step[step];
    double loss = 0;
    for (uint32_t i = 0; i < N; i++) {
        double entropy = entropy_of(here, t->gru.actions, i), off = here->value[i] - t->target[step][i];
        double advantage = t->advantage[step][i];
        uint32_t took = t->action[step][i];
        for (uint32_t u = 0; u < t->gru.actions; u++) {
            double log_p = here->log_policy[(uint64_t)u * N + i], p = exp(log_p);
            score_bar[(uint64_t)u * N + i] =
                (advantage * (p - (u == took)) + t->weight * p * (log_p + entropy)) / (N * T);
        }
        value_bar[i] = VALUE_SHARE * off / (N * T);
        loss += VALUE_SHARE / 2 * off * off - t->weight * entropy -
                advantage * here->log_policy[(uint64_t)took * N + i];
    }
    return loss / (N * T);
}

double asif_training_loss(asif_training *t) {
    uint64_t size = (uint64_t)t->gru.hidden * N;
    double *h_bar = t->bars, *scratch = h_bar + size, *score_bar = scratch + 4 * size;
    double *value_bar = score_bar + (uint64_t)t->gru.actions * N, loss = 0;
    memset(t->gradient, 0, asif_gru_place(&t->gru).count * sizeof *t->gradient);
    memset(h_bar, 0, size * sizeof *h_bar);
    for (uint32_t s = T; s-- > 0;) {
        loss += step_loss(t, s, score_bar, value_bar);
        asif_gru_backward(&t->gru, t->context->simd, t->weights, s ? t->step[s - 1].h : NULL, &t->step[s],
                          score_bar, value_bar, h_bar, t->gradient, scratch);
    }
    return loss;
}

static void adam(asif_training *t, uint64_t batch, double rate) {
    uint64_t count = asif_gru_place(&t->gru).count;
    double norm = sqrt(t->context->simd->dot(t->gradient, t->gradient, count));
    double cut = norm > STEEPEST ? STEEPEST / norm : 1;
    const asif_adam steps = {count, t->weights, t->gradient, t->moment, t->square};
    asif_adam_step(&steps, batch + 1, rate, cut);
}

void asif_training_update(asif_training *t, uint64_t batch, double done) {
    t->temperature = fmax(t->coolest, done < COOLING ? WARM * pow(COLD / WARM, done / COOLING) : 0);
    asif_training_act(t, batch);
    asif_training_judge(t);
    asif_training_loss(t);
    adam(t, batch, RATE * (1 - done));
}
