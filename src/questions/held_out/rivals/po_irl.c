/* The rivals po-irl, po-irl-published and joint-po-irl: an agent that plans for the best with a utility
 * v(s,u) of every state and action, and acts by a softmax of its values.
 *
 * po-irl maximises the posterior with the prior N(0, 1) of every utility. The other two are the random walks
 * that were published, of STEPS steps from utilities near 0 with steps of SPREAD: the likelihood of the
 * actions alone decides whether a step is taken, and every THIN-th point of the second half is averaged. In
 * the joint walk, half of the steps propose dynamics instead: states are drawn given the observations at the
 * current dynamics, and tables given these states. */
#include "asif/sample.h"
#include "base/context.h"
#include "base/error.h"
#include "base/memory.h"
#include "base/random.h"
#include "questions/held_out/rivals/po_irl_agent.h"

#include <math.h>
#include <string.h>

#define STARTS 3
#define STEPS 1000
#define THIN 10
#define SPREAD .001

/* ---- the maximum of the posterior ---- */

static asif_status evaluate(void *user, const double *x, double *value, double *gradient, asif_error *error) {
    asif_po_irl *agent = user;
    ASIF_TRY(asif_po_irl_loglik(value, gradient, agent, x, error));
    for (uint32_t i = 0; i < agent->utilities; i++) {
        *value -= x[i] * x[i] / 2;
        if (gradient)
            gradient[i] -= x[i];
    }
    return ASIF_OK;
}

static asif_status maximise(double *utility, asif_po_irl *agent, asif_error *error) {
    const asif_lesson *lesson = agent->beliefs->lesson;
    asif_maximise_options options = ASIF_MAXIMISE_OPTIONS_INIT;
    const asif_density density = {
        .dimension = agent->utilities, .evaluate = evaluate, .has_gradient = true, .user = agent};
    uint64_t numbers = (uint64_t)STARTS * agent->utilities;
    double *start = ASIF_ARRAY(lesson->context, numbers, double);
    if (!start)
        return asif_fail_memory(error);
    for (uint64_t i = agent->utilities; i < numbers; i++) /* the first start is 0 */
        start[i] = asif_normal(&(asif_stream){lesson->seed, ASIF_FOR_RIVALS, i}, 0);
    options.starts = STARTS;
    options.start = start;
    asif_status status = asif_maximise(utility, lesson->context, &density, 1, &options, NULL, error);
    asif_free(lesson->context, start);
    return status;
}

static asif_status predict(double *policy, double *by_state, const asif_lesson *lesson, asif_error *error) {
    asif_belief_lesson beliefs;
    asif_po_irl agent = {0};
    double *utility = NULL;
    (void)by_state;
    asif_status status = asif_belief_lesson_create(&beliefs, lesson, error);
    if (status == ASIF_OK)
        status = asif_po_irl_create(&agent, &beliefs, beliefs.point, error);
    if (status == ASIF_OK && !(utility = ASIF_ARRAY(lesson->context, agent.utilities, double)))
        status = asif_fail_memory(error);
    if (status == ASIF_OK)
        status = maximise(utility, &agent, error);
    if (status == ASIF_OK)
        status = asif_po_irl_predict(policy, &agent, utility, error);
    asif_po_irl_free(&agent);
    asif_free(lesson->context, utility);
    asif_belief_lesson_free(&beliefs);
    return status;
}

/* ---- the published walks ---- */

typedef struct {
    asif_belief_lesson beliefs;
    bool joint;
    asif_po_irl agent, other; /* of the current dynamics, and of those proposed */
    uint64_t utilities, cells;
    double *utility, *point, *next, *mean, *mean_point; /* [utilities] or [cells] */
    double value;
} walk;

static bool accept(walk *w, double value, uint64_t step) {
    const asif_stream stream = {w->beliefs.lesson->seed, ASIF_FOR_RIVALS, step};
    if (!(log(asif_uniform(&stream, 1)) < value - w->value))
        return false;
    w->value = value;
    return true;
}

static asif_status step_utilities(walk *w, uint64_t step, asif_error *error) {
    const asif_stream stream = {w->beliefs.lesson->seed, ASIF_FOR_RIVALS, step};
    double value;
    for (uint64_t i = 0; i < w->utilities; i++)
        w->next[i] = w->utility[i] + SPREAD * asif_normal(&stream, (uint32_t)(2 + i));
    ASIF_TRY(asif_po_irl_loglik(&value, NULL, &w->agent, w->next, error));
    if (accept(w, value, step))
        memcpy(w->utility, w->next, w->utilities * sizeof(double));
    return ASIF_OK;
}

