/* The rival recurrent-cloning: a recurrent network that is trained to repeat what was done after each history
 * (behavioural cloning). First decisions have no history: they are predicted by their shares in each start
 * class. */
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "logs/tree/tree.h"
#include "questions/held_out/rivals/cloning_network.h"

#include <math.h>
#include <string.h>

#define HIDDEN 64
#define SPREAD .001   /* standard deviation of the initial weights */
#define RATE .001     /* learning rate */
#define MOST 10000    /* steps at most */
#define PUBLISHED 100 /* as published, training ends if the loss was no higher this many steps ago */
#define PATIENCE 200  /* with validation, it ends if the best loss was this many steps ago */
#define BETWEEN 16    /* steps between reports of progress */

typedef struct {
    asif_cloning_network network;
    double *best;   /* [count]: the best weights so far */
    double lowest;  /* their loss */
    uint64_t since; /* the step at which they were found */
    double *loss;   /* [MOST]: losses of all steps */
} training;

static asif_status open_training(training *t, const asif_lesson *lesson, asif_error *error) {
    ASIF_TRY(asif_cloning_create(&t->network, lesson->context, lesson->tree, HIDDEN, error));
    t->best = ASIF_ARRAY(lesson->context, t->network.adam.count, double);
    t->loss = ASIF_ARRAY(lesson->context, MOST, double);
    if (!t->best || !t->loss)
        return asif_fail_memory(error);
    asif_cloning_begin(&t->network, SPREAD, lesson->seed);
    t->lowest = INFINITY;
    return ASIF_OK;
}

static void close_training(training *t, const asif_context *context) {
    asif_free(context, t->best);
    asif_free(context, t->loss);
    asif_cloning_free(&t->network);
}

/* Whether training ends at step k. */
static bool ends(const training *t, uint64_t k, bool published) {
    if (published)
        return k >= PUBLISHED && t->loss[k] >= t->loss[k - PUBLISHED];
    return k - t->since >= PATIENCE;
}

static asif_status train(training *t, const asif_lesson *lesson, bool published, asif_error *error) {
    asif_cloning_network *w = &t->network;
    const double *count = published ? lesson->count : lesson->fitting;
    for (uint64_t k = 0; k < MOST; k++) {
        if (k % BETWEEN == 0 && asif_progress(lesson->context, "recurrent cloning", (double)k / MOST))
            return asif_fail(error, ASIF_ECANCELLED, "cancelled");
        asif_cloning_forward(w);
        t->loss[k] = asif_cloning_loss(w, published ? count : lesson->validation);
        if (t->loss[k] < t->lowest) {
            t->lowest = t->loss[k];
            t->since = k;
            memcpy(t->best, w->adam.weights, w->adam.count * sizeof *t->best);
        }
        if (ends(t, k, published))
            break;
        asif_cloning_backward(w, count);
        asif_adam_step(&w->adam, k + 1, RATE, 1);
    }
    memcpy(w->adam.weights, t->best, w->adam.count * sizeof *t->best);
    asif_cloning_forward(w);
    return ASIF_OK;
}

static void take_policy(double *policy, const asif_cloning_network *w, const double *shares,
                        const asif_lesson *lesson) {
    const asif_tree_view *t = asif_tree_inside(lesson->tree);
    uint32_t U = t->actions;
    for (uint64_t n = 0; n < t->starts; n++)
        asif_rival_share(policy + n * U, lesson->count + n * U, shares, U);
    for (uint32_t k = 0; k < w->blocks; k++)
        for (uint32_t i = 0; i < w->block[k].count; i++) {
            uint64_t n = (uint64_t)w->block[k].first + i;
            for (uint32_t u = 0; n >= t->starts && u < U; u++)
                policy[n * U + u] = exp(w->block[k].step.log_policy[(uint64_t)u * ASIF_LANES + i]);
        }
}

static asif_status clone(double *policy, const asif_lesson *lesson, bool published, asif_error *error) {
    training t = {.lowest = INFINITY};
    double *shares = ASIF_ARRAY(lesson->context, asif_tree_inside(lesson->tree)->actions, double);
    t.network.context = lesson->context;
    asif_status status = shares ? open_training(&t, lesson, error) : asif_fail_memory(error);
    if (status == ASIF_OK)
        status = train(&t, lesson, published, error);
    if (status == ASIF_OK) {
        asif_rival_shares(shares, lesson);
        take_policy(policy, &t.network, shares, lesson);
    }
    close_training(&t, lesson->context);
    asif_free(lesson->context, shares);
    return status;
}

static asif_status predict(double *policy, double *by_state, const asif_lesson *lesson, asif_error *error) {
    (void)by_state;
    return clone(policy, lesson, false, error);
}

static asif_status predict_published(double *policy, double *by_state, const asif_lesson *lesson,
                                     asif_error *error) {
    (void)by_state;
    return clone(policy, lesson, true, error);
}

const asif_rival asif_rival_recurrent_cloning = {
    "recurrent-cloning",
    "a recurrent network (LSTM) on the whole history, stopped by decisions that it does not see", true,
    predict};
const asif_rival asif_rival_recurrent_cloning_published = {
    "recurrent-cloning-published", "the same network, trained until its loss no longer falls", true,
    predict_published};