static asif_status step_dynamics(walk *w, uint64_t step, asif_error *error) {
    asif_dynamics_draw_options options = ASIF_DYNAMICS_DRAW_OPTIONS_INIT;
    double value;
    options.draws = options.chains = 1;
    options.warmup = 0;
    options.thin = 1;
    options.seed = w->beliefs.lesson->seed + step;
    options.prior = ASIF_LESSON_PRIOR;
    ASIF_TRY(asif_dynamics_draw(w->next, w->beliefs.part, w->point, &options, NULL, error));
    ASIF_TRY(asif_po_irl_create(&w->other, &w->beliefs, w->next, error));
    ASIF_TRY(asif_po_irl_loglik(&value, NULL, &w->other, w->utility, error));
    if (accept(w, value, step)) {
        asif_po_irl swap = w->agent;
        w->agent = w->other;
        w->other = swap;
        memcpy(w->point, w->next, w->cells * sizeof(double));
    }
    asif_po_irl_free(&w->other);
    w->other = (asif_po_irl){0};
    return ASIF_OK;
}

static asif_status walk_on(walk *w, asif_error *error) {
    const asif_lesson *lesson = w->beliefs.lesson;
    const uint64_t kept = STEPS / 2 / THIN;
    for (uint64_t i = 0; i < w->utilities; i++)
        w->utility[i] =
            SPREAD * asif_normal(&(asif_stream){lesson->seed, ASIF_FOR_RIVALS, STEPS}, (uint32_t)i);
    ASIF_TRY(asif_po_irl_loglik(&w->value, NULL, &w->agent, w->utility, error));
    for (uint64_t step = 0; step < STEPS; step++) {
        const asif_stream stream = {lesson->seed, ASIF_FOR_RIVALS, step};
        bool dynamics = w->joint && asif_uniform(&stream, 0) < .5;
        ASIF_TRY(dynamics ? step_dynamics(w, step, error) : step_utilities(w, step, error));
        if (asif_progress(lesson->context, "walking", -1))
            return asif_fail(error, ASIF_ECANCELLED, "cancelled");
        if (step < STEPS / 2 || (step + 1) % THIN)
            continue;
        for (uint64_t i = 0; i < w->utilities; i++)
            w->mean[i] += w->utility[i] / (double)kept;
        for (uint64_t i = 0; i < w->cells; i++)
            w->mean_point[i] += w->point[i] / (double)kept;
    }
    return ASIF_OK;
}

static asif_status prepare(walk *w, const asif_lesson *lesson, asif_error *error) {
    ASIF_TRY(asif_belief_lesson_create(&w->beliefs, lesson, error));
    ASIF_TRY(asif_po_irl_create(&w->agent, &w->beliefs, w->beliefs.point, error));
    w->utilities = w->agent.utilities;
    w->cells = w->beliefs.part->cells;
    w->joint = w->joint && w->beliefs.part->free > 0;
    uint64_t most = w->cells > w->utilities ? w->cells : w->utilities;
    w->utility = ASIF_ARRAY(lesson->context, w->utilities, double);
    w->mean = ASIF_ARRAY(lesson->context, w->utilities, double);
    w->point = ASIF_ARRAY(lesson->context, w->cells, double);
    w->mean_point = ASIF_ARRAY(lesson->context, w->cells, double);
    w->next = ASIF_ARRAY(lesson->context, most, double);
    if (!w->utility || !w->mean || !w->point || !w->mean_point || !w->next)
        return asif_fail_memory(error);
    memcpy(w->point, w->beliefs.point, w->cells * sizeof(double));
    return ASIF_OK;
}

/* Predict with the means of what the walk kept. */
static asif_status finish(double *policy, walk *w, asif_error *error) {
    ASIF_TRY(asif_po_irl_create(&w->other, &w->beliefs, w->mean_point, error));
    return asif_po_irl_predict(policy, &w->other, w->mean, error);
}

static asif_status predict_by_walk(double *policy, const asif_lesson *lesson, bool joint, asif_error *error) {
    walk w = {.beliefs.lesson = lesson, .joint = joint};
    asif_status status = prepare(&w, lesson, error);
    if (status == ASIF_OK)
        status = walk_on(&w, error);
    if (status == ASIF_OK)
        status = finish(policy, &w, error);
    asif_po_irl_free(&w.agent);
    asif_po_irl_free(&w.other);
    void *const used[] = {w.utility, w.mean, w.point, w.mean_point, w.next};
    for (size_t i = 0; i < sizeof used / sizeof *used; i++)
        asif_free(lesson->context, used[i]);
    asif_belief_lesson_free(&w.beliefs);
    return status;
}

static asif_status predict_published(double *policy, double *by_state, const asif_lesson *lesson,
                                     asif_error *error) {
    (void)by_state;
    return predict_by_walk(policy, lesson, false, error);
}

static asif_status predict_joint(double *policy, double *by_state, const asif_lesson *lesson,
                                 asif_error *error) {
    (void)by_state;
    return predict_by_walk(policy, lesson, true, error);
}

const asif_rival asif_rival_po_irl = {
    "po-irl", "utilities of an agent that plans for the best and acts by a softmax", true, predict};
const asif_rival asif_rival_po_irl_published = {
    "po-irl-published", "the same, by the random walk that was published", true, predict_published};
const asif_rival asif_rival_joint_po_irl = {
    "joint-po-irl", "the published walk over utilities and dynamics together", true, predict_joint};
